package mtx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

const (
	npyMagic = "\x93NUMPY"

	// maxNPYHeader bounds the header of version 2, which states its length in 32 bits.
	// That of two dimensions needs about 100 bytes.
	maxNPYHeader = 1 << 16
)

// An npyHeader is what stands before the values:
//
//	\x93NUMPY 1 0 <length, 2 bytes; 4 in version 2>
//	{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   spaces \n
type npyHeader struct {
	npyWants
	kind      string // f4 f8 i4 i8
	bigEndian bool
	fortran   bool
	shape     []int
	n         int // values
}

// npyWants is what a reader takes.
type npyWants struct {
	kinds       []string // of elements, the last of which is named after an "or"
	least, most int      // dimensions
}

// npyPlain is what ReadNPY takes.
var npyPlain = npyWants{[]string{"f4", "f8", "i4", "i8"}, 1, 2}

// size is the bytes of an element.
func (h *npyHeader) size() int {
	n, _ := strconv.Atoi(h.kind[1:])
	if h.kind[0] == 'U' {
		n *= 4
	}
	return n
}

// readNPYHeader reads up to the first value, whose offset it returns, or that of what
// is wrong.
func readNPYHeader(r io.Reader, o Options, wants npyWants) (h npyHeader, at int64, reason string, err error) {
	h.npyWants = wants
	read := func(b []byte, what string) bool {
		k, e := io.ReadFull(r, b)
		at += int64(k)
		err = e
		if errors.Is(e, io.EOF) || errors.Is(e, io.ErrUnexpectedEOF) {
			reason = fmt.Sprintf("the file ends in %s: %v", what, e)
		}
		return e == nil
	}
	var start [8]byte
	if !read(start[:], "its first 8 bytes; want those of numpy.save") {
		return h, at, reason, err
	}
	if string(start[:6]) != npyMagic {
		return h, 0, quote(start[:6]) + " is not how a file of numpy.save begins; want " + strconv.QuoteToASCII(npyMagic), nil
	}
	var length [4]byte
	switch {
	case start[6] == 1 && start[7] == 0:
		if !read(length[:2], "the length of its header") {
			return h, at, reason, err
		}
	case start[6] == 2 && start[7] == 0, start[6] == 3 && start[7] == 0: // 3 is 2 whose names are UTF-8

		if !read(length[:], "the length of its header") {
			return h, at, reason, err
		}
	default:
		return h, 6, fmt.Sprintf("version %d.%d of the format; want 1.0, 2.0 or 3.0", start[6], start[7]), nil
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxNPYHeader {
		return h, at, fmt.Sprintf("a header of %d bytes; want at most %d", n, maxNPYHeader), nil
	}
	text := make([]byte, n)
	from := at
	if !read(text, "its header") {
		return h, at, reason, err
	}
	p := &dict{text: string(text)}
	if h.parse(p); p.reason == "" {
		reason, err = h.limits(o)
		return h, at, reason, err
	}
	return h, from + int64(p.at), p.reason, nil
}

// limits sets h.n, or returns which limit of o the shape breaks.
func (h *npyHeader) limits(o Options) (reason string, err error) {
	n := uint64(1)
	for _, d := range h.shape {
		if d > o.MaxDim {
			return fmt.Sprintf("a size of %d in the shape %v is more than Options.MaxDim, %d", d, h.shape, o.MaxDim), ErrLimit
		}
		var hi uint64
		if hi, n = bits.Mul64(n, uint64(d)); hi > 0 || n > uint64(o.MaxEntries) {
			return fmt.Sprintf("the shape %v has more values than Options.MaxEntries, %d", h.shape, o.MaxEntries), ErrLimit
		}
	}
	h.n = int(n)
	return "", nil
}

// parse reads the three keys, in any order, each once.
func (h *npyHeader) parse(p *dict) {
	seen := map[string]bool{}
	p.want("{")
	for p.reason == "" && !p.is("}") {
		p.space()
		at := p.at
		key := p.text1()
		if p.reason != "" {
			return
		}
		if seen[key] {
			p.at = at
			p.fail("the key " + strconv.QuoteToASCII(key) + " a second time; want it once")
			return
		}
		seen[key] = true
		p.want(":")
		switch key {
		case "descr":
			h.descr(p)
		case "fortran_order":
			h.fortran = p.boolean()
		case "shape":
			h.shape = p.tuple(h.least, h.most)
		default:
			p.at = at
			p.fail("the key " + quote([]byte(key)) + "; want descr, fortran_order and shape")
		}
		if !p.is(",") {
			p.want("}")
			break
		}
	}
	p.space()
	switch {
	case p.reason != "":
	case p.at < len(p.text):
		p.fail("the header goes on after its }; want spaces and the end of the line")
	case len(seen) < 3:
		p.fail("the header lacks a key; want descr, fortran_order and shape")
	}
}

// descr reads the type of the values.
func (h *npyHeader) descr(p *dict) {
	p.space()
	at := p.at
	s := p.text1()
	if p.reason != "" {
		return
	}
	order := len(s) > 1 && (s[0] == '<' || s[0] == '>' || s[0] == '|' && oneByte(s[1:]))
	if !order || !slices.Contains(h.kinds, s[1:]) {
		p.at = at
		last := len(h.kinds) - 1
		p.fail("values of type " + quote([]byte(s)) + "; want " + strings.Join(h.kinds[:last], ", ") + " or " + h.kinds[last] + " after < or >")
		return
	}
	h.kind, h.bigEndian = s[1:], s[0] == '>'
}

// oneByte reports whether elements of a kind have bytes in one order only.
func oneByte(kind string) bool { return kind[0] == 'S' || len(kind) == 2 && kind[1] == '1' }

package emucmd

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/internal/outfile"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// maxPTX bounds a PTX file.
const maxPTX = 64 << 20

// readAtMost reads all text of a file that is no longer than limit.
func readAtMost(in io.Reader, file string, limit int64) (string, error) {
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s has more than %d MiB", file, limit>>20)
	}
	return string(b), err
}

// An emuElem is a type of elements.
type emuElem struct {
	name    string
	npy     string // of files: its own, or that of its bits
	size    int
	integer bool
	signed  bool
	value   func(bits uint64) float64 // nil for integers
	bits    func(x float64) uint64
}

var emuElems = []emuElem{
	{name: "i8", npy: "i1", size: 1, integer: true, signed: true}, {name: "i16", npy: "i2", size: 2, integer: true, signed: true},
	{name: "i32", npy: "i4", size: 4, integer: true, signed: true}, {name: "i64", npy: "i8", size: 8, integer: true, signed: true},
	{name: "u8", npy: "u1", size: 1, integer: true}, {name: "u16", npy: "u2", size: 2, integer: true},
	{name: "u32", npy: "u4", size: 4, integer: true}, {name: "u64", npy: "u8", size: 8, integer: true},
	{name: "f16", npy: "f2", size: 2, value: func(b uint64) float64 { return dtype.F16FromBits(uint16(b)).Float64() }, bits: func(x float64) uint64 { return uint64(dtype.ToF16(x).Bits()) }},
	{name: "bf16", npy: "u2", size: 2, value: func(b uint64) float64 { return dtype.BF16FromBits(uint16(b)).Float64() }, bits: func(x float64) uint64 { return uint64(dtype.ToBF16(x).Bits()) }},
	{name: "f32", npy: "f4", size: 4, value: func(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }, bits: func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }},
	{name: "f64", npy: "f8", size: 8, value: math.Float64frombits, bits: math.Float64bits},
	{name: "e4m3", npy: "u1", size: 1, value: func(b uint64) float64 { return dtype.F8E4M3FromBits(uint8(b)).Float64() }, bits: func(x float64) uint64 { return uint64(dtype.ToF8E4M3(x).Bits()) }},
	{name: "e5m2", npy: "u1", size: 1, value: func(b uint64) float64 { return dtype.F8E5M2FromBits(uint8(b)).Float64() }, bits: func(x float64) uint64 { return uint64(dtype.ToF8E5M2(x).Bits()) }},
	{name: "bool", npy: "b1", size: 1, integer: true},
}

func elemNamed(name string) (e emuElem, ok bool) {
	for _, e := range emuElems {
		if e.name == name {
			return e, true
		}
	}
	return e, false
}

// elemOfFile is the type of elements that a file says it has.
func elemOfFile(npy string) emuElem {
	for _, e := range emuElems {
		if e.npy == npy && (e.integer || e.npy[0] == 'f') {
			return e
		}
	}
	panic("no type of elements for " + npy)
}

// bitsOf are the bits of element i of data.
func (e *emuElem) bitsOf(data []byte, i int) uint64 {
	var b [8]byte
	copy(b[:], data[i*e.size:(i+1)*e.size])
	return binary.LittleEndian.Uint64(b[:])
}

// text writes an element.
func (e *emuElem) text(bits uint64) string {
	switch {
	case e.name == "f64":
		return strconv.FormatFloat(e.value(bits), 'g', -1, 64)
	case !e.integer:
		return strconv.FormatFloat(e.value(bits), 'g', -1, 32)
	case e.signed:
		return strconv.FormatInt(int64(bits<<(64-8*e.size))>>(64-8*e.size), 10)
	}
	return strconv.FormatUint(bits, 10)
}

// number reads a number of the type.
func (e *emuElem) number(s string) (bits uint64, err error) {
	switch {
	case e.name == "f32":
		// It does not go through float64, which would round twice.
		x, err := strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(x))), err
	case !e.integer:
		x, err := strconv.ParseFloat(s, 64)
		return e.bits(x), err
	case e.signed:
		x, err := strconv.ParseInt(s, 0, 8*e.size)
		return uint64(x) << (64 - 8*e.size) >> (64 - 8*e.size), err
	}
	return strconv.ParseUint(s, 0, 8*e.size)
}

// An emuArg is an argument of a kernel.
type emuArg struct {
	text string // as typed
	elem emuElem
	// For a number, or for the bytes of a value.
	scalar bool
	bytes  []byte
	// Of an array.
	shape   []int
	data    []byte // nil: never written
	save    string // file, or ""
	want    *mtx.RawNPY
	wantOf  string
	print   bool
	written bool // by the kernel
}

// readArg reads an argument; room is how many bytes of arrays may still come.
func readArg(s string, room *int64) (*emuArg, error) {
	a := &emuArg{text: s}
	kind, rest, colon := strings.Cut(s, ":")
	switch e, ok := elemNamed(kind); {
	case colon && ok:
		bits, err := e.number(rest)
		if err != nil {
			return nil, cli.Usagef("argument %s: %q is not a number of type %s", s, rest, e.name)
		}
		a.elem, a.scalar = e, true
		a.bytes = binary.LittleEndian.AppendUint64(nil, bits)[:e.size]
		return a, nil
	case !colon, len(kind) == 1, strings.ContainsAny(kind, "./\\"): // a file, perhaps C:\x.npy
		kind, rest = "in", s
	case !emuKinds[kind]:
		return nil, cli.Usagef("argument %s: there is no %q; want a number such as i32:5, a file such as x.npy, or out:f32:1024=y.npy", s, kind)
	}
	if at := strings.IndexByte(rest, '~'); at >= 0 {
		rest, a.wantOf = rest[:at], rest[at+1:]
	}
	rest, a.save, _ = strings.Cut(rest, "=")
	if kind == "in" && (a.save != "" || a.wantOf != "") {
		return nil, cli.Usagef("argument %s: the kernel only reads this array; write inout:%s if it does more", s, s)
	}
	a.written = kind == "inout" || kind == "out" || kind == "zero"
	if a.wantOf != "" {
		want, err := readArray(a.wantOf, room)
		if err != nil {
			return nil, err
		}
		a.want = &want
	}
	if kind == "out" || kind == "zero" {
		if err := a.declare(rest, room); err != nil {
			return nil, cli.Usagef("argument %s: %w", s, err)
		}
		if kind == "zero" {
			a.data = make([]byte, a.size())
		}
		a.print = a.save == "" && a.want == nil
		return a, a.agree()
	}
	// inout:bf16:x.npy says what the bits of the file mean.
	as, file, typed := strings.Cut(rest, ":")
	e, known := elemNamed(as)
	if !typed || !known {
		file = rest
	}
	f, err := readArray(file, room)
	if err != nil {
		return nil, err
	}
	if !typed || !known {
		e = elemOfFile(f.Kind)
	} else if e.npy != f.Kind {
		return nil, cli.Usagef("argument %s: %s has elements of type %s; those of %s are %s", s, file, f.Kind, e.name, e.npy)
	}
	a.elem, a.shape, a.data = e, f.Shape, f.Data
	switch {
	case kind == "value":
		a.scalar, a.bytes = true, f.Data
	case kind == "inout" && a.save == "" && a.want == nil:
		a.save = file
	}
	return a, a.agree()
}

// emuKinds are the words before an array.
var emuKinds = map[string]bool{"in": true, "inout": true, "out": true, "zero": true, "value": true}

// size is the bytes of the array.
func (a *emuArg) size() int {
	n := a.elem.size
	for _, d := range a.shape {
		n *= d
	}
	return n
}

// declare reads f32:32x64.
func (a *emuArg) declare(s string, room *int64) error {
	name, dims, ok := strings.Cut(s, ":")
	e, known := elemNamed(name)
	if !ok || !known {
		return fmt.Errorf("want a type and a shape, as in out:f32:32x64; types are %s", elemNames())
	}
	a.elem = e
	n := int64(e.size)
	for d := range strings.SplitSeq(dims, "x") {
		k, err := strconv.Atoi(d)
		if err != nil || k < 0 {
			return fmt.Errorf("%q is not a shape; write 1024 or 32x64", dims)
		}
		if k > 0 && n > *room/int64(k) {
			return fmt.Errorf("the array does not fit --max-memory")
		}
		n *= int64(k)
		a.shape = append(a.shape, k)
	}
	*room -= n
	return nil
}

func elemNames() string {
	var names []string
	for _, e := range emuElems {
		names = append(names, e.name)
	}
	return strings.Join(names, " ")
}

// agree refuses a wanted array of another size.
func (a *emuArg) agree() error {
	if a.want == nil {
		return nil
	}
	n := 1
	for _, d := range a.want.Shape {
		n *= d
	}
	if n*a.elem.size != a.size() {
		return cli.Usagef("argument %s: %s has %d elements, the array %d", a.text, a.wantOf, n, a.size()/a.elem.size)
	}
	return nil
}

// readArray reads an .npy file of at most room bytes.
func readArray(file string, room *int64) (mtx.RawNPY, error) {
	f, err := os.Open(file)
	if err != nil {
		return mtx.RawNPY{}, cli.Usage(err)
	}
	defer f.Close()
	a, err := mtx.ReadRawNPY(f, mtx.Options{Name: file, MaxEntries: int(min(*room, math.MaxInt32)), MaxBytes: *room + 1<<17})
	if err == nil && int64(len(a.Data)) > *room {
		err = fmt.Errorf("%s: the array does not fit --max-memory", file)
	}
	*room -= int64(len(a.Data))
	return a, err
}

// writeArray writes an .npy file.
func writeArray(file string, a mtx.RawNPY) error {
	return outfile.Write(file, func(w io.Writer) error { return mtx.WriteRawNPY(w, a) })
}

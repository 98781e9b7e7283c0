package comm

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"reflect"
	"strconv"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A call is what all ranks must give a collective alike. Each collective makes one, and
// comparing.go compares them.
type call struct {
	tag    int   // of the collective
	elem   uint8 // the type of elements, see elemOf; 0 if there are none
	op     string
	root   int // -1 for none
	n      int // elements of each rank, -1 if counts say it, or nothing does
	counts []int
}

// elemOf is the kind of a type, or one that reflect does not have.
func elemOf[T Fixed]() uint8 {
	switch t := reflect.TypeFor[T](); t {
	case reflect.TypeFor[dtype.BF16]():
		return elemBF16
	case reflect.TypeFor[dtype.F16]():
		return elemF16
	default:
		return uint8(t.Kind())
	}
}

const (
	elemBF16 = 100 + iota
	elemF16
)

func elemName(elem uint8) string {
	switch elem {
	case elemBF16:
		return "bf16"
	case elemF16:
		return "f16"
	default:
		return reflect.Kind(elem).String()
	}
}

// text is the name of an Op, in quotes unless it is one of this package.
func (op Op[T]) text() string {
	if op.known {
		return op.Name
	}
	return strconv.Quote(op.Name)
}

// mostSaid bounds what a call is written in. Longer lists of counts, and names, are told
// apart by a hash.
const (
	mostSaid  = 192
	mostName  = 32
	mostCount = 96
)

// Ways to write counts.
const (
	countsNone = iota
	countsEqual
	countsList
	countsHash
)

// append writes the n-th collective of a group: a dozen bytes, mostly.
func (k *call) append(b []byte, n uint64) []byte {
	b = append(b, byte(k.tag-tagAllReduce), k.elem)
	b = binary.AppendUvarint(b, n)
	b = binary.AppendUvarint(b, uint64(k.root+1))
	b = binary.AppendUvarint(b, uint64(k.n+1))
	op := k.op
	if len(op) > mostName {
		h := fnv.New32a()
		h.Write([]byte(op))
		op = fmt.Sprintf("%.16q... %08x", op[:8], h.Sum32())
	}
	b = append(append(b, byte(len(op))), op...)
	return appendCounts(b, k.counts)
}

func appendCounts(b []byte, counts []int) []byte {
	if counts == nil {
		return append(b, countsNone)
	}
	equal := true
	for _, n := range counts {
		equal = equal && n == counts[0]
	}
	if equal {
		return binary.AppendUvarint(append(b, countsEqual), uint64(counts[0]))
	}
	at := len(b)
	b = binary.AppendUvarint(append(b, countsList), uint64(len(counts)))
	for _, n := range counts {
		if b = binary.AppendUvarint(b, uint64(n)); len(b)-at > mostCount {
			return appendHash(b[:at], counts)
		}
	}
	return b
}

func appendHash(b []byte, counts []int) []byte {
	h := fnv.New64a()
	sum := 0
	for _, n := range counts {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], uint64(n))
		h.Write(word[:])
		sum += n
	}
	b = binary.LittleEndian.AppendUint64(append(b, countsHash), h.Sum64())
	return binary.AppendUvarint(b, uint64(sum))
}

// A reader takes apart what append wrote. Arguments that are too short read as zeros.
type reader struct{ b []byte }

func (r *reader) byte() (x byte) {
	if len(r.b) > 0 {
		x, r.b = r.b[0], r.b[1:]
	}
	return x
}

func (r *reader) number() uint64 {
	x, n := binary.Uvarint(r.b)
	r.b = r.b[max(n, 0):]
	return x
}

func (r *reader) bytes(n int) (x []byte) {
	n = min(n, len(r.b))
	x, r.b = r.b[:n], r.b[n:]
	return x
}

// describeCall says in words which collective it is, and which of the group's.
func describeCall(said []byte) (text string, n uint64) {
	r := reader{said}
	tag := tagAllReduce + int(r.byte())
	text = TagName(tag)
	elem := r.byte()
	n = r.number()
	root, count := int64(r.number())-1, int64(r.number())-1
	op := string(r.bytes(int(r.byte())))
	what := ""
	if elem != 0 {
		what = " " + elemName(elem)
	}
	switch r.byte() {
	case countsEqual:
		text += fmt.Sprintf(" of %d%s of each rank", r.number(), what)
	case countsList:
		list := make([]uint64, min(r.number(), mostCount))
		for i := range list {
			list[i] = r.number()
		}
		text += fmt.Sprintf(" of %d%s by ranks", list, what)
	case countsHash:
		h := r.bytes(8)
		text += fmt.Sprintf(" of %d%s in all, by counts with the hash %x", r.number(), what, h)
	default:
		if count >= 0 {
			text += fmt.Sprintf(" of %d%s", count, what)
		} else if what != "" {
			text += " of" + what
		}
	}
	if op != "" {
		text += " by " + op
	}
	if root >= 0 {
		text += fmt.Sprintf(" with root %d", root)
	}
	return text, n
}

// disagreement is the error of two ranks that call collectives differently.
func disagreement(rank int, said []byte, other int, theirs []byte) error {
	mine, n := describeCall(said)
	text, m := describeCall(theirs)
	if n != m {
		mine, text = fmt.Sprintf("%s, as collective %d of this group", mine, n), fmt.Sprintf("%s, as collective %d", text, m)
	}
	return &DisagreeError{Text: fmt.Sprintf("the ranks disagree: rank %d calls %s, but rank %d calls %s", rank, mine, other, text)}
}

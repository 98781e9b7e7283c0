package mtx

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
)

// A RawNPY is an array of any type of numbers that NumPy and GPUs share, as bytes.
type RawNPY struct {
	Kind  string // b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8: what NumPy calls the type
	Shape []int  // none for a single number
	Data  []byte // little-endian, the last index fastest
}

// rawKinds are the types of a RawNPY.
var rawKinds = []string{"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}

// rawDims is how many dimensions NumPy gives an array at most.
const rawDims = 64

// ReadRawNPY reads an array of numpy.save, plain or gzip, as [ReadNPY] does, of any of
// the types of [RawNPY] and of any number of dimensions. An array in Fortran's order comes
// back in C's. MaxEntries applies to all elements, and to each dimension. An error of the
// file is an *Error.
func ReadRawNPY(r io.Reader, o Options) (RawNPY, error) {
	o = o.withDefaults()
	var v npzValues
	var at int64
	var reason string
	src, err := open(r, o)
	o.MaxDim = o.MaxEntries
	if err != nil {
		reason = err.Error()
	} else {
		v.npyHeader, at, reason, err = readNPYHeader(src, o, npyWants{rawKinds, 0, rawDims})
	}
	if reason == "" && err == nil {
		reason, err = v.fill(src)
		at += int64(len(v.raw))
	}
	if reason == "" && err == nil {
		v.inOrder()
		if v.bigEndian {
			for e := range slices.Chunk(v.raw, v.size()) {
				slices.Reverse(e)
			}
		}
		return RawNPY{Kind: v.kind, Shape: v.shape, Data: v.raw}, nil
	}
	if reason == "" {
		reason = readError(err)
	}
	return RawNPY{}, &Error{Name: o.Name, Offset: at, Reason: reason, Err: err}
}

// WriteRawNPY writes a as numpy.save does.
func WriteRawNPY(w io.Writer, a RawNPY) error {
	if !slices.Contains(rawKinds, a.Kind) {
		return fmt.Errorf("npy: type %q; want one of %v", a.Kind, rawKinds)
	}
	h := npyHeader{kind: a.Kind}
	n := h.size()
	for _, d := range a.Shape {
		if d < 0 || d > 0 && n > math.MaxInt/d {
			return fmt.Errorf("npy: a shape of %v", a.Shape)
		}
		n *= d
	}
	if n != len(a.Data) {
		return fmt.Errorf("npy: %d bytes for a shape of %v of %s; want %d", len(a.Data), a.Shape, a.Kind, n)
	}
	b := bufio.NewWriterSize(w, writeAhead)
	b.WriteString(npyStart(a.Kind, a.Shape, false, NPYLayout{}))
	b.Write(a.Data)
	return b.Flush() // which returns the first error of all
}

package mem

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Packed is a second operand b in the order in which kernels read it; package run says
// what callers have to know.
type Packed struct {
	Owner unsafe.Pointer  // the set of kernels that it was packed for
	Kern  *kernel.Kernels // nil for the portable code, which needs no packing
	By    string          // the function that packed it
	Of    Place           // of b
	K, N  int
	KC    int
	Vecs  Split
	T     dtype.Type
	Size  int // bytes of a packed element, or word
	Buf   Buffer
	Wraps bool    // sums of int32 over K may wrap around
	Sums  []int32 // of b's columns, for a zero point of a; nil if nobody asked
}

// Place is where a matrix lies: what two views of one shape have in common only if they
// are views of the same elements. It holds on to these, so that no other matrix can come
// to lie there. For an empty matrix it is zero.
type Place struct {
	P      unsafe.Pointer
	RS, CS int // elements; of a dimension of one, which is never taken, 1
}

// PlaceOf returns where m lies, which passed its check.
func PlaceOf[T dtype.Any](m *layout.Matrix[T]) Place {
	if m.Rows == 0 || m.Cols == 0 {
		return Place{}
	}
	p := Place{unsafe.Pointer(unsafe.SliceData(m.Data)), m.RowStride, m.ColStride}
	if m.Rows == 1 {
		p.RS = 1
	}
	if m.Cols == 1 {
		p.CS = 1
	}
	return p
}

// Panel returns where the panel of the k-block from step k on lies, and how many columns
// of it are real.
func (p *Packed) Panel(panel, k, kc int) (at unsafe.Pointer, cols int) {
	vl, size := p.Kern.VL, p.Size
	v0, v1 := p.Vecs.At(panel), p.Vecs.At(panel+1)
	perRow := p.Vecs.At(p.Vecs.Count) * vl * size
	head := p.Kern.Head
	return unsafe.Add(p.Buf.P, (k+k/p.KC*head)*perRow+(kc+head)*v0*vl*size), min(v1*vl, p.N) - v0*vl
}

package mem

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Packed is a second operand b in the order in which kernels read it; package run says
// what callers have to know.
type Packed struct {
	Kern *kernel.Kernels // nil for the portable code, which needs no packing
	K, N int
	KC   int
	Vecs Split
	T    dtype.Type
	Buf  Buffer
}

// Panel returns where the panel of the k-block from k on lies, and how many columns
// of it are real.
func (p *Packed) Panel(panel, k, kc, size int) (at unsafe.Pointer, cols int) {
	vl := p.Kern.VL
	v0, v1 := p.Vecs.At(panel), p.Vecs.At(panel+1)
	perRow := p.Vecs.At(p.Vecs.Count) * vl * size
	return unsafe.Add(p.Buf.P, k*perRow+kc*v0*vl*size), min(v1*vl, p.N) - v0*vl
}

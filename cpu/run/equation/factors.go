package equation

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Factors is one product of a chain to compute, or its b to pack: what the functions of
// package cpu/kern/products are called with.
type Factors struct {
	Packed *run.Packed // b, packed or to be, or nil

	name, isa string
	threads   int
	packs     bool
	out, a, b kernel.Slot // strides in bytes
	m, n, k   int
}

// Multiply computes a product, or packs its b.
type Multiply func(f *Factors)

// Packs reports whether b is to be packed into Packed, and nothing to be multiplied.
func (f *Factors) Packs() bool { return f.packs }

// Options are those of the call.
func (f *Factors) Options() run.Options {
	opt := run.Options{Caller: f.name, ISA: f.isa}
	if !f.packs {
		opt.Threads, opt.B = f.threads, f.Packed
	}
	return opt
}

// Result is where the product goes, m x n.
func Result[T dtype.Elem](f *Factors) layout.Matrix[T] { return matrix[T](f.out, f.m, f.n) }

// A is the first factor, m x k.
func A[T dtype.Elem](f *Factors) layout.Matrix[T] { return matrix[T](f.a, f.m, f.k) }

// B is the second one, k x n.
func B[T dtype.Elem](f *Factors) layout.Matrix[T] { return matrix[T](f.b, f.k, f.n) }

// matrix is a slot, which was made of a matrix or is memory of the call, as one.
func matrix[T dtype.Elem](s kernel.Slot, rows, cols int) layout.Matrix[T] {
	var z T
	size := int(unsafe.Sizeof(z))
	m := layout.Matrix[T]{Rows: rows, Cols: cols, RowStride: int(s.Rs) / size, ColStride: int(s.Cs) / size}
	if rows > 0 && cols > 0 {
		m.Data = unsafe.Slice((*T)(s.P), (rows-1)*m.RowStride+(cols-1)*m.ColStride+1)
	}
	return m
}

package dense

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Shape is what the products of a kernel have in common; 0 is any.
type Shape = tiling.Shape

// Fixed belongs to the direct calls of a kernel whose shape is known: those with
// array pointers and those with batches. It is a package-level variable of generated
// code. It names the variants instead of holding them: generated code calls each of
// them by its name, so that arguments stay on the stack.
type Fixed struct {
	Name  string
	Shape Shape    // nothing is 0
	Size  int      // of an element in bytes
	ISAs  []string // of the variants, best first

	choice choose.Choice
}

// Best returns the number of the best variant. 1 is the first of f.ISAs and so on; the
// number after the last is the portable code. Like any other call it heeds
// TILESMITH_ISA and panics with a [run.ISAError] if that cannot be had.
func (f *Fixed) Best() int {
	if b := f.choice.Best(); b > 0 {
		return b
	}
	return f.choose()
}

func (f *Fixed) choose() int { return f.choice.Number(f.Name, f.ISAs, "") }

// Variant returns the number of the variant for isa, or of the best one for "".
func (f *Fixed) Variant(isa string) int { return f.variant(f.Name, isa) }

func (f *Fixed) variant(name, isa string) int {
	if isa == "" {
		return f.Best()
	}
	return f.choice.Number(name, f.ISAs, isa)
}

// One returns the arguments of one product.
func One[T dtype.Number](out, a, b *T) kernel.FixedArgs {
	return kernel.FixedArgs{Out: unsafe.Pointer(out), A: unsafe.Pointer(a), B: unsafe.Pointer(b), Count: 1}
}

// RowMajor returns the arguments of one product of matrices if they have f's shape and are
// dense and row-major, so that its kernels take them as they are.
func RowMajor[T dtype.Number](f *Fixed, out, a, b *layout.Matrix[T]) (kernel.FixedArgs, bool) {
	s := &f.Shape
	if !whole(out, s.M, s.N) || !whole(a, s.M, s.K) || !whole(b, s.K, s.N) {
		return kernel.FixedArgs{}, false
	}
	return One(&out.Data[0], &a.Data[0], &b.Data[0]), true
}

func whole[T dtype.Number](m *layout.Matrix[T], rows, cols int) bool {
	return m.Rows == rows && m.Cols == cols && m.RowStride == cols && m.ColStride == 1 && len(m.Data) >= rows*cols
}

// Overlap panics because [Apart] said no.
func (f *Fixed) Overlap() {
	panic(layout.ShapeError{What: f.Name, Why: overlap})
}

const overlap = "out shares memory with an operand; copy the operand first"

// FixedPortable computes the products of args in plain Go, as [Set.Gemm] does.
func FixedPortable[T dtype.Number](f *Fixed, args *kernel.FixedArgs) {
	w := workers.Get()
	defer workers.Put(w)
	s := f.Shape
	matrix := func(p unsafe.Pointer, rows, cols int) layout.Matrix[T] {
		return layout.RowMajor(unsafe.Slice((*T)(p), rows*cols), rows, cols)
	}
	for i := range int(args.Count) {
		a, b := unsafe.Add(args.A, i*int(args.AStride)), unsafe.Add(args.B, i*int(args.BStride))
		generic(1, matrix(a, s.M, s.K), matrix(b, s.K, s.N), 0, matrix(unsafe.Add(args.Out, i*int(args.OutStride)), s.M, s.N), bufOf[T](w))
	}
}

// CheckShape panics with a [layout.ShapeError] if a product out = a*b of m x k and k x
// n is not of the shape that a kernel was generated for.
func CheckShape(name string, s Shape, m, n, k int) {
	if s.M > 0 && m != s.M || s.N > 0 && n != s.N || s.K > 0 && k != s.K {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("out is %d x %d with k = %d, but it was generated for m x n x k = %v; generate another with Shape left open",
			m, n, k, s)})
	}
}

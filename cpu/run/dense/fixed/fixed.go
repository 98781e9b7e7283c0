// Package fixed calls kernels that know every size of a product: one for array pointers, and
// batches of products whose matrices lie at equal distances. Start with [Product].
package fixed

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Product belongs to the direct calls of a kernel whose shape is known: those with
// array pointers and those with batches. It is a package-level variable of generated
// code. It names the variants instead of holding them: generated code calls each of
// them by its name, so that arguments stay on the stack.
type Product struct {
	Name  string
	Shape tiling.Shape // nothing is 0
	Size  int          // of an element in bytes
	ISAs  []string     // of the variants, best first

	choice choose.Choice
}

// Best returns the number of the best variant. 1 is the first of f.ISAs and so on; the
// number after the last is the portable code. Like any other call it heeds
// TILESMITH_ISA and panics with a [run.ISAError] if that cannot be had.
func (f *Product) Best() int {
	if b := f.choice.Best(); b > 0 {
		return b
	}
	return f.choose()
}

func (f *Product) choose() int { return f.choice.Number(f.Name, f.ISAs, "") }

// Variant returns the number of the variant for isa, or of the best one for "".
func (f *Product) Variant(isa string) int { return f.variant(f.Name, isa) }

func (f *Product) variant(name, isa string) int {
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
func RowMajor[T dtype.Number](f *Product, out, a, b *layout.Matrix[T]) (kernel.FixedArgs, bool) {
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
func (f *Product) Overlap() {
	check.Call(f.Name).Refuse(check.Overlap)
}

// bufs are the buffers of the portable code.
var bufs mem.Pool[plain.Bufs]

// Portable computes the products of args in plain Go, as other products do without assembly.
func Portable[T dtype.Number](f *Product, args *kernel.FixedArgs) {
	buf := bufs.Get()
	defer bufs.Put(buf)
	s := f.Shape
	matrix := func(p unsafe.Pointer, i int, stride int64, rows, cols int) layout.Matrix[T] {
		return layout.RowMajor(unsafe.Slice((*T)(unsafe.Add(p, i*int(stride))), rows*cols), rows, cols)
	}
	for i := range int(args.Count) {
		a, b := matrix(args.A, i, args.AStride, s.M, s.K), matrix(args.B, i, args.BStride, s.K, s.N)
		plain.Multiply(1, plain.Of(a), plain.Of(b), 0, matrix(args.Out, i, args.OutStride, s.M, s.N), plain.BufOf[T](buf))
	}
}

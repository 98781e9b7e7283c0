package cpu

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/kern/sddmmf"
	"github.com/tilesmith/tilesmith/cpu/kern/spmmf"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/graph"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// MulRelations computes
//
//	out = sum over relations r of a_r * x * w_r
//
// or by opt alpha times it + beta*out: a layer of a relational graph network (RGCN), or a
// convolution over points whose relations [sparse.Convolution] makes. a is m x n, x is n x k and
// out is m x l. w holds the matrices w_r, each k x l, one under another. Rows are gathered, multiplied and
// added up some at a time; no product of a whole relation is in memory. See [graph.Relations.Multiply] for
// the order of additions and for panics.
func MulRelations[T dtype.Float](opt Options, out layout.Matrix[T], a sparse.Relations[T], x, w layout.Matrix[T]) {
	if unsafe.Sizeof(*new(T)) == 4 {
		relations32.Multiply(opt, *as[float32](unsafe.Pointer(&out)), *(*sparse.Relations[float32])(unsafe.Pointer(&a)), *as[float32](unsafe.Pointer(&x)), *as[float32](unsafe.Pointer(&w)))
	} else {
		relations64.Multiply(opt, *as[float64](unsafe.Pointer(&out)), *(*sparse.Relations[float64])(unsafe.Pointer(&a)), *as[float64](unsafe.Pointer(&x)), *as[float64](unsafe.Pointer(&w)))
	}
}

// MulRelationsBack computes the gradients of [MulRelations], dx and dw, from dout, that of its
// result. turned is a.Transpose(), which is worth keeping. dx has the shape of x, dw that of w.
// See [graph.Relations.Back].
func MulRelationsBack[T dtype.Float](opt Options, dx, dw layout.Matrix[T], a, turned sparse.Relations[T], x, w, dout layout.Matrix[T]) {
	if unsafe.Sizeof(*new(T)) == 4 {
		relations32.Back(opt, *as[float32](unsafe.Pointer(&dx)), *as[float32](unsafe.Pointer(&dw)), *(*sparse.Relations[float32])(unsafe.Pointer(&a)), *(*sparse.Relations[float32])(unsafe.Pointer(&turned)),
			*as[float32](unsafe.Pointer(&x)), *as[float32](unsafe.Pointer(&w)), *as[float32](unsafe.Pointer(&dout)))
	} else {
		relations64.Back(opt, *as[float64](unsafe.Pointer(&dx)), *as[float64](unsafe.Pointer(&dw)), *(*sparse.Relations[float64])(unsafe.Pointer(&a)), *(*sparse.Relations[float64])(unsafe.Pointer(&turned)),
			*as[float64](unsafe.Pointer(&x)), *as[float64](unsafe.Pointer(&w)), *as[float64](unsafe.Pointer(&dout)))
	}
}

// MulRelationsValues computes the gradient of [MulRelations] by the values of a, from dout, the gradient by
// its result. dvalues[k] belongs to the entry which a.Edges yields with K = k, such as the weight of an edge
// that is learnt. See [graph.Relations.Values].
func MulRelationsValues[T dtype.Float](opt Options, dvalues []T, a sparse.Relations[T], x, w, dout layout.Matrix[T]) {
	if unsafe.Sizeof(*new(T)) == 4 {
		relations32.Values(opt, *(*[]float32)(unsafe.Pointer(&dvalues)), *(*sparse.Relations[float32])(unsafe.Pointer(&a)), *as[float32](unsafe.Pointer(&x)), *as[float32](unsafe.Pointer(&w)), *as[float32](unsafe.Pointer(&dout)))
	} else {
		relations64.Values(opt, *(*[]float64)(unsafe.Pointer(&dvalues)), *(*sparse.Relations[float64])(unsafe.Pointer(&a)), *as[float64](unsafe.Pointer(&x)), *as[float64](unsafe.Pointer(&w)), *as[float64](unsafe.Pointer(&dout)))
	}
}

var relations32 = graph.Relations[float32]{
	Name:  "cpu.MulRelations",
	Rows:  func() []*kernel.Table[kernel.Func[kernel.SparseArgs]] { return spmmf.RowsF32 },
	Dense: func() []*kernel.Kernels { return gemmf.SGEMMSet().Variants },

	Sampled: func() []*kernel.Table[kernel.Func[kernel.SparseArgs]] { return sddmmf.KernelsF32 },
}

var relations64 = graph.Relations[float64]{
	Name:  "cpu.MulRelations",
	Rows:  func() []*kernel.Table[kernel.Func[kernel.SparseArgs]] { return spmmf.RowsF64 },
	Dense: func() []*kernel.Kernels { return gemmf.DGEMMSet().Variants },

	Sampled: func() []*kernel.Table[kernel.Func[kernel.SparseArgs]] { return sddmmf.KernelsF64 },
}

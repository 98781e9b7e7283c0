package rows

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Narrow is all variants of the product of a matrix in compressed rows with a dense one of
// elements half as long as float32, in which it sums. The rows of b, which are most of what
// such a product reads, are half as long. A package-level variable holds one for each type.
type Narrow[B dtype.F16 | dtype.BF16] struct {
	Name string
	Rows []*run.RowKernels // best first; none without assembly

	rows choose.Choice
}

// sums32 are sums of products in float32.
var sums32 SpMM[float32]

// Multiply is [SpMM.Multiply] after elements of b become float32, which changes none of
// them. These kernels add the entries of a row one after another, whatever b's size is, so
// sums may differ from those of [SpMM.Multiply].
func (s *Narrow[B]) Multiply(opt run.Options, out layout.Matrix[float32], a sparse.Matrix[float32], b layout.Matrix[B]) {
	s.MultiplyRows(opt, out, RowsOf(a), b)
}

// MultiplyRows is Multiply of rows of any kind.
func (s *Narrow[B]) MultiplyRows(opt run.Options, out layout.Matrix[float32], a Rows[float32], b layout.Matrix[B]) {
	opt.Caller = opt.Name(s.Name)
	call.CheckSparse(opt.Caller, opt, &out, a.raw.Rows, a.raw.Cols, &b)
	s.multiply(opt, out, a, b)
}

// multiply is Multiply of what was checked.
func (s *Narrow[B]) multiply(opt run.Options, out layout.Matrix[float32], a Rows[float32], b layout.Matrix[B]) {
	kern := choose.Pick(&s.rows, opt.Caller, s.Rows, func(k *run.RowKernels) string { return k.ISA }, opt.ISA)
	if kern == nil {
		kern = narrowInGo[B]()
	}
	alpha, beta, mode, done := call.Begin(opt, out, a.raw.NNZ == 0, func(opt run.Options, out layout.Matrix[float32]) { s.multiply(opt, out, a, b) })
	if done {
		return
	}
	c := nestCall[float32]{alpha: alpha, beta: beta, mode: mode, stage: a.stage}
	call.BySlabs(out, b, func(out layout.Matrix[float32], b layout.Matrix[B]) { rowsInto(&sums32, opt, kern, c, out, a.raw, b) })
}

// The row kernels in plain Go.
var (
	goRowsBF16 = run.RowKernels{ISA: run.Portable, VL: call.PortableLanes, Full: fullBF16, Tail: tailBF16, FullFetch: fullBF16, TailFetch: tailBF16}
	goRowsF16  = run.RowKernels{ISA: run.Portable, VL: call.PortableLanes, Full: fullF16, Tail: tailF16, FullFetch: fullF16, TailFetch: tailF16}

	fullBF16 = []run.SparseKernel{func(args *run.SparseArgs) { narrowRows[dtype.BF16](args, call.PortableLanes) }}
	tailBF16 = []run.SparseKernel{func(args *run.SparseArgs) { narrowRows[dtype.BF16](args, int(args.N)) }}
	fullF16  = []run.SparseKernel{func(args *run.SparseArgs) { narrowRows[dtype.F16](args, call.PortableLanes) }}
	tailF16  = []run.SparseKernel{func(args *run.SparseArgs) { narrowRows[dtype.F16](args, int(args.N)) }}
)

func narrowInGo[B dtype.F16 | dtype.BF16]() *run.RowKernels {
	if dtype.Of[B]() == dtype.TypeBF16 {
		return &goRowsBF16
	}
	return &goRowsF16
}

// narrowRows is a row kernel for n columns.
func narrowRows[B interface {
	dtype.F16 | dtype.BF16
	Float32() float32
}](args *run.SparseArgs, n int) {
	var sums [call.PortableLanes]float32
	acc := sums[:n]
	alpha, beta := *(*float32)(unsafe.Pointer(&args.Alpha)), *(*float32)(unsafe.Pointer(&args.Beta))
	pointers := call.SliceOf((*int32)(args.Pointers), int(args.Rows)+1)
	for r := range int(args.Rows) {
		clear(acc)
		for k := int(pointers[r]); k < int(pointers[r+1]); k++ {
			v := *call.Element[float32](args.Values, k)
			b := call.SliceOf((*B)(unsafe.Add(args.B, int(*call.Element[int32](args.Indices, k))*int(args.LdB))), n)
			for j := range acc {
				acc[j] += float32(v * b[j].Float32())
			}
		}
		mode := args.Mode
		if mode == kernel.ModeStream {
			mode = kernel.ModeStore
		}
		call.FinishRow(call.SliceOf((*float32)(unsafe.Add(args.C, r*int(args.LdC))), n), acc, mode, alpha, beta, nil)
	}
}

// Widened calls do with a copy of b as elements of T, by slabs of columns if it has far
// more places than elements. Every element of b must be one of T.
func Widened[T dtype.Float, B dtype.Elem](out layout.Matrix[T], b layout.Matrix[B], do func(out, b layout.Matrix[T])) {
	call.BySlabs(out, b, func(out layout.Matrix[T], b layout.Matrix[B]) { do(out, widen[T](b)) })
}

// widen returns a copy of b.
func widen[T dtype.Float, B dtype.Elem](b layout.Matrix[B]) layout.Matrix[T] {
	mem.Normalize(&b)
	c := layout.New[T](call.DistinctRows(b), b.Cols)
	for i := range c.Rows {
		row := c.Data[i*b.Cols:][:b.Cols]
		if b.Cols > 0 {
			widenRow(row, b.Data[i*b.RowStride:], b.ColStride)
		}
	}
	if c.Rows < b.Rows {
		c.Rows, c.RowStride = b.Rows, 0
	}
	return c
}

// widenRow sets dst to elements of src that are so far apart.
func widenRow[T dtype.Float, B dtype.Elem](dst []T, src []B, step int) {
	switch src := any(src).(type) {
	case []float32:
		widenBy(dst, src, step, func(x float32) T { return T(x) })
	case []float64:
		widenBy(dst, src, step, func(x float64) T { return T(x) })
	case []int8:
		widenBy(dst, src, step, func(x int8) T { return T(x) })
	case []uint8:
		widenBy(dst, src, step, func(x uint8) T { return T(x) })
	case []int16:
		widenBy(dst, src, step, func(x int16) T { return T(x) })
	case []dtype.BF16:
		widenBy(dst, src, step, func(x dtype.BF16) T { return T(x.Float32()) })
	case []dtype.F16:
		widenBy(dst, src, step, func(x dtype.F16) T { return T(x.Float32()) })
	}
}

func widenBy[T dtype.Float, B dtype.Elem](dst []T, src []B, step int, widen func(x B) T) {
	for j := range dst {
		dst[j] = widen(src[j*step])
	}
}

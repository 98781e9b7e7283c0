package call

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// The row kernels in plain Go: one "vector" of PortableLanes, whose sums stay in L1.
// They are values that the linker lays out, and drops where no call needs them.
var (
	goRows32 = kernel.Table[kernel.Func[kernel.SparseArgs]]{ISA: run.Portable, MR: 1, NV: 1, VL: PortableLanes, Entries: []kernel.Entry[kernel.Func[kernel.SparseArgs]]{
		{Form: kernel.Panel, F: full32}, {Form: kernel.Tail, F: tail32}, {Form: kernel.Fetch, F: full32}, {Form: kernel.FetchTail, F: tail32},
	}}
	goRows64 = kernel.Table[kernel.Func[kernel.SparseArgs]]{ISA: run.Portable, MR: 1, NV: 1, VL: PortableLanes, Entries: []kernel.Entry[kernel.Func[kernel.SparseArgs]]{
		{Form: kernel.Panel, F: full64}, {Form: kernel.Tail, F: tail64}, {Form: kernel.Fetch, F: full64}, {Form: kernel.FetchTail, F: tail64},
	}}
)

func full32(args *kernel.SparseArgs) { rowsInGo[float32](args, PortableLanes) }
func tail32(args *kernel.SparseArgs) { rowsInGo[float32](args, int(args.N)) }
func full64(args *kernel.SparseArgs) { rowsInGo[float64](args, PortableLanes) }
func tail64(args *kernel.SparseArgs) { rowsInGo[float64](args, int(args.N)) }

// PortableLanes is how many columns a row kernel in Go does.
const PortableLanes = 256

// GoRows are those for T.
func GoRows[T dtype.Float]() *kernel.Table[kernel.Func[kernel.SparseArgs]] {
	if dtype.Of[T]() == dtype.F32 {
		return &goRows32
	}
	return &goRows64
}

// RowsFor are the row kernels that isa asks for, or those in Go.
func RowsFor[T dtype.Float](c *choose.Choice, name string, tables []*kernel.Table[kernel.Func[kernel.SparseArgs]], isa string) *kernel.Table[kernel.Func[kernel.SparseArgs]] {
	if k := choose.Table(c, name, tables, isa); k != nil {
		return k
	}
	return GoRows[T]()
}

// rowsInGo is a row kernel of sums of products.
func rowsInGo[T dtype.Float](args *kernel.SparseArgs, n int) {
	RowsOver(args, n, &Operator[T]{})
}

// RowsOver is a row kernel for n columns.
func RowsOver[T dtype.Float](args *kernel.SparseArgs, n int, op *Operator[T]) {
	var sums [PortableLanes]T
	acc := sums[:n]
	alpha, beta := *(*T)(unsafe.Pointer(&args.Alpha)), *(*T)(unsafe.Pointer(&args.Beta))
	pointers := SliceOf((*int32)(args.Pointers), int(args.Rows)+1)
	for r := range int(args.Rows) {
		for j := range acc {
			acc[j] = op.Zero
		}
		from, to := int(pointers[r]), int(pointers[r+1])
		for k := from; k < to; k++ {
			b := SliceOf((*T)(unsafe.Add(args.B, int(*Element[int32](args.Indices, k))*int(args.LdB))), n)
			v := T(1)
			if !op.Pattern {
				v = *Element[T](args.Values, k)
			}
			if op.Plus != nil {
				op.AddRow(acc, 1, v, b, 1, n)
				continue
			}
			for j := range acc { // here, as acc is often short
				acc[j] += T(v * b[j])
			}
		}
		scale, mode := alpha, args.Mode
		if mode == kernel.ModeMean {
			scale, mode = alpha/T(max(to-from, 1)), kernel.ModeScale
		}
		FinishRow(SliceOf((*T)(unsafe.Add(args.C, r*int(args.LdC))), n), acc, mode, scale, beta, op.Plus)
	}
}

// FinishRow stores the sums of a row as kernels do; plus is that of a semiring, nil of sums.
func FinishRow[T dtype.Float](c, acc []T, mode int64, alpha, beta T, plus func(x, y T) T) {
	switch {
	case mode == kernel.ModeStore:
		copy(c, acc)
	case mode == kernel.ModeUpdate && plus != nil:
		for j, x := range acc {
			c[j] = plus(c[j], x)
		}
	case mode == kernel.ModeUpdate:
		for j, x := range acc {
			c[j] = T(beta*c[j]) + T(alpha*x)
		}
	default:
		for j, x := range acc {
			c[j] = alpha * x
		}
	}
}

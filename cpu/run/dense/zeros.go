package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Zero points. The sum of (a-za)*(b-zb) over k is that of a*b less
//
//	za * (the sum of the column of b)                      of each column
//	zb * (the sum of the row of a) - k*za*zb               of each row
//
// modulo 2^32, in whatever order. The epilogue's kernel takes both from the sums.

// zeroTerms gives the slots of the two terms their places in the job's buffer and fills them.
// colSums are those of b if they are known.
func zeroTerms(j *job, threads int, a, b operand[int32], colSums []int32) {
	f := &j.fused
	m, n := a.Rows, b.Cols
	j.terms.Grow((m + n) * 4)
	terms := unsafe.Slice((*int32)(j.terms.P), m+n)
	za, zb := f.ZeroA.Value, f.ZeroB.Value
	if f.ZeroA.On {
		col := terms[m:]
		f.Slots[f.ZeroA.Slot] = kernel.Slot{P: unsafe.Pointer(unsafe.SliceData(col)), Cs: 4}
		switch {
		case za == 0:
			clear(col)
		case colSums != nil:
			copy(col, colSums)
		default:
			columnSums(j.kern, j.ta, threads, b, col)
		}
		scale(col, za, 0)
	}
	if f.ZeroB.On {
		row := terms[:m]
		f.Slots[f.ZeroB.Slot] = kernel.Slot{P: unsafe.Pointer(unsafe.SliceData(row)), Rs: 4}
		if zb == 0 {
			clear(row)
		} else {
			rowSums(j.kern, j.tb, threads, a, row)
		}
		scale(row, zb, int32(a.Cols)*za*zb)
	}
}

// columnSums sums the columns of b: a product of a row of ones, of the type t that its kernels
// take, with b.
func columnSums(kern *run.Kernels, t dtype.Type, threads int, b operand[int32], sums []int32) {
	j := jobs.Get()
	defer putJob(j)
	multiply(kern, threads, j.ones(t, 1, b.Rows), b, layout.RowMajor(sums, 1, len(sums)))
}

// rowSums sums the rows of a: its product with a column of ones.
func rowSums(kern *run.Kernels, t dtype.Type, threads int, a operand[int32], sums []int32) {
	j := jobs.Get()
	defer putJob(j)
	multiply(kern, threads, a, j.ones(t, a.Cols, 1), layout.RowMajor(sums, len(sums), 1))
}

// anySet says nothing of a product but that it is an ordinary one.
var anySet Set[int32]

// multiply computes out = a*b.
func multiply(kern *run.Kernels, threads int, a, b operand[int32], out layout.Matrix[int32]) {
	if len(out.Data) > 0 {
		gemm[int32]{set: &anySet, alpha: 1, kern: kern}.run(threads, unconverted(out), a, b)
	}
}

// ones is a row or a column of ones of an integer type.
func (j *job) ones(t dtype.Type, rows, cols int) operand[int32] {
	j.partial.Grow(rows * cols * t.Size())
	o := converted[int32](layout.View{Rows: rows, Cols: cols, RowStride: cols, ColStride: 1}, j.partial.P, t)
	if t.Size() == 2 {
		fill(unsafe.Slice((*int16)(o.p), rows*cols))
	} else {
		fill(unsafe.Slice((*int8)(o.p), rows*cols))
	}
	return o
}

func fill[T int8 | int16](xs []T) {
	for i := range xs {
		xs[i] = 1
	}
}

// scale makes x*by - less of every x.
func scale(xs []int32, by, less int32) {
	for i, x := range xs {
		xs[i] = x*by - less
	}
}

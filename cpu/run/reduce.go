package run

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// RowSum and the functions below add a reduction of the result: dst has an element for
// each row or column. Without elements a sum is 0, the maximum -Inf and the minimum
// +Inf.
func RowSum[T dtype.Float](e *Epilogue, name string, dst []T) {
	epi.AddReduce(e, name, dst, reduce.Sum, false)
}

// RowMax is described with [RowSum].
func RowMax[T dtype.Float](e *Epilogue, name string, dst []T) {
	epi.AddReduce(e, name, dst, reduce.Max, false)
}

// RowMin is described with [RowSum].
func RowMin[T dtype.Float](e *Epilogue, name string, dst []T) {
	epi.AddReduce(e, name, dst, reduce.Min, false)
}

// RowSumSquares is described with [RowSum].
func RowSumSquares[T dtype.Float](e *Epilogue, name string, dst []T) {
	epi.AddReduce(e, name, dst, reduce.SumSquares, false)
}

// ColMin is described with [RowSum].
func ColMin[T dtype.Float](e *Epilogue, name string, dst []T) {
	epi.AddReduce(e, name, dst, reduce.Min, true)
}

// ColSumSquares is described with [RowSum].
func ColSumSquares[T dtype.Float](e *Epilogue, name string, dst []T) {
	epi.AddReduce(e, name, dst, reduce.SumSquares, true)
}

// ColSum is described with [RowSum].
func ColSum[T dtype.Float](e *Epilogue, name string, dst []T) {
	epi.AddReduce(e, name, dst, reduce.Sum, true)
}

// ColMax is described with [RowSum].
func ColMax[T dtype.Float](e *Epilogue, name string, dst []T) {
	epi.AddReduce(e, name, dst, reduce.Max, true)
}

// RowLogSumExp is described with [RowSum]; of no elements it is -Inf.
func RowLogSumExp[T dtype.Float](e *Epilogue, name string, dst []T) {
	epi.AddReduce(e, name, dst, reduce.LogSumExp, false)
}

// ColLogSumExp is described with [RowLogSumExp].
func ColLogSumExp[T dtype.Float](e *Epilogue, name string, dst []T) {
	epi.AddReduce(e, name, dst, reduce.LogSumExp, true)
}

// BestOf adds a reduction to the largest or smallest result of each row. The reduction at
// slot, which finds its index, finds the value as well.
func BestOf[T dtype.Float](e *Epilogue, name string, dst []T, slot int) {
	epi.AddBest(e, name, dst, slot)
}

// RowArgMax and RowArgMin add the column of each row's largest or smallest result,
// which are of type T. It is -1 if there are no columns.
func RowArgMax[T dtype.Float](e *Epilogue, name string, dst []int32) {
	epi.AddArg[T](e, name, dst, reduce.ArgMax)
}

// RowArgMin is described with [RowArgMax].
func RowArgMin[T dtype.Float](e *Epilogue, name string, dst []int32) {
	epi.AddArg[T](e, name, dst, reduce.ArgMin)
}

// SumRow and the functions below add one result to a partial result: what generated Go
// epilogues do.
func SumRow[T dtype.Float](e *EpiArgs, slot, i int, x T) { *rowOf[T](e, slot, i) += x }

// MaxRow is described with [SumRow].
func MaxRow[T dtype.Float](e *EpiArgs, slot, i int, x T) {
	p := rowOf[T](e, slot, i)
	*p = max(*p, x)
}

// MinRow is described with [SumRow].
func MinRow[T dtype.Float](e *EpiArgs, slot, i int, x T) {
	p := rowOf[T](e, slot, i)
	*p = min(*p, x)
}

// SumSquaresRow is described with [SumRow].
func SumSquaresRow[T dtype.Float](e *EpiArgs, slot, i int, x T) {
	p := rowOf[T](e, slot, i)
	*p = square(*p, x)
}

// LogSumExpRow is described with [SumRow].
func LogSumExpRow[T dtype.Float](e *EpiArgs, slot, i int, x T) {
	logSumExp(rowOf[T](e, slot, i), rowOf[T](e, slot+1, i), x)
}

// LogSumExpCol is described with [SumRow].
func LogSumExpCol[T dtype.Float](e *EpiArgs, slot, j int, x T) {
	logSumExp(colOf[T](e, slot, j), colOf[T](e, slot+1, j), x)
}

func logSumExp[T dtype.Float](m, s *T, x T) {
	largest, sum := epi.LogSumExp(float64(*m), float64(*s), float64(x), 1)
	*m, *s = T(largest), T(sum)
}

// MinCol is described with [SumRow].
func MinCol[T dtype.Float](e *EpiArgs, slot, j int, x T) {
	p := colOf[T](e, slot, j)
	*p = min(*p, x)
}

// SumSquaresCol is described with [SumRow].
func SumSquaresCol[T dtype.Float](e *EpiArgs, slot, j int, x T) {
	p := colOf[T](e, slot, j)
	*p = square(*p, x)
}

// square is sum + x*x, each rounded: what the fused operation of kernels differs from is
// within the bound of a sum.
func square[T dtype.Float](sum, x T) T { return sum + T(x*x) }

// SumCol is described with [SumRow].
func SumCol[T dtype.Float](e *EpiArgs, slot, j int, x T) { *colOf[T](e, slot, j) += x }

// MaxCol is described with [SumRow].
func MaxCol[T dtype.Float](e *EpiArgs, slot, j int, x T) {
	p := colOf[T](e, slot, j)
	*p = max(*p, x)
}

// ArgMaxRow is described with [SumRow].
func ArgMaxRow[T dtype.Float](e *EpiArgs, slot, i, j int, x T) {
	argRow(e, slot, i, j, x, reduce.ArgMax)
}

// ArgMinRow is described with [SumRow].
func ArgMinRow[T dtype.Float](e *EpiArgs, slot, i, j int, x T) {
	argRow(e, slot, i, j, x, reduce.ArgMin)
}

func argRow[T dtype.Float](e *EpiArgs, slot, i, j int, x T, op reduce.Op) {
	p, at := rowOf[T](e, slot, i), rowOf[int32](e, slot+1, i)
	if epi.Better(op, x, *p) {
		*p, *at = x, int32(j)
	}
}

func rowOf[T dtype.Elem](e *EpiArgs, slot, i int) *T {
	s := &e.Slots[slot]
	return (*T)(unsafe.Add(s.P, i*int(s.Rs)))
}

func colOf[T dtype.Elem](e *EpiArgs, slot, j int) *T {
	var z T
	return (*T)(unsafe.Add(e.Slots[slot].P, j*int(unsafe.Sizeof(z))))
}

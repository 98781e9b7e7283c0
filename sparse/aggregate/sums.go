// Package aggregate makes a vector or a number of a sparse matrix: sums, extremes and norms of rows, of columns and of
// all of it.
package aggregate

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/value"
)

// RowSums returns the sum of the entries of each row, added as stored, in float64 or complex128
// and rounded once; those of integers wrap.
func RowSums[T dtype.Value](m sparse.Matrix[T]) []T {
	return sums(m, m.Rows(), func(e sparse.Entry) int { return e.I })
}

// ColSums returns the sum of the entries of each column, as RowSums does.
func ColSums[T dtype.Value](m sparse.Matrix[T]) []T {
	return sums(m, m.Cols(), func(e sparse.Entry) int { return e.J })
}

// sums returns n sums, of which each entry belongs to one.
func sums[T dtype.Value](m sparse.Matrix[T], n int, of func(e sparse.Entry) int) []T {
	k, sums := value.Of[T](), make([]T, n)
	if k.Integer {
		for e, v := range m.All() {
			sums[of(e)] += v
		}
		return sums
	}
	exact := make([]complex128, n)
	for e, v := range m.All() {
		exact[of(e)] += k.Number(v)
	}
	for i, s := range exact {
		sums[i], _ = k.OfNumber(s)
	}
	return sums
}

// Norm1 returns the largest sum of magnitudes in a column, added in float64; 0 of a matrix
// without entries, NaN if one is. Norms take m as canonical.
func Norm1[T dtype.Value](m sparse.Matrix[T]) float64 {
	return largest(m.Cols(), m, func(e sparse.Entry) int { return e.J })
}

// NormInf returns the largest sum of magnitudes in a row, as Norm1 does.
func NormInf[T dtype.Value](m sparse.Matrix[T]) float64 {
	return largest(m.Rows(), m, func(e sparse.Entry) int { return e.I })
}

// NormMax returns the largest magnitude of an element.
func NormMax[T dtype.Value](m sparse.Matrix[T]) float64 {
	return largest(m.NNZ(), m, func(e sparse.Entry) int { return e.K })
}

// NormFrobenius returns the square root of the sum of squares. Squares that float64 does
// not hold do not spoil it.
func NormFrobenius[T dtype.Value](m sparse.Matrix[T]) float64 {
	scale := NormMax(m)
	if scale == 0 || scale-scale != 0 {
		return scale
	}
	sum, abs := 0.0, value.Of[T]().Abs
	for _, v := range m.Canonical().All() {
		x := abs(v) / scale
		sum += x * x
	}
	return scale * math.Sqrt(sum)
}

// largest returns the largest of n sums of magnitudes, of which each entry belongs to one; NaN if one is.
func largest[T dtype.Value](n int, m sparse.Matrix[T], of func(e sparse.Entry) int) float64 {
	sums, abs := make([]float64, n), value.Of[T]().Abs
	for e, v := range m.Canonical().All() {
		sums[of(e)] += abs(v)
	}
	most := 0.0
	for _, v := range sums {
		most = max(most, v)
	}
	return most
}

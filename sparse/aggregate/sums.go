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
	k, sums := value.Of[T](), make([]T, m.Rows())
	for i := range sums {
		var exact complex128
		for _, v := range m.Row(i) {
			if k.Integer {
				sums[i] += v
			} else {
				exact += k.Number(v)
			}
		}
		if !k.Integer {
			sums[i], _ = k.OfNumber(exact)
		}
	}
	return sums
}

// ColSums returns the sum of the entries of each column, as RowSums does.
func ColSums[T dtype.Value](m sparse.Matrix[T]) []T {
	k, sums := value.Of[T](), make([]T, m.Cols())
	if k.Integer {
		for e, v := range m.All() {
			sums[e.J] += v
		}
		return sums
	}
	exact := make([]complex128, len(sums))
	for e, v := range m.All() {
		exact[e.J] += k.Number(v)
	}
	for j, s := range exact {
		sums[j], _ = k.OfNumber(s)
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
	norm, abs := 0.0, value.Of[T]().Abs
	for _, v := range m.Canonical().All() {
		norm = max(norm, abs(v))
	}
	return norm
}

// NormFrobenius returns the square root of the sum of squares. Squares that float64 does
// not hold do not spoil it.
func NormFrobenius[T dtype.Value](m sparse.Matrix[T]) float64 {
	m = m.Canonical()
	scale := NormMax(m)
	if scale == 0 || scale-scale != 0 {
		return scale
	}
	sum, abs := 0.0, value.Of[T]().Abs
	for _, v := range m.All() {
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

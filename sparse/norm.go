package sparse

import "math"

// Norm1 returns the largest sum of magnitudes in a column, added in float64; 0 of a matrix
// without entries, NaN if one is. Norms take m as canonical.
func (m Matrix[T]) Norm1() float64 {
	c, abs := m.Canonical(), kindOf[T]().abs
	sums := make([]float64, c.cols)
	for k, j := range c.indices {
		sums[j] += abs(c.values[k])
	}
	return largest(sums)
}

// NormInf returns the largest sum of magnitudes in a row, as Norm1 does.
func (m Matrix[T]) NormInf() float64 {
	c, abs := m.Canonical(), kindOf[T]().abs
	sums := make([]float64, c.rows)
	for e, v := range c.All() {
		sums[e.I] += abs(v)
	}
	return largest(sums)
}

// NormMax returns the largest magnitude of an element.
func (m Matrix[T]) NormMax() float64 {
	norm, abs := 0.0, kindOf[T]().abs
	for _, v := range m.Canonical().values {
		norm = max(norm, abs(v))
	}
	return norm
}

// NormFrobenius returns the square root of the sum of squares. Squares that float64 does
// not hold do not spoil it.
func (m Matrix[T]) NormFrobenius() float64 {
	c := m.Canonical()
	scale := c.NormMax()
	if scale == 0 || scale-scale != 0 {
		return scale
	}
	sum, abs := 0.0, kindOf[T]().abs
	for _, v := range c.values {
		x := abs(v) / scale
		sum += x * x
	}
	return scale * math.Sqrt(sum)
}

// largest returns the largest of numbers that are not below 0; NaN if one is.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, v)
	}
	return most
}

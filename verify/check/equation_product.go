package check

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// multiply computes a product of a, by rows of k numbers, and b or its transpose. Its sums may be off by a unit for each
// addition, in whatever order they are added.
func (p *EquationProblem) multiply(st EquationStep, a, b, x []float64, exact bool, shift func(e int) float64) {
	k, n := p.width(p.c.Steps[st.Args[0]].Space), p.width(st.Space)
	atK, atN := n, 1
	if st.Kind == EquationMatMulT {
		atK, atN = 1, k
	}
	for e := range x {
		i, j := e/n, e%n
		sum, abs, whole := 0.0, 0.0, true
		for l := range k {
			u, v := a[i*k+l], b[l*atK+j*atN]
			sum, abs = sum+u*v, abs+math.Abs(u*v)
			whole = whole && u == math.Trunc(u) && v == math.Trunc(v) && abs < 1<<23
		}
		if st.Type == dtype.I32 {
			x[e] = float64(int32(int64(sum))) // wraps around
			continue
		}
		p.inexact = p.inexact || abs > 0 && !whole
		if abs > 0 && !math.IsInf(abs, 0) && !exact {
			sum += shift(e) * float64(k) * ulpOf(st.Type, 1) / 2 * abs
		}
		x[e] = roundTo(st.Type, sum)
	}
}

package solve

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Factors is the inverse of a product of two triangles, as ILU0 and IC0 make it.
type Factors[T dtype.Float] struct {
	first, second *Triangle[T]
}

// Dims returns the number of rows and columns, which are the same.
func (f *Factors[T]) Dims() (rows, cols int) { return f.first.Dims() }

// Apply solves with the first triangle and then with the second.
func (f *Factors[T]) Apply(dst, src []T) {
	f.first.Apply(dst, src)
	f.second.Apply(dst, dst)
}

// Triangles returns the two.
func (f *Factors[T]) Triangles() (first, second *Triangle[T]) { return f.first, f.second }

// ILU0 returns triangles l, with a diagonal of 1, and u. They have entries where a has them,
// and there their product is a. This is a preconditioner for matrices that need not be
// symmetric. A pivot that is 0, not stored or NaN is an [ErrSingular] that names the row.
// You may have to permute rows of a first. (Meijerink and van der Vorst, 1977; Saad,
// Iterative Methods for Sparse Linear Systems, algorithm 10.4.)
func ILU0[T dtype.Float](a sparse.Matrix[T]) (*Factors[T], error) {
	const where = "solve.ILU0"
	if err := square(where, a); err != nil {
		return nil, err
	}
	n := a.Rows()
	pointers, indices, values := a.Canonical().CSR()
	diagonal := make([]int32, n) // entry
	at := make([]int32, n)       // the entry of the row at work in a column, from 1
	for i := range n {
		from, to := pointers[i], pointers[i+1]
		for k := from; k < to; k++ {
			at[indices[k]] = k + 1
		}
		k := from
		for ; k < to && int(indices[k]) < i; k++ {
			j := indices[k]
			values[k] /= values[diagonal[j]]
			factor := values[k]
			for e := diagonal[j] + 1; e < pointers[j+1]; e++ {
				if p := at[indices[e]]; p > 0 {
					values[p-1] -= T(factor * values[e])
				}
			}
		}
		if k == to || int(indices[k]) != i {
			return nil, singular(where, i, T(0))
		}
		if v := values[k]; v == 0 || v-v != 0 {
			return nil, singular(where, i, v)
		}
		diagonal[i] = k
		for k := from; k < to; k++ {
			at[indices[k]] = 0
		}
	}
	l, u := splitTriangles(n, pointers, indices, values, diagonal)
	return factors(where, l, Lower|Unit, u, Upper)
}

// splitTriangles returns what lies before the diagonal of each row, and the rest.
func splitTriangles[T dtype.Float](n int, pointers, indices []int32, values []T, diagonal []int32) (l, u sparse.Matrix[T]) {
	var lp, up = make([]int32, n+1), make([]int32, n+1)
	var li, ui []int32
	var lv, uv []T
	for i := range n {
		from, d, to := pointers[i], diagonal[i], pointers[i+1]
		li, lv = append(li, indices[from:d]...), append(lv, values[from:d]...)
		ui, uv = append(ui, indices[d:to]...), append(uv, values[d:to]...)
		lp[i+1], up[i+1] = int32(len(li)), int32(len(ui))
	}
	l, _ = sparse.FromCSR(n, n, lp, li, lv) // parts of what was a matrix
	u, _ = sparse.FromCSR(n, n, up, ui, uv)
	return l, u
}

// factors makes triangles ready.
func factors[T dtype.Float](where string, l sparse.Matrix[T], kindL Kind, u sparse.Matrix[T], kindU Kind) (*Factors[T], error) {
	first, err := NewTriangleOpt(run.Options{Caller: where}, l, kindL)
	if err != nil {
		return nil, err
	}
	second, err := NewTriangleOpt(run.Options{Caller: where}, u, kindU)
	if err != nil {
		return nil, err
	}
	return &Factors[T]{first, second}, nil
}

// IC0 returns the incomplete Cholesky factor of a, a preconditioner for [CG]: a lower triangle
// l with entries where a has them, and its transpose. Their product equals a at those entries.
// IC0 reads only the lower triangle of a. It first multiplies each diagonal element by
// 1+shift. If a pivot is not positive, which can happen even if a is positive definite, the
// error is [ErrBreakdown] and names the row. A shift of 0.01 or more may then help.
// (Meijerink and van der Vorst, 1977; Manteuffel, "An
// incomplete factorization technique for positive definite linear systems", 1980; Saad,
// Iterative Methods for Sparse Linear Systems, section 10.3.)
func IC0[T dtype.Float](a sparse.Matrix[T], shift T) (*Factors[T], error) {
	const where = "solve.IC0"
	if err := square(where, a); err != nil {
		return nil, err
	}
	n := a.Rows()
	var indices []int32
	var values []T
	pointers, c := make([]int32, n+1), a.Canonical()
	for i := range n {
		from := int32(len(indices))
		pivot := T(0)
		for j, v := range c.Row(i) {
			if j == i {
				pivot = v + T(shift*v)
			}
			if j >= i {
				break
			}
			// v less the products of what rows i and j have in the same columns
			p, q := from, pointers[j]
			last := pointers[j+1] - 1 // the diagonal of row j
			for p < int32(len(indices)) && q < last {
				switch x, y := indices[p], indices[q]; {
				case x < y:
					p++
				case y < x:
					q++
				default:
					v -= T(values[p] * values[q])
					p, q = p+1, q+1
				}
			}
			indices, values = append(indices, int32(j)), append(values, v/values[last])
		}
		for _, v := range values[from:] {
			pivot -= T(v * v)
		}
		if !(pivot > 0) || pivot-pivot != 0 {
			return nil, &Error{ErrBreakdown, where, i, fmt.Sprintf("the pivot of row %d is %g; it must be positive", i, pivot)}
		}
		indices, values = append(indices, int32(i)), append(values, T(math.Sqrt(float64(pivot))))
		pointers[i+1] = int32(len(indices))
	}
	l, err := sparse.FromCSR(n, n, pointers, indices, values)
	if err != nil {
		return nil, err
	}
	return factors(where, l, Lower, l, Lower|Transposed)
}

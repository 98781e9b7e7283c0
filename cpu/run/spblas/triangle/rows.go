package triangle

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// rowsOfTriangle returns the rows of a, whose rows are sorted, in the order in which they
// can be solved for. The diagonal is nil if it is 1.
func rowsOfTriangle[T dtype.Float](a sparse.Matrix[T], upper bool, diagonal []T) triangleRows[T] {
	r, n := rowsRead(a), a.Rows()
	t := triangleRows[T]{down: upper, pointers: make([]int32, n+1),
		indices: make([]int32, 0, len(r.indices)), values: make([]T, 0, len(r.indices))}
	for p := range n {
		i := t.row(p)
		from, to, step := int(r.pointers[i]), int(r.pointers[i+1]), 1
		if upper {
			from, to, step = to-1, from-1, -1
		}
		for k := from; k != to; k += step {
			if j := r.indices[k]; int(j) != i {
				t.indices, t.values = append(t.indices, j), append(t.values, r.values[k])
			}
		}
		t.pointers[p+1] = int32(len(t.indices))
	}
	if diagonal != nil {
		t.divisors = make([]T, n)
		for p := range t.divisors {
			t.divisors[p] = diagonal[t.row(p)]
		}
		t.scaleRows()
	}
	return t
}

// row returns which row position p is.
func (t *triangleRows[T]) row(p int) int {
	switch {
	case t.order != nil:
		return int(t.order[p])
	case t.down:
		return len(t.pointers) - 2 - p
	}
	return p
}

// place returns which row of what is found is that of position p.
func (t *triangleRows[T]) place(p int) int {
	if t.down {
		return len(t.pointers) - 2 - p
	}
	return p
}

// scaleRows divides rows by their diagonals, so that it need not be done again and again
// where a sum would wait for it. It does not if some number would then have fewer bits.
func (t *triangleRows[T]) scaleRows() {
	scale, values := make([]T, len(t.divisors)), make([]T, len(t.values))
	for p, d := range t.divisors {
		scale[p] = 1 / d
		if !normal(scale[p]) {
			return
		}
		for k := t.pointers[p]; k < t.pointers[p+1]; k++ {
			if values[k] = scale[p] * t.values[k]; normal(t.values[k]) && !normal(values[k]) {
				return
			}
		}
	}
	t.scale, t.values, t.divisors = scale, values, nil
}

// normal reports whether x is a number with all its bits: not Inf, NaN, 0 or denormal.
func normal[T dtype.Float](x T) bool {
	least := 0x1p-1022
	if dtype.Of[T]() == dtype.F32 {
		least = 0x1p-126
	}
	y := math.Abs(float64(x))
	return y >= least && y-y == 0
}

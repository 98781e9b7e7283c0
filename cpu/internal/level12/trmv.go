package level12

import "github.com/tilesmith/tilesmith/layout/dtype"

// Trmv computes x = A*x, or of A transposed, for a triangular A, n x n.
func Trmv[T dtype.Float](t Triangle, n int, a []T, lda int, x []T, incX int) {
	c := begin[T]()
	defer c.end()
	upper, trans, unit := t.Upper, t.Trans, t.Unit
	v := packed(&c.packedX, n, x, incX)
	// What a block adds to, or reads, must not have been changed before.
	each(upper, upper != trans, n, func(b block) {
		own := v[b.i : b.i+b.k]
		var old [tileRows]T
		copy(old[:], own)
		for r := range b.k {
			d := at(a, lda, b.i+r, b.i+r, unit)
			own[r] = d * old[r]
			for q := range b.k {
				switch {
				case q == r || q > r != (upper != trans):
				case trans:
					own[r] += a[(b.i+q)*lda+b.i+r] * old[q]
				default:
					own[r] += a[(b.i+r)*lda+b.i+q] * old[q]
				}
			}
		}
		var out sums[T]
		if trans {
			beside(gemvT, b, a, lda, nil, v, old[:], nil, nil, nil, 0)
		} else {
			beside(gemv, b, a, lda, v, nil, nil, nil, out[:], own, 1)
		}
	})
	unpack(v, x, incX)
}

// Trsv sets x to the solution of A*x = b, or of A transposed, where b is what x was. Zeros on the diagonal give Inf
// and NaN.
func Trsv[T dtype.Float](t Triangle, n int, a []T, lda int, x []T, incX int) {
	c := begin[T]()
	defer c.end()
	upper, trans, unit := t.Upper, t.Trans, t.Unit
	v := packed(&c.packedX, n, x, incX)
	each(upper, upper == trans, n, func(b block) {
		own := v[b.i : b.i+b.k]
		var out sums[T]
		if !trans {
			beside(gemv, b, a, lda, v, nil, nil, nil, out[:], own, -1)
		}
		down := upper == trans // rows of the block are solved from the first to the last
		for step := range b.k {
			r := step
			if !down {
				r = b.k - 1 - step
			}
			for q := range b.k {
				switch {
				case q == r || q < r != down:
				case trans:
					own[r] -= a[(b.i+q)*lda+b.i+r] * own[q]
				default:
					own[r] -= a[(b.i+r)*lda+b.i+q] * own[q]
				}
			}
			if !unit {
				own[r] /= a[(b.i+r)*lda+b.i+r]
			}
		}
		if trans {
			var s [tileRows]T
			for r := range b.k {
				s[r] = -own[r]
			}
			beside(gemvT, b, a, lda, nil, v, s[:], nil, nil, nil, 0)
		}
	})
	unpack(v, x, incX)
}

// at is an element of the diagonal.
func at[T dtype.Float](a []T, lda, i, j int, unit bool) T {
	if unit {
		return 1
	}
	return a[i*lda+j]
}

// each goes over the blocks of a triangle, down or up.
func each(upper, down bool, n int, do func(b block)) {
	all := blocks(n, tileRows)
	for p := range all {
		if !down {
			p = all - 1 - p
		}
		do(blockOf(upper, n, p, tileRows))
	}
}

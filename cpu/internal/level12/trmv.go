package level12

import "github.com/tilesmith/tilesmith/layout/dtype"

// Trmv computes x = A*x, or of A transposed, for a triangular A, n x n.
func Trmv[T dtype.Float](t Triangle, n int, a []T, lda int, x []T, incX int) {
	c := begin[T]()
	defer c.end()
	upper, trans, unit := t.Upper, t.Trans, t.Unit
	v := packed(&c.packedX, n, x, incX)
	// The elements that a block adds to, or reads, must not have been changed before.
	down := upper != trans
	for p := range blocks(n) {
		b := blockInTurn(upper, down, n, p)
		own := v[b.i : b.i+b.k]
		var old, sum [tileRows]T
		copy(old[:], own)
		for r := range b.k {
			row := a[(b.i+r)*lda+b.i:][:b.k]
			d := old[r]
			if !unit {
				d *= row[r]
			}
			lo, hi := 0, r
			if upper {
				lo, hi = r+1, b.k
			}
			if trans {
				for q := lo; q < hi; q++ {
					sum[q] += row[q] * old[r]
				}
			} else {
				for q := lo; q < hi; q++ {
					d += row[q] * old[q]
				}
			}
			sum[r] += d
		}
		copy(own, sum[:])
		var out sums[T]
		if trans {
			beside(gemvT, b, a, lda, nil, v, old[:], nil, nil, nil, 0)
		} else {
			beside(gemv, b, a, lda, v, nil, nil, nil, &out, own, 1)
		}
	}
	unpack(v, x, incX)
}

// Trsv sets x to the solution of A*x = b, or of A transposed, where b is what x was. Zeros on the diagonal give Inf
// and NaN.
func Trsv[T dtype.Float](t Triangle, n int, a []T, lda int, x []T, incX int) {
	c := begin[T]()
	defer c.end()
	upper, trans, unit := t.Upper, t.Trans, t.Unit
	v := packed(&c.packedX, n, x, incX)
	down := upper == trans
	for p := range blocks(n) {
		b := blockInTurn(upper, down, n, p)
		own := v[b.i : b.i+b.k]
		var out sums[T]
		if !trans {
			beside(gemv, b, a, lda, v, nil, nil, nil, &out, own, -1)
		}
		var s [tileRows]T
		copy(s[:], own)
		for r := range b.k {
			if !down {
				r = b.k - 1 - r
			}
			row := a[(b.i+r)*lda+b.i:][:b.k]
			lo, hi := 0, r
			if upper {
				lo, hi = r+1, b.k
			}
			d := s[r]
			if !trans {
				for q := lo; q < hi; q++ {
					d -= row[q] * s[q]
				}
			}
			if !unit {
				d /= row[r]
			}
			s[r] = d
			if trans {
				for q := lo; q < hi; q++ {
					s[q] -= row[q] * d
				}
			}
		}
		copy(own, s[:])
		if trans {
			for r := range s {
				s[r] = -s[r]
			}
			beside(gemvT, b, a, lda, nil, v, s[:], nil, nil, nil, 0)
		}
	}
	unpack(v, x, incX)
}

// blockInTurn is block p of a triangle, from the first or from the last on.
func blockInTurn(upper, down bool, n, p int) block {
	if !down {
		p = blocks(n) - 1 - p
	}
	return blockOf(upper, n, p)
}

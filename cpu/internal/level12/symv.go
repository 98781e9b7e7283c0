package level12

import "github.com/tilesmith/tilesmith/layout/dtype"

// Symv computes y = alpha*A*x + beta*y for a symmetric A, n x n, of which one triangle is read, once.
//
// A block of rows gives sums for its own rows and multiples of them for all columns, so goroutines would write to
// the same elements. If n is large, each group of rows has a vector of its own. These are added in order,
// with one goroutine too.
func Symv[T dtype.Float](upper bool, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	c := begin[T]()
	defer c.end()
	c.n, c.a, c.lda, c.alpha, c.upper = n, a, lda, alpha, upper
	c.x, c.y = packed(&c.packedX, n, x, incX), packed(&c.packedY, n, y, incY)
	scale(beta, c.y)
	g := c.groups(n)
	if g == 1 {
		symvRows(c, c.y, 0, blocks(n))
	} else {
		clear(sized(&c.sums, g*n))
		c.share(g, bytes[T](n*n/2), symvWork)
		for p := range g {
			one(axpy, c.sums[p*n:][:n], c.y, 1, 0)
		}
	}
	unpack(c.y, y, incY)
}

func symvPart[T dtype.Float](c *call[T], part int) {
	symvRows(c, c.sums[part*c.n:][:c.n], c.cuts[part], c.cuts[part+1])
}

// symvRows adds what blocks from to to-1 of the triangle give to y.
func symvRows[T dtype.Float](c *call[T], y []T, from, to int) {
	a, lda, x := c.a, c.lda, c.x
	for p := from; p < to; p++ {
		b := blockOf(c.upper, c.n, p)
		var s [tileRows]T
		for r := range b.k {
			s[r] = c.alpha * x[b.i+r]
		}
		var out sums[T]
		own := y[b.i : b.i+b.k]
		beside(symv, b, a, lda, x, y, s[:], nil, &out, own, c.alpha)
		// The square on the diagonal, in registers: x, what is added to y, and an element at a time for both.
		var sum [tileRows]T
		for r := range b.k {
			row := a[(b.i+r)*lda+b.i:][:b.k]
			lo, hi := 0, r
			if c.upper {
				lo, hi = r+1, b.k
			}
			one := s[r] * row[r]
			for q := lo; q < hi; q++ {
				one += s[q] * row[q]
				sum[q] += s[r] * row[q]
			}
			sum[r] += one
		}
		for r := range own {
			own[r] += sum[r]
		}
	}
}

// Syr computes A += alpha*x*xᵀ for one triangle of A, which is n x n.
func Syr[T dtype.Float](upper bool, n int, alpha T, x []T, incX int, a []T, lda int) {
	c := begin[T]()
	defer c.end()
	c.n, c.a, c.lda, c.alpha, c.upper = n, a, lda, alpha, upper
	c.x, c.y = packed(&c.packedX, n, x, incX), nil
	c.share(c.groups(n), bytes[T](n*n), syrWork)
}

// Syr2 computes A += alpha*(x*yᵀ + y*xᵀ) for one triangle of A, which is n x n.
func Syr2[T dtype.Float](upper bool, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) {
	c := begin[T]()
	defer c.end()
	c.n, c.a, c.lda, c.alpha, c.upper = n, a, lda, alpha, upper
	c.x, c.y = packed(&c.packedX, n, x, incX), packed(&c.packedY, n, y, incY)
	c.share(c.groups(n), bytes[T](n*n), syrWork)
}

// syrPart changes some rows of the triangle.
func syrPart[T dtype.Float](c *call[T], part int) {
	for p := c.cuts[part]; p < c.cuts[part+1]; p++ {
		b := blockOf(c.upper, c.n, p)
		var s, t [tileRows]T
		for r := range b.k {
			s[r] = c.alpha * c.x[b.i+r]
			if c.y != nil {
				s[r], t[r] = c.alpha*c.y[b.i+r], s[r]
			}
		}
		if c.y == nil {
			beside(ger, b, c.a, c.lda, c.x, nil, s[:], nil, nil, nil, 0)
		} else {
			beside(syr2, b, c.a, c.lda, c.x, c.y, s[:], t[:], nil, nil, 0)
		}
		for r := range b.k {
			row := c.a[(b.i+r)*c.lda+b.i:][:b.k]
			lo, hi := 0, r+1
			if c.upper {
				lo, hi = r, b.k
			}
			for q := lo; q < hi; q++ {
				row[q] += s[r] * c.x[b.i+q]
				if c.y != nil {
					row[q] += t[r] * c.y[b.i+q]
				}
			}
		}
	}
}

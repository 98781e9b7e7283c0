package level12

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// columns is how many columns of a matrix are gone down at once, so that what is used with every row stays in L1.
const columns = 2048

// partRows and partColumns are what one goroutine takes at once of a matrix: whole tiles, and whole lines.
const (
	partRows    = 64
	partColumns = columns
)

// slack is how many elements kernels write behind sums.
const slack = kernel.OutSlack / 4

// Gemv computes y = alpha*A*x + beta*y, or of A transposed. A is m x n, its rows lda apart; x and y are contiguous if
// their increments are 1.
func Gemv[T dtype.Float](trans bool, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	c := begin[T]()
	defer c.end()
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	c.m, c.n, c.a, c.lda, c.alpha = m, n, a, lda, alpha
	c.x, c.y = packed(&c.packedX, lenX, x, incX), packed(&c.packedY, lenY, y, incY)
	scale(beta, c.y)
	if trans {
		s := sized(&c.sums, m)
		for i, v := range c.x {
			s[i] = alpha * v
		}
		c.x = s
		c.share((n+partColumns-1)/partColumns, bytes[T](m*n), gemvTWork)
	} else {
		c.share((m+partRows-1)/partRows, bytes[T](m*n), gemvWork)
	}
	unpack(c.y, y, incY)
}

// gemvPart adds to some elements of y.
func gemvPart[T dtype.Float](c *call[T], part int) {
	from := part * partRows
	to := min(from+partRows, c.m)
	whole := (to - from) / tileRows
	a := c.a[from*c.lda:]
	var out [partRows + slack]T
	for j := 0; j < c.n; j += columns {
		n := min(columns, c.n-j)
		tiles(gemv, whole, a[j:], c.lda, n, c.x[j:], nil, nil, nil, out[:])
		for i := whole * tileRows; i < to-from; i++ {
			out[i] = one(dot, a[i*c.lda+j:][:n], c.x[j:j+n], 0, 0)
		}
		for i, v := range out[:to-from] {
			c.y[from+i] += c.alpha * v
		}
	}
}

// gemvTPart adds all rows to some columns of y.
func gemvTPart[T dtype.Float](c *call[T], part int) {
	j := part * partColumns
	n := min(partColumns, c.n-j)
	whole := c.m / tileRows
	tiles(gemvT, whole, c.a[j:], c.lda, n, nil, c.y[j:], c.x, nil, nil)
	for i := whole * tileRows; i < c.m; i++ {
		one(axpy, c.a[i*c.lda+j:][:n], c.y[j:j+n], c.x[i], 0)
	}
}

// Ger computes A += alpha*x*yᵀ, of an A that is m x n.
func Ger[T dtype.Float](m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) {
	c := begin[T]()
	defer c.end()
	c.m, c.n, c.a, c.lda = m, n, a, lda
	c.y = packed(&c.packedY, n, y, incY)
	c.x = sized(&c.sums, m)
	for i, at := 0, first(m, incX); i < m; i, at = i+1, at+incX {
		c.x[i] = alpha * x[at]
	}
	c.share((m+partRows-1)/partRows, 2*bytes[T](m*n), gerWork)
}

// gerPart changes some rows.
func gerPart[T dtype.Float](c *call[T], part int) {
	from := part * partRows
	to := min(from+partRows, c.m)
	whole := (to - from) / tileRows
	a, x := c.a[from*c.lda:], c.x[from:to]
	for j := 0; j < c.n; j += columns {
		n := min(columns, c.n-j)
		tiles(ger, whole, a[j:], c.lda, n, c.y[j:], nil, x, nil, nil)
		for i := whole * tileRows; i < to-from; i++ {
			one(axpy, c.y[j:j+n], a[i*c.lda+j:][:n], x[i], 0)
		}
	}
}

package level12

import "github.com/tilesmith/tilesmith/layout/dtype"

// Gbmv computes y = alpha*A*x + beta*y, or the same with A transposed. A is m x n and has kL diagonals below
// the main one and kU above it. Element (i, j) lies at i*lda + kL + j - i.
func Gbmv[T dtype.Float](trans bool, m, n, kL, kU int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	c := begin[T]()
	defer c.end()
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	vx, vy := packed(&c.packedX, lenX, x, incX), packed(&c.packedY, lenY, y, incY)
	scale(beta, vy)
	for i := range min(m, n+kL) {
		j0, j1 := max(0, i-kL), min(n, i+kU+1)
		row := a[i*lda+kL+j0-i:][:j1-j0]
		if trans {
			Axpy(alpha*vx[i], row, vy[j0:j1])
		} else {
			vy[i] += alpha * Dot(row, vx[j0:j1])
		}
	}
	unpack(vy, y, incY)
}

package sample

import (
	"math/bits"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// RMAT returns an n x n matrix with so many entries. Each is placed by going down the
// quarters of the matrix: to the upper left one with probability a, the upper right b,
// the lower left c, the lower right 1-a-b-c. The usual .57, .19, .19 gives heavy tails
// in rows and columns and leaves about half of the rows empty.
//
// Chakrabarti, Zhan and Faloutsos, SDM 2004.
func RMAT[T dtype.Float](n, entries int, a, b, c float64, seed uint64) (sparse.Matrix[T], error) {
	if err := check("RMAT", n, n, entries); err != nil {
		return sparse.Matrix[T]{}, err
	}
	if !(a >= 0 && b >= 0 && c >= 0 && a+b+c <= 1) {
		return sparse.Matrix[T]{}, fail(sparse.ErrValue, "RMAT", "none is less than 0, nor their sum more than 1", "the quarters have %v, %v, %v", a, b, c)
	}
	r := source("rmat", seed)
	levels := bits.Len(uint(max(n-1, 0)))
	e := newEdges(entries)
	err := e.draw("RMAT", entries, func() (i, j int, ok bool) {
		for range levels {
			i, j = 2*i, 2*j
			switch x := r.Float64(); {
			case x < a:
			case x < a+b:
				j++
			case x < a+b+c:
				i++
			default:
				i, j = i+1, j+1
			}
		}
		return i, j, i < n && j < n
	})
	if err != nil {
		return sparse.Matrix[T]{}, err
	}
	return matrix[T](n, n, e)
}

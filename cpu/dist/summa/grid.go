package summa

import (
	"fmt"
)

// A Grid arranges the ranks of a product out = a*b. It cuts the product's box of m x n x k
// multiplications into Rows x Cols x Layers boxes, one per rank.
//
//	            n, cut into Cols
//	         .------.------.------.
//	m, cut   | 0    | 1    | 2    |    layer 0: the first part of k
//	into     |------|------|------|
//	Rows     | 3    | 4    | 5    |    layer 1 lies behind: ranks 6 to 11
//	         '------'------'------'
//
// With one layer this is the mesh of SUMMA (van de Geijn and Watts, SUMMA: scalable
// universal matrix multiplication algorithm, 1997). With more it is that of the 2.5-D
// algorithms (Solomonik and Demmel, 2011). Rows or Cols alone split a product by rows or
// columns, and Layers alone split it along k. Rank (layer, row, col) has the number
// (layer*Rows + row)*Cols + col.
type Grid struct{ Rows, Cols, Layers int }

// Ranks returns how many ranks stand in g.
func (g Grid) Ranks() int { return g.Rows * g.Cols * g.Layers }

// String returns "2x3", or "2x3x4" if there are layers.
func (g Grid) String() string {
	if g.Layers == 1 {
		return fmt.Sprintf("%dx%d", g.Rows, g.Cols)
	}
	return fmt.Sprintf("%dx%dx%d", g.Rows, g.Cols, g.Layers)
}

// place returns where a rank stands.
func (g Grid) place(rank int) (layer, row, col int) {
	return rank / (g.Rows * g.Cols), rank / g.Cols % g.Rows, rank % g.Cols
}

// rank returns who stands at a place.
func (g Grid) rank(layer, row, col int) int { return (layer*g.Rows+row)*g.Cols + col }

package level12

import "github.com/tilesmith/tilesmith/layout/dtype"

// A triangle is walked in blocks of up to four rows. Kernels do the part of a block outside its square on the
// diagonal, and Go does that square. A short block is where it has nothing outside its square: at the top of
// a lower triangle, and at the bottom of an upper one.
//
//	lower        upper
//	D            D r r r
//	r D            D r r
//	r r D            D r
//	r r r D            D
type block struct {
	i, k   int // rows i to i+k-1
	j0, j1 int // the columns beside it
}

// blockOf returns block b of the triangle of n rows.
func blockOf(upper bool, n, b int) block {
	if upper {
		i := b * tileRows
		k := min(tileRows, n-i)
		return block{i, k, i + k, n}
	}
	short := n % tileRows
	if b == 0 && short > 0 {
		return block{0, short, 0, 0}
	}
	if short > 0 {
		b--
	}
	i := short + b*tileRows
	return block{i, tileRows, 0, i}
}

func blocks(n int) int { return (n + tileRows - 1) / tileRows }

// beside calls a kernel for the part of a block outside its square, in pieces of columns. x and y
// are whole vectors, and s and t those of the block's rows. After each piece add gets sums, if it
// wants any.
func beside[T dtype.Float](k rows, b block, a []T, lda int, x, y, s, t []T, out *sums[T], add []T, factor T) {
	if b.k < tileRows || b.j0 == b.j1 {
		return
	}
	for j := b.j0; j < b.j1; j += piece {
		n := min(piece, b.j1-j)
		var xs, ys, o []T
		if x != nil {
			xs = x[j:]
		}
		if y != nil {
			ys = y[j:]
		}
		if out != nil {
			o = out[:]
		}
		tiles(k, 1, a[b.i*lda+j:], lda, n, xs, ys, s, t, o)
		for r := range add {
			add[r] += factor * out[r]
		}
	}
}

// mostGroups is how many parts a triangle has at most whose rows add to the same vector.
const mostGroups = 16

// groupRows is how many rows a group has at least. A vector for each group is then less than a hundredth of
// the reads of the matrix.
const groupRows = 512

// groups cuts the rows of a triangle of n rows, in blocks, into parts with about the same number of elements.
func (c *call[T]) groups(n int) int {
	g := max(1, min(mostGroups, n/groupRows))
	all := blocks(n)
	at, elements := 0, 0
	for p := range g {
		c.cuts[p] = at
		for at < all && (p == g-1 || elements < n/2*n/g*(p+1)) {
			b := blockOf(c.upper, n, at)
			elements += b.k * (b.j1 - b.j0 + b.k)
			at++
		}
	}
	c.cuts[g] = all
	return g
}

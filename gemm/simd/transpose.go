package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
)

// lanes is a kind of vector, for what moves its lanes about.
type lanes struct {
	elem emit.Elem
	vl   int
}

func (l *lowering) lanes() lanes { return lanes{l.elem, l.vl} }

// halves are the permutations that take, in every 128-bit block of two vectors, pieces of the low halves in turn, and of
// the high ones.
func (l lanes) halves(piece int) [2][]int {
	lo, hi := vector.Halves(emit.Vector(l.elem, l.vl), piece)
	return [2][]int{lo, hi}
}

// blocks takes the even (first = 0) or odd 128-bit blocks of x, then of y.
func (l lanes) blocks(first int) []int { return l.halves(16 / l.elem.Bytes())[first] }

// transpose returns the transposed of the square block whose rows are in: first
// within the 128-bit blocks of groups of rows, then block by block. An element is so many lanes.
func (l lanes) transpose(b *emit.Builder, in []*emit.Value, parts int) []*emit.Value {
	per := min(16/(parts*l.elem.Bytes()), len(in)) // elements of a 128-bit block, or of a shorter vector
	blocks := len(in) / per
	groups := make([][]*emit.Value, blocks) // groups[g][c]: column c of each block, rows of group g
	for g := range groups {
		groups[g] = l.blockTranspose(b, in[g*per:(g+1)*per], parts)
	}
	out := make([]*emit.Value, len(in))
	for c := range per {
		col := make([]*emit.Value, blocks)
		for g := range col {
			col[g] = groups[g][c]
		}
		for q, x := range l.unzip(b, col) {
			out[q*per+c] = x
		}
	}
	return out
}

// blockTranspose transposes every 128-bit block of its rows, as many as such a block has
// elements:
//
//	a0 a1 a2 a3      a0 b0 a1 b1      a0 b0 c0 d0
//	b0 b1 b2 b3  ->  a2 b2 a3 b3  ->  a1 b1 c1 d1
//	c0 c1 c2 c3      c0 d0 c1 d1      a2 b2 c2 d2
//	d0 d1 d2 d3      c2 d2 c3 d3      a3 b3 c3 d3
func (l lanes) blockTranspose(b *emit.Builder, r []*emit.Value, parts int) []*emit.Value {
	if len(r) == 1 {
		return r
	}
	half := len(r) / 2
	t, u := l.blockTranspose(b, r[:half], parts), l.blockTranspose(b, r[half:], parts)
	var out []*emit.Value
	for c := range half {
		for low := range 2 {
			out = append(out, b.Shuffle(l.halves(parts * half)[low], t[c], u[c]))
		}
	}
	return out
}

// unzip transposes the square of 128-bit blocks that its vectors form: the even
// blocks of pairs hold the even results, the odd ones the odd.
func (l lanes) unzip(b *emit.Builder, x []*emit.Value) []*emit.Value {
	if len(x) == 1 {
		return x
	}
	var even, odd []*emit.Value
	for i := 0; i < len(x); i += 2 {
		even = append(even, b.Shuffle(l.blocks(0), x[i], x[i+1]))
		odd = append(odd, b.Shuffle(l.blocks(1), x[i], x[i+1]))
	}
	var out []*emit.Value
	e, o := l.unzip(b, even), l.unzip(b, odd)
	for q := range e {
		out = append(out, e[q], o[q])
	}
	return out
}

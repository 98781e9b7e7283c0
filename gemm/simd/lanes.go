package simd

import "github.com/tilesmith/tilesmith/emit"

// lanes is a kind of vector, for what moves its lanes about.
type lanes struct {
	elem emit.Elem
	vl   int
}

func (l *lowering) lanes() lanes { return lanes{l.elem, l.vl} }

// joining makes one partial result of two.
type joining func(b *emit.Builder, x, y *emit.Value) *emit.Value

// join returns vectors whose lanes are the sums over the lanes of each x, in order:
// first within 128-bit blocks,
//
//	a0 a1 a2 a3      a0+a2 b0+b2 a1+a3 b1+b3
//	b0 b1 b2 b3  ->                          ->  a b c d
//	c0 c1 c2 c3      c0+c2 d0+d2 c1+c3 d1+d3
//	d0 d1 d2 d3
//
// then over the blocks. Lanes that are left over are copies of others. The order in which
// the lanes of an element are added does not depend on its neighbours.
func (l lanes) join(b *emit.Builder, op joining, x []*emit.Value) []*emit.Value {
	per := 16 / l.elem.Bytes() // lanes of a 128-bit block
	for piece := 1; piece < per; piece *= 2 {
		x = l.halve(b, op, x, l.interleave(piece, 0), l.interleave(piece, 1))
	}
	for blocks := l.vl / per; blocks > 1; blocks /= 2 {
		x = l.halve(b, op, x, l.everyOther(0), l.everyOther(1))
	}
	return x
}

// halve joins neighbours in pairs, the last with itself if it has none: what lo
// takes of the two with what hi takes.
func (l lanes) halve(b *emit.Builder, op joining, x []*emit.Value, lo, hi []int) []*emit.Value {
	var out []*emit.Value
	for i := 0; i < len(x); i += 2 {
		y := x[min(i+1, len(x)-1)]
		out = append(out, op(b, b.Shuffle(lo, x[i], y), b.Shuffle(hi, x[i], y)))
	}
	return out
}

// interleave is the permutation that takes, in every 128-bit block of x and y,
// pieces of the low (half 0) or high halves in turn.
func (l lanes) interleave(piece, half int) []int {
	per := 16 / l.elem.Bytes()
	var perm []int
	for base := half * per / 2; base < l.vl; base += per {
		for i := base; i < base+per/2; i += piece {
			for _, from := range []int{i, i + l.vl} {
				for t := range piece {
					perm = append(perm, from+t)
				}
			}
		}
	}
	return perm
}

// everyOther takes the even (first = 0) or odd 128-bit blocks of x, then of y.
func (l lanes) everyOther(first int) []int {
	per := 16 / l.elem.Bytes()
	var perm []int
	for base := first * per; base < 2*l.vl; base += 2 * per {
		for t := range per {
			perm = append(perm, base+t)
		}
	}
	return perm
}

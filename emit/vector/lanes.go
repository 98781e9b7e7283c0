package vector

import "github.com/tilesmith/tilesmith/emit"

// A Joining makes one partial result of two.
type Joining func(b *emit.Builder, x, y *emit.Value) *emit.Value

// Fold joins the first half of values with the second until n are left, so that no join of a round waits for another.
func Fold(b *emit.Builder, op Joining, x []*emit.Value, n int) []*emit.Value {
	for len(x) > n {
		half := make([]*emit.Value, len(x)/2)
		for i := range half {
			half[i] = op(b, x[i], x[i+len(half)])
		}
		x = half
	}
	return x
}

// Join returns vectors whose lanes are the sums over the lanes of each x, in order:
// first within 128-bit blocks,
//
//	a0 a1 a2 a3      a0+a2 b0+b2 a1+a3 b1+b3
//	b0 b1 b2 b3  ->                          ->  a b c d
//	c0 c1 c2 c3      c0+c2 d0+d2 c1+c3 d1+d3
//	d0 d1 d2 d3
//
// then over the blocks. So as many vectors as they have lanes take one join less, and two shuffles for each; a vector
// on its own takes as many. Lanes that are left over are copies of others. The order in which
// the lanes of an element are joined does not depend on its neighbours.
func Join(b *emit.Builder, op Joining, x []*emit.Value) []*emit.Value {
	for unit, lanes := 1, x[0].Type.Lanes; unit < lanes; unit *= 2 {
		var next []*emit.Value
		for i := 0; i < len(x); i += 2 {
			next = append(next, pair(b, op, x[i], x[min(i+1, len(x)-1)], unit))
		}
		x = next
	}
	return x
}

// JoinEach is Join of as many vectors of lanes as they have lanes. It takes a vector when it needs it, so that few are in
// registers at once.
func JoinEach(b *emit.Builder, op Joining, lanes int, vector func(i int) *emit.Value) *emit.Value {
	var join func(first, count int) *emit.Value
	join = func(first, count int) *emit.Value {
		if count == 1 {
			return vector(first)
		}
		x := join(first, count/2)
		return pair(b, op, x, join(first+count/2, count/2), count/2)
	}
	return join(0, lanes)
}

// EveryLane returns what joining the lanes of x gives, in every lane.
func EveryLane(b *emit.Builder, op Joining, x *emit.Value) *emit.Value {
	return Join(b, op, []*emit.Value{x})[0]
}

// pair joins two vectors of unit finished lanes each.
func pair(b *emit.Builder, op Joining, x, y *emit.Value, unit int) *emit.Value {
	lo, hi := Halves(x.Type, unit)
	return op(b, b.Shuffle(lo, x, y), b.Shuffle(hi, x, y))
}

// Halves returns the permutations that bring together what is to be joined when vectors of unit finished lanes are.
// Within 128-bit blocks they take, from the low and from the high halves of x and y, unit lanes in turn; for a whole
// block and more they take the even and the odd blocks of x, then of y.
func Halves(t emit.Type, unit int) (lo, hi []int) {
	block := min(128/t.Elem.Bits(), t.Lanes) // a shorter vector is one block
	if unit < block {
		for i := range t.Lanes {
			at := i/block*block + i%unit // in a block: x's first unit, y's first unit, x's second ...
			k := i % block / unit
			from := at + k/2*unit + k%2*t.Lanes
			lo, hi = append(lo, from), append(hi, from+block/2)
		}
		return lo, hi
	}
	blocks := t.Lanes / block
	for i := range t.Lanes {
		k := i / block // x0 x2 .. y0 y2 ..
		from := 2*(k%(blocks/2))*block + i%block
		if k >= blocks/2 {
			from += t.Lanes
		}
		lo, hi = append(lo, from), append(hi, from+block)
	}
	return lo, hi
}

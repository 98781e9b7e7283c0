package simd

import "github.com/tilesmith/tilesmith/emit"

// EveryLane returns what joining the lanes of x gives, in every lane.
func EveryLane(b *emit.Builder, join func(b *emit.Builder, x, y *emit.Value) *emit.Value, x *emit.Value) *emit.Value {
	t := x.Type
	for unit := 1; unit < t.Lanes; unit *= 2 {
		lo, hi := Halves(t.Lanes, 128/t.Elem.Bits(), unit)
		x = join(b, b.Shuffle(lo, x, x), b.Shuffle(hi, x, x))
	}
	return x
}

// Halves returns the permutations that bring together what is to be added when
// vectors of unit finished lanes are joined. Within blocks they unpack; beyond blocks
// they choose even and odd blocks.
func Halves(lanes, block, unit int) (lo, hi []int) {
	if unit < block {
		for i := range lanes {
			at := i/block*block + i%unit // in a block: x's first unit, y's first unit, x's second ...
			k := i % block / unit
			from := at + k/2*unit + k%2*lanes
			lo, hi = append(lo, from), append(hi, from+block/2)
		}
		return lo, hi
	}
	blocks := lanes / block
	for i := range lanes {
		k := i / block // x0 x2 .. y0 y2 ..
		from := 2*(k%(blocks/2))*block + i%block
		if k >= blocks/2 {
			from += lanes
		}
		lo, hi = append(lo, from), append(hi, from+block)
	}
	return lo, hi
}

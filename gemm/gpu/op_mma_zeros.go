package gpu

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Zero points, za of a and zb of b, leave of the products of a range of K
//
//	sum of (a-za)*(b-zb) = sum of a*b - zb * sum of a - za * sum of b + K*za*zb
//
// The sums of rows of a and of columns of b are products with ones, which the instruction
// makes of fragments that are in registers anyway. There is one for each fragment of a besides those for all
// of b, and one for each of b. Ones stand in all columns, or rows. A lane then has such a sum where it has
// those of the row, or the column, and nothing is moved between lanes. Elements beyond the end of K are zero
// and in no sum. So parts of a tile are right by themselves, and nothing after them knows of zero points.

// ones are four bytes in a register.
const ones = 0x01010101

// zeroSums is how many fragments of such sums there are.
func (o mma) zeroSums(tall, broad int) (n int) {
	if o.zeros.b {
		n += tall
	}
	if o.zeros.a {
		n += broad
	}
	return n
}

// sumZeros adds a step to them: the sums of a's rows, then those of b's columns.
func (o mma) sumZeros(b *emit.Builder, sums, as, bs []*emit.Value) {
	all := func(n int) *emit.Value {
		words := make([]*emit.Value, n)
		for i := range words {
			words[i] = b.Const(emit.Int32, ones)
		}
		return b.Pack(words...)
	}
	if o.zeros.b {
		one := all(2)
		for i, a := range as {
			sums[i] = b.Inst(o.inst, 0, a, one, sums[i])[0]
		}
		sums = sums[len(as):]
	}
	if o.zeros.a {
		one := all(4)
		for j, x := range bs {
			sums[j] = b.Inst(o.inst, 0, one, x, sums[j])[0]
		}
	}
}

// lessOf returns a function that subtracts the contribution of zero points from a warp's sums
// over count of K. It is nil without zero points.
func (o mma) lessOf(tall, broad int) func(b *emit.Builder, acc []*emit.Value, za, zb, count *emit.Value) []*emit.Value {
	if o.zeroSums(tall, broad) == 0 {
		return nil
	}
	return func(b *emit.Builder, acc []*emit.Value, za, zb, count *emit.Value) []*emit.Value {
		acc, sums := acc[:tall*broad], acc[tall*broad:]
		times := func(z *emit.Value, n int, less *emit.Value) (terms [][]*emit.Value) {
			for _, v := range sums[:n] {
				var list []*emit.Value
				for _, x := range b.Unpack(v) {
					if x = b.Mul(x, z); less != nil {
						x = b.Sub(x, less)
					}
					list = append(list, x)
				}
				terms = append(terms, list)
			}
			sums = sums[n:]
			return terms
		}
		var rows, cols [][]*emit.Value
		var both *emit.Value
		if o.zeros.b {
			rows = times(zb, tall, nil)
		}
		if o.zeros.a {
			if o.zeros.b {
				both = b.Mul(b.Mul(za, zb), b.Trunc(emit.I32, count))
			}
			cols = times(za, broad, both)
		}
		var out []*emit.Value
		for i := range tall {
			for j := range broad {
				x := slices.Clone(b.Unpack(acc[i*broad+j]))
				for r := range x {
					if rows != nil {
						x[r] = b.Sub(x[r], rows[i][r])
					}
					if cols != nil {
						x[r] = b.Sub(x[r], cols[j][r])
					}
				}
				out = append(out, b.Pack(x...))
			}
		}
		return out
	}
}

// settle takes from a piece's sums what zero points make of them.
func (g *lowering) settle(b *emit.Builder, p piece, acc []*emit.Value) []*emit.Value {
	if g.f.less == nil {
		return acc
	}
	zero := func(slot int) *emit.Value {
		if slot < 0 {
			return nil
		}
		s := g.m.Slots[slot]
		x := g.schedule.param(b, slotPtr(slot), emit.Scalar(gemm.ElemOf(s.Type)))
		if s.Type == dtype.U8 {
			return b.Zext(emit.I32, x)
		}
		return b.Sext(emit.I32, x)
	}
	count := b.Sub(p.end, times(b, p.first, g.tile.BK))
	return g.f.less(b, acc, zero(g.fusion.ColumnTerm()), zero(g.fusion.RowTerm()), count)
}

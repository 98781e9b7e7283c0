package asmtest

import (
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// Spill has functions that keep more values and masks at once than there are registers, in and out
// of a loop, and use them in several orders.
func (s *Suite) Spill(t *testing.T, target emit.Target) []Program {
	var out []Program
	for _, e := range []emit.Elem{emit.F32, emit.F64, emit.I32, emit.I16} {
		ty := emit.Vector(e, target.Lanes(e))
		for _, n := range []int{20, 45} {
			p := s.Make(t, target, map[int]string{20: "spill_", 45: "spillmore_"}[n]+e.String(), func(b *Body) {
				var vs, ms []*emit.Value
				for i := range n {
					v := b.Add(b.in(ty, i), b.Const(ty, float64(i+3)))
					vs = append(vs, v)
					ms = append(ms, b.Cmp(Predicates[i%6], v, b.Const(ty, float64(40-i))))
				}
				total := func(sum *emit.Value) *emit.Value {
					for i := range vs {
						k := i * 7 % n
						sum = b.Add(b.Select(ms[(i*11+5)%n], vs[k], sum), b.Const(ty, float64(i+3)))
					}
					return sum
				}
				b.Put(total(vs[0]), vs[3])
				// What the loop uses from outside keeps its register, so that is little.
				carried := b.For(b.Int(0), b.Int(3), 1, []*emit.Value{vs[1], ms[2]}, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
					var in []*emit.Value
					for i := range n {
						in = append(in, b.Add(x[0], b.Const(ty, float64(i))))
					}
					sum := x[0]
					for i := range n {
						sum = b.Select(b.Cmp("lt", in[n-1-i], sum), b.Sub(sum, in[i]), b.Add(sum, in[i*3%n]))
					}
					return []*emit.Value{b.Select(x[1], sum, x[0]), b.Not(x[1])}
				})
				b.Put(carried[0], b.Select(carried[1], vs[4], vs[5]), total(carried[0]))
			})
			p.F.Spills = true
			out = append(out, p)
		}
	}
	return out
}

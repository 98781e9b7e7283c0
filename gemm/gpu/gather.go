package gpu

import "github.com/tilesmith/tilesmith/emit"

// together is how many elements a thread of a gathering copy has in flight.
const together = 4

// gather loads elements one by one, along the smaller stride first.
func (s source) gather(b *emit.Builder) copier {
	kFirst := b.Cmp("le", s.kRow, s.mnRow)
	base := b.Shared(int64(s.region), s.tile.size)
	n := s.tile.mn * s.tile.k / s.threads
	step := min(n, together)
	t := emit.Scalar(s.e)
	last := b.Sub(s.mn, b.Int(1))
	tile := func(k0, stage *emit.Value, end bool) {
		to := b.AddPAligned(base, stage, s.tile.size)
		b.ForOnce(b.Int(0), b.Int(int64(n)), int64(step), nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
			x, offs := make([]*emit.Value, step), make([]*emit.Value, step)
			for j := range step {
				e := b.Add(s.tid, b.Mul(b.Add(i, b.Int(int64(j))), b.Int(int64(s.threads))))
				mn1, k1 := split(b, e, s.tile.k)
				k2, mn2 := split(b, e, s.tile.mn)
				mn, k := b.Select(kFirst, mn1, mn2), b.Select(kFirst, k1, k2)
				kk := b.Add(k0, k)
				src := b.AddP(s.base, b.Mul(b.IMin(b.Add(s.mn0, mn), last), s.mnRow))
				src = b.AddP(src, b.Mul(kk, s.kRow))
				offs[j] = s.tile.value(b, mn, k)
				if !end {
					x[j] = b.Load(t, emit.At(src, 0))
					continue
				}
				x[j] = b.If(b.Cmp("lt", kk, s.k), func() []*emit.Value { return []*emit.Value{b.Load(t, emit.At(src, 0))} },
					func() []*emit.Value { return []*emit.Value{b.Const(t, s.pad)} })[0]
			}
			for j := range x {
				b.Store(x[j], emit.At(b.AddPAligned(to, offs[j], s.tile.size), 0))
			}
			return nil
		})
	}
	return copier{
		end:   func(k0, stage *emit.Value) { tile(k0, stage, true) },
		whole: func(k0, stage *emit.Value) { tile(k0, stage, false) },
		step:  b.Int(int64(s.tile.k)), // in elements
	}
}

package lower

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// reduceKernel turns vectors of partial sums at A into values at C. There are K groups
// of as many as a vector has lanes, then N single ones, 0 to one less. The last group
// is read whole, so A needs room for it, but only N of its values are written. If weigh
// is set, sums are first multiplied by Values.
func reduceKernel(b *emit.Builder, op Operator, v emit.Type, weigh bool) {
	lanes, size := v.Lanes, v.Bytes()
	pa, pc := b.Param("a", emit.Ptr), b.Param("c", emit.Ptr)
	carried := []*emit.Value{pa, pc}
	if weigh {
		carried = append(carried, b.Param("values", emit.Ptr))
	}
	group := func(x []*emit.Value, last *emit.Value) {
		sums := vector.JoinEach(b, op.Join, lanes, func(i int) *emit.Value { return b.Load(v, emit.At(x[0], int64(i*size))) })
		if weigh {
			sums = b.Mul(vector.Load(b, v, last, emit.At(x[2], 0)), sums)
		}
		storeByMode(b, sums, last, emit.At(x[1], 0))
	}
	out := b.For(b.Int(0), b.Param("k", emit.Int64), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		group(x, nil)
		next := []*emit.Value{b.AddP(x[0], b.Int(int64(lanes*size)))}
		for _, p := range x[1:] {
			next = append(next, b.AddP(p, b.Int(int64(size))))
		}
		return next
	})
	b.If(b.Cmp("gt", b.Param("n", emit.Int64), b.Int(0)), func() []*emit.Value {
		group(out, b.MaskN(v, b.Param("n", emit.Int64)))
		return nil
	}, nil)
}

// storeByMode stores x, Alpha*x or Beta*C + Alpha*x.
func storeByMode(b *emit.Builder, x, mask *emit.Value, c emit.Addr) {
	mode := b.Param("mode", emit.Int64)
	b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStore)), func() []*emit.Value {
		vector.Store(b, x, mask, c)
		return nil
	}, func() []*emit.Value {
		alpha := b.Param("alpha", x.Type)
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeScale)), func() []*emit.Value {
			vector.Store(b, b.Mul(x, alpha), mask, c)
			return nil
		}, func() []*emit.Value {
			old := b.Mul(vector.Load(b, x.Type, mask, c), b.Param("beta", x.Type))
			vector.Store(b, b.FMA(old, x, alpha), mask, c)
			return nil
		})
		return nil
	})
}

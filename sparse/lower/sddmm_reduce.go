package lower

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm/simd"
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
		sums := sumLanes(b, op, v, lanes, func(i int) *emit.Value { return b.Load(v, emit.At(x[0], int64(i*size))) })
		if weigh {
			sums = b.Mul(loadPart(b, v, last, emit.At(x[2], 0)), sums)
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

// loadPart loads a vector, or the lanes of a mask if that is not nil.
func loadPart(b *emit.Builder, v emit.Type, mask *emit.Value, a emit.Addr) *emit.Value {
	if mask != nil {
		return b.LoadMasked(v, mask, a)
	}
	return b.Load(v, a)
}

// storePart stores a vector, or the lanes of a mask if that is not nil.
func storePart(b *emit.Builder, x, mask *emit.Value, a emit.Addr) {
	if mask != nil {
		b.StoreMasked(x, mask, a)
	} else {
		b.Store(x, a)
	}
}

// storeByMode stores x, Alpha*x or Beta*C + Alpha*x.
func storeByMode(b *emit.Builder, x, mask *emit.Value, c emit.Addr) {
	mode := b.Param("mode", emit.Int64)
	b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStore)), func() []*emit.Value {
		storePart(b, x, mask, c)
		return nil
	}, func() []*emit.Value {
		alpha := b.Param("alpha", x.Type)
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeScale)), func() []*emit.Value {
			storePart(b, b.Mul(x, alpha), mask, c)
			return nil
		}, func() []*emit.Value {
			old := b.Mul(loadPart(b, x.Type, mask, c), b.Param("beta", x.Type))
			storePart(b, b.FMA(old, x, alpha), mask, c)
			return nil
		})
		return nil
	})
}

// sumLanes returns a vector whose lane i is the sum over the lanes of vector i of n,
// n a power of two up to the lanes of v. Each step joins two vectors of half-summed
// lanes into one. So n vectors take n-1 additions and 2(n-1) shuffles; summed on its
// own, every single one would take as many.
//
//	x0 x1 x2 x3   y0 y1 y2 y3  ->  x0+x2 y0+y2 x1+x3 y1+y3     unit 1
//	that          z.. w..      ->  x     y     z     w         unit 2
//
// The same goes on with blocks of 128 bits where a vector has several.
func sumLanes(b *emit.Builder, op Operator, v emit.Type, n int, vector func(i int) *emit.Value) *emit.Value {
	block := 128 / v.Elem.Bits() // lanes that unpacking reaches
	var join func(first, count int) *emit.Value
	join = func(first, count int) *emit.Value {
		if count == 1 {
			return vector(first)
		}
		x := join(first, count/2)
		y := join(first+count/2, count/2)
		lo, hi := simd.Halves(v.Lanes, block, count/2)
		return op.Join(b, b.Shuffle(lo, x, y), b.Shuffle(hi, x, y))
	}
	return join(0, n)
}

package lower

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Widening are the kernels that convert stored values of a narrow type to float32 and float64, without
// changing them: N values from Values on go to C.
//
// Row kernels that widen each value as they broadcast it would need a family for each stored type, each type of sums
// and each width. Instead a few vectors of values go through L1. That costs a load and a store per vector: for 16
// entries of a row two instructions, in addition to 16 and more.
type Widening struct{ From emit.Elem }

// Lower returns the kernels for one target.
func (w Widening) Lower(t emit.Target) ([]*emit.Func, kernel.Table[string], error) {
	f := rowFamily("widen"+strings.ToLower(w.From.String()), emit.F32, t)
	k := kernel.Table[string]{ISA: t.Name}
	for _, to := range []emit.Elem{emit.F32, emit.F64} {
		op := strings.ToLower(to.String())
		k.AddOp(op, 1, 1, f.Add(op, fmt.Sprintf("makes values of %v ones of %v.", w.From, to), func(b *emit.Builder) { w.build(b, t, to) }))
	}
	return f.Funcs, k, f.Err
}

const (
	widenUnroll = 4       // vectors of a round
	widenAhead  = 2 << 10 // bytes: the next call begins about where this one ends
)

func (w Widening) build(b *emit.Builder, t emit.Target, to emit.Elem) {
	vec := emit.Vector(to, t.Lanes(to))
	lanes := int64(vec.Lanes)
	from, dst, n := b.Param("values", emit.Ptr), b.Param("c", emit.Ptr), b.Param("n", emit.Int64)
	move := func(k *emit.Value, on int64, mask *emit.Value) {
		src := emit.Addr{Ptr: from, Index: k, Scale: int64(w.From.Bytes()), Off: on * int64(w.From.Bytes())}
		at := emit.Addr{Ptr: dst, Index: k, Scale: int64(to.Bytes()), Off: on * int64(to.Bytes())}
		vector.Store(b, w.wide(b, vector.Load(b, emit.Vector(w.From, vec.Lanes), mask, src), vec), mask, at)
	}
	k := b.Int(0)
	for step := lanes * widenUnroll; step >= lanes; step /= widenUnroll {
		end := b.And(n, b.Int(-step))
		b.For(k, end, step, nil, func(k *emit.Value, _ []*emit.Value) []*emit.Value {
			if step > lanes {
				for off := int64(0); off < step*int64(w.From.Bytes()); off += vector.LineBytes {
					b.Prefetch(0, emit.Addr{Ptr: from, Index: k, Scale: int64(w.From.Bytes()), Off: widenAhead + off})
				}
			}
			for on := int64(0); on < step; on += lanes {
				move(k, on, nil)
			}
			return nil
		})
		k = end
	}
	b.If(b.Cmp("lt", k, n), func() []*emit.Value {
		move(k, 0, b.MaskN(vec, b.Sub(n, k)))
		return nil
	}, func() []*emit.Value { return nil })
}

// wide returns x as elements of vec.
func (w Widening) wide(b *emit.Builder, x *emit.Value, vec emit.Type) *emit.Value {
	cvt := func(to emit.Type) { x = b.Op("cvt", emit.Attr{Name: "rne"}, []emit.Type{to}, x)[0] }
	cvt(emit.Vector(emit.F32, vec.Lanes))
	if vec.Elem != emit.F32 {
		cvt(vec)
	}
	return x
}

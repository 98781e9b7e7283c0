package lower

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Attention is the family of kernels that turn scores into weights and sum rows of V with
// them. They do a softmax over each row, then a product. A sampled product has left the
// scores of a few rows' entries in L1, and no other memory sees them.
//
//   - Shift copies the scores at A, of the entries from From on, to C. It subtracts the
//     greatest of their row, so that no power of e overflows.
//   - Exp takes e to the power of K vectors and N more values at C.
//   - An attend kernel sums the rows of B with the weights at Values, of the entries from
//     From on. It divides by the sum of the weights unless Mode is ModeScale. A row without
//     entries is 0. With ModeStream rows of full vectors are stored past the caches; Fence
//     must follow.
type Attention struct {
	Name    string
	Elem    emit.Elem
	Vectors int // the widest panel; 0: as many as leave registers for the rest, at most 16
}

// Lower returns the kernels for one target.
func (s Attention) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	if s.Vectors == 0 {
		s.Vectors = Widest(t)
	}
	v := emit.Vector(s.Elem, t.Lanes(s.Elem))
	f := rowFamily(s.Name, s.Elem, t)
	k.ISA, k.MR, k.NV, k.VL = t.Name, 1, s.Vectors, v.Lanes
	k.AddOp("Shift", 1, 1, f.Add("shift", "subtracts from each score the greatest of its row.", func(b *emit.Builder) { shiftKernel(b, v) }))
	k.AddOp("Exp", 1, 1, f.Add("exp", "takes e to the power of every score.", func(b *emit.Builder) { expKernel(b, v) }))
	k.AddOp("Fence", 1, 1, f.Add("fence", "ends a series of stores past the caches.", func(b *emit.Builder) { b.Inst(inst.StreamFence, 0) }))
	for nv := 1; nv <= s.Vectors; nv++ {
		doc := fmt.Sprintf("sums weighted rows of %d vectors.", nv)
		p := vector.Panel{Vec: v, N: nv, Backs: vector.Backs(t, nv)}
		wholeAndCut(f, &k, p.Backs, 1, nv, fmt.Sprint(nv*v.Lanes), doc, func(b *emit.Builder, cut bool) { attendKernel(b, p, cut) })
	}
	k.Sort()
	return f.Funcs, k, f.Err
}

// eachRow goes over the rows of a call. body gets the number of entries of one and the
// pointers carried so far, and returns them for the next.
func eachRow(b *emit.Builder, carried []*emit.Value, body func(from, to *emit.Value, x []*emit.Value) []*emit.Value) {
	start := append([]*emit.Value{b.Param("pointers", emit.Ptr), b.Param("from", emit.Int64)}, carried...)
	b.ForOnce(b.Int(0), b.Param("rows", emit.Int64), 1, start, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		to := index(b, emit.At(x[0], 4))
		next := []*emit.Value{b.AddP(x[0], b.Int(4)), to}
		return append(next, body(x[1], to, x[2:])...)
	})
}

// shiftKernel is Shift. It does not work in place. The masked load of a short row would
// reach into what the row before has just stored under a mask, and wait for it.
func shiftKernel(b *emit.Builder, v emit.Type) {
	least := b.Const(v, math.Inf(-1))
	size := int64(v.Elem.Bytes())
	eachRow(b, []*emit.Value{b.Param("a", emit.Ptr), b.Param("c", emit.Ptr)}, func(from, end *emit.Value, x []*emit.Value) []*emit.Value {
		n := b.Sub(end, from)
		main := b.And(n, b.Int(int64(-v.Lanes)))
		rest := b.MaskN(v, b.Sub(n, main))
		at := func(k *emit.Value) emit.Addr { return emit.Addr{Ptr: x[0], Index: k, Scale: size} }
		to := func(k *emit.Value) emit.Addr { return emit.Addr{Ptr: x[1], Index: k, Scale: size} }
		most := b.For(b.Int(0), main, int64(v.Lanes), []*emit.Value{least}, func(k *emit.Value, m []*emit.Value) []*emit.Value {
			return []*emit.Value{b.Max(b.Load(v, at(k)), m[0])}
		})[0]
		most = b.Max(b.Select(rest, b.LoadMasked(v, rest, at(main)), least), most)
		most = vector.EveryLane(b, (*emit.Builder).Max, most)
		b.For(b.Int(0), main, int64(v.Lanes), nil, func(k *emit.Value, _ []*emit.Value) []*emit.Value {
			b.Store(b.Sub(b.Load(v, at(k)), most), to(k))
			return nil
		})
		b.StoreMasked(b.Sub(b.LoadMasked(v, rest, at(main)), most), rest, to(main))
		bytes := b.Mul(n, b.Int(size))
		return []*emit.Value{b.AddP(x[0], bytes), b.AddP(x[1], bytes)}
	})
}

// expKernel is Exp.
func expKernel(b *emit.Builder, v emit.Type) {
	p := b.For(b.Int(0), b.Param("k", emit.Int64), 1, []*emit.Value{b.Param("c", emit.Ptr)}, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		b.Store(vmath.Exp(b, b.Load(v, emit.At(x[0], 0))), emit.At(x[0], 0))
		return []*emit.Value{b.AddP(x[0], b.Int(int64(v.Bytes())))}
	})[0]
	b.If(b.Cmp("gt", b.Param("n", emit.Int64), b.Int(0)), func() []*emit.Value {
		rest := b.MaskN(v, b.Param("n", emit.Int64))
		b.StoreMasked(vmath.Exp(b, b.LoadMasked(v, rest, emit.At(p, 0))), rest, emit.At(p, 0))
		return nil
	}, nil)
}

// attendKernel is one attend kernel of nv vectors.
func attendKernel(b *emit.Builder, p vector.Panel, masked bool) {
	p, v, nv := p.Cut(b, masked), p.Vec, p.N
	indices := b.Param("indices", emit.Ptr)
	far := b.AddP(indices, b.Param("ahead", emit.Int64))
	pb, ldb := b.Param("b", emit.Ptr), b.Param("ldb", emit.Int64)
	size := int64(v.Elem.Bytes())
	eachRow(b, []*emit.Value{b.Param("values", emit.Ptr), b.Param("c", emit.Ptr)}, func(from, to *emit.Value, x []*emit.Value) []*emit.Value {
		weights, c := x[0], x[1]
		acc := []*emit.Value{weights}
		for range nv + 1 {
			acc = append(acc, b.Const(v, 0))
		}
		out := b.For(from, to, 1, acc, func(k *emit.Value, acc []*emit.Value) []*emit.Value {
			at := func(p *emit.Value) *emit.Value {
				return b.AddP(pb, b.Mul(indexAt(b, p, k, 0), ldb))
			}
			vector.Fetch(b, at(far), p.Bytes())
			row := at(indices)
			w := b.LoadSplat(v, emit.At(acc[0], 0))
			next := []*emit.Value{b.AddP(acc[0], b.Int(size)), b.Add(acc[1], w)}
			for j := range nv {
				next = append(next, b.FMA(acc[2+j], w, p.Load(b, row, j)))
			}
			return next
		})
		store := func(by *emit.Value, stream bool) []*emit.Value {
			for j, s := range out[2:] {
				if by != nil {
					s = b.Mul(s, by)
				}
				if stream {
					b.Inst(inst.Stream(v), p.At(c, j).Off, s, c)
				} else {
					p.Store(b, s, c, j)
				}
			}
			return nil
		}
		asIs := func() []*emit.Value { return store(nil, false) }
		divided := func(stream bool) func() []*emit.Value {
			return func() []*emit.Value {
				b.If(b.Cmp("lt", from, to), func() []*emit.Value {
					return store(b.Div(b.Const(v, 1), out[1]), stream)
				}, func() []*emit.Value { return store(nil, stream) })
				return nil
			}
		}
		mode := b.Param("mode", emit.Int64)
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStore)), divided(false), func() []*emit.Value {
			if masked || inst.Stream(v) == nil {
				return asIs()
			}
			b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStream)), divided(true), asIs)
			return nil
		})
		return []*emit.Value{out[0], b.AddP(c, b.Param("ldc", emit.Int64))}
	})
}

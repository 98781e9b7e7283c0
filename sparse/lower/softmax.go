package lower

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Softmax is the family of kernels between the two products of attention over dense
// blocks. Both take Rows rows of K whole vectors, LdA apart at A, and two vectors for each
// row at B.
//
//   - Step turns scores into weights, in place, for a softmax that sees some columns at a
//     time (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018). B has
//     the greatest score so far in every lane, and sums of weights, one per lane. If new
//     scores are greater, Step scales down the sums, and the row of Width vectors at C, LdC
//     apart, that the old weights made. A score of -Inf has weight 0, even if it is the only
//     one.
//   - Back turns scores into weights e^(score - B[0]). It turns the gradients of the weights
//     at C into those of scores, weight * (gradient - B[1]).
type Softmax struct {
	Name string
	Elem emit.Elem
}

// Lower returns the kernels for one target.
func (s Softmax) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	v := emit.Vector(s.Elem, t.Lanes(s.Elem))
	f := rowFamily(s.Name, s.Elem, t)
	k.ISA, k.VL = t.Name, v.Lanes
	k.AddOp("Step", 1, 1, f.Add("step", "goes on with the softmax of rows by more columns.", func(b *emit.Builder) { softmaxStep(b, v) }))
	k.AddOp("Back", 1, 1, f.Add("back", "is the gradient of weights and scores.", func(b *emit.Builder) { softmaxBack(b, v) }))
	return f.Funcs, k, f.Err
}

// eachScoreRow goes over the rows of a call: body gets where a row of scores, its state
// and its row of C lie.
func eachScoreRow(b *emit.Builder, v emit.Type, body func(row, state, c *emit.Value)) {
	start := []*emit.Value{b.Param("a", emit.Ptr), b.Param("b", emit.Ptr), b.Param("c", emit.Ptr)}
	b.For(b.Int(0), b.Param("rows", emit.Int64), 1, start, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		body(x[0], x[1], x[2])
		return []*emit.Value{b.AddP(x[0], b.Param("lda", emit.Int64)), b.AddP(x[1], b.Int(int64(2*v.Bytes()))), b.AddP(x[2], b.Param("ldc", emit.Int64))}
	})
}

// eachVector goes over n vectors at p.
func eachVector(b *emit.Builder, v emit.Type, n, p *emit.Value, carried []*emit.Value, body func(at emit.Addr, off *emit.Value, x []*emit.Value) []*emit.Value) []*emit.Value {
	start := append([]*emit.Value{b.Int(0)}, carried...)
	return b.For(b.Int(0), n, 1, start, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		next := body(emit.Addr{Ptr: p, Index: x[0], Scale: 1}, x[0], x[1:])
		return append([]*emit.Value{b.Add(x[0], b.Int(int64(v.Bytes())))}, next...)
	})[1:]
}

func softmaxStep(b *emit.Builder, v emit.Type) {
	least, zero := b.Const(v, math.Inf(-1)), b.Const(v, 0)
	n, width := b.Param("k", emit.Int64), b.Param("width", emit.Int64)
	eachScoreRow(b, v, func(row, state, c *emit.Value) {
		sums := emit.At(state, int64(v.Bytes()))
		old := b.Load(v, emit.At(state, 0))
		most := eachVector(b, v, n, row, []*emit.Value{least}, func(at emit.Addr, _ *emit.Value, x []*emit.Value) []*emit.Value {
			return []*emit.Value{b.Max(b.Load(v, at), x[0])} // a NaN is left to the power of e
		})[0]
		top := b.Max(vector.EveryLane(b, (*emit.Builder).Max, most), old)
		by := b.Select(b.Cmp("eq", top, least), zero, top) // -Inf less -Inf would be NaN
		shrink := vmath.Exp(b, b.Sub(old, by))
		b.Store(top, emit.At(state, 0))
		sum := eachVector(b, v, n, row, []*emit.Value{b.Mul(b.Load(v, sums), shrink)}, func(at emit.Addr, _ *emit.Value, x []*emit.Value) []*emit.Value {
			w := vmath.Exp(b, b.Sub(b.Load(v, at), by))
			b.Store(w, at)
			return []*emit.Value{b.Add(x[0], w)}
		})[0]
		b.Store(sum, sums)
		eachVector(b, v, width, c, nil, func(at emit.Addr, _ *emit.Value, _ []*emit.Value) []*emit.Value {
			b.Store(b.Mul(b.Load(v, at), shrink), at)
			return nil
		})
	})
}

func softmaxBack(b *emit.Builder, v emit.Type) {
	n := b.Param("k", emit.Int64)
	eachScoreRow(b, v, func(row, state, c *emit.Value) {
		by, mean := b.Load(v, emit.At(state, 0)), b.Load(v, emit.At(state, int64(v.Bytes())))
		eachVector(b, v, n, row, nil, func(at emit.Addr, off *emit.Value, _ []*emit.Value) []*emit.Value {
			w := vmath.Exp(b, b.Sub(b.Load(v, at), by))
			b.Store(w, at)
			of := emit.Addr{Ptr: c, Index: off, Scale: 1}
			b.Store(b.Mul(w, b.Sub(b.Load(v, of), mean)), of)
			return nil
		})
	})
}

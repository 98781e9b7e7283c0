package lower

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Blocks is the family of kernels of a matrix of dense blocks times a dense matrix. It
// is the loop of the dense micro-kernel. Its tile of C stays in registers over all the
// blocks of a block row. A tile kernel computes, with the blocks p from From to
// Limit-1,
//
//	acc[i][j] = sum over p, and k < K, of Values[p][i][k] * B[Indices[p]*K + k][j]
//
// where Values is at the tile's first row of block 0, rows of a block are Stride bytes
// apart and blocks Width. In the block column Ahead, the last one, only Rows rows of
// B are there.
type Blocks struct {
	Name string // of the functions, before the tile and the target
	Elem emit.Elem
	Tile tiling.Micro // zero: as the dense product has
}

// Lower returns the kernels for one target.
func (s Blocks) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	if s.Tile == (tiling.Micro{}) {
		s.Tile = tiling.Registers(t.Regs)
	}
	v := emit.Vector(s.Elem, t.Lanes(s.Elem))
	k.ISA, k.MR, k.NV, k.VL = t.Name, s.Tile.MR, s.Tile.NV, v.Lanes
	f := rowFamily(s.Name, s.Elem, t)
	for mr := 1; mr <= s.Tile.MR; mr++ {
		for nv := 1; nv <= s.Tile.NV; nv++ {
			doc := fmt.Sprintf("computes a tile of %d rows and %d vectors.", mr, nv)
			one := blockTile{vector.Panel{Vec: v, N: nv, Backs: vector.Backs(t, nv)}, mr, vector.Lanewise(t)}
			wholeAndCut(f, &k, one.Backs, mr, nv, fmt.Sprintf("%dx%d", mr, nv*v.Lanes), doc, one.build)
		}
	}
	for nv := 1; nv <= s.Tile.NV; nv++ {
		k.Add(kernel.Copy, 1, nv, f.Add(fmt.Sprintf("pack%d", nv*v.Lanes), "copies rows of a panel and says whether they are finite.",
			func(b *emit.Builder) { packPanel(b, v, nv) }))
	}
	k.Sort()
	return f.Funcs, k, f.Err
}

// wholeAndCut adds a kernel of panels of whole vectors, and one of those that are cut; if the last vector
// of these begins in the one before, it does both.
func wholeAndCut(f *emit.Family, k *kernel.Table[string], backs bool, mr, nv int, name, doc string, build func(b *emit.Builder, cut bool)) {
	if !backs {
		k.Add(kernel.Panel, mr, nv, f.Add(name, doc, func(b *emit.Builder) { build(b, false) }))
	}
	cut := f.Add(name+"tail", doc, func(b *emit.Builder) { build(b, true) })
	k.Add(kernel.Tail, mr, nv, cut)
	if backs {
		k.Add(kernel.Panel, mr, nv, cut)
	}
}

// blockTile is one tile kernel.
type blockTile struct {
	vector.Panel
	mr       int
	lanewise bool // masked accesses are many instructions
}

func (t blockTile) build(b *emit.Builder, masked bool) {
	t.Panel = t.Cut(b, masked)
	rows := vector.Strides(b, b.Param("stride", emit.Int64), t.mr)
	acc := make([]*emit.Value, t.mr*t.N)
	for i := range acc {
		acc[i] = b.Const(t.Vec, 0)
	}
	ldb := b.Param("ldb", emit.Int64)
	carried := append([]*emit.Value{b.Param("values", emit.Ptr)}, acc...)
	out := b.For(b.Param("from", emit.Int64), b.Param("limit", emit.Int64), 1, carried, func(p *emit.Value, x []*emit.Value) []*emit.Value {
		jo := index(b, emit.Addr{Ptr: b.Param("indices", emit.Ptr), Index: p, Scale: 4})
		k := b.Param("k", emit.Int64)
		depth := b.Select(b.Cmp("eq", jo, b.Param("ahead", emit.Int64)), b.Param("rows", emit.Int64), k)
		row := b.AddP(b.Param("b", emit.Ptr), b.Mul(b.Mul(jo, k), ldb))
		next := b.AddP(x[0], b.Param("width", emit.Int64))
		ahead := rows.From(b, next, t.mr)
		for i := range t.mr { // blocks of a block row follow each other, but this tile's rows of them do not
			b.Prefetch(0, ahead.At(i, 0))
			b.Prefetch(0, ahead.At(i, vector.LineBytes))
		}
		sums := t.block(b, x[0], row, depth, rows, ldb, x[1:])
		return append([]*emit.Value{b.AddP(x[0], b.Param("width", emit.Int64))}, sums...)
	})[1:]
	c := func() *emit.Value { return b.Param("c", emit.Ptr) }
	if t.lanewise && t.Last != nil {
		vector.ByRows(b, out, t.N, c(), b.Param("ldc", emit.Int64), func(row []*emit.Value, c *emit.Value) {
			t.store(b, row, func() *emit.Value { return c })
		})
		return
	}
	t.store(b, out, c)
}

// store stores the sums of rows, the first of which is at first, by Mode.
func (t blockTile) store(b *emit.Builder, acc []*emit.Value, first func() *emit.Value) {
	each := func(f func(j int, x *emit.Value, a emit.Addr, mask *emit.Value)) []*emit.Value {
		c := vector.NewRows(b, first(), b.Param("ldc", emit.Int64), len(acc)/t.N)
		for i, x := range acc {
			a := c.At(i/t.N, int64(i%t.N*t.Vec.Bytes()))
			if t.Back != nil && i%t.N == t.N-1 {
				a = t.Back.At(b, a)
			}
			f(i%t.N, x, a, t.Mask(i%t.N))
		}
		return nil
	}
	mode := b.Param("mode", emit.Int64)
	b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStore)), func() []*emit.Value {
		return each(func(_ int, x *emit.Value, a emit.Addr, mask *emit.Value) { vector.Store(b, x, mask, a) })
	}, func() []*emit.Value {
		alpha := b.Param("alpha", t.Vec)
		b.If(b.Cmp("eq", mode, b.Int(kernel.ModeScale)), func() []*emit.Value {
			return each(func(_ int, x *emit.Value, a emit.Addr, mask *emit.Value) { vector.Store(b, b.Mul(x, alpha), mask, a) })
		}, func() []*emit.Value {
			beta := b.Param("beta", t.Vec)
			return each(func(j int, x *emit.Value, a emit.Addr, mask *emit.Value) {
				old := vector.Load(b, t.Vec, mask, a)
				vector.Store(b, t.Own(b, old, b.FMA(b.Mul(old, beta), x, alpha), j), mask, a)
			})
		})
		return nil
	})
}

// block adds the product of one block, whose rows begin at pa, with depth rows of B.
func (t blockTile) block(b *emit.Builder, pa, pb, depth *emit.Value, r vector.Rows, ldb *emit.Value, acc []*emit.Value) []*emit.Value {
	r = r.From(b, pa, t.mr)
	first := 1 + len(r.Bases)
	carried := append(append([]*emit.Value{pb}, r.Bases...), acc...)
	out := b.For(b.Int(0), depth, 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		rows := r.With(x[1:first])
		row := make([]*emit.Value, t.N)
		for j := range row {
			row[j] = t.Load(b, x[0], j)
		}
		next := []*emit.Value{b.AddP(x[0], ldb)}
		for _, p := range rows.Bases {
			next = append(next, b.AddP(p, b.Int(int64(t.Vec.Elem.Bytes()))))
		}
		for i := range t.mr {
			e := b.LoadSplat(t.Vec, rows.At(i, 0))
			for j := range row {
				next = append(next, b.FMA(x[first+i*t.N+j], e, row[j]))
			}
		}
		return next
	})
	return out[first:]
}

// packPanel copies K rows of nv vectors, LdB apart at B, to rows one after another
// at C. The last vector has N columns, and zeros fill it up. At A it leaves a vector
// that is 0 if all elements were finite and has a NaN if one was not.
func packPanel(b *emit.Builder, v emit.Type, nv int) {
	p := vector.Panel{Vec: v, N: nv}.Cut(b, true)
	zero := b.Const(v, 0)
	ldb := b.Param("ldb", emit.Int64)
	far := b.Shl(ldb, b.Int(4))
	carried := []*emit.Value{b.Param("b", emit.Ptr), b.Param("c", emit.Ptr), zero}
	out := b.For(b.Int(0), b.Param("k", emit.Int64), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		odd := x[2]
		for j := range nv {
			off := p.At(x[0], j).Off
			b.Prefetch(0, emit.Addr{Ptr: x[0], Index: far, Scale: 1, Off: off})
			e := p.Load(b, x[0], j)
			odd = b.FMA(odd, e, zero)
			b.Store(e, emit.At(x[1], off))
		}
		return []*emit.Value{b.AddP(x[0], ldb), b.AddP(x[1], b.Int(int64(p.Bytes()))), odd}
	})
	b.Store(out[2], emit.At(b.Param("a", emit.Ptr), 0))
}

package lower

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Pruned is the family of kernels for matrices such as pruned weights. These are sparse, but
// so dense that rows of B are used again and again. The matrix is cut into blocks of columns,
// so that the rows of B that a block needs stay in L1. In each block rows are sorted by their
// number of entries. So the loop over entries runs equally often many times in a row, and its
// end is predicted. tiling.PrunedGroup rows of equal length are done side by side, which hides
// the latency of the multiply-adds.
//
// A kernel of nv vectors goes over Width runs at Pointers, and then over K runs of single rows.
// A run is a pair: a number of entries and a number of groups of rows. The numbers of the rows
// are at Map. For each row, the kernel starts from that row of A. For the row's entries e in
// turn, it adds Values[e] times the row of B that is Indices[e] bytes from B. The rows of a
// group take turns. The sum goes to that row of C, which may be A; with ModeStore sums begin at
// 0. Map has room for one more group, which is read and means nothing.
type Pruned struct {
	Name    string // of the functions, before width and target
	Elem    emit.Elem
	Vectors int // of the widest panel; 0: of tiling.PrunedPitch bytes
}

// Lower returns the kernels for one target.
func (s Pruned) Lower(t emit.Target) (fs []*emit.Func, k kernel.Table[string], err error) {
	if s.Vectors == 0 {
		s.Vectors = tiling.PrunedPitch / (t.Bits / 8)
	}
	v := emit.Vector(s.Elem, t.Lanes(s.Elem))
	f := rowFamily(s.Name, s.Elem, t)
	k.ISA, k.MR, k.NV, k.VL = t.Name, 1, s.Vectors, v.Lanes
	for nv := 1; nv <= s.Vectors; nv++ {
		doc := fmt.Sprintf("adds weighted rows of %d vectors.", nv)
		one := pruned{vector.Panel{Vec: v, N: nv, Backs: vector.Backs(t, nv)}}
		sideBySide := tiling.PrunedGroup*nv+2 <= t.Regs
		wholeAndCut(f, &k, one.Backs, 1, nv, fmt.Sprint(nv*v.Lanes), doc, func(b *emit.Builder, cut bool) { one.build(b, cut, sideBySide) })
		k.Add(kernel.Copy, 1, nv, f.Add(fmt.Sprintf("pack%d", nv*v.Lanes), "copies a panel.", func(b *emit.Builder) { packScaled(b, v, nv) }))
	}
	k.Sort()
	return f.Funcs, k, f.Err
}

// pruned is one kernel.
type pruned struct{ vector.Panel }

// build appends the kernel; sideBySide says whether registers hold the sums of a
// whole group. Otherwise its rows are done one by one.
func (p pruned) build(b *emit.Builder, masked, sideBySide bool) {
	p.Panel = p.Cut(b, masked)
	x := []*emit.Value{b.Param("pointers", emit.Ptr), b.Param("map", emit.Ptr), b.Int(0)}
	x = p.runs(b, b.Param("width", emit.Int64), x, tiling.PrunedGroup, sideBySide)
	p.runs(b, b.Param("k", emit.Int64), x, 1, true)
}

// runs goes over n runs of groups of rows.
func (p pruned) runs(b *emit.Builder, n *emit.Value, x []*emit.Value, rows int, sideBySide bool) []*emit.Value {
	return b.For(b.Int(0), n, 1, x, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		entries := b.Mul(index(b, emit.At(x[0], 0)), b.Int(int64(rows)))
		out := b.ForOnce(b.Int(0), index(b, emit.At(x[0], 4)), 1, x[1:], func(_ *emit.Value, x []*emit.Value) []*emit.Value {
			numbers, from := x[0], x[1]
			to := b.Add(from, entries)
			if sideBySide {
				p.group(b, numbers, from, to, 0, rows, rows)
			} else {
				for r := range rows {
					p.group(b, numbers, from, to, r, r+1, rows)
				}
			}
			return []*emit.Value{b.AddP(numbers, b.Int(int64(4*rows))), to}
		})
		return append([]*emit.Value{b.AddP(x[0], b.Int(8))}, out...)
	})
}

// group does rows r0 to r1-1 of a group of so many rows, whose entries are from to
// to-1.
func (p pruned) group(b *emit.Builder, numbers, from, to *emit.Value, r0, r1, rows int) {
	// Fields are loaded where they are needed: all of them do not fit into registers.
	row := func(matrix, ld string, r int) *emit.Value {
		return b.AddP(b.Param(matrix, emit.Ptr), b.Mul(index(b, emit.At(numbers, int64(4*r))), b.Param(ld, emit.Int64)))
	}
	for r := r0; r < r1; r++ { // of the next group: its rows are anywhere
		vector.Fetch(b, row("a", "lda", r+rows), p.Bytes())
	}
	acc := b.If(b.Cmp("eq", b.Param("mode", emit.Int64), b.Int(kernel.ModeStore)), func() (acc []*emit.Value) {
		for range (r1 - r0) * p.N {
			acc = append(acc, b.Const(p.Vec, 0))
		}
		return acc
	}, func() (acc []*emit.Value) {
		for r := r0; r < r1; r++ {
			c := row("a", "lda", r)
			for j := range p.N {
				acc = append(acc, p.Load(b, c, j))
			}
		}
		return acc
	})
	offsets, values, pb := b.Param("indices", emit.Ptr), b.Param("values", emit.Ptr), b.Param("b", emit.Ptr)
	acc = b.For(from, to, int64(rows), acc, func(e *emit.Value, acc []*emit.Value) (next []*emit.Value) {
		size := int64(p.Vec.Elem.Bytes())
		for r := r0; r < r1; r++ {
			q := b.AddP(pb, indexAt(b, offsets, e, int64(r)))
			w := b.LoadSplat(p.Vec, emit.Addr{Ptr: values, Index: e, Scale: size, Off: int64(r) * size})
			for j := range p.N {
				next = append(next, b.FMA(acc[len(next)], w, b.Load(p.Vec, p.At(q, j))))
			}
		}
		return next
	})
	for r := r0; r < r1; r++ {
		c := row("c", "ldc", r)
		for j := range p.N {
			p.Store(b, acc[(r-r0)*p.N+j], c, j)
		}
	}
}

// packScaled copies K rows of nv vectors, LdB apart at B, times Alpha, to rows Stride
// apart at C. The last vector has N columns, and zeros fill it up.
func packScaled(b *emit.Builder, v emit.Type, nv int) {
	p := vector.Panel{Vec: v, N: nv}.Cut(b, true)
	alpha := b.Param("alpha", v)
	ldb := b.Param("ldb", emit.Int64)
	far := b.Shl(ldb, b.Int(4))
	carried := []*emit.Value{b.Param("b", emit.Ptr), b.Param("c", emit.Ptr)}
	b.For(b.Int(0), b.Param("k", emit.Int64), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		for j := range nv {
			a := p.At(x[0], j)
			if a.Off%vector.LineBytes == 0 {
				b.Prefetch(0, emit.Addr{Ptr: x[0], Index: far, Scale: 1, Off: a.Off})
			}
			b.Store(b.Mul(p.Load(b, x[0], j), alpha), emit.At(x[1], a.Off))
		}
		return []*emit.Value{b.AddP(x[0], ldb), b.AddP(x[1], b.Param("stride", emit.Int64))}
	})
}

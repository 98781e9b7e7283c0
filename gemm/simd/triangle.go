package simd

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A tile on the diagonal of a triangle goes through the one main loop as far as its rows are all
// of one length. The rest is a triangle as high as the tile, whose elements meet the sums while
// these are in registers. A row takes one step of it at a time:
//
//	solving       x = (c - sum) * a[k,k], a reciprocal, is stored; what is below it gets a[i,k]*x
//	multiplying   b's row meets sums from a[k,k] down; that of row k is whole then, and stored
//
// so that neither has a loop that is not unrolled, or reads what the other half of a holds.

// addTriangles adds them to products of numbers of one type, which have no epilogue.
func (l *lowering) addTriangles(m *Module, f *emit.Family) {
	if !l.solves(m) {
		return
	}
	m.Triangles = new(kernel.Table[string])
	for nv := 1; nv <= l.tile.NV; nv++ {
		add := func(name, what string, solve bool) string {
			return f.Add(fmt.Sprintf("_%dx%d%s", l.tile.MR, nv*l.cols(), name), fmt.Sprintf("%s by tiles of %d x %d on a diagonal.", what, l.tile.MR, nv*l.cols()),
				func(b *emit.Builder) { l.triangle(b, nv, solve) })
		}
		m.Triangles.Add(kernel.Panel, l.tile.MR, nv, add("triangle", "multiplies", false))
		m.Triangles.Add(kernel.Solve, l.tile.MR, nv, add("solve", "solves", true))
	}
	m.Triangles.Sort()
}

// solves reports whether a product's operands have one type, in which numbers can be divided.
func (l *lowering) solves(m *Module) bool {
	_, fma := l.op.(gemm.FMA)
	_, pairs := l.op.(gemm.Pairs)
	return (fma || pairs) && m.Fusion == nil && m.Shape == (gemm.Shape{}) && m.A == m.Elem && m.B == m.Elem
}

// triangle is micro for one tile of all rows, the last mr columns of which are a triangle.
func (l *lowering) triangle(b *emit.Builder, nv int, solve bool) {
	v, mr, width := l.vector(), l.tile.MR, l.parts*nv
	t := tile{a: b.Param("a", emit.Ptr), b: b.Param("b", emit.Ptr)}
	acc, rows, from := l.sums(b, &t, mr, nv, nil)
	acc = slices.Clone(acc)
	at := func(p *emit.Value, j int) emit.Addr { return emit.At(p, int64(j*v.Bytes())) }
	c, also := b.Param("c", emit.Ptr), b.Param("fetch", emit.Ptr)
	for k := range mr {
		x, first := make([]*emit.Value, nv), k // the first row that x meets
		if solve {
			first++
			sums := l.join(b, acc[k*width:(k+1)*width], nv)
			for j := range x {
				x[j] = l.scaled(b, b.Sub(b.Load(v, at(c, j)), sums[j]), rows, k)
			}
			for j := range x {
				b.Store(x[j], at(c, j))
				b.Store(x[j], at(also, j))
			}
		} else {
			for j := range x {
				x[j] = b.Load(v, at(from, j))
			}
		}
		for i := first * l.parts; i < mr*l.parts; i++ {
			e := b.LoadSplat(v, rows.At(i/l.parts, int64(i%l.parts*l.elem.Bytes())))
			for j := range x {
				y := x[j]
				if i == k*l.parts+1 && l.parts > 1 { // a second part on the diagonal
					y = l.kept(b, y, l.factor(b, "turn"))
				}
				acc[i*nv+j] = l.step(b, acc[i*nv+j], e, y)
			}
		}
		if !solve {
			for j, sum := range l.join(b, acc[k*width:(k+1)*width], nv) {
				b.Store(sum, at(c, j))
			}
		}
		if k == mr-1 {
			break
		}
		c = b.AddP(c, b.Param("ldc", emit.Int64))
		if solve {
			also = b.AddP(also, b.Param("ldf", emit.Int64))
		} else {
			from = b.AddP(from, l.field(b, "ldb"))
		}
		next := make([]*emit.Value, len(rows.Bases))
		for i := range next {
			next[i] = b.AddP(rows.Bases[i], l.field(b, "csa"))
		}
		rows = rows.With(next)
	}
}

// scaled is x times the element of A in row i that rows point to, which is on the diagonal.
func (l *lowering) scaled(b *emit.Builder, x *emit.Value, rows vector.Rows, i int) *emit.Value {
	y := b.Mul(x, b.LoadSplat(l.vector(), rows.At(i, 0)))
	if l.parts == 1 {
		return y
	}
	turn := b.Mul(b.LoadSplat(l.vector(), rows.At(i, int64(l.elem.Bytes()))), l.factor(b, "join"))
	return b.FMA(y, l.kept(b, l.swap(b, x), l.factor(b, "turn")), turn)
}

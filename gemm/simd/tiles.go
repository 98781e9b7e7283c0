package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// mostTiles is what the eight tiles hold: 2 x 2 of sums, two of A and two of B, each of which
// is loaded once for two products.
var mostTiles = tiling.Micro{MR: 2 * inst.TileRows, NV: 2}

// The numbers of the tiles, of sums by row and column.
func sumTile(i, j int) int { return 2*i + j }
func tileOfA(i int) int    { return 4 + i }
func tileOfB(j int) int    { return 6 + j }

// byTiles returns the operator if the target multiplies whole tiles.
func (l *lowering) byTiles() (gemm.Tiles, bool) {
	op, ok := l.op.(gemm.Tiles)
	return op, ok && hasTiles(l.target)
}

func hasTiles(t emit.Target) bool {
	isa := isaset.ByName(t.Name)
	return isa != nil && (isa.Includes("amxbf16") || isa.Includes("amxint8"))
}

// addTiles adds the kernels on tiles: those of up to 16 rows and of more, for each number of
// vectors. How many rows, and columns of the last vector, they have is data.
func (l *lowering) addTiles(m *Module, op gemm.Tiles, f *emit.Family) {
	m.AtOnce, m.Heights = inst.TileBytes/(wordBits/8), inst.TileRows
	var tails []kernel.Entry[string]
	for first := 0; first < l.tile.MR; first += inst.TileRows {
		for nv := 1; nv <= l.tile.NV; nv++ {
			t := kernel.Entry[string]{MR: min(first+inst.TileRows, l.tile.MR), NV: nv}
			t.F = f.Add(fmt.Sprintf("_%dx%d", t.MR, nv*l.vl), fmt.Sprintf("computes tiles of %d to %d rows and %d vectors, the last with n lanes.", first+1, t.MR, nv),
				func(b *emit.Builder) { l.tileProduct(b, op, first/inst.TileRows+1, nv) })
			m.Entries = append(m.Entries, t)
			t.Form = kernel.Tail
			tails = append(tails, t)
		}
	}
	m.Entries = append(m.Entries, tails...)
}

// tileProduct is what micro is for operators on tiles: down tiles below each other, nv side
// by side. A's words lie by rows, and sixteen of k are a step.
func (l *lowering) tileProduct(b *emit.Builder, op gemm.Tiles, down, nv int) {
	l.configureTiles(b, down, nv)
	begin := []*emit.Value{b.Param("a", emit.Ptr), b.Param("c", emit.Ptr)}
	b.ForOnce(b.Int(0), b.Param("tiles", emit.Int64), 1, begin, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		l.beginTiles(b, p[1], down, nv)
		l.sumTiles(b, op, p[0], b.Param("b", emit.Ptr), down, nv)
		l.storeTiles(b, p[1], down, nv)
		next := func(stride string) *emit.Value {
			return b.Mul(b.Param(stride, emit.Int64), b.Param("rows", emit.Int64))
		}
		return []*emit.Value{b.AddP(p[0], next("rsa")), b.AddP(p[1], next("ldc"))}
	})
	b.Inst(inst.TileRelease, 0)
}

// configureTiles makes the configuration in the frame and loads it. The rows of A and of
// the sums are those that exist, and so are their last tile's columns and B's.
func (l *lowering) configureTiles(b *emit.Builder, down, nv int) {
	// Rows of all tiles are one word, and bytes of rows of four. The word gives them, and how
	// often the last tile's rows, or n, are added.
	var rows, some int64
	var width, times [2]int64
	put := func(n int, cutRows, cutColumns bool) {
		if cutRows {
			some |= 1 << (8 * n)
		} else {
			rows |= inst.TileRows << (8 * n)
		}
		if cutColumns {
			times[n/4] |= 4 << (16 * (n % 4))
		} else {
			width[n/4] |= inst.TileBytes << (16 * (n % 4))
		}
	}
	for i := range down {
		for j := range nv {
			put(sumTile(i, j), i == down-1, j == nv-1)
		}
		put(tileOfA(i), i == down-1, false)
	}
	for j := range nv {
		put(tileOfB(j), false, j == nv-1)
	}
	words := emit.Vector(emit.I32, inst.TileConfigBytes/4)
	frame := b.Inst(inst.Scratch, inst.TileConfigBytes)[0]
	b.Store(b.Const(words, 0), emit.At(frame, 0))
	b.Store(b.Int(1), emit.At(frame, 0))
	n := b.Param("n", emit.Int64)
	for i := range width {
		b.Store(plus(b, b.Mul(n, b.Int(times[i])), width[i]), emit.At(frame, int64(inst.TileConfigWidth+8*i)))
	}
	left := plus(b, b.Param("rows", emit.Int64), -int64((down-1)*inst.TileRows))
	b.Store(plus(b, b.Mul(left, b.Int(some)), rows), emit.At(frame, inst.TileConfigRows))
	b.Inst(inst.TileLoadConfig, 0, frame)
}

// plus is x + n, without an addition of 0.
func plus(b *emit.Builder, x *emit.Value, n int64) *emit.Value {
	if n == 0 {
		return x
	}
	return b.Add(x, b.Int(n))
}

// across is p, so many tiles further along a row.
func across(b *emit.Builder, p *emit.Value, tiles int) *emit.Value {
	return further(b, p, int64(tiles*inst.TileBytes))
}

// further is p + n, without an addition of 0.
func further(b *emit.Builder, p *emit.Value, n int64) *emit.Value {
	if n == 0 {
		return p
	}
	return b.AddP(p, b.Int(n))
}

// sumsAt does something to each tile of sums and its place: those of a row side by side from
// to on, rows apart bytes apart.
func sumsAt(b *emit.Builder, what *emit.Instruction, to, apart *emit.Value, down, nv int) {
	for i := range down {
		if i > 0 {
			to = b.AddP(to, b.Shl(apart, b.Int(4)))
		}
		for j := range nv {
			b.Inst(what, int64(sumTile(i, j)), across(b, to, j), apart)
		}
	}
}

// beginTiles sets sums to zeros, or those of integers to what is to be added to.
func (l *lowering) beginTiles(b *emit.Builder, c *emit.Value, down, nv int) {
	zero := func() []*emit.Value {
		l.zeroTiles(b, down, nv)
		return nil
	}
	if l.elem != emit.I32 {
		zero()
		return
	}
	b.If(b.Cmp("eq", b.Param("mode", emit.Int64), b.Int(kernel.ModeUpdate)), func() []*emit.Value {
		sumsAt(b, inst.TileLoad, c, b.Param("ldc", emit.Int64), down, nv)
		return nil
	}, zero)
}

func (l *lowering) zeroTiles(b *emit.Builder, down, nv int) {
	for i := range down {
		for j := range nv {
			b.Inst(inst.TileZero, int64(sumTile(i, j)))
		}
	}
}

// sumTiles adds the products of all steps.
func (l *lowering) sumTiles(b *emit.Builder, op gemm.Tiles, a, pb *emit.Value, down, nv int) {
	rsa, ldb := l.field(b, "rsa"), l.field(b, "ldb")
	step := func(pb *emit.Value, row func(i int) *emit.Value) {
		for i := range down {
			b.Inst(inst.TileLoad, int64(tileOfA(i)), row(i), rsa)
		}
		for j := range nv {
			b.Inst(inst.TileLoad, int64(tileOfB(j)), across(b, pb, j), ldb)
			for i := range down {
				b.Inst(inst.TileDot(op.Kind()), inst.DotOf(sumTile(i, j), tileOfA(i), tileOfB(j)))
			}
		}
	}
	if k, ok := l.fixed.known["k"]; ok {
		apart := l.fixed.known["rsa"] * inst.TileRows
		moving(b, max(1, k/inst.TileRows), []*emit.Value{pb, a}, []int64{l.fixed.known["ldb"] * inst.TileRows, inst.TileBytes}, func(p []*emit.Value) {
			step(p[0], func(i int) *emit.Value { return further(b, p[1], int64(i)*apart) })
		})
		return
	}
	carried := []*emit.Value{pb, a}
	if down > 1 {
		carried = append(carried, b.AddP(a, b.Shl(rsa, b.Int(4)))) // 16 rows further
	}
	down16 := b.Shl(ldb, b.Int(4))
	b.For(b.Int(0), l.tileSteps(b), 1, carried, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		step(p[0], func(i int) *emit.Value { return p[1+i] })
		next := []*emit.Value{b.AddP(p[0], down16)}
		for _, row := range p[1:] {
			next = append(next, b.AddP(row, b.Int(inst.TileBytes)))
		}
		return next
	})
}

// tileSteps is how often tiles of A are loaded: for each sixteen steps of k, or once for blocks with fewer.
func (l *lowering) tileSteps(b *emit.Builder) *emit.Value {
	k := b.Param("k", emit.Int64)
	if l.fixed.open {
		k = b.Add(k, b.Int(inst.TileRows-1))
	}
	return b.Shr(k, b.Int(4))
}

// storeTiles stores sums: at once where nothing is done to them, others by way of the frame,
// row by row.
func (l *lowering) storeTiles(b *emit.Builder, c *emit.Value, down, nv int) {
	direct := func() []*emit.Value {
		sumsAt(b, inst.TileStore, c, l.field(b, "ldc"), down, nv)
		return nil
	}
	if l.elem == emit.I32 {
		direct()
		return
	}
	mode := b.Param("mode", emit.Int64)
	b.If(b.Cmp("eq", mode, b.Int(kernel.ModeStore)), direct, func() []*emit.Value {
		row := int64(nv * inst.TileBytes)
		sums := b.Inst(inst.Scratch, int64(down*inst.TileRows)*row)[0]
		sumsAt(b, inst.TileStore, sums, b.Int(row), down, nv)
		last := b.MaskN(l.vector(), l.field(b, "n"))
		b.For(b.Int(0), l.field(b, "rows"), 1, []*emit.Value{sums, c}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
			f := finish{l, make([]*emit.Value, nv), p[1], nv, last}
			for j := range f.acc {
				at := emit.At(p[0], int64(j*inst.TileBytes))
				f.acc[j] = vector.Load(b, l.vector(), f.mask(j), at) // behind n nothing was written
			}
			f.scaled(b, mode)
			return []*emit.Value{b.AddP(p[0], b.Int(row)), b.AddP(p[1], l.field(b, "ldc"))}
		})
		return nil
	})
}

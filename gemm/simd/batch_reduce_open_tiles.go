package simd

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
)

// openTiles is reduceTiles for any number of rows. It does two tiles of them under each other, one, and one
// with the rest, for which tiles are configured again.
func (l *lowering) openTiles(b *emit.Builder, op gemm.Tiles, a spot) {
	l.fixed.known = l.strides()
	l.fixed.known["n"] = inst.TileRows
	l.configureOpen(b, b.Int(inst.TileRows))
	l.openPanels(b, func(c, pb spot) {
		done := b.Param("row", emit.Int64)
		for down := 2; down > 0; down-- {
			rows := int64(down * inst.TileRows)
			l.fixed.known["rows"] = rows
			done = l.openTile(b, done, rows, 0, func(row *emit.Value) { l.openTilesAt(b, op, c, a, pb, row, down) })
		}
	})
	rows := func() *emit.Value { return b.Param("rows", emit.Int64) }
	left := b.And(b.Sub(rows(), b.Param("row", emit.Int64)), b.Int(inst.TileRows-1))
	b.If(b.Cmp("gt", left, b.Int(0)), func() []*emit.Value {
		l.configureOpen(b, left)
		l.fixed.rows = left
		l.openPanels(b, func(c, pb spot) { l.openTilesAt(b, op, c, a, pb, b.Sub(rows(), left), 1) })
		l.fixed.rows = nil
		return nil
	}, nil)
	b.Inst(inst.TileRelease, 0)
}

// openTilesAt computes rows of out from row on, so many tiles under each other.
func (l *lowering) openTilesAt(b *emit.Builder, op gemm.Tiles, c, a, pb spot, row *emit.Value, down int) {
	a, c = l.below(b, a, row, "rsa"), l.below(b, c, row, "ldc")
	cut := tiling.Blocking{VL: inst.TileRows, MR: down, NV: 2}
	for _, p := range cut.Panels(l.fixed.shape.N) {
		nv := len(p.Cols)
		wide := int64(nv * inst.TileBytes)
		first := b.Int(int64(p.Cols[0] * l.elem.Bytes()))
		l.repeat(b, p.Count, []spot{l.moved(b, c, first), l.moved(b, pb, first)}, []int64{wide, wide}, func(x []spot) {
			l.zeroTiles(b, down, nv)
			l.openBlocks(b, a, x[1], nil, func(a, pb *emit.Value, _ []*emit.Value) []*emit.Value {
				l.sumTiles(b, op, a, pb, down, nv)
				return nil
			})
			l.storeTiles(b, x[0](), down, nv)
		})
	}
}

// configureOpen configures tiles of so many rows for A and sums. If blocks have fewer than sixteen steps of k, rows of A's tiles
// are shorter by as much, and tiles of B have fewer rows by as many.
func (l *lowering) configureOpen(b *emit.Builder, rows *emit.Value) {
	k, whole := b.Param("k", emit.Int64), b.Int(inst.TileRows)
	steps := b.Select(b.Cmp("lt", k, whole), k, whole)
	var ofRows, ofSteps int64 // which tiles have so many: a byte for each
	var width, times [2]int64 // two bytes for each: those of whole tiles, and how often steps are added
	put := func(tile int, word *[2]int64, n int64) { word[tile/4] |= n << (16 * (tile % 4)) }
	for i := range 2 {
		for j := range 2 {
			ofRows |= 1 << (8 * sumTile(i, j))
			put(sumTile(i, j), &width, inst.TileBytes)
		}
		ofRows |= 1 << (8 * tileOfA(i))
		put(tileOfA(i), &times, wordBits/8)
		ofSteps |= 1 << (8 * tileOfB(i))
		put(tileOfB(i), &width, inst.TileBytes)
	}
	frame := b.Inst(inst.Scratch, inst.TileConfigBytes)[0]
	zero := b.Int(0)
	for off := int64(8); off < inst.TileConfigBytes; off += 8 {
		b.Store(zero, emit.At(frame, off))
	}
	b.Store(b.Int(1), emit.At(frame, 0))
	for i := range width {
		word := b.Int(width[i])
		if times[i] != 0 {
			word = plus(b, b.Mul(steps, b.Int(times[i])), width[i])
		}
		b.Store(word, emit.At(frame, int64(inst.TileConfigWidth+8*i)))
	}
	b.Store(b.Add(b.Mul(rows, b.Int(ofRows)), b.Mul(steps, b.Int(ofSteps))), emit.At(frame, inst.TileConfigRows))
	b.Inst(inst.TileLoadConfig, 0, frame)
}

package simd

import (
	"maps"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
)

// reduceTiles is panels for operators on tiles: two by two tiles of sums, where there are as many, stay over all blocks.
// Blocks are whole tiles, so that one configuration is for all of them.
func (l *lowering) reduceTiles(b *emit.Builder, op gemm.Tiles, c, a, pb spot) {
	s := l.fixed.shape
	frame := b.Inst(inst.Scratch, inst.TileConfigBytes)[0]
	for off, word := range l.wholeTiles() {
		b.Store(b.Int(int64(word)), emit.At(frame, int64(8*off)))
	}
	b.Inst(inst.TileLoadConfig, 0, frame)
	cut := tiling.Blocking{VL: inst.TileRows, MR: 2, NV: 2} // rows are counted in tiles
	for _, p := range cut.Panels(s.N) {
		nv := len(p.Cols)
		wide := int64(nv * inst.TileBytes)
		first := int64(p.Cols[0] * l.elem.Bytes())
		at := []spot{l.moved(b, c, b.Int(first)), l.moved(b, pb, b.Int(first))}
		l.repeat(b, p.Count, at, []int64{wide, wide}, func(x []spot) {
			c, from := x[0], a
			for _, g := range cut.Groups(s.M / inst.TileRows) {
				l.fixed.known = maps.Clone(l.strides())
				rows := int64(g.Rows * inst.TileRows)
				l.fixed.known["rows"], l.fixed.known["n"] = rows, inst.TileRows
				down := []int64{rows * l.fixed.known["rsa"], rows * l.fixed.known["ldc"]}
				l.repeat(b, g.Tiles, []spot{from, c}, down, func(y []spot) {
					l.zeroTiles(b, g.Rows, nv)
					l.eachBlock(b, y[0](), x[1](), nil, func(a, pb *emit.Value, _ []*emit.Value) []*emit.Value {
						l.sumTiles(b, op, a, pb, g.Rows, nv)
						return nil
					})
					l.storeTiles(b, y[1](), g.Rows, nv)
				})
				all := int64(g.Tiles)
				from, c = l.moved(b, from, b.Int(all*down[0])), l.moved(b, c, b.Int(all*down[1]))
			}
		})
	}
	b.Inst(inst.TileRelease, 0)
}

// wholeTiles is the configuration of tiles without a rest, as eight words. If all of K does not fill them,
// those of A may be less wide and those of B have fewer rows.
func (l *lowering) wholeTiles() (words [inst.TileConfigBytes / 8]uint64) {
	steps := min(l.fixed.shape.K, inst.TileRows)
	put := func(tile, rows, width int) {
		at := inst.TileConfigWidth + 2*tile
		words[at/8] |= uint64(width) << (8 * (at % 8))
		words[inst.TileConfigRows/8] |= uint64(rows) << (8 * tile)
	}
	words[0] = 1
	for i := range 2 {
		put(sumTile(i, 0), inst.TileRows, inst.TileBytes)
		put(sumTile(i, 1), inst.TileRows, inst.TileBytes)
		put(tileOfA(i), inst.TileRows, steps*wordBits/8)
		put(tileOfB(i), steps, inst.TileBytes)
	}
	return words
}

// moving does body n times with pointers that move by so many bytes each time: few times without a loop.
func moving(b *emit.Builder, n int64, at []*emit.Value, by []int64, body func(p []*emit.Value)) {
	const few = 4
	after := func(p []*emit.Value, times int64) []*emit.Value {
		next := make([]*emit.Value, len(p))
		for i := range p {
			next[i] = further(b, p[i], times*by[i])
		}
		return next
	}
	if n <= few {
		for i := range n {
			body(after(at, i))
		}
		return
	}
	b.ForOnce(b.Int(0), b.Int(n), 1, at, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		body(p)
		return after(p, 1)
	})
}

package vector

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// Lanewise reports whether a masked load or store takes a target some six instructions, since lanes go
// one by one.
func Lanewise(t emit.Target) bool {
	isa := isaset.ByName(t.Name)
	return isa != nil && isa.NoMask
}

// ByRows does one for each row of nv vectors of x. Rows of results begin at c and are ld bytes apart. They
// go by way of the frame, which takes the text of one row, not of all.
func ByRows(b *emit.Builder, x []*emit.Value, nv int, c, ld *emit.Value, one func(x []*emit.Value, c *emit.Value)) {
	v := x[0].Type
	row := int64(nv * v.Bytes())
	frame := b.Inst(inst.Scratch, int64(len(x)/nv)*row)[0]
	for i := range x {
		b.Store(x[i], emit.At(frame, int64(i*v.Bytes())))
	}
	b.ForOnce(b.Int(0), b.Int(int64(len(x)/nv)), 1, []*emit.Value{frame, c}, func(_ *emit.Value, p []*emit.Value) []*emit.Value {
		y := make([]*emit.Value, nv)
		for j := range y {
			y[j] = b.Load(v, emit.At(p[0], int64(j*v.Bytes())))
		}
		one(y, p[1])
		return []*emit.Value{b.AddP(p[0], b.Int(row)), b.AddP(p[1], ld)}
	})
}

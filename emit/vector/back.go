package vector

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// Backs reports whether the last of nv vectors begins in the one before it on a target, where a
// row's columns do not fill it.
func Backs(t emit.Target, nv int) bool {
	isa := isaset.ByName(t.Name)
	return isa != nil && isa.NoMask && nv > 1
}

// A Back is how the last vector of a row ends where the row does, on machines without masks:
// it begins in the vector before. Lanes of both are computed twice, to the same numbers.
type Back struct {
	By   *emit.Value // bytes from its place behind the others, not positive
	t    emit.Type
	kept *emit.Value // mask of the lanes that the vector before has, too
}

// NewBack is for a last vector of type t of whose lanes only the last n are the row's own.
func NewBack(b *emit.Builder, t emit.Type, n *emit.Value) *Back {
	return &Back{By: b.Mul(b.Sub(b.Int(int64(t.Lanes)), n), b.Int(-int64(t.Elem.Bytes()))), t: t}
}

// At is a, where the last vector would be behind the others.
func (k *Back) At(b *emit.Builder, a emit.Addr) emit.Addr {
	if a.Index != nil {
		a.Ptr = b.AddP(a.Ptr, scaled(b, a.Index, a.Scale))
	}
	a.Index, a.Scale = k.By, 1
	return a
}

func scaled(b *emit.Builder, x *emit.Value, by int64) *emit.Value {
	shift := map[int64]int64{1: 0, 2: 1, 4: 2, 8: 3}[by]
	if shift == 0 {
		return x
	}
	return b.Shl(x, b.Int(shift))
}

// Keep makes the mask that Own needs, of the n that Back was made of. It is for where registers
// are free, behind a loop.
func (k *Back) Keep(b *emit.Builder, n *emit.Value) {
	k.kept = b.MaskN(k.t, b.Sub(b.Int(int64(k.t.Lanes)), n))
}

// Own returns x in the row's own lanes, and old, what is in memory, where the vector before has
// stored already.
func (k *Back) Own(b *emit.Builder, old, x *emit.Value) *emit.Value { return b.Select(k.kept, old, x) }

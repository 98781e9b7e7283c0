package vector

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// MulAt multiplies x by the vector of its type at p + off: in one instruction, where a machine
// has it.
func MulAt(b *emit.Builder, x, p *emit.Value, off int64) *emit.Value {
	if i := inst.MulLoad(x.Type); i != nil {
		return b.Inst(i, off, x, p)[0]
	}
	return b.Mul(x, b.Load(x.Type, emit.At(p, off)))
}

// FMAAt is acc + x * the vector at p + off, rounded once.
func FMAAt(b *emit.Builder, acc, x, p *emit.Value, off int64) *emit.Value {
	if i := inst.FMALoad(x.Type); i != nil {
		return b.Inst(i, off, acc, x, p)[0]
	}
	return b.FMA(acc, x, b.Load(x.Type, emit.At(p, off)))
}

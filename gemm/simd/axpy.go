package simd

import "github.com/tilesmith/tilesmith/emit"

// tilesAhead is how many tiles ahead, along the rows of B, an axpy-form kernel fetches.
const tilesAhead = 2

// axpy is the micro-kernel with its tiles side by side: for few rows of A and a B
// that is read once, from far away. It runs over a few rows of B from end to end.
func (l *lowering) axpy(b *emit.Builder, mr, nv int) {
	v := l.vector()
	step := b.Int(int64(nv * v.Bytes()))
	a := b.Param("a", emit.Ptr)
	inits := []*emit.Value{b.Param("b", emit.Ptr), b.Param("c", emit.Ptr)}
	along := func(line emit.Addr) emit.Addr {
		line.Off += tilesAhead * int64(nv*v.Bytes())
		return line
	}
	b.ForOnce(b.Int(0), b.Param("tiles", emit.Int64), 1, inits, func(_ *emit.Value, at []*emit.Value) []*emit.Value {
		acc := l.product(b, &tile{a: a, b: at[0], ahead: along}, mr, nv, nil)
		l.finish(b, acc, at[1], nv, nil)
		return []*emit.Value{b.AddP(at[0], step), b.AddP(at[1], step)}
	})
}

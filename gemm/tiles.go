package gemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// Tiles is a product of two tiles of narrow elements by one instruction. The tiles have
// up to 16 rows of A, 64 bytes of k and 16 columns. Operands are packed as for a [Dot] of
// the same elements: a step of that is 4 bytes of k.
type Tiles uint8

// The products of tiles, A's elements first. Sums of integers wrap around as int32 does;
// those of bf16 are rounded as [inst.TileDot] says.
const (
	BF16Tiles Tiles = iota + 1
	I8I8Tiles
	I8U8Tiles
	U8I8Tiles
	U8U8Tiles
)

var tiles = [...]struct {
	name string
	kind inst.TileKind
}{
	BF16Tiles: {"tiles.bf16", inst.TileBF16},
	I8I8Tiles: {"tiles.i8.i8", inst.TileI8I8},
	I8U8Tiles: {"tiles.i8.u8", inst.TileI8U8},
	U8I8Tiles: {"tiles.u8.i8", inst.TileU8I8},
	U8U8Tiles: {"tiles.u8.u8", inst.TileU8U8},
}

func (o Tiles) String() string {
	if o == 0 || int(o) >= len(tiles) {
		return fmt.Sprintf("tiles(%d)", uint8(o))
	}
	return tiles[o].name
}

// Types are those of the elements, without their signs, and of the sums.
func (o Tiles) Types() (a, b, acc emit.Elem) {
	if o == BF16Tiles {
		return emit.BF16, emit.BF16, emit.F32
	}
	return emit.I8, emit.I8, emit.I32
}

// Depth is that of the words that operands are packed to.
func (o Tiles) Depth() Depth {
	if o == BF16Tiles {
		return Depth{2, 2}
	}
	return Depth{4, 4}
}

// Kind is the instruction's, of [inst.TileDot].
func (o Tiles) Kind() inst.TileKind { return tiles[o].kind }

// Identity returns zeros.
func (o Tiles) Identity(b *emit.Builder, t emit.Type) *emit.Value { return b.Const(t, 0) }

// Step is the product of one row on vectors, for targets that have no tiles: words of A, x,
// and of B, y.
func (o Tiles) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	if o == BF16Tiles {
		bits := emit.Vector(emit.I32, acc.Type.Lanes)
		x, y = b.Recast(emit.I32, x), b.Recast(emit.I32, y)
		high := func(v *emit.Value) *emit.Value {
			return b.Bitcast(emit.F32, b.And(v, b.Const(bits, -(1<<16))))
		}
		low := func(v *emit.Value) *emit.Value { return b.Bitcast(emit.F32, b.Shl(v, b.Const(bits, 16))) }
		return b.FMA(b.FMA(acc, low(x), low(y)), high(x), high(y))
	}
	element := func(v *emit.Value, q int, signed bool) *emit.Value {
		v = b.Shl(b.Recast(emit.I32, v), b.Const(acc.Type, float64(24-8*q)))
		if signed {
			return b.Sar(v, b.Const(acc.Type, 24))
		}
		return b.Shr(v, b.Const(acc.Type, 24))
	}
	for q := range 4 {
		acc = b.Add(acc, b.Mul(element(x, q, o == I8I8Tiles || o == I8U8Tiles), element(y, q, o == I8I8Tiles || o == U8I8Tiles)))
	}
	return acc
}

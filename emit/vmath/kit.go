package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// kit appends operations on vectors like one operand: floats of its type, and
// integers of the same width and as many lanes. A constant is made once per kit.
type kit struct {
	b     *emit.Builder
	f, i  emit.Type
	bits  int64 // width of a lane
	man   int64 // bits of the significand, without the hidden one
	bias  int64 // of the exponent
	float map[float64]*emit.Value
	int   map[int64]*emit.Value
}

func newKit(b *emit.Builder, x *emit.Value) *kit {
	k := &kit{b: b, f: x.Type, i: x.Type, float: map[float64]*emit.Value{}, int: map[int64]*emit.Value{}}
	switch x.Type.Elem {
	case emit.F32:
		k.i.Elem, k.bits, k.man, k.bias = emit.I32, 32, 23, 127
	case emit.F64:
		k.i.Elem, k.bits, k.man, k.bias = emit.I64, 64, 52, 1023
	default:
		b.Refuse("mathematical functions are made for f32 and f64, not for %v", x.Type)
	}
	return k
}

// of returns the number for the kit's type.
func (k *kit) of(f32, f64 float64) float64 {
	if k.bits == 32 {
		return f32
	}
	return f64
}

// c returns x in every lane. The map does not tell -0 from 0; nobody here needs -0.
func (k *kit) c(x float64) *emit.Value {
	if k.float[x] == nil {
		k.float[x] = k.b.Const(k.f, x)
	}
	return k.float[x]
}

// n returns the integer n, which may be written without sign, in every lane.
func (k *kit) n(n int64) *emit.Value {
	if k.bits == 32 {
		n = int64(int32(n))
	}
	if k.int[n] == nil {
		k.int[n] = k.b.Op("const", emit.Attr{Imm: n}, []emit.Type{k.i})[0]
	}
	return k.int[n]
}

// nan returns NaN in every lane.
func (k *kit) nan() *emit.Value { return k.b.Const(k.f, math.NaN()) }

func (k *kit) toInt(x *emit.Value) *emit.Value   { return k.b.Bitcast(k.i.Elem, x) }
func (k *kit) toFloat(x *emit.Value) *emit.Value { return k.b.Bitcast(k.f.Elem, x) }

// signBit is the sign's place in a lane.
func (k *kit) signBit() *emit.Value { return k.n(-1 << (k.bits - 1)) }

// abs returns x without its sign, and the sign alone, as integers.
func (k *kit) abs(x *emit.Value) (abs, sign *emit.Value) {
	bits := k.toInt(x)
	return k.toFloat(k.b.And(bits, k.n(1<<(k.bits-1)-1))), k.b.And(bits, k.signBit())
}

// withSign returns x, whose sign bit is clear, with the given one.
func (k *kit) withSign(x, sign *emit.Value) *emit.Value {
	return k.toFloat(k.b.Or(k.toInt(x), sign))
}

// atMost returns min(x, c), and NaN if x is one. c must not be zero.
func (k *kit) atMost(x *emit.Value, c float64) *emit.Value { return k.b.Min(k.c(c), x) }

// atLeast returns max(x, c), and NaN if x is one. c must not be zero.
func (k *kit) atLeast(x *emit.Value, c float64) *emit.Value { return k.b.Max(k.c(c), x) }

// poly holds the coefficients of a polynomial for each type, the lowest power
// first.
type poly struct{ f32, f64 []float64 }

// horner returns the polynomial at x: one FMA per degree.
func (k *kit) horner(p poly, x *emit.Value) *emit.Value {
	c := p.f32
	if k.bits == 64 {
		c = p.f64
	}
	v := k.c(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		v = k.b.FMA(k.c(c[i]), v, x)
	}
	return v
}

// near returns the integer nearest to x*scale twice: as the low bits of the
// significand of t, and as a number. Adding 1.5*2^man moves the point behind the
// last place; x*scale has to stay below 2^(man-2).
func (k *kit) near(x *emit.Value, scale float64) (t, n *emit.Value) {
	magic := k.c(math.Ldexp(1.5, int(k.man)))
	t = k.b.FMA(magic, x, k.c(scale))
	return t, k.b.Sub(t, magic)
}

// pow2 returns 2^(n+add), where n is the integer in the low bits of t. The result
// has to be a normal number.
func (k *kit) pow2(t *emit.Value, add int64) *emit.Value {
	n := k.b.Shl(k.toInt(t), k.n(k.man))
	return k.toFloat(k.b.Add(n, k.n((k.bias+add)<<k.man)))
}

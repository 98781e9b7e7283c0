package emit

import "math"

// The methods that elementwise functions are built of: the builder's methods for the
// rows of op_vec.go, and combinations of those rows.

// Div returns x / y.
func (b *Builder) Div(x, y *Value) *Value { return b.one("div", Attr{}, x.Type, x, y) }

// DivNear is [Builder.Div] with a promise about magnitudes. Those of x and y lie between 2^-60 and 2^60;
// or x is the constant 1 and that of y lies between 2^-126 and 2^126; or one is NaN. If division is a
// program with exceptions for other numbers, DivNear saves the exceptions.
func (b *Builder) DivNear(x, y *Value) *Value { return b.one("div", Attr{Near: true}, x.Type, x, y) }

// Sqrt returns the square root of x.
func (b *Builder) Sqrt(x *Value) *Value { return b.one("sqrt", Attr{}, x.Type, x) }

// Max returns x where x > y and y elsewhere: y for a NaN and for two zeros, as
// VMAXPS.
func (b *Builder) Max(x, y *Value) *Value { return b.one("max", Attr{}, x.Type, x, y) }

// Min returns x where x < y and y elsewhere: y for a NaN and for two zeros, as
// VMINPS.
func (b *Builder) Min(x, y *Value) *Value { return b.one("min", Attr{}, x.Type, x, y) }

// Sar returns x >> y with copies of the sign; y is below the width.
func (b *Builder) Sar(x, y *Value) *Value { return b.one("sar", Attr{}, x.Type, x, y) }

// IMin returns the lesser of two signed integers.
func (b *Builder) IMin(x, y *Value) *Value { return b.one("imin", Attr{}, x.Type, x, y) }

// IMax returns the greater of two signed integers.
func (b *Builder) IMax(x, y *Value) *Value { return b.one("imax", Attr{}, x.Type, x, y) }

// change appends an operation that makes lanes of type e of those of x.
func (b *Builder) change(name, how string, e Elem, x *Value) *Value {
	t := x.Type
	t.Elem = e
	return b.one(name, Attr{Name: how}, t, x)
}

// Bitcast returns the bits of x as lanes of type e, which has the same width. It
// costs nothing between vectors.
func (b *Builder) Bitcast(e Elem, x *Value) *Value { return b.change("bitcast", "", e, x) }

// Recast returns the bits of the vector x as lanes of type e, more or fewer of them, the
// lowest bits first. It is as if x had been stored and loaded. It costs nothing.
func (b *Builder) Recast(e Elem, x *Value) *Value {
	return b.one("recast", Attr{}, Vector(e, x.Type.Bits()/e.Bits()), x)
}

// Cvt returns the numbers of x as an e. how is "rne", to nearest with ties to even, or
// "trunc", towards zero, which only float to int has. An int that cannot hold the
// number becomes its least number, as on x86. Other machines differ there, so clamp
// first if you need them all.
func (b *Builder) Cvt(e Elem, how string, x *Value) *Value { return b.change("cvt", how, e, x) }

// Round returns x rounded to an integer: how is "floor", "ceil", "trunc" or "rne".
func (b *Builder) Round(how string, x *Value) *Value {
	return b.one("round", Attr{Name: how}, x.Type, x)
}

// Sext widens integers with their sign.
func (b *Builder) Sext(e Elem, x *Value) *Value { return b.change("sext", "", e, x) }

// Zext widens integers with zeros.
func (b *Builder) Zext(e Elem, x *Value) *Value { return b.change("zext", "", e, x) }

// Trunc keeps the low bits of integers.
func (b *Builder) Trunc(e Elem, x *Value) *Value { return b.change("trunc", "", e, x) }

// Sat narrows signed integers to the nearest number that e holds: a signed one if
// how is "s", one without sign if it is "u".
func (b *Builder) Sat(e Elem, how string, x *Value) *Value { return b.change("sat", how, e, x) }

// Not returns the mask that is set where m is not.
func (b *Builder) Not(m *Value) *Value { return b.Xor(m, b.Const(m.Type, 1)) }

// sign returns x as integers of its width, and that width's sign bit.
func (b *Builder) sign(x *Value) (bits, sign *Value) {
	e := map[int]Elem{16: I16, 32: I32, 64: I64}[x.Type.Elem.Bits()]
	bits = b.Bitcast(e, x)
	return bits, b.one("const", Attr{Imm: math.MinInt64 >> (64 - e.Bits())}, bits.Type)
}

// AbsF returns the floats of x without their signs, NaNs included.
func (b *Builder) AbsF(x *Value) *Value {
	bits, sign := b.sign(x)
	rest := b.one("const", Attr{Imm: ^sign.Op.Attr.Imm}, bits.Type)
	return b.Bitcast(x.Type.Elem, b.And(bits, rest))
}

// NegF returns the floats of x with their signs flipped, NaNs and zeros included.
func (b *Builder) NegF(x *Value) *Value {
	bits, sign := b.sign(x)
	return b.Bitcast(x.Type.Elem, b.Xor(bits, sign))
}

// CopySign returns the floats of x with the signs of y.
func (b *Builder) CopySign(x, y *Value) *Value {
	bits, sign := b.sign(x)
	rest := b.one("const", Attr{Imm: ^sign.Op.Attr.Imm}, bits.Type)
	from, _ := b.sign(y)
	return b.Bitcast(x.Type.Elem, b.Or(b.And(bits, rest), b.And(from, sign)))
}

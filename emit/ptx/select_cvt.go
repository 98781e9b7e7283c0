package ptx

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// Conversions. Section 9.7.9.22 (cvt).

// suffix is how cvt spells a type.
func suffix(el emit.Elem, signed bool) string {
	switch {
	case el.Float():
		return map[emit.Elem]string{emit.F16: "f16", emit.BF16: "bf16", emit.F32: "f32", emit.F64: "f64"}[el]
	case signed:
		return fmt.Sprintf("s%d", el.Bits())
	}
	return fmt.Sprintf("u%d", el.Bits())
}

// classOf is the class of one scalar.
func classOf(el emit.Elem) class { c, _ := oneRegister(emit.Scalar(el)); return c }

// selectResize prints trunc, zext, sext and sat.
func selectResize(e *emitter, op *emit.Op) error {
	x, r := op.Args[0], op.Result()
	from, to := x.Type.Elem, r.Type.Elem
	switch {
	case x.Type == emit.Int32 && e.small.has(r):
		e.move(b32, e.reg(r, 0), e.src(x, 0))
		return nil
	case op.Def.Name == "trunc" && e.small.has(x):
		if r.Type == emit.Int32 {
			e.move(b32, e.reg(r, 0), e.low(x))
			return nil
		}
		return e.resize(op.Def.Name, op.Attr.Name, emit.I32, to, e.reg(r, 0), e.low(x))
	case e.small.has(r):
		return e.resize(op.Def.Name, op.Attr.Name, from, emit.I32, e.reg(r, 0), e.held(x, 0))
	}
	return e.perLane(op, func(d string, x []string) error {
		return e.resize(op.Def.Name, op.Attr.Name, from, to, d, e.inRegister(classOf(from), x[0]))
	})
}

// resize prints the operation called name on a scalar in register a.
func (e *emitter) resize(name, how string, from, to emit.Elem, d, a string) error {
	switch {
	case name == "sext" && to == emit.I16:
		e.line("cvt.s16.s8 %s, %s", d, a)
	case name == "zext" && to == emit.I16:
		e.move(b16, d, a)
	case name == "sext":
		e.line("cvt.%s.%s %s, %s", suffix(to, true), suffix(from, true), d, a)
	case name == "zext" && from == emit.I8: // zeros are above it already
		e.line("cvt.%s.u16 %s, %s", suffix(to, false), d, a)
	case name == "zext":
		e.line("cvt.%s.%s %s, %s", suffix(to, false), suffix(from, false), d, a)
	case name == "trunc" && to != emit.I8:
		e.line("cvt.%s.%s %s, %s", suffix(to, false), suffix(from, false), d, a)
	case name == "trunc":
		h := a
		if from != emit.I16 {
			h = e.temp(b16)
			e.line("cvt.u16.%s %s, %s", suffix(from, false), h, a)
		}
		e.line("and.b16 %s, %s, 255", d, h)
	case to == emit.I8 && how == "s": // which fills 16 bits with its sign
		h := e.temp(b16)
		e.line("cvt.sat.s8.%s %s, %s", suffix(from, true), h, a)
		e.line("and.b16 %s, %s, 255", d, h)
	default:
		e.line("cvt.sat.%s.%s %s, %s", suffix(to, how == "s"), suffix(from, true), d, a)
	}
	return nil
}

// inRegister returns x, or a register that holds the immediate x: PTX has no literals of 16-bit floats and of
// predicates, and some instructions take none.
func (e *emitter) inRegister(c class, x string) string {
	if isReg(x) {
		return x
	}
	d := e.temp(c)
	e.move(c, d, x)
	return d
}

func selectCvt(e *emitter, op *emit.Op) error {
	from, to := op.Args[0].Type.Elem, op.Result().Type.Elem
	if from.Float() && from.Bits() == 8 || to.Float() && to.Bits() == 8 {
		return fmt.Errorf("%s has no conversion between %v and %v that gives what other targets give: PTX saturates", e.t.Name, from, to)
	}
	if from == emit.F32 && packed(op.Result().Type) == 2 {
		x := e.lanes(op.Args[0])
		for k := range len(x) / 2 { // the operand that comes first goes into the high half
			e.line("cvt.rn.%vx2.f32 %s, %s, %s", to, e.reg(op.Result(), k), x[2*k+1], x[2*k])
		}
		return nil
	}
	if from == emit.BF16 && to == emit.F32 && packed(op.Args[0].Type) == 2 && !isConst(op.Args[0]) {
		for k := range op.Args[0].Type.Lanes / 2 {
			r, low, high := e.reg(op.Args[0], k), e.temp(b32), e.temp(b32)
			e.line("shl.b32 %s, %s, 16", low, r)
			e.line("and.b32 %s, %s, 0xFFFF0000", high, r)
			e.line("mov.b32 %s, %s", e.reg(op.Result(), 2*k), low)
			e.line("mov.b32 %s, %s", e.reg(op.Result(), 2*k+1), high)
		}
		return nil
	}
	return e.perLane(op, func(d string, x []string) error {
		a := e.inRegister(classOf(from), x[0])
		switch {
		case from.Int():
			e.line("cvt.rn.%s.%s %s, %s", suffix(to, true), suffix(from, true), d, a)
		case to.Int():
			e.toInt(from, to, op.Attr.Name, d, a)
		default:
			e.toFloat(from, to, d, a)
		}
		return nil
	})
}

// widen returns the f32 that a 16-bit float is.
func (e *emitter) widen(el emit.Elem, x string) string {
	d := e.temp(f32)
	e.toFloat(el, emit.F32, d, e.inRegister(b16, x))
	return d
}

// toFloat prints a conversion between floats, rounded once.
func (e *emitter) toFloat(from, to emit.Elem, d, x string) {
	switch {
	case from == emit.BF16 && to == emit.F32: // the high half of an f32
		a, b := e.temp(b32), e.temp(b32)
		e.line("cvt.u32.u16 %s, %s", a, x)
		e.line("shl.b32 %s, %s, 16", b, a)
		e.line("mov.b32 %s, %s", d, b)
	case from == emit.BF16 || from == emit.F16 && to == emit.BF16: // exact, then once
		t := e.temp(f32)
		e.toFloat(from, emit.F32, t, x)
		e.toFloat(emit.F32, to, d, t)
	case from == emit.F64 && to == emit.BF16:
		e.toFloat(emit.F32, to, d, e.oddF32(x))
	case to.Bits() < from.Bits():
		e.line("cvt.rn.%s.%s %s, %s", suffix(to, true), suffix(from, true), d, x)
	default:
		e.line("cvt.%s.%s %s, %s", suffix(to, true), suffix(from, true), d, x)
	}
}

// oddF32 rounds an f64 to f32 to odd: towards zero, with the last bit set if that
// was not exact. Rounding that to bf16 is then as if rounded once (Boldo and
// Melquiond, 2008); cvt.rn.bf16.f64 is for sm_90 only.
func (e *emitter) oddF32(x string) string {
	near, back, p := e.temp(f32), e.temp(f64), e.temp(pred)
	bits, odd, sum, d := e.temp(b32), e.temp(b32), e.temp(b32), e.temp(f32)
	e.line("cvt.rz.f32.f64 %s, %s", near, x)
	e.line("cvt.f64.f32 %s, %s", back, near)
	e.line("setp.ne.f64 %s, %s, %s", p, back, x) // false for a NaN
	e.line("selp.b32 %s, 1, 0, %s", odd, p)
	e.line("mov.b32 %s, %s", bits, near)
	e.line("or.b32 %s, %s, %s", sum, bits, odd)
	e.line("mov.b32 %s, %s", d, sum)
	return d
}

// toInt prints a conversion to a signed integer. The instruction clamps, and makes 0
// or the least number of a NaN. The op table wants the least number for all that does
// not fit, so numbers that are too large and NaN are corrected.
func (e *emitter) toInt(from, to emit.Elem, how, d, x string) {
	n, p := e.temp(classOf(to)), e.temp(pred)
	e.line("cvt.%s.s%d.%s %s, %s", map[string]string{"rne": "rni", "trunc": "rzi"}[how], to.Bits(), suffix(from, true), n, x)
	limit := float64(uint64(1) << (to.Bits() - 1)) // the first number that does not fit
	if from == emit.F64 && to == emit.I32 && how == "rne" {
		limit -= 0.5 // which rounds to it
	}
	e.line("setp.lt.%s %s, %s, %s", suffix(from, true), p, x, immediate(emit.Scalar(from), from.Encode(limit)))
	e.line("selp.b%d %s, %s, %s, %s", to.Bits(), d, n, immediate(emit.Scalar(to), 1<<(to.Bits()-1)), p)
}

var roundings = map[string]string{"floor": "rmi", "ceil": "rpi", "trunc": "rzi", "rne": "rni"}

func selectRound(e *emitter, op *emit.Op) error {
	s := suffix(op.Result().Type.Elem, true)
	return e.perLane(op, func(d string, x []string) error {
		e.line("cvt.%s.%s.%s %s, %s", roundings[op.Attr.Name], s, s, d, e.inRegister(classOf(op.Result().Type.Elem), x[0]))
		return nil
	})
}

func selectBitcast(e *emitter, op *emit.Op) error {
	c, n := registers(op.Result().Type)
	a, _ := registers(op.Args[0].Type)
	var m moves
	for k := range n {
		m.add(c, e.reg(op.Result(), k), e.src(op.Args[0], k))
	}
	if a == c {
		m.print(e)
		return nil
	}
	for _, x := range m {
		e.line("mov.b%d %s, %s", classes[c].bits, x.dst, x.src)
	}
	return nil
}

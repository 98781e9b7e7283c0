package arm64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// selectBitcast is nothing between vectors, which share a register, and a move between the
// register files.
func selectBitcast(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	switch {
	case e.Cls[r.ID] == e.Cls[x.ID]:
		e.Copy(r, x)
	case e.Cls[r.ID] == asm.GPR:
		e.neon("fmov %s, %s", map[int]string{32: e.w(r), 64: e.x(r)}[r.Type.Bits()], e.fp(x))
	default:
		e.neon("fmov %s, %s", e.fp(r), map[int]string{32: e.w(x), 64: e.x(x)}[r.Type.Bits()])
	}
	return nil
}

// selectWiden goes a factor of two at a time.
func selectWiden(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	from, to := x.Type.Elem.Bits(), r.Type.Elem.Bits()
	if r.Type.Lanes == 1 {
		m := map[int]string{8: "MOVB", 16: "MOVH", 32: "MOVW"}[from]
		if op.Def.Name == "zext" {
			m += "U"
		}
		e.Line("%s %s, %s", m, e.r(x), e.r(r))
		return nil
	}
	m := map[string]string{"sext": "sshll", "zext": "ushll"}[op.Def.Name]
	d := e.num(r)
	for at := e.num(x); from < to; from, at = 2*from, d {
		e.neon("%s %s, %s, #0", m, lanes(2*from, d, true), lanes(from, at, false))
	}
	return nil
}

// selectNarrow is trunc and sat, a factor of two at a time.
func selectNarrow(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	from, to := x.Type.Elem.Bits(), r.Type.Elem.Bits()
	switch {
	case r.Type.Lanes == 1 && op.Def.Name == "trunc":
		e.Copy(r, x)
		return nil
	case r.Type.Lanes == 1:
		return fmt.Errorf("saturation of a scalar has no row on arm64; use imin and imax")
	}
	// What was signed has no sign after the first step to a number without one.
	first, rest := "xtn", "xtn"
	if op.Def.Name == "sat" {
		first, rest = "sqxtn", "sqxtn"
		if op.Attr.Name == "u" {
			first, rest = "sqxtun", "uqxtn"
		}
	}
	d := e.num(r)
	for at := e.num(x); from > to; from, at, first = from/2, d, rest {
		e.neon("%s %s, %s", first, lanes(from/2, d, false), lanes(from, at, true))
	}
	return nil
}

// selectCvt converts numbers. Legalize has made sure that an integer which does not hold the
// number becomes its least number.
func selectCvt(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	from, to := x.Type.Elem, r.Type.Elem
	if r.Type.Lanes == 1 {
		return e.scalarCvt(op)
	}
	d, n := e.num(r), e.num(x)
	switch {
	case from == emit.F16 && to == emit.F32, from == emit.F32 && to == emit.F64:
		e.neon("fcvtl %s, %s", lanes(to.Bits(), d, true), lanes(from.Bits(), n, false))
	case from == emit.F32 && to == emit.F16, from == emit.F64 && to == emit.F32:
		e.neon("fcvtn %s, %s", lanes(to.Bits(), d, false), lanes(from.Bits(), n, true))
	case from == emit.I32 && to == emit.F32, from == emit.I64 && to == emit.F64:
		e.neon("scvtf %s, %s", e.v(r), e.v(x))
	case from == emit.I64 && to == emit.F32: // which rounds once
		t := e.Temp(asm.Vec, op)
		for i := range r.Type.Lanes {
			e.neon("umov x%d, %s", tmp, lane(64, n, i))
			e.neon("scvtf s%d, x%d", t, tmp)
			e.neon("ins %s, %s", lane(32, d, i), lane(32, t, 0))
		}
	default:
		return fmt.Errorf("conversion of %v to %v has no instruction on %s", x.Type, r.Type, e.T.Name)
	}
	return nil
}

// scalarCvt converts between f32, f64 and the integers in general registers.
func (e *emitter) scalarCvt(op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	from, to := x.Type.Elem, r.Type.Elem
	general := func(v *emit.Value) string { return map[int]string{32: e.w(v), 64: e.x(v)}[v.Type.Bits()] }
	whole := func(t emit.Elem) bool { return t == emit.I32 || t == emit.I64 }
	switch {
	case full(from) && full(to):
		e.neon("fcvt %s, %s", e.fp(r), e.fp(x))
	case full(to) && whole(from):
		e.neon("scvtf %s, %s", e.fp(r), general(x))
	case full(from) && whole(to):
		e.toInteger(op)
	default:
		return fmt.Errorf("conversion of a scalar %v to %v has no instruction on arm64", from, to)
	}
	return nil
}

// toInteger converts to 64 bits and looks whether that fits: a NaN becomes zero there, and
// what is too large the nearest number.
func (e *emitter) toInteger(op *emit.Op) {
	r, x := op.Result(), op.Args[0]
	m := map[string]string{"rne": "fcvtns", "trunc": "fcvtzs"}[op.Attr.Name]
	d := e.r(r)
	e.neon("%s x%d, %s", m, tmp, e.fp(x))
	least := "$-2147483648"
	if r.Type.Elem == emit.I64 {
		least = "$-9223372036854775808"
	}
	e.Line("MOVD %s, R%d", least, tmp2)
	e.neon("fcmp %s, %s", e.fp(x), e.fp(x))
	e.Line("CSEL VC, R%d, R%d, %s", tmp, tmp2, d)
	if r.Type.Elem == emit.I64 {
		// No float is 2^63-1, and no other sum of it and one overflows.
		e.Line("ADDS $1, %s, R%d", d, tmp)
		e.Line("CSEL VS, R%d, %s, %s", tmp2, d, d)
		return
	}
	e.Line("MOVW %s, R%d", d, tmp)
	e.Line("CMP R%d, %s", tmp, d)
	e.Line("CSEL EQ, %s, R%d, %s", d, tmp2, d)
}

package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// letters is how instructions on integers spell widths.
var letters = map[int]string{8: "B", 16: "W", 32: "D", 64: "Q"}

// selectBitcast is nothing between vectors, which share a register, and a move
// between the register files.
func selectBitcast(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	if e.Cls[r.ID] == e.Cls[x.ID] {
		e.Copy(r, x)
		return nil
	}
	e.Line("VMOV%s %s, %s", letter(r.Type.Elem), e.reg(x), e.reg(r))
	return nil
}

// selectWiden is VPMOVSX and VPMOVZX, and the moves of general registers that
// widen.
func selectWiden(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	sign := map[string]string{"sext": "S", "zext": "Z"}[op.Def.Name]
	from := x.Type.Elem
	switch {
	case r.Type.Lanes > 1:
		e.Line("VPMOV%sX%s%s %s, %s", sign, letter(from), letter(r.Type.Elem), e.operand(op.Args[0]), e.reg(r))
	case from == emit.I32 && sign == "Z":
		e.Line("MOVL %s, %s", e.reg(x), e.reg(r))
	default:
		w := map[emit.Elem]string{emit.I8: "B", emit.I16: "W", emit.I32: "L"}[from]
		e.Line("MOV%sQ%sX %s, %s", w, sign, e.reg(x), e.reg(r))
	}
	return nil
}

// selectNarrow is trunc and sat: VPMOV of AVX-512, and what legalize leaves of
// them for AVX2.
func selectNarrow(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	from, to := x.Type.Elem, r.Type.Elem
	kind := map[string]string{"s": "S", "u": "US"}[op.Attr.Name]
	switch {
	case r.Type.Lanes == 1 && op.Def.Name == "trunc":
		e.Copy(r, x)
	case r.Type.Lanes == 1:
		return fmt.Errorf("saturation of a scalar has no row on amd64; use imin and imax")
	case e.T.Bits == 512:
		e.Line("VPMOV%s%s%s %s, %s", kind, letter(from), letter(to), e.reg(x), e.reg(r))
	case op.Def.Name == "trunc":
		e.narrow(x, r, 64, 32, "SS")
	case op.Attr.Name == "u":
		e.narrow(x, r, from.Bits(), to.Bits(), "US")
	default:
		e.narrow(x, r, from.Bits(), to.Bits(), "SS")
	}
	return nil
}

// narrow makes lanes of to bits of v's lanes of from bits, with AVX2. It goes from 64
// to 32 by dropping the high halves, then by saturation. Saturation is of signed
// numbers, except for the last step if kind is US. Instructions narrow within 128 bits,
// so the upper half of v comes down to r first, which may not be v's register then.
func (e *emitter) narrow(v, r *emit.Value, from, to int, kind string) {
	lo, d := e.spell(v, 128), e.spell(r, 128)
	hi := lo
	if v.Type.Lanes*from == 256 {
		e.Line("VEXTRACTI128 $1, %s, %s", e.spell(v, 256), d)
		hi = d
	}
	for bits := from; bits > to; bits /= 2 {
		step := "SS"
		if bits/2 == to {
			step = kind
		}
		if bits == 64 {
			e.Line("VSHUFPS $0x88, %s, %s, %s", hi, lo, d)
		} else {
			e.Line("VPACK%s%s%s %s, %s, %s", step, letters[bits], letters[bits/2], hi, lo, d)
		}
		lo, hi = d, d
	}
}

// selectCvt converts numbers. Vectors of one register's width and half of it go
// by names of their own if the operand is the wide one: the assembler cannot tell X
// from Y by the result.
func selectCvt(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	from, to := x.Type.Elem, r.Type.Elem
	if r.Type.Lanes == 1 {
		return e.scalarCvt(op)
	}
	refused := fmt.Errorf("conversion of %v to %v has no instruction on %s", x.Type, r.Type, e.T.Name)
	names := map[emit.Elem]string{emit.F16: "PH", emit.F32: "PS", emit.F64: "PD", emit.I32: "DQ", emit.I64: "QQ"}
	f, t := names[from], names[to]
	switch {
	case f == "" || t == "" || (f == "PH" || t == "PH") && from != emit.F32 && to != emit.F32:
		return refused
	case to == emit.F16:
		e.Line("VCVTPS2PH $0, %s, %s", e.reg(x), e.reg(r))
		return nil
	}
	m := "VCVT"
	if op.Attr.Name == "trunc" {
		m += "T"
	}
	m += f + "2" + t
	if from.Bits() > to.Bits() && x.Type.Bits() < 512 {
		m += map[bool]string{true: "Y", false: "X"}[x.Type.Bits() == 256]
	}
	e.Line("%s %s, %s", m, e.operand(op.Args[0]), e.reg(r))
	return nil
}

// scalarCvt converts between f32, f64 and the integers in general registers.
func (e *emitter) scalarCvt(op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	from, to := x.Type.Elem, r.Type.Elem
	d := e.reg(r)
	wide := map[emit.Elem]string{emit.I32: "L", emit.I64: "Q"}
	switch {
	case full(from) && full(to):
		e.Line("VCVT%s2%s %s, %s, %s", suffix(x.Type), suffix(r.Type), e.reg(x), e.reg(x), d)
	case full(to) && wide[from] != "":
		e.Line("VXORPS %s, %s, %s", d, d, d) // the instruction keeps the rest of its second source
		e.Line("VCVTSI2%s%s %s, %s, %s", suffix(r.Type), wide[from], e.reg(x), d, d)
	case full(from):
		m := "VCVT"
		if op.Attr.Name == "trunc" {
			m += "T"
		}
		e.Line("%s%s2SI%s %s, %s", m, suffix(x.Type), map[bool]string{true: "Q"}[to == emit.I64], e.reg(x), d)
	default:
		return fmt.Errorf("conversion of a scalar %v to %v has no instruction on amd64", from, to)
	}
	return nil
}

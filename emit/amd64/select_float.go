package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// floats gives the mnemonics of lanewise floating-point operations without the
// suffix PS, PD, SS or SD.
var floats = map[string]string{"add": "VADD", "sub": "VSUB", "mul": "VMUL", "div": "VDIV", "sqrt": "VSQRT", "max": "VMAX", "min": "VMIN"}

// computes refuses floats that are only stored and converted.
func computes(t emit.Type) error {
	if t.Elem == emit.F32 || t.Elem == emit.F64 {
		return nil
	}
	return fmt.Errorf("amd64 computes on f32 and f64, not on %v; convert with cvt", t)
}

// selectArith is the arithmetic that floats, integers and masks share by name.
func selectArith(e *emitter, op *emit.Op) error {
	switch r := op.Result(); {
	case asm.IsMask(r.Type):
		return e.maskLogic(op)
	case r.Type.Elem.Float():
		return e.floatArith(op)
	case r.Type.Lanes > 1:
		return e.vectorInt(op)
	}
	return e.scalarInt(op)
}

func (e *emitter) floatArith(op *emit.Op) error {
	r := op.Result()
	if err := computes(r.Type); err != nil {
		return err
	}
	src := e.reg(op.Args[0])
	if op.Def.Name == "sqrt" {
		if r.Type.Lanes == 1 {
			src += ", " + src
		}
	} else if in := e.Within; in != nil && in.Result() == op.Args[0] {
		src = e.address(in, 0) + ", " + e.reg(op.Args[1])
	} else {
		src = e.operand(op.Args[1]) + ", " + src // Plan 9: second operand first
	}
	e.Line("%s%s %s, %s", floats[op.Def.Name], suffix(r.Type), src, e.reg(r))
	return nil
}

// selectFMA picks the form by which operand's register is overwritten.
func selectFMA(e *emitter, op *emit.Op) error {
	r := op.Result()
	if err := computes(r.Type); err != nil {
		return err
	}
	acc, x, y := op.Args[0], op.Args[1], op.Args[2]
	s, d := suffix(r.Type), e.reg(r)
	switch {
	case e.Within != nil:
		if e.Within.Result() == x {
			x = y
		}
		if e.Within.Def.Name == "loadb" {
			s += ".BCST"
		}
		e.Line("VFMADD231%s %s, %s, %s", s, e.address(e.Within, 0), e.reg(x), d)
	case e.Same(r, acc): // d = x*y + d
		e.Line("VFMADD231%s %s, %s, %s", s, e.reg(y), e.reg(x), d)
	case e.Same(r, x): // d = y*d + acc
		e.Line("VFMADD213%s %s, %s, %s", s, e.reg(acc), e.reg(y), d)
	case e.Same(r, y): // d = x*d + acc
		e.Line("VFMADD213%s %s, %s, %s", s, e.reg(acc), e.reg(x), d)
	default:
		e.Copy(r, acc)
		e.Line("VFMADD231%s %s, %s, %s", s, e.reg(y), e.reg(x), d)
	}
	return nil
}

// roundModes are the rounding bits of VROUND and VRNDSCALE; bit 3 keeps the
// exception flags.
var roundModes = map[string]int{"rne": 8, "floor": 9, "ceil": 10, "trunc": 11}

func selectRound(e *emitter, op *emit.Op) error {
	r := op.Result()
	m, src := "VROUND", e.reg(op.Args[0])
	if e.T.Bits == 512 {
		m = "VRNDSCALE"
	}
	if r.Type.Lanes == 1 {
		src += ", " + src
	}
	e.Line("%s%s $%d, %s, %s", m, suffix(r.Type), roundModes[op.Attr.Name], src, e.reg(r))
	return nil
}

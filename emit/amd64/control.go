package amd64

import (
	"fmt"
	"io"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// emitter prints one function.
type emitter struct{ *asm.Emitter }

// Print writes header, the functions and their constants as one assembly file.
func (Backend) Print(w io.Writer, t emit.Target, header string, fs []*emit.Func) error {
	return asm.Print(w, shared, t, header, fs, func(e *asm.Emitter) asm.Speller { return &emitter{e} })
}

// Row returns how an operation is printed.
func (e *emitter) Row(op string) func(op *emit.Op) error {
	row := rows[op]
	if row == nil {
		return nil
	}
	return func(op *emit.Op) error { return row(e, op) }
}

// Contains reports whether the first of ops is part of the second.
func (e *emitter) Contains(ops []*emit.Op) bool { return e.contained(ops) }

// Begin loads the pointer to the argument block.
func (e *emitter) Begin() { e.Line("MOVQ args+0(FP), %s", argReg) }

// Finish leaves the state that other code expects.
func (e *emitter) Finish() {
	e.Line("VZEROUPPER")
	e.Line("RET")
}

// Move copies a register.
func (e *emitter) Move(c asm.Class, dst, src *emit.Value) { e.moveReg(c, e.reg(dst), e.reg(src)) }

// Exchange makes general registers trade places; no others can.
func (e *emitter) Exchange(c asm.Class, x, y *emit.Value) bool {
	if c != asm.GPR {
		return false
	}
	e.Line("XCHGQ %s, %s", e.reg(x), e.reg(y))
	return true
}

// Const puts the constant v into the register of dst.
func (e *emitter) Const(dst, v *emit.Value) { e.setConst(dst, v) }

// spillText spells the move of a value between its register and the frame.
func (e *emitter) spillText(op *emit.Op) {
	r, store := op.Args[0], asm.IsSlot(op.Result())
	if !store {
		r = op.Result()
	}
	m := "VMOVUPS"
	if e.Cls[r.ID] == asm.Mask {
		m = "KMOVQ"
	}
	place := fmt.Sprintf("%d(SP)", op.Attr.Imm)
	if store {
		e.Line("%s %s, %s", m, e.reg(r), place)
	} else {
		e.Line("%s %s, %s", m, place, e.reg(r))
	}
}

// Flags compares general registers, or one with a constant.
func (e *emitter) Flags(x, y *emit.Value, imm bool) {
	with := ""
	if imm {
		with = fmt.Sprintf("$%d", y.Op.Attr.Imm)
	} else {
		with = e.reg(y)
	}
	e.Line("%s %s, %s", map[emit.Type]string{emit.Int32: "CMPL", emit.Int64: "CMPQ"}[x.Type], e.reg(x), with)
}

// Zero compares x with 0.
func (e *emitter) Zero(x *emit.Value) { e.Line("TESTQ %s, %s", e.reg(x), e.reg(x)) }

// Jump goes to label if cc holds.
func (e *emitter) Jump(cc, label string) {
	if cc == "" {
		cc = "MP"
	}
	e.Line("J%s %s", cc, label)
}

// Up adds n to x.
func (e *emitter) Up(x *emit.Value, n int64) { e.Line("ADDQ $%d, %s", n, e.reg(x)) }

// Down takes 1 from x and goes to label unless that leaves 0.
func (e *emitter) Down(x *emit.Value, label string) {
	e.Line("DECQ %s", e.reg(x))
	e.Line("JNZ %s", label)
}

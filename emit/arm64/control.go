package arm64

import (
	"fmt"
	"io"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/arm64/neon"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// emitter prints one function.
type emitter struct {
	*asm.Emitter
	err error // of an encoding, which no row looks at
}

// Print writes header, the functions and their constants as one assembly file.
func (Backend) Print(w io.Writer, t emit.Target, header string, fs []*emit.Func) error {
	return asm.Print(w, shared, t, header, fs, func(e *asm.Emitter) asm.Speller { return &emitter{Emitter: e} })
}

// Row returns how an operation is printed.
func (e *emitter) Row(op string) func(op *emit.Op) error {
	row := rows[op]
	if row == nil {
		return nil
	}
	return func(op *emit.Op) error {
		if err := row(e, op); err != nil {
			return err
		}
		return e.err
	}
}

// neon prints an instruction that Go's assembler does not know, as a word.
func (e *emitter) neon(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	word, err := neon.Encode(text)
	if err != nil && e.err == nil {
		e.err = err
	}
	text = strings.ReplaceAll(text, ", ", ",") // files are large
	if e.Note != "" {
		text += ": " + e.Note
	}
	e.Note = text
	e.Line("WORD $0x%08x", word)
}

// Begin loads the pointer to the argument block.
func (e *emitter) Begin() { e.Line("MOVD args+0(FP), R%d", argReg) }

// Finish returns.
func (e *emitter) Finish() { e.Line("RET") }

// Move copies a register.
func (e *emitter) Move(c asm.Class, dst, src *emit.Value) {
	if c == asm.GPR {
		e.Line("MOVD %s, %s", e.r(src), e.r(dst))
		return
	}
	e.neon("mov %s, %s", e.bytes(dst), e.bytes(src))
}

// Exchange makes registers trade places.
func (e *emitter) Exchange(c asm.Class, x, y *emit.Value) bool {
	if c == asm.GPR {
		e.Line("MOVD %s, R%d", e.r(x), tmp)
		e.Line("MOVD %s, %s", e.r(y), e.r(x))
		e.Line("MOVD R%d, %s", tmp, e.r(y))
		return true
	}
	a, b := e.bytes(x), e.bytes(y)
	e.neon("eor %s, %s, %s", a, a, b)
	e.neon("eor %s, %s, %s", b, a, b)
	e.neon("eor %s, %s, %s", a, a, b)
	return true
}

// Contains reports whether the first of ops is part of the second: a shift of what is added
// to a pointer.
func (e *emitter) Contains(ops []*emit.Op) bool {
	if len(ops) < 2 || ops[0].Def.Name != "shl" || ops[1].Def.Name != "addp" {
		return false
	}
	shl, add := ops[0], ops[1]
	v := shl.Result()
	return add.Args[1] == v && add.Args[0] != v && e.Uses[v.ID] == 1 && immediate(shl, 1) && v.Type == emit.Int64
}

// Flags compares general registers, or one with a constant.
func (e *emitter) Flags(x, y *emit.Value, imm bool) {
	with := ""
	if imm {
		with = fmt.Sprintf("$%d", y.Op.Attr.Imm)
	} else {
		with = e.r(y)
	}
	e.Line("%s %s, %s", map[emit.Type]string{emit.Int32: "CMPW", emit.Int64: "CMP"}[x.Type], with, e.r(x))
}

// Zero compares x with 0.
func (e *emitter) Zero(x *emit.Value) { e.Line("CMP $0, %s", e.r(x)) }

// Jump goes to label if cc holds.
func (e *emitter) Jump(cc, label string) { e.Line("B%s %s", cc, label) }

// Up adds n to x.
func (e *emitter) Up(x *emit.Value, n int64) { e.Line("ADD $%d, %s", n, e.r(x)) }

// Down takes 1 from x and goes to label unless that leaves 0.
func (e *emitter) Down(x *emit.Value, label string) {
	e.Line("SUB $1, %s", e.r(x))
	e.Line("CBNZ %s, %s", e.r(x), label)
}

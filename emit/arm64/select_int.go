package arm64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// ints gives the mnemonics of integer operations in general registers. Bits above the width
// of a narrow integer mean nothing, so all work on 64.
var ints = map[string]string{"add": "ADD", "sub": "SUB", "mul": "MUL", "and": "AND", "or": "ORR", "xor": "EOR"}

func (e *emitter) scalarInt(op *emit.Op) error {
	r, x, y := op.Result(), op.Args[0], op.Args[1]
	m, ok := ints[op.Def.Name]
	switch {
	case r.Type != emit.Int64 && r.Type != emit.Int32:
		return fmt.Errorf("integer arithmetic in general registers is of i32 and i64 on arm64, not of %v", r.Type)
	case !ok:
		return fmt.Errorf("is not defined on %v", r.Type)
	case immediate(op, 1):
		e.Line("%s $%d, %s, %s", m, y.Op.Attr.Imm, e.r(x), e.r(r))
	default:
		e.Line("%s %s, %s, %s", m, e.r(y), e.r(x), e.r(r))
	}
	return nil
}

// vectorInts gives the mnemonics of integer operations on vectors.
var vectorInts = map[string]string{"add": "add", "sub": "sub", "mul": "mul", "imin": "smin", "imax": "smax", "and": "and", "or": "orr", "xor": "eor"}

func (e *emitter) vectorInt(op *emit.Op) error {
	r, x, y := op.Result(), op.Args[0], op.Args[1]
	m := vectorInts[op.Def.Name]
	switch op.Def.Name {
	case "and", "or", "xor":
		e.neon("%s %s, %s, %s", m, e.bytes(r), e.bytes(x), e.bytes(y))
	case "mul":
		if r.Type.Elem == emit.I64 {
			e.inGeneral(r, []*emit.Value{x, y}, "MUL R17, R16, R16")
			return nil
		}
		fallthrough
	default:
		e.neon("%s %s, %s, %s", m, e.v(r), e.v(x), e.v(y))
	}
	return nil
}

// inGeneral computes lanes one after another in general registers, for which vectors have no
// instruction. code gets the lanes of operands in R16 and R17, without sign, and leaves the
// result in R16. A lane of the result is written when those of the operands were read.
func (e *emitter) inGeneral(r *emit.Value, operands []*emit.Value, code ...string) {
	bits := laneBits(e.T, r)
	for i := range r.Type.Lanes {
		for n, v := range operands {
			if bits == 64 {
				e.neon("umov x%d, %s", tmp+n, lane(bits, e.num(v), i))
			} else {
				e.neon("umov w%d, %s", tmp+n, lane(bits, e.num(v), i))
			}
		}
		for _, l := range code {
			e.Line("%s", l)
		}
		e.insert(r, i, bits)
	}
}

// insert puts R16 into a lane.
func (e *emitter) insert(r *emit.Value, i, bits int) {
	from := "w"
	if bits == 64 {
		from = "x"
	}
	e.neon("ins %s, %s%d", lane(bits, e.num(r), i), from, tmp)
}

// selectMulHi multiplies into lanes of twice the width and keeps their upper halves.
func selectMulHi(e *emitter, op *emit.Op) error {
	r, x, y := op.Result(), op.Args[0], op.Args[1]
	bits := r.Type.Elem.Bits()
	switch {
	case r.Type == emit.Int64:
		e.Line("UMULH %s, %s, %s", e.r(y), e.r(x), e.r(r))
	case r.Type == emit.Int32:
		e.Line("UMULL %s, %s, %s", e.r(y), e.r(x), e.r(r))
		e.Line("LSR $32, %s, %s", e.r(r), e.r(r))
	case r.Type.Lanes == 1:
		return fmt.Errorf("products in general registers have upper halves of i32 and i64 on arm64, not of %v", r.Type)
	case bits == 64:
		e.inGeneral(r, []*emit.Value{x, y}, "UMULH R17, R16, R16")
	default:
		t, all := e.Temp(asm.Vec, op), r.Type.Bits() > 64
		e.neon("umull %s, %s, %s", lanes(2*bits, t, true), lanes(bits, e.num(x), false), lanes(bits, e.num(y), false))
		if !all {
			e.neon("shrn %s, %s, #%d", lanes(bits, e.num(r), false), lanes(2*bits, t, true), bits)
			return nil
		}
		e.neon("umull2 %s, %s, %s", lanes(2*bits, e.num(r), true), lanes(bits, e.num(x), true), lanes(bits, e.num(y), true))
		e.neon("uzp2 %s, %s, %s", lanes(bits, e.num(r), true), lanes(bits, t, true), lanes(bits, e.num(r), true))
	}
	return nil
}

// selectDivide divides without sign, which vectors cannot. The quotient of UDIV by 0 is 0.
func selectDivide(e *emitter, op *emit.Op) error {
	r, x, y := op.Result(), op.Args[0], op.Args[1]
	code := []string{"UDIV R17, R16, R16"}
	if op.Def.Name == "urem" {
		code = []string{"UDIV R17, R16, R26", "MSUB R17, R16, R26, R16"}
	}
	if r.Type.Lanes > 1 {
		e.inGeneral(r, []*emit.Value{x, y}, code...)
		return nil
	}
	if r.Type != emit.Int64 && r.Type != emit.Int32 {
		return fmt.Errorf("division in general registers is of i32 and i64 on arm64, not of %v", r.Type)
	}
	m := map[emit.Type]string{emit.Int32: "MOVWU", emit.Int64: "MOVD"}[r.Type]
	e.Line("%s %s, R16", m, e.r(x))
	e.Line("%s %s, R17", m, e.r(y))
	for _, l := range code {
		e.Line("%s", l)
	}
	e.Line("MOVD R16, %s", e.r(r))
	return nil
}

// selectOnesCount counts in bytes, and adds them up.
func selectOnesCount(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	t := e.Temp(asm.Vec, op)
	if r.Type.Lanes == 1 {
		if r.Type != emit.Int64 && r.Type != emit.Int32 {
			return fmt.Errorf("bits are counted in i32, i64 and vectors, not in %v", r.Type)
		}
		e.neon("fmov %s, %s", scalar(r.Type.Bits(), t), map[bool]string{true: e.x(x), false: e.w(x)}[r.Type.Bits() == 64])
		e.neon("cnt v%d.8b, v%d.8b", t, t)
		e.neon("addv b%d, v%d.8b", t, t)
		e.neon("umov %s, v%d.b[0]", e.w(r), t)
		return nil
	}
	d, all, bits := e.num(r), r.Type.Bits() > 64, r.Type.Elem.Bits()
	e.neon("cnt %s, %s", lanes(8, d, all), lanes(8, e.num(x), all))
	for b := 8; b < bits; b *= 2 {
		to := lanes(2*b, d, all)
		if 2*b == 64 && !all {
			to = fmt.Sprintf("v%d.1d", d)
		}
		e.neon("uaddlp %s, %s", to, lanes(b, d, all))
	}
	return nil
}

func selectLeadingZeros(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	switch {
	case r.Type == emit.Int64:
		e.Line("CLZ %s, %s", e.r(x), e.r(r))
	case r.Type == emit.Int32:
		e.Line("CLZW %s, %s", e.r(x), e.r(r))
	case r.Type.Lanes == 1:
		return fmt.Errorf("bits are counted in i32, i64 and vectors, not in %v", r.Type)
	case r.Type.Elem == emit.I64:
		e.inGeneral(r, []*emit.Value{x}, "CLZ R16, R16")
	default:
		e.neon("clz %s, %s", e.v(r), e.v(x))
	}
	return nil
}

func selectShift(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	if r.Type.Lanes > 1 {
		e.vectorShift(op)
		return nil
	}
	m := map[string]string{"shl": "LSL", "shr": "LSR", "sar": "ASR"}[op.Def.Name]
	switch {
	case r.Type == emit.Int32:
		m += "W"
	case r.Type != emit.Int64:
		return fmt.Errorf("shifts in general registers are of i32 and i64 on arm64, not of %v", r.Type)
	}
	if immediate(op, 1) {
		e.Line("%s $%d, %s, %s", m, op.Args[1].Op.Attr.Imm, e.r(x), e.r(r))
	} else {
		e.Line("%s %s, %s, %s", m, e.r(op.Args[1]), e.r(x), e.r(r))
	}
	return nil
}

// vectorShift: counts of a vector are to the left, and to the right if they are negative.
func (e *emitter) vectorShift(op *emit.Op) {
	r, x, y := op.Result(), op.Args[0], op.Args[1]
	d := e.v(r)
	if immediate(op, 1) {
		n := y.Op.Attr.Imm
		if n == 0 {
			e.Copy(r, x)
			return
		}
		e.neon("%s %s, %s, #%d", map[string]string{"shl": "shl", "shr": "ushr", "sar": "sshr"}[op.Def.Name], d, e.v(x), n)
		return
	}
	if op.Def.Name == "shl" {
		e.neon("ushl %s, %s, %s", d, e.v(x), e.v(y))
		return
	}
	e.neon("neg %s, %s", d, e.v(y))
	e.neon("%s %s, %s, %s", map[string]string{"shr": "ushl", "sar": "sshl"}[op.Def.Name], d, e.v(x), d)
}

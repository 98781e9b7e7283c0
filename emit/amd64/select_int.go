package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// ints gives the mnemonics of integer operations in general registers, without
// the width. Bits above the width of a narrow integer mean nothing, so all work on
// 64.
var ints = map[string]string{"add": "ADDQ", "sub": "SUBQ", "mul": "IMULQ", "and": "ANDQ", "or": "ORQ", "xor": "XORQ"}

func (e *emitter) scalarInt(op *emit.Op) error {
	r := op.Result()
	m, ok := ints[op.Def.Name]
	switch {
	case asm.IsCondition(r):
		return fmt.Errorf("logic on conditions has no row on amd64; select or branch twice")
	case r.Type != emit.Int64 && r.Type != emit.Int32:
		return fmt.Errorf("integer arithmetic in general registers is of i32 and i64 on amd64, not of %v", r.Type)
	case !ok:
		return fmt.Errorf("is not defined on %v", r.Type)
	}
	d := e.reg(r)
	x, y := op.Args[0], op.Args[1]
	switch commutes := op.Def.Name != "sub"; {
	case immediate(op, 1) && op.Def.Name == "mul":
		e.Line("IMUL3Q $%d, %s, %s", y.Op.Attr.Imm, e.reg(x), d)
	case immediate(op, 1):
		e.Copy(r, x)
		e.Line("%s $%d, %s", m, y.Op.Attr.Imm, d)
	case e.Same(r, x):
		e.Line("%s %s, %s", m, e.reg(y), d)
	case commutes && e.Same(r, y):
		e.Line("%s %s, %s", m, e.reg(x), d)
	case op.Def.Name == "add":
		e.Line("LEAQ (%s)(%s*1), %s", e.reg(x), e.reg(y), d)
	default:
		e.Copy(r, x)
		e.Line("%s %s, %s", m, e.reg(y), d)
	}
	return nil
}

// vectorInts gives the mnemonics of integer operations on vectors, without the
// width.
var vectorInts = map[string]string{
	"add": "VPADD", "sub": "VPSUB", "mul": "VPMULL", "imin": "VPMINS", "imax": "VPMAXS",
	"and": "VPAND", "or": "VPOR", "xor": "VPXOR", "umulh": "VPMULHU",
}

func (e *emitter) vectorInt(op *emit.Op) error {
	t, m := op.Result().Type, vectorInts[op.Def.Name]
	switch op.Def.Name {
	case "mul":
		if t.Elem == emit.I8 || t.Elem == emit.I64 && e.T.Bits == 256 {
			return fmt.Errorf("multiplication of %v has no instruction on %s", t, e.T.Name)
		}
		m += letter(t.Elem)
	case "umulh":
		if t.Elem != emit.I16 {
			return fmt.Errorf("the upper half of a product of %v has no instruction on %s", t, e.T.Name)
		}
		m += "W"
	case "and", "or", "xor": // the width only matters to masks
		switch {
		case e.T.Bits == 512 && t.Elem == emit.I64:
			m += "Q"
		case e.T.Bits == 512:
			m += "D"
		}
	default:
		m += letter(t.Elem)
	}
	e.Line("%s %s, %s, %s", m, e.reg(op.Args[1]), e.reg(op.Args[0]), e.reg(op.Result()))
	return nil
}

// selectCount counts bits in general registers; legalize leaves no vectors but those of
// 8 bits that fill a register.
func selectCount(e *emitter, op *emit.Op) error {
	r := op.Result()
	w := map[emit.Type]string{emit.Int32: "L", emit.Int64: "Q"}[r.Type]
	if w == "" {
		return fmt.Errorf("bits are counted in i32, i64 and vectors whose lanes fit a register as 16-bit lanes, not in %v", r.Type)
	}
	m := map[string]string{"popcnt": "POPCNT", "clz": "LZCNT"}[op.Def.Name]
	e.Line("%s%s %s, %s", m, w, e.reg(op.Args[0]), e.reg(r))
	return nil
}

func selectShift(e *emitter, op *emit.Op) error {
	r := op.Result()
	if r.Type.Lanes > 1 {
		return e.vectorShift(op)
	}
	w := map[emit.Type]string{emit.Int32: "L", emit.Int64: "Q"}[r.Type]
	if w == "" {
		return fmt.Errorf("shifts in general registers are of i32 and i64 on amd64, not of %v", r.Type)
	}
	m := map[string]string{"shl": "SHL", "shr": "SHR", "sar": "SAR"}[op.Def.Name]
	if immediate(op, 1) {
		x := op.Args[0]
		switch n := op.Args[1].Op.Attr.Imm; {
		case m != "SHL" || w != "Q" || asm.IsConst(x) || e.Same(r, x):
		case n == 1:
			e.Line("LEAQ (%s)(%[1]s*1), %s", e.reg(x), e.reg(r)) // an index without a base has four bytes of offset
			return nil
		case n <= 3:
			e.Line("LEAQ 0(%s*%d), %s", e.reg(x), 1<<n, e.reg(r))
			return nil
		}
		e.Copy(r, x)
		e.Line("%s%s $%d, %s", m, w, op.Args[1].Op.Attr.Imm, e.reg(r))
		return nil
	}
	e.Line("%sX%s %s, %s, %s", m, w, e.reg(op.Args[1]), e.reg(op.Args[0]), e.reg(r)) // BMI2
	return nil
}

func (e *emitter) vectorShift(op *emit.Op) error {
	r := op.Result()
	m := map[string]string{"shl": "VPSLL", "shr": "VPSRL", "sar": "VPSRA"}[op.Def.Name]
	by := immediate(op, 1)
	if r.Type.Elem == emit.I8 || r.Type.Elem == emit.I16 && e.T.Bits == 256 && !by {
		return fmt.Errorf("shifts of %v have no instruction on %s", r.Type, e.T.Name)
	}
	count := ""
	if by {
		count = fmt.Sprintf("$%d", op.Args[1].Op.Attr.Imm)
	} else {
		m, count = m+"V", e.reg(op.Args[1])
	}
	e.Line("%s%s %s, %s, %s", m, letter(r.Type.Elem), count, e.reg(op.Args[0]), e.reg(r))
	return nil
}

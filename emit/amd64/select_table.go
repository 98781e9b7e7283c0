package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// Tables of constants. One that fits a register is permuted by the indices, others are
// gathered from.

// permutes reports how many elements the register has that op's table fits, 0 if it is
// gathered from. VPERMD and VPERMQ permute by indices in a register; AVX2 has the
// former only.
func permutes(t emit.Target, op *emit.Op) int {
	n := t.Bits / op.Result().Type.Elem.Bits()
	if len(op.Attr.Table) > n || t.Bits == 256 && op.Result().Type.Elem.Bits() == 64 {
		return 0
	}
	return n
}

// pad returns the table with as many elements as the register has.
func pad(table []uint64, n int) []uint64 {
	return append(append([]uint64(nil), table...), make([]uint64, n-len(table))...)
}

func selectTable(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	t := r.Type
	bits := t.Elem.Bits()
	w := letters[bits]
	if n := permutes(e.T, op); n > 0 && t.Lanes > 1 {
		name := e.File.Table(bits, pad(op.Attr.Table, n))
		e.Line("VPERM%s %s(SB), %s, %s", w, name, e.spell(x, e.T.Bits), e.spell(r, e.T.Bits))
		return nil
	}
	base := gprs[e.Temp(asm.GPR, op)]
	e.Line("LEAQ %s(SB), %s", e.File.Table(bits, op.Attr.Table), base)
	d, size := e.reg(r), bits/8
	switch {
	case t.Lanes == 1:
		return fmt.Errorf("a table is looked up in vectors only on amd64")
	case e.T.Bits == 512:
		k := fmt.Sprintf("K%d", e.Temp(asm.Mask, op)+1)
		if t.Bits() < 128 { // lanes past the last would be looked up too
			e.Line("KXNORW %s, %s, %s", k, k, k)
			e.Line("KSHIFTRW $%d, %s, %s", 16-t.Lanes, k, k)
		} else {
			e.Line("KXNORW %s, %s, %s", k, k, k)
		}
		e.Line("VPGATHER%s%[1]s (%s)(%s*%d), %s, %s", w, base, e.reg(x), size, k, d)
	default:
		m := vectorName(e.Temp(asm.Vec, op), max(t.Bits(), 128))
		e.Line("VPCMPEQD %s, %s, %s", m, m, m)
		if t.Bits() < 128 {
			e.Line("VMOVQ %s, %s", m, m)
		}
		e.Line("VPGATHER%s%[1]s %s, (%s)(%s*%d), %s", w, m, base, e.reg(x), size, d)
	}
	return nil
}

package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
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
	if n := permutes(e.t, op); n > 0 && t.Lanes > 1 {
		name := e.file.table(bits, pad(op.Attr.Table, n))
		e.line("VPERM%s %s(SB), %s, %s", w, name, e.spell(x, e.t.Bits), e.spell(r, e.t.Bits))
		return nil
	}
	base := gprs[e.temp(gpr, op)]
	e.line("LEAQ %s(SB), %s", e.file.table(bits, op.Attr.Table), base)
	d, size := e.reg(r), bits/8
	switch {
	case t.Lanes == 1:
		return fmt.Errorf("a table is looked up in vectors only on amd64")
	case e.t.Bits == 512:
		k := fmt.Sprintf("K%d", e.temp(mask, op)+1)
		if t.Bits() < 128 { // lanes past the last would be looked up too
			e.line("KXNORW %s, %s, %s", k, k, k)
			e.line("KSHIFTRW $%d, %s, %s", 16-t.Lanes, k, k)
		} else {
			e.line("KXNORW %s, %s, %s", k, k, k)
		}
		e.line("VPGATHER%s%[1]s (%s)(%s*%d), %s, %s", w, base, e.reg(x), size, k, d)
	default:
		m := vectorName(e.temp(vec, op), max(t.Bits(), 128))
		e.line("VPCMPEQD %s, %s, %s", m, m, m)
		if t.Bits() < 128 {
			e.line("VMOVQ %s, %s", m, m)
		}
		e.line("VPGATHER%s%[1]s %s, (%s)(%s*%d), %s", w, m, base, e.reg(x), size, d)
	}
	return nil
}

// table returns the name of read-only data with these elements.
func (f *file) table(bits int, words []uint64) string {
	name := emit.TableKey(bits, words) + "<>"
	f.tables[name] = table{bits / 8, words}
	return name
}

// table is read-only data.
type table struct {
	size  int // of an element, in bytes
	words []uint64
}

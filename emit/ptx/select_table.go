package ptx

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// table is a variable of the module that holds constants. Section 5.4.2 (initialisers).
type table struct {
	bits  int
	words []uint64
}

// print writes the declaration, the words in decimal.
func (t table) print(name string) string {
	words := make([]string, len(t.words))
	for i, x := range t.words {
		words[i] = fmt.Sprint(x)
	}
	return fmt.Sprintf(".global .align %d .b%d %s[%d] = {%s};", t.bits/8, t.bits, name, len(t.words), strings.Join(words, ", "))
}

// selectTable loads from a variable in global memory: threads that look up different
// elements would wait for each other in constant memory.
func selectTable(e *emitter, op *emit.Op) error {
	el := op.Result().Type.Elem
	size := el.Bits()
	name := emit.TableKey(size, op.Attr.Table)
	e.tables[name] = table{size, op.Attr.Table}
	base := e.temp(b64)
	e.line("mov.u64 %s, %s", base, name)
	return e.perLane(op, func(d string, x []string) error {
		at, off := e.temp(b64), e.temp(b64)
		if size == 32 {
			e.line("mul.wide.u32 %s, %s, 4", off, e.inRegister(b32, x[0]))
		} else {
			e.line("shl.b64 %s, %s, 3", off, e.inRegister(b64, x[0]))
		}
		e.line("add.s64 %s, %s, %s", at, base, off)
		e.line("ld.global.b%d %s, [%s]", size, d, at)
		return nil
	})
}

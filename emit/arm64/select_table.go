package arm64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// selectTable looks up each lane's number in read-only data.
func selectTable(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	if r.Type.Lanes == 1 {
		return fmt.Errorf("a table is looked up in vectors only on arm64")
	}
	bits := r.Type.Elem.Bits()
	from := map[int]string{32: "w", 64: "x"}[bits]
	e.Line("MOVD $%s(SB), R%d", e.File.Table(bits, op.Attr.Table), tmp)
	for i := range r.Type.Lanes {
		e.neon("umov %s%d, %s", from, tmp2, lane(bits, e.num(x), i))
		e.Line("ADD R%d<<%d, R%d, R%d", tmp2, map[int]int{32: 2, 64: 3}[bits], tmp, tmp2)
		e.neon("ld1 {v%d.%s}[%d], [x%d]", e.num(r), letters[bits], i, tmp2)
	}
	return nil
}

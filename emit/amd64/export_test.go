package amd64

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
)

// VerifyAllocation runs the passes on f, allocates and verifies the result.
func VerifyAllocation(t emit.Target, f *emit.Func) error {
	a, err := suite.Prepare(asmtest.Program{F: f, Target: t})
	if err != nil {
		return err
	}
	return suite.Verify(a)
}

// Watch calls seen with the function and the row of the selection whenever an operation is about to be printed, until what
// it returns is called.
func Watch(op string, seen func(function string, row any)) (stop func()) {
	row := rows[op]
	rows[op] = func(e *emitter, op *emit.Op) error {
		seen(e.F.Name, row)
		return row(e, op)
	}
	return func() { rows[op] = row }
}

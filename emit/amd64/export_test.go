package amd64

import "github.com/tilesmith/tilesmith/emit"

// VerifyAllocation runs the passes on f, allocates and verifies the result.
func VerifyAllocation(t emit.Target, f *emit.Func) error {
	a, err := program{f: f, target: t}.prepare()
	if err != nil {
		return err
	}
	return verify(a)
}

// Watch calls seen with the function and the row of the selection whenever an operation is about to be printed, until what
// it returns is called.
func Watch(op string, seen func(function string, row any)) (stop func()) {
	row := rows[op]
	rows[op] = func(e *emitter, op *emit.Op) error {
		seen(e.f.Name, row)
		return row(e, op)
	}
	return func() { rows[op] = row }
}

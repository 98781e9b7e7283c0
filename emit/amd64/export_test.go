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

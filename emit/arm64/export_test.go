package arm64

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

package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// MixedOf is a product with kernels that run whatever the machine has.
func MixedOf(kern *run.Kernels, a, b, acc dtype.Type) *Mixed {
	s := &Mixed{Name: "test", A: a, B: b, Acc: acc, Variants: []*run.Kernels{kern}}
	s.choice.Force(1)
	return s
}

package dense

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// MixedOf is a product with kernels that run whatever the machine has.
func MixedOf(kern *kernel.Kernels, a, b, acc dtype.Type) *Mixed {
	s := &Mixed{Name: "test", A: a, B: b, Acc: acc, Variants: []*kernel.Kernels{kern}}
	s.choice.Force(1)
	return s
}

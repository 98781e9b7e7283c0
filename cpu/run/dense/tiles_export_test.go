package dense

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// MixedOf is a product with kernels that run whatever the machine has.
func MixedOf[T dtype.AnySum](kern *kernel.Kernels, a, b dtype.Type) *Set[T] {
	s := &Set[T]{Name: "test", A: a, B: b, Variants: []*kernel.Kernels{kern}}
	s.choice.Force(1)
	return s
}

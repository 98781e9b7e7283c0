package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// MixedOf is a product with kernels that run whatever the machine has.
func MixedOf[T dtype.AnySum](kern *run.Kernels, a, b dtype.Type) *Set[T] {
	s := &Set[T]{Name: "test", A: a, B: b, Variants: []*run.Kernels{kern}}
	s.choice.Force(1)
	return s
}

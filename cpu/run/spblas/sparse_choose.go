package spblas

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// pickRows returns the variant of row kernels that isa asks for, or the best one for
// ""; nil is the portable code.
func pickRows(c *choose.Choice, name string, variants []*run.RowKernels, isa string) *run.RowKernels {
	return choose.Pick(c, name, variants, func(k *run.RowKernels) string { return k.ISA }, isa)
}

func (s *RowSet[T]) pick(isa string) *run.RowKernels {
	if k := pickRows(&s.choice, s.Name, s.Variants, isa); k != nil {
		return k
	}
	if dtype.Of[T]() == dtype.F32 {
		return &goRows32
	}
	return &goRows64
}

package call

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Epilogue is the epilogue of one call.
type Epilogue struct {
	epi.Fusion
	Partial mem.Buffer // results of columns
}

// Begin takes the epilogue of a call, in which scalars get their addresses and the
// kernel is chosen. It returns how many partial results that leaves for a row.
func (f *Epilogue) Begin(c *choose.Choice, e *run.Epilogue, portable kernel.EpiKernel, kernels []*run.EpiVariant, isa string) (width int) {
	f.Fusion, f.Portable = e.Fusion, portable
	for i := range f.N {
		if f.Slots[i].P == nil {
			f.Slots[i].P = unsafe.Pointer(&f.Scalars[i])
		}
	}
	k := choose.Pick(c, e.Name, kernels, func(k *run.EpiVariant) string { return k.ISA }, isa)
	if k == nil || !f.Contiguous {
		return 1
	}
	f.Asm = k.Kernel
	return k.Lanes
}

// Empty reports whether a result has no elements, and ends the call if so.
func Empty(e *run.Epilogue) bool {
	if e.Rows > 0 && e.Cols > 0 {
		return false
	}
	e.Empty()
	return true
}

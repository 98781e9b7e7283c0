package call

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
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
func (f *Epilogue) Begin(c *choose.Choice, e *epilogue.Epilogue, portable kernel.Func[kernel.EpiArgs], kernels []*kernel.Table[kernel.Func[kernel.EpiArgs]], isa string) (width int) {
	f.Fusion, f.Portable = e.Fusion, portable
	for i := range f.N {
		if f.Slots[i].P == nil {
			f.Slots[i].P = unsafe.Pointer(&f.Scalars[i])
		}
	}
	k := choose.Table(c, e.Name, kernels, isa)
	if k == nil || !f.Contiguous {
		return 1
	}
	f.Asm = k.One(kernel.Panel)
	return k.VL
}

// Empty reports whether a result has no elements, and ends the call if so.
func Empty(e *epilogue.Epilogue) bool {
	if e.Rows > 0 && e.Cols > 0 {
		return false
	}
	e.Empty()
	return true
}

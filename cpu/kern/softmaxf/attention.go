package softmaxf

import (
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/kern/maskf32"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/attention"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// SetF32 and SetF64 are attention over blocks with every variant of its kernels.
var (
	SetF32 = attention.Set[float32]{Name: "cpu.BlockAttention", Variants: KernelsF32, Dense: denseF32, Masks: &maskf32.Set}
	SetF64 = attention.Set[float64]{Name: "cpu.BlockAttention", Variants: KernelsF64, Dense: denseF64, Masks: &maskf32.Set}
)

func denseF32() []*kernel.Kernels { return gemmf.SGEMMSet().Variants }
func denseF64() []*kernel.Kernels { return gemmf.DGEMMSet().Variants }

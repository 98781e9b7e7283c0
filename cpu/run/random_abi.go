package run

import "github.com/tilesmith/tilesmith/tiling/kernel"

// RandomArgs is the argument block of a kernel of random numbers; generated stubs name it.
type RandomArgs = kernel.RandomArgs

// RandomKernel is the type of a stub; generated tables are of the other.
type (
	RandomKernel = kernel.RandomKernel
	MaskKernels  = kernel.MaskKernels[RandomKernel]
)

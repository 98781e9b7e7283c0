// Package kernel is the contract between kernels and the loops that call them: the
// argument blocks, the tables that list kernels, and the instruction sets that there are.
// Lowering writes functions for it and package cpu/run calls them; it imports nothing of
// either.
//
// Start with [Args], the block of a micro-kernel, and [MicroKernels], which lists them: by
// name where they are lowered and printed, as functions where they run. [Fields] gives
// the offsets of a block as the machine has them that the kernels are for.
package kernel

// Package kernel is the contract between kernels and the loops that call them: argument
// blocks, and tables that list kernels. Lowering writes functions for
// it and package cpu/run calls them; it imports neither.
//
// Start with [Args], the block of a micro-kernel, and [Table], which lists kernels.
// It holds names where kernels are lowered and printed, and functions where they
// run. [Fields] gives the offsets of a block on the machine that the kernels are for.
package kernel

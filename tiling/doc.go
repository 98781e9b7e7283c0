// Package tiling says which part of a matrix each core, thread and register owns.
//
// Start with [Tile], a region with what is known at run time apart from what is
// known now. [Registers] and [Caches] choose block sizes in closed form, and
// [Args] with [Kernels] is the contract between the micro-kernels that package
// gemm writes and the loops of cpu/run that call them.
package tiling

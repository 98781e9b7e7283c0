// Package tiling says which part of a matrix each core, thread and register owns.
//
// Start with [Registers], which chooses the tile of a micro-kernel, and [Caches], by
// which blocks are sized. [Args] and [Kernels] are the contract between the kernels that
// package gemm/simd writes and the loops of cpu/run that call them; a [Plan] says how a
// product is cut and predicts its time, and [GPU] is the tile of a CTA.
package tiling

// Package tiling says which part of a matrix each core, thread and register owns.
//
// Start with [Registers], which chooses the tile of a micro-kernel, and [Plan], which
// says how a product is cut and predicts its time. [GPU] is the tile of a CTA. Package
// tiling/kernel has the contract between kernels and the loops that call them.
package tiling

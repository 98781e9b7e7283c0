// Package gpu lowers matrix products to IR for GPUs: kernels for each way that operands
// may lie in memory, with the epilogue in them, and kernels that finish reductions.
//
// Start with [Lower]. The main loop of all operators, tensor cores among them, is in
// loop.go.
package gpu

// Package gpu lowers matrix products to IR for GPUs. It makes one kernel, epilogue
// included, for each way that operands may lie in memory, and kernels that finish
// reductions.
//
// Start with [Lower]. The main loop of all operators, tensor cores among them, is in loop.go. It knows
// operators by operator.go, and how tiles get into shared memory by transport.go.
package gpu

// Package gemm describes a matrix product as a value: element types, operator, tile,
// epilogue. Package gemm/simd lowers it to IR for CPUs, package gemm/gpu for GPUs.
//
// Start with [Spec], which those who read it see as a [Description]. An [Operator] is
// the inner step of their main loops; a new one is a small file.
package gemm

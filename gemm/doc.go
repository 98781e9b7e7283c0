// Package gemm describes a matrix product as a value: element types, operator, tile,
// epilogue. Package gemm/simd lowers it to IR for CPUs, package gemm/gpu for GPUs.
//
// Start with [Spec]. Lowering reads it as a [Description], which is not generic. An
// [Operator] is the inner step of a main loop; a new one is a small file.
package gemm

// Package simd lowers matrix products to IR for the vector instructions of CPUs: a
// family of micro-kernels, the kernels that pack operands for them, and an epilogue.
//
// Start with [Lower]. The main loop of all products is in micro.go.
package simd

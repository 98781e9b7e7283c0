// Package simd lowers matrix products to IR for the vector instructions of CPUs. It
// makes a family of micro-kernels with an epilogue, and the kernels that pack operands
// for them.
//
// Start with [Lower]. The main loop of all products is in micro.go.
package simd

// Package gemm describes a matrix product as a value: element types, operator,
// tile; Lower gives it meaning as IR.
//
// Start with [Spec]. An [Operator] is the inner step of the one main loop in
// lower.go; a new one is a small file.
package gemm

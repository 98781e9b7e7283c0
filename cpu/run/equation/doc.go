// Package equation runs the kernels that package gemm/tpp makes from equations of tensors.
// It checks operands, divides rows among goroutines, and joins reductions of columns.
// Generated code imports it, package run and package layout.
//
// Results have the same bits for any number of goroutines. One goroutine computes a row,
// and columns are reduced in blocks of rows that follow from the shape.
package equation

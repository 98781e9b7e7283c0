// Package equation runs kernels that package gemm/tpp makes of equations of tensors: it
// checks operands, cuts rows among goroutines, and joins reductions of columns. Generated
// code imports it, package run and package layout.
//
// Results have the same bits for any number of goroutines: a row is computed by one, and
// columns are reduced in blocks of rows that follow from the shape.
package equation

// Package run has what generated CPU kernels and their callers need at run time. It has
// [Options], the instruction sets of the machine, and the number of goroutines of a call.
// The types of kernels and of their tables are those of package tiling/kernel, and package
// epilogue binds an epilogue to a call.
//
// Packages dense and spblas call the kernels; they do not know each other. Generated code
// imports these, package layout, the matrices of package sparse and the stock kernels
// under cpu/kern. It imports no generator.
package run

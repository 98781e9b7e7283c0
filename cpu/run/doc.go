// Package run has what generated CPU kernels and their callers need at run time. It has
// [Options], the instruction sets of the machine, the number of goroutines of a call, and
// the types of kernels and of their tables. It also has functions that bind an epilogue
// to a call ([NewEpilogue], [Out], [PerRow] and others).
//
// Packages dense and spblas call the kernels; they do not know each other. Generated code
// imports these, package layout, the matrices of package sparse and the stock kernels
// under cpu/kern. It imports no generator.
package run

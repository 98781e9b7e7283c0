// Package run is what all generated CPU kernels need at run time, and their callers:
// [Options], the instruction sets of the machine, how many goroutines a call may use, the
// types of kernels and of their tables, and what binds an epilogue to a call
// ([NewEpilogue], [Out], [PerRow] and their like).
//
// What calls the kernels is in packages dense and spblas, which do not know each other.
// Generated code, the project's own and its users', imports these, package layout, the
// matrices of package sparse and the stock kernels under cpu/kern, and nothing that
// generates.
package run

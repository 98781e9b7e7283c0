// Package kernels has the products that `tilesmith gpu` checks and times. It makes
// their PTX in memory when it is first asked for: what generated code has as a file
// and a literal. So the command is one file, needs no source, and nobody commits
// megabytes of text. It is for that command and for tests; a program has generated
// packages, and those that gen/testdata/gpu generates are the same to the byte.
//
// Start with [MatMulBF16].
package kernels

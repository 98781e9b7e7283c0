// Package kernels has the products that `tilesmith gpu` checks and times. It makes their
// PTX in memory on first use, where generated code has a file and a literal. So the
// command is one file, needs no source, and nobody commits megabytes of text. Only that
// command and tests use it. A program has generated packages; those of gen/testdata/gpu
// are the same to the byte.
//
// Start with [MatMulBF16].
package kernels

// Package gemmtest helps to test operators and the lowering of products. It makes kernels
// with one mistake, and runs operations on many numbers in the interpreter.
package gemmtest

// Package gemmtest helps to test operators and what lowers products: it makes kernels
// with one mistake, and has the interpreter run operations on many numbers.
package gemmtest

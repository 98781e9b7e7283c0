// Package tilesmith is the root of a generator of matrix kernels: a Go value says
// what a kernel computes, and it comes out as Go assembly with Go stubs, tests and
// a portable fallback. There is nothing to import here.
//
// Start with package cpu to multiply matrices, and with package gemm and package
// gen to describe a kernel of your own. docs/design.md draws the packages.
package tilesmith

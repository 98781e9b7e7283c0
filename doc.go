// Package tilesmith is the root of a generator of matrix kernels. A Go value describes
// a kernel; the generator writes Go assembly with stubs, tests and a portable fallback.
// There is nothing to import here.
//
// Start with package cpu to multiply matrices, and with package gemm and package
// gen to describe a kernel of your own. docs/design.md draws the packages.
package tilesmith

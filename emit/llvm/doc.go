// Package llvm prints functions as LLVM IR. It reaches every target of llc, and gives a
// second opinion on our own backends: llc's code for a kernel must leave the same bits
// as our assembly.
//
// Start with [Backend]. types.go has the types, and control.go makes loops and branches
// blocks with phis. select.go and its families have one row per operation, and
// intrinsics.go declares what LLVM spells as a call. Text comes from
// github.com/llir/llvm.
//
// A kernel is a function without a result and with one argument, the address of its
// argument block, in C's calling convention. The text allows llc nothing that the IR
// does not allow. No instruction has a fast-math flag, a multiply-add is fused only
// where the IR says fma, and denormals are kept. A select replaces what LLVM calls
// poison, such as a float that an int cannot hold. The machine decides which NaN an
// operation makes, here as elsewhere.
//
// Floats of 8 and 16 bits are integers here; those of 16 bits are converted, not computed
// with. Accesses claim no alignment.
package llvm

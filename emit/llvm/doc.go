// Package llvm prints functions as LLVM IR, for every target of llc and as a second
// opinion on our own backends: llc's code for a kernel must leave the same bits as
// our assembly.
//
// Start with [Backend]. types.go has the types, control.go makes loops and branches
// blocks with phis, select.go and its families have one row per operation, intrinsics.go
// declares what LLVM spells as a call. Text comes from github.com/llir/llvm.
//
// A kernel is a function without a result and with one argument, the address of its
// argument block, in C's calling convention. The text allows llc nothing that the IR
// does not allow. No instruction has a fast-math flag, a multiply-add is fused only
// where the IR says fma, and denormals are kept. What LLVM calls poison, a float that an
// int cannot hold, is selected away. The machine decides which NaN an operation makes,
// here as elsewhere.
//
// Floats of 8 and 16 bits are integers here; those of 16 bits are converted, not computed
// with. Accesses claim no alignment.
package llvm

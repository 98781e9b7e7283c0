// Package cpu runs generated kernels on this machine: loops in Go around calls
// into assembly, without cgo.
//
// Start with [MatMul], or give gonum the product of this package:
//
//	blas64.Use(cpu.BLAS64{})
//	blas32.Use(cpu.BLAS32{})
//
// A sparse matrix of package sparse is multiplied by [SpMM] and [SpMV], in any format
// or as a sum of parts; [SDDMM] and [GraphAttention] compute at its entries only.
// [SpMMBlocks] is for dense blocks, and [Prune] with [MulPruned] for weights of which
// some percent are left.
//
// The best variant for the machine is chosen on first use. TILESMITH_ISA forces
// one (avx512, avx2, go), TILESMITH_THREADS limits the goroutines of a call, and
// GODEBUG=cpu.avx512f=off and its like are honoured.
package cpu

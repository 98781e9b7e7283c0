// Package cpu runs generated kernels on this machine: loops in Go around calls
// into assembly, without cgo.
//
// Start with [MatMul], or give gonum the product of this package:
//
//	blas64.Use(cpu.BLAS64{})
//	blas32.Use(cpu.BLAS32{})
//
// The best variant for the machine is chosen on first use. TILESMITH_ISA forces
// one (avx512, avx2, go), TILESMITH_THREADS limits the goroutines of a call, and
// GODEBUG=cpu.avx512f=off and its like are honoured.
package cpu

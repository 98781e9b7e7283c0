// Package emu is a GPU in Go: a [cuda.Device] that executes PTX text and reports mistakes
// that hardware hides. It knows PTX from NVIDIA's "Parallel Thread Execution ISA" and
// nothing of the packages that write PTX here. A kernel and the emulator therefore cannot
// share a misunderstanding.
//
// Threads are separate. One thread may rely on another's work only after a barrier, an
// mbarrier, an atomic operation or bar.warp.sync between them. The order in which the
// emulator runs them does not matter. A warp in lockstep orders nothing, and neither do
// shuffles, votes or matrix instructions.
//
// Start with [Open]. A [Fault] is a kernel's mistake; [Device.Report] has its costs.
package emu

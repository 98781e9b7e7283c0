// Package emu is a GPU in Go: a [cuda.Device] that executes PTX text and reports what
// hardware keeps quiet. It knows PTX from NVIDIA's "Parallel Thread Execution ISA" and
// nothing of the packages that write PTX here, so that a kernel and the emulator
// cannot share a misunderstanding.
//
// Threads are apart: what one thread did another may only rely on after a barrier, an
// mbarrier, an atomic operation or bar.warp.sync between them, whatever the order in
// which the emulator happens to run them. A warp going in lockstep orders nothing,
// and neither do shuffles, votes or matrix instructions.
//
// Start with [Open]. What a kernel did wrong is a [Fault]; what it cost is in
// [Device.Report].
package emu

// Package peer loads the BLAS libraries that a machine already has, so that benchmarks can compare kernels with them. Start
// with [Available], or [Load] for one by name:
//
//	for _, g := range peer.Available() {
//		g.SetThreads(1)
//		g.F32(false, false, m, n, k, 1, a, k, b, n, 0, c, n) // C = A*B, row-major
//		fmt.Println(g.Name, g.Version)
//	}
//
// The package opens OpenBLAS, BLIS, MKL, libxsmm and oneDNN with dlopen, so nothing is linked and cgo is not needed. If a library
// is missing, the error says what was tried and what to install. Gonum is always there. A library with cblas_sgemm and
// cblas_dgemm becomes a peer by one literal:
//
//	armpl := peer.Peer{
//		Name:    "armpl",
//		Libs:    []string{"$ARMPL_DIR/lib/libarmpl_lp64.so", "libarmpl_lp64.so"},
//		Install: "Arm Performance Libraries",
//		Open:    peer.CBLAS,
//	}
//	g, err := armpl.Load()
//
// # Choosing the file
//
// Multithreaded builds are tried first. TILESMITH_OPENBLAS, TILESMITH_BLIS, TILESMITH_MKL, TILESMITH_LIBXSMM and TILESMITH_ONEDNN
// name another file or its folder; then nothing else is tried.
//
// # What a library does not have
//
// oneDNN has products of float32 only. libxsmm has kernels for some shapes, without alpha and beta. [Gemm.Can] says so. F32 and
// F64 panic with the same words rather than do the product in a way that is not the library's best:
//
//	if err := g.Can(dtype.F64, false, false, m, n, k, 1, 0); err != nil {
//		fmt.Println(err) // peer: onednn: no product of f64 8x8x8, ...: it has products of f32 only
//	}
//
// # Narrow types
//
// [Narrow] multiplies bf16, f16 and integers of 8 and 16 bits by MKL, oneDNN and libxsmm, where they have such products. The second
// factor is packed beforehand in the library's own way.
//
// # A fair comparison
//
// A library that is older than the CPU may mistake it for a lesser one. On Zen 5, OpenBLAS 0.3.21 has half the speed that it has
// with OPENBLAS_CORETYPE=SkylakeX, and BLIS 0.9.0 a sixth of its speed with BLIS_ARCH_TYPE=0. Gemm.ISA names the instruction set
// of the kernels that a library chose, if it says so. Gemm.Note says what is wrong with the choice. Show both with the numbers, or
// set the variable with os.Setenv before the first Load.
//
// The newest kernels are not always the best. For small and skinny products BLIS 0.9.0 is several times as fast with kernels for
// Zen 3 (BLIS_ARCH_TYPE=6) as with those for AVX-512, which always pack.
//
// # What a call costs
//
// A call into C through reflection takes about a microsecond, which BenchmarkCall measures. A library takes a few microseconds for
// 64x64x64, so below that size a timing says more about the call than about the library. If there is a C
// compiler, [OpenLoop] compiles a loop in C. [Repeat] has it call a library's product, or libxsmm's kernel by
// its address, as often as you want. [InTurns] times such functions in turns, so that you can compare them on
// a busy machine.
//
// # Where it builds
//
// Everywhere. Libraries are loaded on Linux and macOS, amd64 and arm64; elsewhere, and with -tags nodl, gonum is the only peer
// and Load says so. A binary that imports this package is dynamically linked unless it is built with -tags nodl.
package peer

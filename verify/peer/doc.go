// Package peer loads the BLAS libraries a machine already has, to stand beside our kernels in a benchmark. Start with
// [Available], or [Load] for one by name:
//
//	for _, g := range peer.Available() {
//		g.SetThreads(1)
//		g.F32(false, false, m, n, k, 1, a, k, b, n, 0, c, n) // C = A*B, row-major
//		fmt.Println(g.Name, g.Version)
//	}
//
// OpenBLAS, BLIS, MKL, libxsmm and oneDNN are opened with dlopen, so nothing is linked, cgo is not needed, and a library that is
// missing is an error which says what was tried and what to install. Gonum is always there. A library with cblas_sgemm and
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
// name another file, or the folder it is in; what is named there is the only thing tried.
//
// # What a library does not have
//
// oneDNN has products of float32 only, libxsmm kernels for some shapes and no factors. [Gemm.Can] says so, and F32 and F64 panic
// with what it says rather than do the product in a way that is not the library's best:
//
//	if err := g.Can(dtype.F64, false, false, m, n, k, 1, 0); err != nil {
//		fmt.Println(err) // peer: onednn: no product of f64 8x8x8, ...: it has products of f32 only
//	}
//
// # Narrow types
//
// [Narrow] has MKL, oneDNN and libxsmm multiply bf16, f16 and integers of 8 and 16 bits, with a second factor that was packed
// beforehand in the library's own way, where they have such products.
//
// # A fair comparison
//
// A library that is older than the CPU may take it for a lesser one: on Zen 5, OpenBLAS 0.3.21 runs at half of what it does with
// OPENBLAS_CORETYPE=SkylakeX, BLIS 0.9.0 at a sixth of what it does with BLIS_ARCH_TYPE=0. Gemm.ISA names the instruction
// set of the kernels that a library chose, where it says, and Gemm.Note what is wrong with the choice: show both beside the numbers, or set the variable, with os.Setenv before the first Load at the latest.
//
// The newest kernels are not always the best: for small and skinny products BLIS 0.9.0 is several times as fast with those for Zen
// 3 (BLIS_ARCH_TYPE=6) as with those for AVX-512, which have no way around packing.
//
// # What a call costs
//
// Crossing into C through reflection takes about a microsecond, which BenchmarkCall measures. A product of 64x64x64 takes the
// library a few microseconds, so below that size a timing says more about the crossing than about the library. [OpenLoop] compiles
// a loop in C, where there is a compiler, and [Repeat] has it call a library's product, or libxsmm's kernel by its address, as
// often as it is told. [InTurns] times such functions in turns, so that they can be compared on a machine that does other work too.
//
// # Where it builds
//
// Everywhere. Libraries are loaded on Linux and macOS, amd64 and arm64; elsewhere, and with -tags nodl, gonum is the only peer
// and Load says so. A binary that imports this package is dynamically linked unless it is built with -tags nodl.
package peer

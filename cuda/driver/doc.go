// Package driver is NVIDIA's driver as a [cuda.Device], called from Go without cgo and
// without the CUDA toolkit. Start with [Open].
//
// # Which driver
//
// The package looks for libcuda.so.1 where the system's linker looks, and where WSL,
// NVIDIA's containers and NixOS have it; on Windows for nvcuda.dll in System32.
// TILESMITH_LIBCUDA names another file or its folder; then nothing else is tried. Any
// driver from CUDA 11.0 on (r450) will do. A kernel needs one that reads its version of
// PTX; if this one does not, Load says which does.
//
// # Compiling
//
// The driver compiles PTX for the GPU when you load it. If that fails, Load returns the
// compiler's log and the lines that it refers to. Load also fails if the log says that
// the kernel was serialised, or has another of ptxas's advisories C75xx. Such a kernel
// is right, but several times too slow. The driver caches compiled kernels on disk
// (CUDA_CACHE_PATH), and cached kernels have no log. Set CUDA_CACHE_DISABLE=1 when you
// check kernels.
//
// # Goroutines
//
// You may call everything from any goroutine. The driver has a current context for each
// thread of the system, and a goroutine may be on another thread after every call. So
// each method holds its thread and sets the context there first. The context is the
// primary one, which cuBLAS and other libraries use too; see [Do]. Objects that you free
// or close while others use them are destroyed when they are done, and later calls get
// [cuda.ErrClosed].
//
// # Costs
//
// A launch, a queued copy and an event allocate nothing and are two calls into C each.
// Data passes through two pinned buffers of 1 MB per stream, because the device must not
// read memory that the program goes on to change.
//
// # Where it builds
//
// Everywhere. Drivers are loaded on Linux and Windows, amd64 and arm64; elsewhere, and
// with -tags nodl, Open fails with [cuda.ErrNoDriver] and says so. On Linux a binary
// that imports this package is dynamically linked unless it is built with -tags nodl.
// No GPU was at hand when this was written. The tests run on a driver of their own in
// C, testdata/fake, and on a GPU where there is one.
package driver

// Package driver is NVIDIA's driver as a [cuda.Device], called from Go without cgo and
// without the CUDA toolkit. Start with [Open].
//
// # Which driver
//
// libcuda.so.1 is looked for where the system's linker looks, and where WSL, NVIDIA's
// containers and NixOS have it; nvcuda.dll in System32. TILESMITH_LIBCUDA names
// another file, or the folder it is in; then nothing else is tried. Any driver from
// CUDA 11.0 on (r450) will do; a kernel needs one that reads its version of PTX, and
// Load says which if this one does not.
//
// # Compiling
//
// The driver compiles PTX for the GPU when it is loaded. Load fails with the
// compiler's log and the lines of text it speaks of; it fails too if the log says
// that the kernel was serialised, or anything else of ptxas's advisories C75xx, for
// such a kernel is right and several times too slow. The driver keeps what it
// compiled in a cache on disk (CUDA_CACHE_PATH), and what comes from there has no
// log: set CUDA_CACHE_DISABLE=1 where kernels are checked.
//
// # Goroutines
//
// Everything may be called from any goroutine. The driver has a current context for
// each thread of the system, and a goroutine may be on another thread after every
// call; so each method holds its thread for as long as it needs, and sets the context
// there first. The context is the primary one, which cuBLAS and its like use too; see
// [Do]. What is freed or closed while others use it is destroyed when they are done,
// and later calls get [cuda.ErrClosed].
//
// # Costs
//
// A launch, a queued copy, an event allocate nothing and are two calls into C. Data
// passes through two pinned buffers of 1 MB a stream, because the device must not
// read memory that the program goes on to change.
//
// # Where it builds
//
// Everywhere. Drivers are loaded on Linux and Windows, amd64 and arm64; elsewhere, and
// with -tags nodl, Open fails with [cuda.ErrNoDriver] and says so. On Linux a binary
// that imports this package is dynamically linked unless it is built with -tags nodl.
// No GPU was at hand when this was written: the tests run on a driver of their own in
// C, testdata/fake, and on a GPU where there is one.
package driver

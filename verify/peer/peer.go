package peer

import (
	"runtime"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Peer is a [Library] of dense products.
type Peer = Library[Gemm, *Gemm]

// A Gemm is a library that loaded: row-major C = alpha*op(A)*op(B) + beta*C, with op(A) m by k, op(B) k by n.
//
// F32 and F64 panic when a size is negative or above 2^31-1, when a leading dimension is shorter than a stored row, or when a
// slice is too short. No library is called with a pointer that it could run past. They also panic when there
// is no such product, which [Gemm.Can] tells beforehand. When beta is 0, C is not read.
type Gemm struct {
	Name    string
	Version string // the library's own words, with the core it chose where it says so
	Path    string // the file, or an import path
	ISA     string // what its kernels are written for: sse2, avx, avx2, avx512 or go; "" where it does not say
	Note    string // why a comparison would be unfair to it, and what to change; else empty. A report shows it

	F32 func(transA, transB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int)
	F64 func(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)

	// SetThreads says how many threads the products after it may use; less than 1 means all CPUs. It is never nil. It holds for
	// the library, not for this Gemm alone, and is not to be called while a product runs.
	SetThreads func(n int)

	// Threaded is false for a build that runs on one thread whatever SetThreads was told.
	Threaded bool

	can      func(product) string                // why there is no such product, "" if there is; nil: there are all of them
	entry    func(product) (uintptr, convention) // the C function for a product that there is; nil: none of C
	narrow   func(narrowProduct) (func(times int64) error, error)
	blocks   func(t dtype.Type, n int, form BlocksForm, strideA, strideB int) (uintptr, error) // a kernel for sums over blocks
	convolve func(p convolution, c *Convolver) error                                           // makes a convolution
	perCall  func()                                                                            // before each product, on the thread that runs it, locked to it; nil: nothing
}

// found says where the library was.
func (g *Gemm) found(name, file string) {
	g.Name = name
	if g.Path == "" {
		g.Path = file
	}
}

var peers shelf[Gemm, *Gemm]

func declare(p Peer) Peer { return peers.add(p) }

// Load opens the named peer: openblas, blis, mkl, libxsmm, onednn or gonum.
func Load(name string) (*Gemm, error) { return peers.load("peer", name) }

// Available opens every peer and returns those that load, by name. Gonum is always among them.
func Available() []*Gemm { return peers.available() }

// threads is the meaning of SetThreads' argument.
func threads(n int) int {
	if n < 1 {
		return runtime.NumCPU()
	}
	return n
}

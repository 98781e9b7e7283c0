package sweep

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A GemmFunc sets row-major C = alpha*op(A)*op(B) + beta*C, with op(A) m by k and op(B)
// k by n, as cblas_sgemm does.
type GemmFunc[T float32 | float64] = func(transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)

// A LoopFunc makes a product ready for being computed many times over.
type LoopFunc[T float32 | float64] = func(transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) func(times int)

// A Peer is a library to compare a kernel with. Package peer loads some; this package
// does not import it, since that would make every binary dynamic. Functions that a
// library lacks are nil.
type Peer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	ISA     string `json:"isa,omitempty"`  // what its kernels are written for; "" if that is not known
	Note    string `json:"note,omitempty"` // why a comparison would be unfair to it

	SetThreads func(n int)       `json:"-"` // nil: it has one thread
	F32        GemmFunc[float32] `json:"-"`
	F64        GemmFunc[float64] `json:"-"`
	// Can says why there is no product C = op(A)*op(B) of such a shape. It returns nil if
	// there is one.
	Can func(t dtype.Type, transA, transB bool, m, n, k int) error `json:"-"`
	// Loop32 and Loop64 return a function that computes C = op(A)*op(B) many times in one
	// call. Timings of small products then exclude the way from Go into C. They are nil,
	// or return nil, if there is no such loop.
	Loop32 LoopFunc[float32] `json:"-"`
	Loop64 LoopFunc[float64] `json:"-"`
	// SpMM makes C = A*B ready for a sparse m x k a, row-major b with n columns and
	// row-major c. fetch is called after the first run, before c is read.
	SpMM func(c []float32, a sparse.Matrix[float32], b []float32, n int) (run func(), fetch func() error, free func(), err error) `json:"-"`
	// Slow marks a library that takes seconds where others take milliseconds: it is
	// left out of products above 2e9 flop.
	Slow bool `json:"-"`
}

// runs is what a library's code is written for, in a word.
func (p *Peer) runs() string { return orUnknown(p.ISA) }

func (p *PeerResult) runs() string { return orUnknown(p.ISA) }

func orUnknown(isa string) string {
	if isa == "" {
		return "unknown"
	}
	return isa
}

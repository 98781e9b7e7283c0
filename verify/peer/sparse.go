package peer

import (
	"errors"
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
)

// A SparsePeer is a [Library] of sparse products.
type SparsePeer = Library[Sparse, *Sparse]

// Sparse is a library that multiplies sparse matrices, loaded. It works on one
// thread.
type Sparse struct {
	Name    string
	Version string
	Path    string
	Note    string // what to know about a comparison; else empty

	// F32 makes a library ready to compute C = A*B. a is m x k, b is k x n and c is m x n,
	// both row-major without gaps. The steps that a library does once for a matrix
	// (conversion, analysis, tuning) happen here. It keeps b and c. An error says which slice
	// has the wrong length, or what the library said.
	F32 func(c []float32, a sparse.Matrix[float32], b []float32, n int) (*Product, error)
}

// Product is one product of a library, to be run any number of times.
type Product struct {
	Run func() // computes C from A and B

	// Fetch writes C to the slice, for libraries that keep C to themselves; for
	// others it does nothing. It is to be called after the first Run.
	Fetch func() error

	Free func() // gives back what the library allocated; Run must not be called again
}

var sparsePeers shelf[Sparse, *Sparse]

func declareSparse(p SparsePeer) SparsePeer { return sparsePeers.add(p) }

// AvailableSparse opens every sparse peer and returns those that load, by name.
func AvailableSparse() []*Sparse { return sparsePeers.available() }

// LoadSparse opens the named sparse peer: graphblas, librsb or mkl.
func LoadSparse(name string) (*Sparse, error) { return sparsePeers.load("sparse peer", name) }

// found says where the library was, and has products checked before it sees them.
func (s *Sparse) found(name, file string) {
	s.Name, s.Path = name, file
	prepare := s.F32
	s.F32 = func(c []float32, a sparse.Matrix[float32], b []float32, n int) (*Product, error) {
		if err := checkSparse(c, a, b, n); err != nil {
			return nil, fmt.Errorf("peer: %s: %w", name, err)
		}
		if a.NNZ() == 0 || n == 0 { // libraries differ in whether they take these
			return &Product{Run: func() { clear(c) }, Fetch: nothing, Free: func() {}}, nil
		}
		product, err := prepare(c, a, b, n)
		if err != nil {
			return nil, fmt.Errorf("peer: %s: %w", name, err)
		}
		return product, nil
	}
}

func nothing() error { return nil }

var errSlice = errors.New("want as many elements as the matrix has")

// checkSparse returns an error unless a library stays within its slices.
func checkSparse(c []float32, a sparse.Matrix[float32], b []float32, n int) error {
	const most = 1<<31 - 1
	m, k := a.Dims()
	switch {
	case n < 0 || n > most:
		return fmt.Errorf("n is %d, want 0 to %d", n, most)
	case int64(len(b)) != int64(k)*int64(n):
		return fmt.Errorf("b has %d elements for %d x %d: %w", len(b), k, n, errSlice)
	case int64(len(c)) != int64(m)*int64(n):
		return fmt.Errorf("c has %d elements for %d x %d: %w", len(c), m, n, errSlice)
	}
	return nil
}

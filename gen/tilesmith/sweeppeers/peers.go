// Package sweeppeers passes the libraries that package peer finds to package sweep, which
// may not import it. The command imports it, and so do programs around your kernels when
// you ask for libraries.
//
// Start with [Find].
package sweeppeers

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/sweep"
)

// Find loads peers by name: of dense products, of sparse ones, or both. One name "all"
// is whatever loads; a name that does not load is an error which says what to install.
func Find(names []string) ([]sweep.Peer, error) {
	if slices.Equal(names, []string{"all"}) {
		var all []sweep.Peer
		for _, g := range peer.Available() {
			all = append(all, dense(g))
		}
		for _, s := range peer.AvailableSparse() {
			all = merge(all, s)
		}
		return all, nil
	}
	var some []sweep.Peer
	for _, name := range names {
		if slices.ContainsFunc(some, func(p sweep.Peer) bool { return p.Name == name }) {
			continue
		}
		g, err := peer.Load(name)
		if err == nil {
			some = append(some, dense(g))
		}
		s, sparseErr := peer.LoadSparse(name)
		if sparseErr == nil {
			some = merge(some, s)
		}
		switch noDense, noSparse := err != nil && strings.Contains(err.Error(), "no peer is called"), sparseErr != nil && strings.Contains(sparseErr.Error(), "no sparse peer is called"); {
		case noDense && noSparse:
			return nil, fmt.Errorf("--peers: %w, and for sparse products %w", err, sparseErr)
		case err != nil && sparseErr != nil && noDense:
			return nil, sparseErr
		case err != nil && sparseErr != nil:
			return nil, err
		}
	}
	return some, nil
}

func dense(g *peer.Gemm) sweep.Peer {
	p := sweep.Peer{Name: g.Name, Version: g.Version, ISA: g.ISA, Note: g.Note, F32: g.F32, F64: g.F64, SetThreads: g.SetThreads, Slow: g.Name == "gonum"}
	if !g.Threaded {
		p.SetThreads = nil
	}
	p.Can = func(t dtype.Type, transA, transB bool, m, n, k int) error {
		return g.Can(t, transA, transB, m, n, k, 1, 0)
	}
	p.Loop32, p.Loop64 = loop[float32](g), loop[float64](g)
	return p
}

// openLoop compiles the loop in C that small products are timed in, once. It is nil if
// there is no compiler.
var openLoop = sync.OnceValue(func() *peer.Loop {
	l, err := peer.OpenLoop()
	if err != nil {
		return nil
	}
	return l
})

// loop calls g from that loop.
func loop[T float32 | float64](g *peer.Gemm) sweep.LoopFunc[T] {
	return func(transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) func(times int) {
		// In larger products the way into C is nothing, and not every library's entry is
		// open to a loop.
		const small = 1e6
		l := openLoop()
		if l == nil || float64(m)*float64(n)*float64(k) > small {
			return nil
		}
		run, err := peer.Repeat(l, g, transA, transB, 1, m, n, k, peer.Operand[T]{Data: a, LD: lda}, peer.Operand[T]{Data: b, LD: ldb}, peer.Operand[T]{Data: c, LD: ldc})
		if err != nil {
			return nil
		}
		return run
	}
}

// merge adds a library's sparse product to its entry, or makes one.
func merge(all []sweep.Peer, s *peer.Sparse) []sweep.Peer {
	i := slices.IndexFunc(all, func(p sweep.Peer) bool { return p.Name == s.Name })
	if i < 0 {
		i = len(all)
		all = append(all, sweep.Peer{Name: s.Name, Version: s.Version, Note: s.Note})
	}
	all[i].SpMM = func(c []float32, a sparse.Matrix[float32], b []float32, n int) (func(), func() error, func(), error) {
		p, err := s.F32(c, a, b, n)
		if err != nil {
			return nil, nil, nil, err
		}
		return p.Run, p.Fetch, p.Free, nil
	}
	return all
}

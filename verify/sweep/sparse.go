package sweep

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Structures of sparse operands. Random structures depend on their names only, so
// results of different days are of the same matrix.
const (
	powerLaw = "rmat"    // 2^14 nodes, 100,000 edges: a graph of the size of pubmed
	even     = "uniform" // 2^13 rows of 16 entries
	pruned   = "pruned"  // 1024 x 1024 weights of which one in ten is left
	given    = "shape"   // as --shapes says, 16 entries a row
)

const perRow = 16

// structure makes the matrix of a workload, with at most so many entries a row where that
// can be chosen.
func structure(p Workload, most int) (sparse.Matrix[float64], error) {
	switch p.Matrix {
	case powerLaw:
		return sample.RMAT[float64](1<<14, 100_000, .57, .19, .19, 1)
	case even:
		return sample.Uniform[float64](1<<13, 1<<13, min(perRow, most), 1)
	case pruned:
		return sample.Pruned[float64](1024, 1024, .9, 1)
	case given:
		return sample.Uniform[float64](p.M, p.K, min(perRow, p.K, most), 1)
	}
	return sparse.Matrix[float64]{}, fmt.Errorf("there is no sample matrix %q", p.Matrix)
}

// fits refuses what would take too much memory.
func fits(p Workload, size int) error {
	rows, columns, entries := float64(p.M), float64(p.K), float64(p.M)*float64(min(perRow, p.K))
	b := (rows+columns)*float64(p.N)*float64(size) + entries*float64(4+size)
	if b > MostBytes {
		return fmt.Errorf("%v takes %.3g GB; operands and result may take %.3g GB together", p, b/1e9, float64(MostBytes)/1e9)
	}
	return nil
}

// sparseWorkloads is what a sparse product is measured on: features is the number of
// columns that the kernel was generated for, 0 for any.
func sparseWorkloads(g Grid, features int, usual ...int) []Workload {
	if features > 0 {
		usual = []int{features}
	}
	var all []Workload
	if g.Shapes != nil {
		for _, s := range g.Shapes {
			p := Workload{Matrix: given, M: s.M, N: s.N, K: s.K}
			if features > 0 {
				p.N = features
			}
			all = append(all, p)
		}
		return all
	}
	names := []string{powerLaw, even, pruned}
	if g.Quick {
		names, usual = names[:1], usual[:1]
	}
	for _, name := range names {
		dim := map[string]int{powerLaw: 1 << 14, even: 1 << 13, pruned: 1024}[name]
		for _, n := range usual {
			all = append(all, Workload{Matrix: name, M: dim, N: n, K: dim})
		}
	}
	return all
}

// sparseRival is a peer's product of the same matrices, nil if it has none. Its results
// are compared with what the kernel left.
func sparseRival(peer Peer, x *check.Timed, n int) (*Rival, error) {
	if peer.SpMM == nil {
		return nil, nil
	}
	out := check.Get[[]float32](x.Problem, 0)
	c := make([]float32, len(out))
	run, fetch, free, err := peer.SpMM(c, check.Get[sparse.Matrix[float32]](x.Problem, check.S), check.Get[[]float32](x.Problem, check.B), n)
	if err != nil {
		return nil, err
	}
	return &Rival{Run: repeated(run), Close: free, Check: func() error {
		x.Call()
		run()
		if err := fetch(); err != nil {
			return err
		}
		for i, want := range out {
			if d := math.Abs(float64(c[i]) - float64(want)); !(d <= 1e-4*max(1, math.Abs(float64(want)))) {
				return fmt.Errorf("element (%d, %d): have %v, ours is %v", i/n, i%n, c[i], want)
			}
		}
		return nil
	}}, nil
}

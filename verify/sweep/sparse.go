package sweep

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
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
func structure[T dtype.Float](p Workload, most int) (sparse.Matrix[T], error) {
	switch p.Matrix {
	case powerLaw:
		return sample.RMAT[T](1<<14, 100_000, .57, .19, .19, 1)
	case even:
		return sample.Uniform[T](1<<13, 1<<13, min(perRow, most), 1)
	case pruned:
		return sample.Pruned[T](1024, 1024, .9, 1)
	case given:
		return sample.Uniform[T](p.M, p.K, min(perRow, p.K, most), 1)
	}
	return sparse.Matrix[T]{}, fmt.Errorf("there is no sample matrix %q", p.Matrix)
}

// one is a matrix of one entry.
func one[T dtype.Float]() sparse.Matrix[T] {
	m, err := sample.Uniform[T](1, 1, 1, 1)
	if err != nil {
		panic(err) // the arguments are right
	}
	return m
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

// SpMM is a product of a sparse matrix with a dense one, or with a vector.
func SpMM[T dtype.Float](of func(opt run.Options) check.SpMMCase[T]) Kernel {
	t := dtype.Of[T]()
	c := of(run.Options{})
	k := Kernel{
		Name: c.Name, Family: "SpMM", Types: t.String(), Acc: t,
		Has: func(isa string) bool {
			c := of(run.Options{ISA: isa, Threads: 1})
			x, err := c.Timed(one[T](), max(c.Features, 1))
			return err != nil || callable(x.Call)
		},
		Suite: func(tb check.TB, isa string) {
			check.SpMM(tb, func(threads int) check.SpMMCase[T] { return of(run.Options{ISA: isa, Threads: threads}) })
		},
		Workloads: func(g Grid) []Workload {
			workloads := sparseWorkloads(g, c.Features, 128, 32)
			if c.Format.Name != "" && g.Quick { // which may hold no graph
				workloads = sparseWorkloads(Grid{}, c.Features, 128)[1:2]
			}
			return workloads
		},
		Ready: func(pt Point) (*Problem, error) {
			c, need := of(run.Options{ISA: pt.ISA, Threads: pt.Threads}), pt.Workload
			if c.Segments { // b has a row for each entry
				need.K = need.M * perRow
			}
			if err := fits(need, t.Size()); err != nil {
				return nil, err
			}
			m, err := structure[T](pt.Workload, c.Degree())
			if err != nil {
				return nil, err
			}
			x, err := c.Timed(m, pt.N)
			if err != nil {
				return nil, err
			}
			problem := timed(x)
			sums := c.Plain && c.Plus == nil && !c.Mean && !c.Pattern && pt.Threads == 1
			if sums && c.Format.Name == "" {
				problem.Expect = advised(m, pt.N, pt.ISA)
			}
			if sums && t == dtype.F32 {
				problem.Beside = func(peer Peer) (*Rival, error) { return sparseRival(peer, x, pt.N) }
			}
			return problem, nil
		},
	}
	if c.Vector {
		k.Family = "SpMV"
		k.Workloads = func(g Grid) []Workload { return sparseWorkloads(g, 1) }
	}
	return k
}

// sparseRival is a peer's product of the same matrices, nil if it has none. Its results
// are compared with what the kernel left.
func sparseRival(peer Peer, x *check.Timed, n int) (*Rival, error) {
	if peer.SpMM == nil {
		return nil, nil
	}
	c := make([]float32, len(x.Out().([]float32)))
	run, fetch, free, err := peer.SpMM(c, x.Sparse.(sparse.Matrix[float32]), x.B.([]float32), n)
	if err != nil {
		return nil, err
	}
	return &Rival{Run: repeated(run), Close: free, Check: func() error {
		x.Call()
		run()
		if err := fetch(); err != nil {
			return err
		}
		for i, want := range x.Out().([]float32) {
			if d := math.Abs(float64(c[i]) - float64(want)); !(d <= 1e-4*max(1, math.Abs(float64(want)))) {
				return fmt.Errorf("element (%d, %d): have %v, ours is %v", i/n, i%n, c[i], want)
			}
		}
		return nil
	}}, nil
}

// SDDMM is a dense product at the entries of a sparse matrix, m x k, of vectors of n elements.
func SDDMM[T dtype.Float](of func(opt run.Options) check.SDDMMCase[T]) Kernel {
	features := of(run.Options{}).Features
	return onMatrix(Kernel{
		Name: of(run.Options{}).Name, Family: "SDDMM",
		Workloads: func(g Grid) []Workload { return sparseWorkloads(g, features, 128, 32) },
	}, of, check.SDDMM[T], func(c check.SDDMMCase[T], m sparse.Matrix[T], n int) (*check.Timed, error) {
		return c.Timed(m, n), nil
	})
}

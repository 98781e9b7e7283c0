package metis

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/part"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// needMETIS skips a test where there is no library, unless TILESMITH_LIBMETIS promises one.
func needMETIS(t *testing.T) {
	t.Helper()
	if err := Available(); err != nil {
		if os.Getenv(variable) != "" && noLoader == "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(x T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

type matrix = sparse.Matrix[float64]

func rmat(t testing.TB) matrix {
	return must[matrix](t)(sample.RMAT[float64](1<<12, 28714, .57, .19, .19, 1))
}

// symmetric are matrices whose pattern is.
func symmetric(t testing.TB) map[string]matrix {
	a := rmat(t)
	return map[string]matrix{
		"grid":   must[matrix](t)(sample.Diagonals[float64](4096, 4096, -64, -1, 1, 64)),
		"rmat":   must[matrix](t)(a.Add(a.Transpose())),
		"blocks": must[matrix](t)(sample.ChungLu[float64](sample.Graph{Nodes: 4000, Entries: 60000, Gamma: 2.5, MaxDegree: 200, Local: .5, Community: 500}, 1)),
	}
}

// What METIS calls the total volume is km1 of the column-net hypergraph, conformal.
func TestVolumeIsKM1(t *testing.T) {
	needMETIS(t)
	for name, a := range symmetric(t) {
		h := must[*part.Hypergraph](t)(part.ColumnNet(a, part.Model{}))
		g := must[part.Graph](t)(part.GraphOf(a, part.Model{}))
		for _, k := range []int{4, 8} {
			p, volume, err := KWay(g, k, Options{Objective: Volume, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := part.Measure(h, p).KM1; got != volume || volume == 0 {
				t.Errorf("%s in %d: km1 %d, METIS counts %d", name, k, got, volume)
			}
			t.Logf("%s in %d: %d rows", name, k, volume)
			p, cut, err := KWay(g, k, Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			want := int64(0)
			for v := range g.Vertices() {
				for i := g.First[v]; i < g.First[v+1]; i++ {
					if u := int(g.Adj[i]); p.Of(u) != p.Of(v) && u > v {
						want += int64(g.Costs[i])
					}
				}
			}
			if cut != want {
				t.Errorf("%s in %d: METIS counts a cut of %d, it is %d", name, k, cut, want)
			}
		}
	}
}

// On a directed graph with heavy tails the hypergraph sends at least 15 % less than what is cut from the
// graph, rows being balanced, and a start from METIS is never made worse.
func TestHypergraphBeatsCut(t *testing.T) {
	needMETIS(t)
	a := rmat(t)
	h := must[*part.Hypergraph](t)(part.ColumnNet(a, part.Model{Weighing: part.Rows}))
	g := must[part.Graph](t)(part.GraphOf(a, part.Model{Weighing: part.Rows}))
	for _, k := range []int{4, 8, 16} {
		cut, _, err := KWay(g, k, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		o := part.Options{Seed: 1}
		was, own := part.Measure(h, cut), part.Measure(h, must[part.Partition](t)(part.Make(h, k, o)))
		if own.KM1*100 > was.KM1*85 {
			t.Errorf("k = %d: km1 %d, METIS-cut %d; want 15 %% less", k, own.KM1, was.KM1)
		}
		starts := must[[]part.Partition](t)(Starts(g, k, Options{Seed: 1}))
		refined := part.Measure(h, must[part.Partition](t)(part.Refine(h, starts[0], part.Options{Starts: starts[1:]})))
		least := min(was.KM1, part.Measure(h, starts[1]).KM1)
		if len(starts) != 2 || refined.KM1 > least {
			t.Errorf("k = %d: km1 %d refined from %d", k, refined.KM1, least)
		}
		t.Logf("k = %d: METIS-cut %d, best of cut and volume refined %d, own %d, %.1f %% less", k, was.KM1, refined.KM1, own.KM1, 100-100*float64(own.KM1)/float64(was.KM1))
	}
}

func TestSeedDecides(t *testing.T) {
	needMETIS(t)
	g := must[part.Graph](t)(part.GraphOf(symmetric(t)["rmat"], part.Model{Weighing: part.Rows}))
	draw := func(seed int32, eps float64) part.Partition {
		p, _, err := KWay(g, 5, Options{Seed: seed, Eps: eps})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if diff := cmp.Diff(draw(3, 0).Parts(), draw(3, 0).Parts()); diff != "" {
		t.Errorf("one seed, two partitions:\n%s", diff)
	}
	if cmp.Equal(draw(3, 0).Parts(), draw(4, 0).Parts()) {
		t.Error("two seeds, one partition: the option is not where it was thought")
	}
	if cmp.Equal(draw(3, 0).Parts(), draw(3, .5).Parts()) {
		t.Error("eps makes no difference: the option is not where it was thought")
	}
}

func TestSmallGraphs(t *testing.T) {
	needMETIS(t)
	for _, c := range []struct {
		name string
		g    part.Graph
		k    int
	}{
		{"a vertex", part.Graph{First: []int32{0, 0}}, 1},
		{"no edges", part.Graph{First: []int32{0, 0, 0, 0}}, 3},
		{"no weight", part.Graph{First: []int32{0, 1, 2}, Adj: []int32{1, 0}, Weights: []int32{0, 0}}, 2},
		{"two weights", part.Graph{First: []int32{0, 1, 2}, Adj: []int32{1, 0}, Constraints: 2, Weights: []int32{1, 2, 3, 4}}, 2},
		{"one part", part.Graph{First: []int32{0, 1, 2}, Adj: []int32{1, 0}}, 1},
	} {
		p, _, err := KWay(c.g, c.k, Options{})
		if err != nil || p.Len() != c.g.Vertices() || p.K() != c.k {
			t.Errorf("%s: %v, %v", c.name, p, err)
		}
	}
}

// Errors of arguments need no library.
func TestErrors(t *testing.T) {
	edge := part.Graph{First: []int32{0, 1, 2}, Adj: []int32{1, 0}}
	for _, c := range []struct {
		name string
		g    part.Graph
		k    int
		o    Options
		kind error
	}{
		{"no graph", part.Graph{}, 1, Options{}, sparse.ErrPointers},
		{"no vertices", part.Graph{First: []int32{0}}, 1, Options{}, sparse.ErrSize},
		{"no parts", edge, 0, Options{}, sparse.ErrSize},
		{"more parts than vertices", edge, 3, Options{}, sparse.ErrSize},
		{"one end", part.Graph{First: []int32{0, 1, 1}, Adj: []int32{1}}, 1, Options{}, sparse.ErrIndex},
		{"objective", edge, 1, Options{Objective: 2}, sparse.ErrSize},
		{"eps", edge, 1, Options{Eps: math.NaN()}, sparse.ErrSize},
		{"seed", edge, 1, Options{Seed: -1}, sparse.ErrSize},
	} {
		if _, _, err := KWay(c.g, c.k, c.o); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want an error of kind %q", c.name, err, c.kind)
		}
	}
	for _, c := range []struct {
		name      string
		g         part.Graph
		objective Objective
		bad       bool
	}{
		{"costs", part.Graph{First: edge.First, Adj: edge.Adj, Costs: []int32{1 << 30, 1 << 30}}, Cut, true},
		{"costs of a volume", part.Graph{First: edge.First, Adj: edge.Adj, Costs: []int32{1 << 30, 1 << 30}}, Volume, false},
		{"sizes", part.Graph{First: edge.First, Adj: edge.Adj, Sizes: []int32{1 << 29, 1 << 29}}, Volume, true},
		{"sizes of a cut", part.Graph{First: edge.First, Adj: edge.Adj, Sizes: []int32{1 << 29, 1 << 29}}, Cut, false},
		{"weights", part.Graph{First: edge.First, Adj: edge.Adj, Weights: []int32{1 << 30, 1 << 30}}, Cut, true},
	} {
		if err := narrow(c.g, c.objective); (err != nil) != c.bad {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestNoLibrary(t *testing.T) {
	if noLoader != "" {
		if err := Available(); !errors.Is(err, ErrNone) || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v", err)
		}
		return
	}
	_, err := load([]string{"/nowhere/libmetis.so"})
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "/nowhere/libmetis.so") || !strings.Contains(err.Error(), variable) {
		t.Errorf("%v", err)
	}
	if _, err := load([]string{"libc.so.6"}); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "is no METIS") {
		t.Errorf("%v", err)
	}
}

// Small graphs of all kinds, from several goroutines whose stacks move: nothing crashes, and the numbers
// that METIS returns are those of the partition.
func TestStorm(t *testing.T) {
	needMETIS(t)
	var all sync.WaitGroup
	for seed := range uint64(4) {
		all.Go(func() {
			r := rand.New(level.PCG(seed, 1))
			for range 150 {
				n := 1 + r.IntN(20)
				var is, js []int32
				for range r.IntN(60) {
					is, js = append(is, r.Int32N(int32(n))), append(js, r.Int32N(int32(n)))
				}
				ones, weights, sizes := make([]float64, len(is)), make([]int32, n), make([]int32, n)
				for v := range n {
					weights[v], sizes[v] = r.Int32N(4), r.Int32N(4)
				}
				a, err := sparse.FromCOO(n, n, is, js, ones)
				if err != nil {
					t.Error(err)
					return
				}
				b, err := a.Add(a.Transpose())
				if err != nil {
					t.Error(err)
					return
				}
				g, err := part.GraphOf(b, part.Model{Weights: weights, Costs: sizes})
				if err != nil {
					t.Error(err)
					return
				}
				h, err := g.Hypergraph()
				if err != nil {
					t.Error(err)
					return
				}
				deep(200, func() {
					p, volume, err := KWay(g, 1+r.IntN(n), Options{Objective: Volume})
					if err != nil {
						t.Error(err)
					} else if got := part.Measure(h, p).KM1; got != volume {
						t.Errorf("%v in %d: km1 %d, METIS counts %d", h, p.K(), got, volume)
					}
				})
			}
		})
	}
	all.Wait()
}

// deep calls f at the bottom of a stack that has grown for it.
func deep(n int, f func()) {
	var frame [64]int64
	if n == 0 {
		f()
		return
	}
	frame[n%64] = int64(n)
	deep(n-1, f)
	if frame[n%64] != int64(n) {
		panic("a frame has changed")
	}
}

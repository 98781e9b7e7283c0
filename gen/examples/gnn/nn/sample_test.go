package nn

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// TestDraw: what is drawn is in order, each once, and all numbers and pairs are as likely.
func TestDraw(t *testing.T) {
	const n, k, times = 7, 3, 21000
	var singles [n]int
	pairs := map[[2]int]int{}
	for seed := range uint64(times) {
		c := draw(rand.Stream{Seed: seed}, 5, n, k, nil)
		if len(c) != k || !slices.IsSorted(c) || len(slices.Compact(slices.Clone(c))) != k || c[0] < 0 || c[k-1] >= n {
			t.Fatalf("%v are not %d of the numbers below %d", c, k, n)
		}
		for a := range c {
			singles[c[a]]++
			for b := range a {
				pairs[[2]int{c[b], c[a]}]++
			}
		}
	}
	for v, got := range singles { // 9000 expected, with a deviation of 72
		if got < 8600 || got > 9400 {
			t.Errorf("%d was drawn %d times, want about 9000", v, got)
		}
	}
	for p, got := range pairs { // 3000 of 21 pairs, with a deviation of 51
		if len(pairs) != 21 || got < 2700 || got > 3300 {
			t.Errorf("%v of %d pairs was drawn %d times, want about 3000 of 21", p, len(pairs), got)
		}
	}
	for _, few := range []struct{ n, k int }{{3, 3}, {3, 4}, {3, 0}, {0, 2}} {
		if c := draw(rand.Stream{}, 0, few.n, few.k, nil); len(c) != few.n {
			t.Errorf("%d of %d: %v", few.k, few.n, c)
		}
	}
}

// star is a node that hears of four others, one of which hears of it, and one that nobody knows.
func star(t *testing.T) sparse.Matrix[float64] {
	t.Helper()
	g, err := sparse.FromCOO(6, 6, []int{0, 0, 0, 0, 3}, []int{1, 2, 3, 4, 0}, []float64{1, 1, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestBatch: with all neighbours, rows of a batch are those of the whole graph; with few, those of a graph that has few,
// whatever the order of the batch.
func TestBatch(t *testing.T) {
	graph := star(t)
	features, err := sparse.Identity[float64](6)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"mean", "max"} {
		mean := NewEdges(Mean(graph))
		near, far := *mean, *mean
		words := NewSparseLinear("words", features, 4, 0)
		net := Sequential[float64]{words, &SAGEMean[float64]{Edges: &far}, NewLinear[float64]("w", 2, 4), &SAGEMean[float64]{Edges: &near}, &L2Normalize[float64]{}}
		if kind == "max" {
			net[1], net[3] = NewSAGEPool("a", &far, 2, 2), NewSAGEPool("b", &near, 2, 2)
		}
		Glorot(net.Params(), 3)
		all := NewSampler(graph, features, words, []*Edges[float64]{&far, &near}, []int{0, 0})
		whole := slices.Clone(net.Forward(&Pass{}, layout.Matrix[float64]{}).Data)
		nodes := []int{3, 0, 5}
		run := func(s *Sampler[float64], nodes ...int) []float64 {
			s.Batch(&Pass{Seed: 1}, nodes)
			return slices.Clone(net.Forward(&Pass{}, layout.Matrix[float64]{}).Data)
		}
		var want []float64
		for _, i := range nodes {
			want = append(want, whole[2*i:2*i+2]...)
		}
		if d := cmp.Diff(want, run(all, nodes...), cmpopts.EquateApprox(1e-12, 0)); d != "" {
			t.Errorf("%s, all neighbours: (-whole +batch)\n%s", kind, d)
		}
		all.FullGraph()
		if d := cmp.Diff(whole, net.Forward(&Pass{}, layout.Matrix[float64]{}).Data); d != "" {
			t.Errorf("%s, whole again: (-want +got)\n%s", kind, d)
		}
		few := NewSampler(graph, features, words, []*Edges[float64]{&far, &near}, []int{2, 1})
		got, turned := run(few, 0, 3), run(few, 3, 0)
		if !cmp.Equal(got[:2], turned[2:], cmpopts.EquateApprox(1e-12, 0)) || cmp.Equal(got[:2], whole[:2], cmpopts.EquateApprox(1e-6, 0)) {
			t.Errorf("%s: of one or two of four neighbours %v, in another order %v; of all four %v", kind, got[:2], turned[2:], whole[:2])
		}
		if near.To.NNZ() != 2 || near.To.Rows() != 2 {
			t.Errorf("%s: %d edges to %d nodes, want 1+1 to 2", kind, near.To.NNZ(), near.To.Rows())
		}
	}
}

// TestSAGEPool compares a layer with its formula.
func TestSAGEPool(t *testing.T) {
	edges := NewEdges(star(t))
	l := NewSAGEPool("p", edges, 2, 1)
	copy(l.act.Row.Value.Data, []float64{.5, -1})
	copy(l.weights.Weights.Value.Data, []float64{10, 100})
	// own and two numbers of others; ReLU(others+bias) is beside.
	x := layout.RowMajor([]float64{
		1, 0, 0, // .5 0
		2, 1, 1, // 1.5 0
		3, -1, 3, // 0 2
		4, 2, 2, // 2.5 1
		5, 0, 0,
		6, 9, 9}, 6, 3)
	got := l.Forward(&Pass{}, x)
	if d := cmp.Diff([]float64{1 + 25 + 200, 2, 3, 4 + 5, 5, 6}, got.Data); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	dx := l.Backward(layout.RowMajor([]float64{1, 1, 1, 2, 1, 1}, 6, 1))
	want := make([]float64, 18)
	for i, d := range []float64{1, 1, 1, 2, 1, 1} {
		want[3*i] = d
	}
	want[3*3+1], want[3*2+2], want[1] = 10, 100, 20 // what node 3 heard of 0 is 0 in the second, where ReLU has no slope
	if d := cmp.Diff(want, dx.Data); d != "" {
		t.Errorf("gradient: (-want +got)\n%s", d)
	}
}

// TestShuffle: every order of three is as likely, and one seed has one.
func TestShuffle(t *testing.T) {
	seen := map[[3]int]int{}
	for seed := range uint64(6000) {
		var order [3]int
		Shuffle(rand.Stream{Seed: seed}, order[:])
		seen[order]++
	}
	for order, times := range seen { // a deviation of 29
		if len(seen) != 6 || times < 850 || times > 1150 {
			t.Errorf("%v of %d orders came %d times, want about 1000 of 6", order, len(seen), times)
		}
	}
}

// TestL2Normalize: rows have length 1, and one of zeros stays.
func TestL2Normalize(t *testing.T) {
	u := &L2Normalize[float64]{}
	got := u.Forward(&Pass{}, layout.RowMajor([]float64{3, -4, 0, 0}, 2, 2))
	if d := cmp.Diff([]float64{.6, -.8, 0, 0}, got.Data); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	// What is along the row is left out; the rest is divided by 5.
	if d := cmp.Diff([]float64{.128, .096, 1e6, 2e6}, u.Backward(layout.RowMajor([]float64{1, 0, 1, 2}, 2, 2)).Data[:4], cmpopts.EquateApprox(1e-12, 0)); d != "" {
		t.Errorf("gradient: (-want +got)\n%s", d)
	}
}

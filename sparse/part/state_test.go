package part

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
)

// After any moves all counts are those of a state made afresh, gains say what moves do, and
// every vertex whose gains changed was touched.
func TestMoves(t *testing.T) {
	r := rand.New(level.PCG(11, 12))
	for range level.Of(6, 20, 30) {
		n, k := 2+r.IntN(30), 2+r.IntN(4)
		h := draw(t, r, n, 40, 6, 5)
		part := make([]int32, n)
		for v := range part {
			part[v] = r.Int32N(int32(k))
		}
		limit := slices.Repeat([]int64{h.total}, k)
		s := newState(h, part, limit)
		for range 50 {
			v, to := r.Int32N(int32(n)), r.Int32N(int32(k))
			if part[v] == to {
				continue
			}
			gains := allGains(s)
			want := s.km1 - int64(gains[v][to])
			touched := map[int32]bool{v: true}
			s.move(v, to, func(u int32) { touched[u] = true })
			if s.km1 != want {
				t.Fatalf("km1 %d, the gain promised %d", s.km1, want)
			}
			fresh := newState(h, slices.Clone(part), limit)
			if diff := cmp.Diff([]any{fresh.km1, fresh.load, fresh.count, fresh.present, fresh.alone},
				[]any{s.km1, s.load, s.count, s.present, s.alone}); diff != "" {
				t.Fatalf("-fresh +moved:\n%s", diff)
			}
			if got := Measure(h, Partition{k, part}).KM1; got != s.km1 {
				t.Fatalf("km1 %d, measured %d", s.km1, got)
			}
			for u, g := range allGains(s) {
				if !touched[int32(u)] && !slices.Equal(g, gains[u]) {
					t.Fatalf("the gains of %d went from %v to %v untouched", u, gains[u], g)
				}
			}
		}
	}
}

// allGains has 0 for a vertex's own part.
func allGains(s *state) [][]int32 {
	out := make([][]int32, s.h.Vertices())
	for v := range out {
		for q := range s.k {
			g := int32(0)
			if int32(q) != s.part[v] {
				g = s.gain(int32(v), int32(q))
			}
			out[v] = append(out[v], g)
		}
	}
	return out
}

// What is coarser has the same weights and the same km1.
func TestContract(t *testing.T) {
	r := rand.New(level.PCG(13, 14))
	for range 100 {
		n := 1 + r.IntN(200)
		h := draw(t, r, n, 2*n, 7, 3)
		heaviest := int64(1 + r.IntN(20))
		var group []int32
		if r.IntN(2) == 0 {
			for range n {
				group = append(group, r.Int32N(3))
			}
		}
		of, clusters := cluster(h, heaviest, group, r)
		c := contract(h, of, clusters)
		if c.Vertices() != clusters || c.total != h.total {
			t.Fatalf("%d clusters, %v of weight %d", clusters, c, c.total)
		}
		members := make([]int, clusters)
		for v, to := range of {
			members[to]++
			if group != nil && group[v] != group[slices.Index(of, to)] {
				t.Fatalf("cluster %d is of two groups", to)
			}
		}
		for v, m := range members {
			if m == 0 || m > 1 && int64(c.weight[v]) > heaviest {
				t.Fatalf("a cluster of %d weighs %d; the limit is %d", m, c.weight[v], heaviest)
			}
		}
		seen := map[string]bool{}
		for j := range c.Nets() {
			net := c.Net(j)
			slices.Sort(net)
			text := fmt.Sprint(net)
			if len(net) < 2 || seen[text] {
				t.Fatalf("net %v is there twice, or within a cluster", net)
			}
			seen[text] = true
		}
		coarse := make([]int32, clusters)
		for v := range coarse {
			coarse[v] = r.Int32N(4)
		}
		fine := make([]int32, n)
		for v := range fine {
			fine[v] = coarse[of[v]]
		}
		if got, want := Measure(c, Partition{4, coarse}).KM1, Measure(h, Partition{4, fine}).KM1; got != want {
			t.Fatalf("km1 %d of the coarse one, %d of the fine one", got, want)
		}
	}
}

// The queue is one whatever is done to it.
func TestQueue(t *testing.T) {
	r := rand.New(level.PCG(15, 16))
	q := newQueue(50)
	in := map[int32]int64{}
	for range 20000 {
		v := r.Int32N(50)
		switch {
		case q.has(v) && r.IntN(3) == 0:
			q.remove(v)
			delete(in, v)
		default:
			key := r.Int64N(30)
			q.set(v, key)
			in[v] = key
		}
		if q.len() != len(in) {
			t.Fatalf("%d in the queue, want %d", q.len(), len(in))
		}
		if len(in) == 0 {
			continue
		}
		best := int64(-1)
		for _, key := range in {
			best = max(best, key)
		}
		if got := q.keyOf(q.top()); got != best || in[q.top()] != best {
			t.Fatalf("the first has key %d, want %d", got, best)
		}
	}
}

// What is too full is emptied by what costs the least: a vertex that no net needs there goes before the others.
func TestRebalance(t *testing.T) {
	h := must[*Hypergraph](t)(ColumnNet(grid(t, 20), Model{Weighing: Rows}))
	part := make([]int32, 400)
	s := newState(h, part, []int64{103, 103, 103, 103})
	if !rebalance(s) || s.overload() > 0 {
		t.Errorf("parts of %v", s.load)
	}
	// 0-1-2 and 2-3 in part 0, 4 in part 1 with 3: moving 3 gains, moving another loses.
	h = must[*Hypergraph](t)(NewHypergraph(5, []int32{0, 3, 5, 7}, []int32{0, 1, 2, 2, 3, 3, 4}, nil, []int32{5, 1, 3}))
	s = newState(h, []int32{0, 0, 0, 0, 1}, []int64{3, 3})
	if !rebalance(s) || !slices.Equal(s.part, []int32{0, 0, 0, 1, 1}) || s.km1 != 1 {
		t.Errorf("parts %v, km1 %d", s.part, s.km1)
	}
	// Nothing can be done for a vertex that is too heavy.
	h = must[*Hypergraph](t)(NewHypergraph(2, []int32{0, 2}, []int32{0, 1}, []int32{9, 1}, nil))
	if s = newState(h, []int32{0, 0}, []int64{8, 8}); rebalance(s) {
		t.Errorf("a vertex of 9 fits into 8: %v", s.part)
	}
}

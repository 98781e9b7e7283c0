package mesh_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/mesh"
)

// phaseOf orders the operations of a plan.
var phaseOf = map[mesh.Op]int{mesh.Slice: 0, mesh.AllToAll: 1, mesh.Permute: 1, mesh.Gather: 2}

// checkPlan holds all that a plan of steps promises, and returns what it costs: it goes
// from From to To by operations of the grammar in their order, each what it says it is,
// within the peak; and its counts are those of its exchanges.
func checkPlan(t *testing.T, p *mesh.Plan) (elements, messages int64) {
	t.Helper()
	name := fmt.Sprintf("%v to %v on %v", p.From, p.To, p.From.Mesh())
	at, last, peak := p.From, mesh.Slice, max(p.From.Tile(), p.To.Tile())
	if p.Peak != peak {
		t.Fatalf("%s: peak %d, want %d", name, p.Peak, peak)
	}
	ranks := p.Mesh.Size()
	perRank := make([]mesh.Traffic, ranks)
	for i, s := range p.Steps {
		for r := range ranks {
			if !slices.Equal(tile(at, r), tile(s.Before, r)) {
				t.Fatalf("%s: step %d goes on from %v, not %v", name, i, s.Before, at)
			}
		}
		if phaseOf[s.Op] < phaseOf[last] {
			t.Fatalf("%s: %v after %v", name, s.Op, last)
		}
		if got := kind(s.Before, s.After); !slices.Contains(got, s.Op) {
			t.Fatalf("%s: %v from %v to %v is none, but %v", name, s, s.Before, s.After, got)
		}
		if s.Tile != s.After.Tile() || s.Tile > peak {
			t.Fatalf("%s: tile %d of %v", name, s.Tile, s.After)
		}
		sent := traffic(s.Before, s.After, perRank)
		if diff := gocmp.Diff(sent, s.Sent); diff != "" {
			t.Fatalf("%s, %v: %s", name, s, diff)
		}
		if s.Op == mesh.Slice && sent.Messages > 0 {
			t.Fatalf("%s: a slice sends %v", name, sent)
		}
		elements += sent.MaxElements
		messages += sent.MaxMessages
		at, last = s.After, s.Op
	}
	for r := range ranks {
		if !slices.Equal(tile(at, r), tile(p.To, r)) {
			t.Fatalf("%s: ends at %v", name, at)
		}
	}
	var sum mesh.Traffic
	for _, r := range perRank {
		sum.MaxElements, sum.MaxMessages = max(sum.MaxElements, r.Elements), max(sum.MaxMessages, r.Messages)
		sum.Elements += r.Elements
		sum.Messages += r.Messages
	}
	if diff := gocmp.Diff(sum, p.Sent); diff != "" {
		t.Fatalf("%s: %s", name, diff)
	}
	return elements, messages
}

// traffic counts an exchange from the side of the receivers.
func traffic(from, to mesh.Sharding, perRank []mesh.Traffic) mesh.Traffic {
	x := mesh.Must(mesh.NewExchange(from, to))
	ranks := from.Mesh().Size()
	elements, messages := make([]int64, ranks), make([]int64, ranks)
	for r := range ranks {
		for _, p := range x.Receives(r) {
			if p.Src != r {
				elements[p.Src] += p.Elements()
				messages[p.Src]++
			}
		}
	}
	var sum mesh.Traffic
	for r := range ranks {
		sum.MaxElements, sum.MaxMessages = max(sum.MaxElements, elements[r]), max(sum.MaxMessages, messages[r])
		sum.Elements += elements[r]
		sum.Messages += messages[r]
		if perRank != nil {
			perRank[r].Elements += elements[r]
			perRank[r].Messages += messages[r]
		}
	}
	return sum
}

// kind returns which operations lead from one sharding to another, by what is written.
func kind(from, to mesh.Sharding) []mesh.Op {
	var ops []mesh.Op
	a, b := from.Dims(), to.Dims()
	var changed []int
	for i := range a {
		if !slices.Equal(a[i].Axes, b[i].Axes) {
			changed = append(changed, i)
		}
	}
	starts := func(long, short []string) bool {
		return len(long) > len(short) && slices.Equal(long[:len(short)], short)
	}
	if len(changed) == 1 {
		x, y := a[changed[0]].Axes, b[changed[0]].Axes
		if starts(y, x) {
			ops = append(ops, mesh.Slice)
		}
		if starts(x, y) && len(x) == len(y)+1 {
			ops = append(ops, mesh.Gather)
		}
	}
	if len(changed) == 2 {
		for _, c := range [][2]int{{changed[0], changed[1]}, {changed[1], changed[0]}} {
			x, y, u, v := a[c[0]].Axes, b[c[0]].Axes, a[c[1]].Axes, b[c[1]].Axes
			if starts(x, y) && starts(v, u) && slices.Equal(x[len(y):], v[len(u):]) {
				ops = append(ops, mesh.AllToAll)
			}
		}
	}
	if len(changed) > 0 && slices.Equal(from.Parts(), to.Parts()) {
		ops = append(ops, mesh.Permute)
	}
	return ops
}

// prices are those of a message and an element; without any, the default.
type prices struct{ Message, Element float64 }

func (p prices) time() mesh.Time {
	if p == (prices{}) {
		return nil
	}
	return func(messages, elements int64) float64 {
		return float64(p.Message*float64(messages)) + float64(p.Element*float64(elements))
	}
}

// TestReshardAllPairs: for every pair of shardings the plan keeps its promises and is as
// cheap as the cheapest that trying all of them finds.
func TestReshardAllPairs(t *testing.T) {
	var dear = prices{Message: 5, Element: 1} // small integers, so that sums are exact
	for _, c := range []struct {
		on    string
		shape []int
		cost  prices
	}{
		{"x=2,y=2,z=2", []int{8, 8}, prices{}}, {"x=2,y=2,z=2", []int{7, 5}, prices{}}, {"x=2,y=3", []int{7, 5}, prices{}},
		{"x=2,y=2,z=2", []int{9}, prices{}}, {"x=2,y=3,z=2", []int{12, 12}, prices{}}, {"x=2,y=3,z=2", []int{7, 2}, prices{}},
		{"x=2,y=2", []int{3, 4, 5}, prices{}}, {"x=2,y=2", []int{0, 4}, prices{}},
		{"x=2,y=2,z=2", []int{7, 5}, dear}, {"x=2,y=3", []int{12, 12}, dear}, {"x=2,y=3", []int{12, 12}, prices{Message: 1}},
	} {
		t.Run(fmt.Sprint(c.on, c.shape, c.cost), func(t *testing.T) {
			m := mesh.Must(mesh.ParseMesh(c.on))
			all := every(m, c.shape...)
			cheapest := brute(all, c.cost)
			refused, every := 0, level.Of(11, 3, 1)
			for i, from := range all {
				for j, to := range all {
					if (i+j)%every > 0 {
						continue
					}
					e, msgs, ok := cheapest(i, j)
					p, err := mesh.Reshard(from, to, mesh.Options{Time: c.cost.time()})
					if err != nil {
						if refused++; ok {
							t.Fatalf("%v to %v: %v", from, to, err)
						}
						continue
					}
					if gotE, gotM := checkPlan(t, p); !ok || gotE != e || gotM != msgs {
						t.Fatalf("%v to %v: %v, which costs %d elements and %d messages; %d and %d do", from, to, p.Steps, gotE, gotM, e, msgs)
					}
				}
			}
			t.Logf("%d pairs, %d refused", len(all)*len(all), refused)
		})
	}
}

// TestReshardSplits: axes are taken apart where that helps, and only there.
func TestReshardSplits(t *testing.T) {
	for _, c := range []struct{ on, from, to, want string }{
		{"x=4,y=2", "8{x} x 8{y}", "8{y} x 8{x}", "x.0=2,x.1=2,y=2"},
		{"x=4,y=2,x.0=1", "8{x} x 8{y}", "8{y} x 8{x}", "x.0_=2,x.1=2,y=2,x.0=1"},
		{"x=4,y=2", "8{x,y} x 8", "8 x 8{x,y}", "x=4,y=2"},
		{"x=16,y=16,z=2", "256{x} x 256{y}", "256{z} x 256{x,y}", "x.0=2,x.1=8,y=16,z=2"},
		{"x=64,y=64", "256{x} x 256{y}", "256{y} x 256{x}", "x=64,y=64"},
	} {
		m := mesh.Must(mesh.ParseMesh(c.on))
		p := mesh.Must(mesh.Reshard(mesh.Must(m.Parse(c.from)), mesh.Must(m.Parse(c.to)), mesh.Options{}))
		if p.Mesh.Size() < 100 {
			checkPlan(t, p)
		}
		if err := p.Check(); err != nil {
			t.Error(err)
		}
		if diff := gocmp.Diff(c.want, p.Mesh.String()); diff != "" {
			t.Errorf("%s to %s: %s\n%v", c.from, c.to, diff, p)
		}
	}
}

// TestReshardSplitsAllPairs: plans that take axes apart keep their promises, and are no
// dearer than the cheapest that does not.
func TestReshardSplitsAllPairs(t *testing.T) {
	for _, shape := range [][]int{{8, 8}, {7, 9}} {
		for _, on := range []string{"x=4,y=2", "x=4,y=6"} {
			all := every(mesh.Must(mesh.ParseMesh(on)), shape...)
			cheapest := brute(all, prices{})
			for i, from := range all {
				for j, to := range all {
					e, msgs, ok := cheapest(i, j)
					gotE, gotM := checkPlan(t, mesh.Must(mesh.Reshard(from, to, mesh.Options{})))
					if ok && (gotE > e || gotE == e && gotM > msgs) {
						t.Errorf("%v to %v on %s: %d elements and %d messages; %d and %d do", from, to, on, gotE, gotM, e, msgs)
					}
				}
			}
		}
	}
}

func TestReshardRefuses(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("a=2,b=2,c=2,d=2,e=2,f=2,g=3"))
	n := mesh.Must(mesh.ParseMesh("x=2"))
	for _, c := range []struct {
		from, to mesh.Sharding
		opt      mesh.Options
		want     string
	}{
		{mesh.Must(m.Parse("8{a}")), mesh.Must(m.Parse("8{b}")), mesh.Options{},
			"mesh.Reshard: a=2,b=2,c=2,d=2,e=2,f=2,g=3 has 7 axes longer than 1; steps are searched for with at most 6"},
		{mesh.Must(m.Parse("8{a}")), mesh.Must(n.Parse("8{x}")), mesh.Options{},
			"mesh.Exchange: from a sharding on a=2,b=2,c=2,d=2,e=2,f=2,g=3 to one on x=2; want one mesh"},
		{mesh.Must(n.Parse("8{x}")), mesh.Must(n.Parse("8 x 1")), mesh.Options{}, "mesh.Exchange: from 8{x} to 8 x 1, which is of another shape"},
		{mesh.Must(n.Parse("8{x:2}")), mesh.Must(n.Parse("8")), mesh.Options{},
			"mesh.Reshard: 8{x:2} is cyclic, which no steps can reach; set Options.Direct for one exchange"},
		{mesh.Must(n.Parse("8{x}")), mesh.Must(n.Parse("8")), mesh.Options{Time: prices{Message: -1}.time()},
			"mesh.Reshard: a cost of -1; want a finite one of at least 0"},
		{mesh.Must(n.Parse("8{x}")), mesh.Must(n.Parse("8")), mesh.Options{Time: prices{Element: math.NaN()}.time()},
			"mesh.Reshard: a cost of NaN; want a finite one of at least 0"},
	} {
		if _, err := mesh.Reshard(c.from, c.to, c.opt); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	p, err := mesh.Reshard(mesh.Must(m.Parse("8{a}")), mesh.Must(m.Parse("8{b}")), mesh.Options{Direct: true})
	if err != nil || len(p.Steps) != 1 || p.Steps[0].Op != mesh.Direct {
		t.Errorf("at once on 7 axes: %v, %v", p, err)
	}
	if _, err := mesh.GatherAll(mesh.Must(n.Parse("8{x:2}")), mesh.Must(n.Parse("8"))); err == nil {
		t.Error("GatherAll takes a cyclic array")
	}
}

// TestReshardNothing: where every rank has its tile already there is nothing to do,
// however it is written; cyclic dimensions have no steps otherwise.
func TestReshardNothing(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=2,z=1"))
	for _, c := range []struct {
		from, to string
		nothing  bool
	}{
		{"8{x} x 3", "8{x} x 3", true}, {"8{x,z}", "8{x}", true}, {"8{z}", "8", true},
		{"9{x:5}", "9{x}", true}, {"9{x:6}", "9{x}", false}, {"9{x:2}", "9{x:2}", true}, {"9{x:9}", "9{x:12}", true},
		{"9{x:4}", "9{x}", false}, {"9{x:2}", "9{y:2}", false},
	} {
		from, to := mesh.Must(m.Parse(c.from)), mesh.Must(m.Parse(c.to))
		p, err := mesh.Reshard(from, to, mesh.Options{})
		if nothing := err == nil && len(p.Steps) == 0; nothing != c.nothing {
			t.Errorf("%s to %s: %v, %v", c.from, c.to, p, err)
		}
		direct, err := mesh.Reshard(from, to, mesh.Options{Direct: true})
		if err != nil || (len(direct.Steps) == 0) != c.nothing || direct.Check() != nil {
			t.Errorf("%s to %s: %v, %v", c.from, c.to, direct, err)
		}
	}
}

// brute returns the price of the cheapest plan from one of all shardings on a mesh to
// another, by trying everything: Dijkstra's algorithm on the whole graph.
func brute(all []mesh.Sharding, cost prices) func(from, to int) (elements, messages int64, ok bool) {
	type edge struct {
		to, phase          int
		elements, messages int64
	}
	edges := make([][]edge, len(all))
	for i, a := range all {
		for j, b := range all {
			for _, op := range kind(a, b) {
				s := traffic(a, b, nil)
				edges[i] = append(edges[i], edge{j, phaseOf[op], s.MaxElements, s.MaxMessages})
			}
		}
	}
	type label struct {
		elements, messages int64
		seen, done         bool
	}
	less := func(x, y label) bool {
		of := func(l label) float64 {
			return cost.Element*float64(l.elements) + cost.Message*float64(l.messages)
		}
		return cmp.Or(cmp.Compare(of(x), of(y)), cmp.Compare(x.elements, y.elements), cmp.Compare(x.messages, y.messages)) < 0
	}
	return func(from, to int) (int64, int64, bool) {
		limit := max(all[from].Tile(), all[to].Tile())
		labels := make([][3]label, len(all))
		labels[from][0].seen = true
		for {
			bi, bp := -1, 0
			for i := range labels {
				for p := range 3 {
					l := labels[i][p]
					if l.seen && !l.done && (bi < 0 || less(l, labels[bi][bp])) {
						bi, bp = i, p
					}
				}
			}
			if bi < 0 {
				return 0, 0, false
			}
			l := &labels[bi][bp]
			if bi == to {
				return l.elements, l.messages, true
			}
			l.done = true
			for _, e := range edges[bi] {
				n := &labels[e.to][max(e.phase, bp)]
				if e.phase < bp || all[e.to].Tile() > limit {
					continue
				}
				if way := (label{l.elements + e.elements, l.messages + e.messages, true, false}); !n.seen || less(way, *n) {
					*n = way
				}
			}
		}
	}
}

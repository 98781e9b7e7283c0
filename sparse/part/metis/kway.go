package metis

import (
	"fmt"
	"math"
	"sync"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/part"
)

// Objective is what METIS minimises.
type Objective uint8

const (
	// Cut is the cost of edges between parts.
	Cut Objective = iota
	// Volume is the sum of a vertex's size for each part, but its own, with a neighbour: km1 of
	// [part.Graph.Hypergraph].
	Volume
)

// Options says how METIS divides.
type Options struct {
	Objective Objective
	Eps       float64 // how far a part may be above the mean weight, in steps of .001; 0: .03. METIS may miss it
	Seed      int32   // not negative
}

// one is held during a call: METIS sets handlers of signals and puts back those it found.
var one sync.Mutex

// KWay divides the vertices of g into k parts with METIS_PartGraphKway, and returns the objective as METIS
// counts it. The balance is METIS's: see [part.Refine] for one that is kept. The error has [ErrNone] in its chain
// if there is no METIS.
func KWay(g part.Graph, k int, o Options) (p part.Partition, objective int64, err error) {
	if err := check(g, k, &o); err != nil {
		return part.Partition{}, 0, err
	}
	l, err := loaded()
	if err != nil {
		return part.Partition{}, 0, err
	}
	if k == 1 { // METIS would divide by the logarithm of 1
		p, err := part.New(1, make([]int32, g.Vertices()))
		return p, 0, err
	}
	if !l.wide {
		if err := narrow(g, o.Objective); err != nil {
			return part.Partition{}, 0, err
		}
		return kway[int32](l, g, k, o)
	}
	return kway[int64](l, g, k, o)
}

// Starts returns what METIS finds for either objective, for [part.Options].Starts.
func Starts(g part.Graph, k int, o Options) ([]part.Partition, error) {
	var out []part.Partition
	for _, o.Objective = range []Objective{Cut, Volume} {
		p, _, err := KWay(g, k, o)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func check(g part.Graph, k int, o *Options) error {
	if err := g.Check(); err != nil {
		return err
	}
	if n := g.Vertices(); k < 1 || k > n {
		return fail(sparse.ErrSize, fmt.Sprintf("from 1 to the %d vertices", n), "%d parts", k)
	}
	if o.Objective > Volume {
		return fail(sparse.ErrSize, "metis.Cut or metis.Volume", "objective %d", o.Objective)
	}
	if o.Eps == 0 {
		o.Eps = .03
	}
	if !(o.Eps >= .001 && o.Eps <= 1000) {
		return fail(sparse.ErrSize, "from .001 to 1000", "eps is %v", o.Eps)
	}
	if o.Seed < 0 {
		return fail(sparse.ErrSize, "0 or more", "the seed is %d", o.Seed)
	}
	return nil
}

// narrow refuses what overflows 32-bit integers within METIS. That is sums of weights, of costs, and, for
// volumes, of the sizes of both ends of all edges, of which METIS makes costs.
func narrow(g part.Graph, objective Objective) error {
	weights, costs := int64(g.Vertices()), int64(len(g.Adj))
	if g.Weights != nil {
		weights = 0
		for _, w := range g.Weights {
			weights += int64(w)
		}
	}
	if g.Costs != nil {
		costs = 0
		for _, c := range g.Costs {
			costs += int64(c)
		}
	}
	if objective == Volume {
		costs = 3 * int64(len(g.Adj))
		if g.Sizes != nil {
			costs = int64(len(g.Adj))
			for v, s := range g.Sizes {
				costs += 2 * int64(s) * int64(g.First[v+1]-g.First[v])
			}
		}
	}
	if weights > math.MaxInt32 || costs > math.MaxInt32 {
		return fail(sparse.ErrSize, fmt.Sprintf("at most %d for this METIS, whose integers have 32 bits; use one with 64, or part.Make", math.MaxInt32),
			"weights add up to %d, costs to %d", weights, costs)
	}
	return nil
}

func kway[I int32 | int64](l *library, g part.Graph, k int, o Options) (part.Partition, int64, error) {
	set := unset[I]()
	set[optionObjective] = I(o.Objective)
	set[l.at.seed] = I(o.Seed)
	set[l.at.ufactor] = I(math.Round(1000 * o.Eps))
	one.Lock()
	parts, objective, status := callKWay(l, call[I]{
		first: as[I](g.First), adjacent: as[I](g.Adj), weights: as[I](g.Weights), sizes: as[I](g.Sizes), costs: as[I](g.Costs),
		k: I(k), constraints: I(max(1, g.Constraints)), options: set})
	one.Unlock()
	if status != statusOK {
		why := map[int32]string{-2: "an input is wrong", -3: "not enough memory"}[status]
		return part.Partition{}, 0, fmt.Errorf("metis: METIS_PartGraphKway returned %d %s, for %d vertices in %d parts", status, why, g.Vertices(), k)
	}
	p, err := part.New(k, as32(parts))
	return p, int64(objective), err
}

// as returns a copy with other integers, nil for nil.
func as[I int32 | int64](list []int32) []I {
	if list == nil {
		return nil
	}
	out := make([]I, len(list), len(list)+1) // with an address, even if empty
	for i, x := range list {
		out[i] = I(x)
	}
	return out
}

func as32[I int32 | int64](list []I) []int32 {
	out := make([]int32, len(list))
	for i, x := range list {
		out[i] = int32(x)
	}
	return out
}

// fail makes an error of package sparse.
func fail(kind error, right, what string, args ...any) error {
	return &sparse.Error{Kind: kind, Where: "metis.KWay", What: fmt.Sprintf(what, args...), Right: right}
}

package part

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tilesmith/tilesmith/sparse"
)

// Objective is what [Make] minimises.
type Objective uint8

const (
	// KM1 is all that is sent.
	KM1 Objective = iota
	// MaxSend is the most that one part sends, and of equal ones km1. Rows of B are where [Owners] places them. All that is sent
	// may be more than with KM1.
	MaxSend
)

// Options says how [Make] divides. The zero value is good.
type Options struct {
	Objective Objective
	Eps       float64     // how far a part may be above the mean weight, see [Limit]; 0: .03
	Seed      uint64      // of what is drawn
	Effort    int         // how many runs the best is taken of; 0: 1
	Starts    []Partition // others to refine, of as many parts: the result is not worse than any that is within the limit
}

// check returns the options with defaults filled in.
func (o Options) check(where string, h *Hypergraph, k int) (Options, error) {
	if err := checkDivisible(where, k, h.Vertices()); err != nil {
		return o, err
	}
	if !(o.Eps >= 0 && o.Eps <= math.MaxFloat64) {
		return o, fail(sparse.ErrSize, where, "0 or more, and finite", "eps is %v", o.Eps)
	}
	if o.Effort < 0 {
		return o, fail(sparse.ErrSize, where, "0 or more", "effort is %d", o.Effort)
	}
	if o.Objective > MaxSend {
		return o, fail(sparse.ErrSize, where, "part.KM1 or part.MaxSend", "objective %d", o.Objective)
	}
	for _, p := range o.Starts {
		if p.k != k || p.Len() != h.Vertices() {
			return o, fail(sparse.ErrLength, where, "as many parts and vertices as are asked for", "a start of %v for %d in %d", p, h.Vertices(), k)
		}
	}
	if o.Eps == 0 {
		o.Eps = .03
	}
	o.Effort = max(o.Effort, 1)
	return o, nil
}

// Make divides the vertices of h into k parts of small km1, none above [Limit] and none
// empty. The same hypergraph, options and seed give the same parts on every machine. It is an
// error if k is less than 1 or more than the number of vertices, or if options are out of
// range.
//
// It joins vertices level by level, bisects what is left recursively, and refines on every level
// back. That is the multilevel paradigm with k-way local searches (Schlag et al., ACM JEA 27,
// 2022).
func Make(h *Hypergraph, k int, o Options) (Partition, error) {
	return o.best("Make", h, k, true)
}

// Refine is a run of [Make] from p instead of from nothing: faster, and best where p is good.
// The result is within the limit though p may not be, and not worse than p if p is, and has no empty part.
func Refine(h *Hypergraph, p Partition, o Options) (Partition, error) {
	o.Starts = append([]Partition{p}, o.Starts...)
	return o.best("Refine", h, p.k, false)
}

// best refines starts, and makes parts from nothing if it is asked to.
func (o Options) best(where string, h *Hypergraph, k int, fresh bool) (Partition, error) {
	o, err := o.check(where, h, k)
	if err != nil {
		return Partition{}, err
	}
	m := newMaker(h, k, o)
	var best []int32
	for _, p := range o.Starts {
		best = m.better(best, m.from(p.part))
	}
	for i := 0; fresh && i < o.Effort; i++ {
		best = m.better(best, m.run())
	}
	return Partition{k, best}, nil
}

// maker is a call of Make.
type maker struct {
	r        *rand.Rand
	all      *Hypergraph
	core     *Hypergraph // without what cannot be cut, and vertices that no net joins to others
	vertices []int32     // of all that core has
	isolated []int32     // of all that it has not
	limit    []int64
	goal     Objective
}

func newMaker(h *Hypergraph, k int, o Options) *maker {
	m := &maker{r: rand.New(rand.NewPCG(o.Seed, uint64(k))), all: h, goal: o.Objective,
		limit: slices.Repeat([]int64{limit(h.weight, h.total, k, o.Eps)}, k)}
	isolated := make([]int32, h.Vertices())
	for v := range isolated {
		isolated[v] = 1
		for _, j := range h.netsOf(int32(v)) {
			if h.cost[j] > 0 && h.first[j+1]-h.first[j] > 1 {
				isolated[v] = 0
				break
			}
		}
		if isolated[v] == 1 {
			m.isolated = append(m.isolated, int32(v))
		}
	}
	m.core, m.vertices = induce(h, isolated, 0)
	return m
}

// run makes a partition from nothing.
func (m *maker) run() []int32 {
	part := m.multilevel(m.core, m.limit, nil)
	return m.finish(m.multilevel(m.core, m.limit, part))
}

// from makes a partition from another.
func (m *maker) from(start []int32) []int32 {
	var best []int32
	if k := len(m.limit); overload(partLoads(m.all, start, k), m.limit) == 0 && !hasEmpty(start, k) {
		best = start
	}
	part := make([]int32, len(m.vertices))
	for i, v := range m.vertices {
		part[i] = start[v]
	}
	return m.better(best, m.finish(m.multilevel(m.core, m.limit, part)))
}

// hasEmpty reports whether one of k parts has no vertices.
func hasEmpty(part []int32, k int) bool {
	seen, n := make([]bool, k), 0
	for _, q := range part {
		if !seen[q] {
			seen[q] = true
			n++
		}
	}
	return n < k
}

// finish places the vertices that core lacks, and sees to it that the limits are kept and no part
// is empty.
func (m *maker) finish(core []int32) []int32 {
	k := len(m.limit)
	part := make([]int32, m.all.Vertices())
	for i, v := range m.vertices {
		part[v] = core[i]
	}
	load := partLoads(m.core, core, k)
	m.place(part, load)
	if overload(load, m.limit) > 0 {
		part = m.heaviestFirst()
		if flat(m.all, k) {
			part = m.refine(m.all, part, m.limit)
		}
	}
	m.fill(part)
	if m.goal == MaxSend && k > 1 && flat(m.all, k) {
		owner := slices.Clone(part)
		if !m.all.conformal {
			owner = freeOwners(m.all, Partition{k, part})
		}
		lower := newSender(newState(m.all, slices.Clone(part), m.limit), owner).lower(m.r)
		return m.better(part, lower)
	}
	return part
}

// place puts the isolated vertices, the heavy ones first, on the lightest part, and those that weigh nothing on
// the one with the fewest vertices.
func (m *maker) place(part []int32, load []int64) {
	k := int64(len(load))
	order := slices.Clone(m.isolated)
	slices.SortStableFunc(order, func(a, b int32) int { return int(m.all.weight[b]) - int(m.all.weight[a]) })
	heap, size := make(loads, k), make([]int64, k)
	for q := range heap {
		heap[q] = load[q]*k + int64(q)
	}
	heap.init()
	for _, v := range m.vertices {
		size[part[v]]++
	}
	i := 0
	for ; i < len(order) && m.all.weight[order[i]] > 0; i++ {
		q, w := heap[0]%k, int64(m.all.weight[order[i]])
		part[order[i]] = int32(q)
		load[q] += w
		size[q]++
		heap.add(w * k)
	}
	for q := range heap {
		heap[q] = size[q]*k + int64(q)
	}
	heap.init()
	for _, v := range order[i:] {
		part[v] = int32(heap[0] % k)
		heap.add(k)
	}
}

// heaviestFirst is the partition that [Limit] promises.
func (m *maker) heaviestFirst() []int32 {
	all := make([]int32, m.all.Vertices())
	for v := range all {
		all[v] = int32(v)
	}
	whole := &maker{all: m.all, isolated: all}
	part := make([]int32, len(all))
	whole.place(part, make([]int64, len(m.limit)))
	return part
}

// fill gives each empty part the vertex that costs the least of those that have company.
func (m *maker) fill(part []int32) {
	k := len(m.limit)
	size := make([]int, k)
	for _, q := range part {
		size[q]++
	}
	if slices.Min(size) > 0 {
		return
	}
	h := m.all
	loss := func(v int32) int64 { // of its nets, those with other pins in its part
		sum := int64(0)
		for _, j := range h.netsOf(v) {
			for _, u := range h.net(j) {
				if u != v && part[u] == part[v] {
					sum += int64(h.cost[j])
					break
				}
			}
		}
		return sum
	}
	q := newQueue(len(part))
	for v := range int32(len(part)) {
		q.set(v, -loss(v))
	}
	for empty := range k {
		for size[empty] == 0 {
			v := q.top()
			q.remove(v)
			if size[part[v]] > 1 {
				size[part[v]]--
				part[v] = int32(empty)
				size[empty]++
			}
		}
	}
}

// better returns which of two partitions costs less, b if they cost the same; a may be nil.
func (m *maker) better(a, b []int32) []int32 {
	if a == nil {
		return b
	}
	one, other := m.cost(a), m.cost(b)
	if slices.Compare(one[:], other[:]) < 0 {
		return a
	}
	return b
}

// cost returns what the objective looks at first, and then.
func (m *maker) cost(part []int32) [2]int64 {
	p := Partition{len(m.limit), part}
	if m.goal == MaxSend {
		s := Measure(m.all, p)
		return [2]int64{s.MaxSend, s.KM1}
	}
	km1 := int64(0)
	mark := newMarker(p.k)
	for j := range int32(m.all.Nets()) {
		if n := len(mark.parts(m.all, part, j)); n > 1 {
			km1 += int64(n-1) * int64(m.all.cost[j])
		}
	}
	return [2]int64{km1}
}

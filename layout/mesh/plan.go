package mesh

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// An Op is a kind of step.
type Op uint8

// The kinds of steps. A plan is slices, then all-to-alls and permutes, then gathers:
// tiles do not grow before the end (arXiv 2112.01075, weak normal form). Direct stands
// alone.
const (
	Slice    Op = iota // axes that repeat the array cut a dimension further: nothing is sent
	AllToAll           // the innermost axes of a dimension become the innermost of another
	Permute            // whole tiles change places
	Gather             // the innermost axis of a dimension no longer cuts it
	Direct             // any exchange at once: MPI_Alltoallv
)

var opNames = [...]string{"slice", "all-to-all", "permute", "gather", "direct"}

func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return fmt.Sprintf("Op(%d)", int(o))
}

// Traffic counts what ranks send one another, what a rank keeps left out.
type Traffic struct {
	MaxElements int64 // of the rank that sends most elements
	Elements    int64 // of all ranks together
	MaxMessages int64 // of the rank that sends most messages
	Messages    int64
}

// A Step is one exchange of a plan.
type Step struct {
	Op            Op
	Axes          []string // what is sliced, moved or gathered, of Before's mesh; nil for others
	From, To      int      // the dimension that Axes leave, and which they go to; -1 for none
	Before, After Sharding
	Tile          int64 // elements of the largest tile after it
	Sent          Traffic
}

// Exchange returns who sends what.
func (s Step) Exchange() Exchange { return newExchange(s.Before, s.After) }

// String says what is done: all-to-all x: dimension 2 to 1.
func (s Step) String() string {
	axes := strings.Join(s.Axes, ",")
	switch s.Op {
	case Slice:
		return fmt.Sprintf("%v %s: dimension %d", s.Op, axes, s.To)
	case Gather:
		return fmt.Sprintf("%v %s: dimension %d", s.Op, axes, s.From)
	case AllToAll:
		return fmt.Sprintf("%v %s: dimension %d to %d", s.Op, axes, s.From, s.To)
	}
	return s.Op.String()
}

// A Plan is how one sharding becomes another.
type Plan struct {
	From, To Sharding // as they were given

	// Mesh is From's mesh, with those axes split that steps take apart. Ranks have the same
	// numbers. All shardings of the steps are on it; axes of size 1 are not mentioned there.
	Mesh  Mesh
	Steps []Step // none if every rank has its tile already

	// Peak is how many elements the largest tile has, among From, To and the steps
	// between. It is never more than the larger of From and To, except in a plan of
	// [GatherAll].
	Peak int64
	Sent Traffic // of all steps: the maxima are those of the rank whose sums are largest
}

// Options are choices for [Reshard].
type Options struct {
	// Direct allows one exchange among all ranks, which sends the fewest elements in the most
	// messages. It is used if it is cheaper than the steps, or if there are no steps.
	Direct bool
	// Time returns what messages and elements cost the rank that sends them, say in seconds. It
	// must be linear, as that of a link is (cost.Link.Price). nil compares plans by elements, and
	// those with equally many by messages.
	Time Time
}

// Time is a price of messages and elements.
type Time func(messages, elements int64) float64

func (t Time) check() error {
	if t == nil {
		return nil
	}
	for _, x := range []float64{t(1, 0), t(0, 1)} {
		if !(x >= 0) || math.IsInf(x, 1) {
			return refuse("Reshard", "a cost of %v; want a finite one of at least 0", x)
		}
	}
	return nil
}

// A price is what a step costs: the elements and the messages of the rank that sends most
// of each. That of a plan is the sum of its steps', as each waits for the one before.
type price struct{ elements, messages int64 }

func (p price) plus(q price) price { return price{p.elements + q.elements, p.messages + q.messages} }

// compare orders prices: a total order, in which sums keep their place.
func (t Time) compare(p, q price) int {
	if t != nil {
		if x, y := t(p.messages, p.elements), t(q.messages, q.elements); x != y {
			return less(x < y)
		}
	}
	if p.elements != q.elements {
		return less(p.elements < q.elements)
	}
	if p.messages != q.messages {
		return less(p.messages < q.messages)
	}
	return 0
}

func less(yes bool) int {
	if yes {
		return -1
	}
	return 1
}

// Reshard returns the cheapest plan from one sharding to another. The cost of a step is the
// most elements and the most messages that a rank sends. An exact search goes over all plans
//
//	slice*  (all-to-all | permute)*  gather*
//
// whose tiles have no more elements than the larger of the two shardings' tiles. It splits
// axes into their prime factors if that makes at most 6. Otherwise it splits only where the
// two shardings cut a dimension at different places, or not at all. The same arguments give
// the same plan on every machine.
//
// Reshard refuses shardings on different meshes or of different shapes. Unless
// Options.Direct allows another plan, it also refuses cyclic dimensions, more than 6 axes
// longer than 1, and a search of more than a million states.
func Reshard(from, to Sharding, opt Options) (*Plan, error) {
	if _, err := NewExchange(from, to); err != nil {
		return nil, err
	}
	if err := opt.Time.check(); err != nil {
		return nil, err
	}
	direct := directPlan(from, to)
	if len(direct.Steps) == 0 {
		return direct, nil
	}
	path, paid, err := search(from, to, opt.Time)
	if opt.Direct {
		direct.measure()
		sent := direct.Sent
		if err != nil || opt.Time.compare(price{sent.MaxElements, sent.MaxMessages}, paid) < 0 {
			return direct, nil
		}
	}
	if err != nil {
		return nil, err
	}
	p := path.plan(from, to)
	p.measure()
	return p, nil
}

// directPlan is the plan of one exchange, or of none if nothing moves.
func directPlan(from, to Sharding) *Plan {
	p := &Plan{From: from, To: to, Mesh: from.mesh}
	if !from.same(to) {
		p.Steps = []Step{{Op: Direct, From: -1, To: -1, Before: from, After: to}}
	}
	p.Peak = max(from.Tile(), to.Tile())
	return p
}

// GatherAll returns the plan that gathers the whole array on every rank and then slices
// it: what compilers fall back to, to compare with. It refuses what [NewExchange] does,
// and cyclic dimensions.
func GatherAll(from, to Sharding) (*Plan, error) {
	if _, err := NewExchange(from, to); err != nil {
		return nil, err
	}
	for _, s := range []Sharding{from, to} {
		if s.cyclic() {
			return nil, refuse("GatherAll", "%v is cyclic", s)
		}
	}
	p := &Plan{From: from, To: to, Mesh: from.mesh}
	add := func(s Step, axis, dim int, axes []int) {
		s.Axes = []string{from.mesh.axes[axis].Name}
		s.Before = from
		if n := len(p.Steps); n > 0 {
			s.Before = p.Steps[n-1].After
		}
		s.After = s.Before.with(dim, axes)
		p.Steps = append(p.Steps, s)
	}
	for i, d := range from.dims {
		for k := len(d.axes) - 1; k >= 0; k-- {
			add(Step{Op: Gather, From: i, To: -1}, d.axes[k], i, d.axes[:k])
		}
	}
	for i, d := range to.dims {
		for k, a := range d.axes {
			add(Step{Op: Slice, From: -1, To: i}, a, i, d.axes[:k+1])
		}
	}
	p.measure()
	return p, nil
}

// with returns s with dimension i cut along these axes.
func (s Sharding) with(i int, axes []int) Sharding {
	s.dims = slices.Clone(s.dims)
	d := &s.dims[i]
	d.axes, d.parts = axes, 1
	for _, a := range axes {
		d.parts *= s.mesh.axes[a].Size
	}
	return s
}

func (s Sharding) cyclic() bool {
	return slices.ContainsFunc(s.dims, func(d dim) bool { return d.block > 0 })
}

// same reports whether every rank holds the same of both, which are on one mesh.
func (s Sharding) same(t Sharding) bool {
	return slices.EqualFunc(s.dims, t.dims, func(a, b dim) bool {
		long := func(axis int) bool { return s.mesh.axes[axis].Size > 1 }
		if a.parts != b.parts || !slices.Equal(filter(a.axes, long), filter(b.axes, long)) {
			return false
		}
		if a.block == b.block {
			return true
		}
		for _, d := range []dim{a, b} {
			if d.block > 0 && d.block < d.most() { // a part has several blocks
				return false
			}
		}
		for c := range a.parts {
			if a.first(c) != b.first(c) && a.length(c)+b.length(c) > 0 || a.length(c) != b.length(c) {
				return false
			}
		}
		return true
	})
}

func filter[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Check returns nil if the steps of p lead from From to To on one mesh. They do in every
// plan that this package makes. It looks at the tiles of all ranks.
func (p *Plan) Check() error { return p.check(0, p.Mesh.Size()) }

// CheckRank is Check that looks at the tiles of one rank alone: for ranks that each check their
// own. It panics as [Sharding.Part] does if there is no such rank.
func (p *Plan) CheckRank(rank int) error { return p.check(rank, rank+1) }

// check is Check for ranks first to last-1.
func (p *Plan) check(first, last int) error {
	if p.Mesh.Size() != p.From.mesh.Size() || !p.From.mesh.Equal(p.To.mesh) {
		return refuse("Plan", "meshes %v, %v and %v; want one", p.From.mesh, p.Mesh, p.To.mesh)
	}
	at := p.From
	for i, s := range append(slices.Clone(p.Steps), Step{Op: Direct, Before: p.To, After: p.To}) {
		if i < len(p.Steps) && (!s.Before.mesh.Equal(p.Mesh) || !s.After.mesh.Equal(p.Mesh)) || int(s.Op) >= len(opNames) {
			return refuse("Plan", "step %d, %v, is on mesh %v; want %v", i, s, s.Before.mesh, p.Mesh)
		}
		if !slices.Equal(s.Before.Shape(), at.Shape()) || !slices.Equal(s.After.Shape(), at.Shape()) {
			return refuse("Plan", "step %d, from %v to %v, is of another shape than %v", i, s.Before, s.After, p.From)
		}
		for r := first; r < last; r++ {
			if !slices.Equal(s.Before.Local(r), at.Local(r)) || !slices.Equal(s.Before.Offset(r), at.Offset(r)) {
				return refuse("Plan", "step %d goes on from %v, but before it is %v", i, s.Before, at)
			}
			if s.Op == Slice && !within(s.After, s.Before, r) {
				return refuse("Plan", "step %d slices %v to %v, which is not a part of it", i, s.Before, s.After)
			}
		}
		at = s.After
	}
	return nil
}

// within reports whether a rank's tile of s lies in that of t.
func within(s, t Sharding, rank int) bool {
	n, m, at, in := s.Local(rank), t.Local(rank), s.Offset(rank), t.Offset(rank)
	for i := range n {
		if at[i] < in[i] || at[i]+n[i] > in[i]+m[i] {
			return false
		}
	}
	return !s.cyclic() && !t.cyclic()
}

// measure counts what every rank sends in every step.
func (p *Plan) measure() {
	p.Peak = max(p.From.Tile(), p.To.Tile())
	elements, messages := make([]int64, p.Mesh.Size()), make([]int64, p.Mesh.Size())
	for i := range p.Steps {
		s := &p.Steps[i]
		s.Tile, s.Sent = s.After.Tile(), Traffic{}
		p.Peak = max(p.Peak, s.Tile)
		if s.Op == Slice {
			continue
		}
		e, m := s.Exchange().Traffic()
		for r := range elements {
			s.Sent.add(e[r], m[r])
			elements[r] += e[r]
			messages[r] += m[r]
		}
	}
	p.Sent = Traffic{}
	for r := range elements {
		p.Sent.add(elements[r], messages[r])
	}
}

// add counts another rank.
func (t *Traffic) add(elements, messages int64) {
	t.MaxElements, t.MaxMessages = max(t.MaxElements, elements), max(t.MaxMessages, messages)
	t.Elements += elements
	t.Messages += messages
}

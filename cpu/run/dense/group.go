package dense

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Group is the products of one call, of any shapes, while they are checked: see [Grouped].
type Group struct {
	memory epi.Group
	muls   []float64 // of each product
}

// add adds a product that was checked.
func (g *Group) add(m, n, k int) int {
	g.muls = append(g.muls, float64(m)*float64(n)*float64(k))
	return len(g.muls) - 1
}

// Grouped is what a generated function NAMEGrouped does: products that each have a shape,
// strides, operands and factors of their own. member calls the Member of a [Set] or a [Fused],
// or [MixedMember], for the problem that it is given, with what it is given. It first checks
// all problems before an element is read, then computes them.
//
// Each is what a call for it alone gives, bit for bit. Their order is undefined. So the output of
// one must not share memory with operands or outputs of others, though all may be blocks of one
// matrix. If it does, the error is a [layout.ShapeError] that names both. Large products are
// shared out among the threads one after another, those that take longest first, and then the
// others are, each to one thread.
func Grouped[P any](name string, opt run.Options, problems []P, member func(g *Group, opt run.Options, p *P)) {
	name = opt.Name(name)
	run.CheckThreads(name, opt.Threads)
	if opt.Scaling.On() {
		panic(run.OptionError{What: name, Why: "Options.Scaling is of one product; leave it unset, and give each problem factors of its own if it has some"})
	}
	g := &Group{}
	for i := range problems {
		opt.Caller = fmt.Sprintf("%s, problem %d", name, i)
		member(g, opt, &problems[i])
	}
	g.memory.Apart(name)
	opt.Caller = name

	order := make([]int, len(problems))
	all := 0.0
	for i := range order {
		order[i] = i
		all += g.muls[i]
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(g.muls[y], g.muls[x]) })
	large := slices.IndexFunc(order, func(i int) bool { return g.muls[i] < work.Threaded })
	if large < 0 {
		large = len(order)
	}
	for _, i := range order[:large] {
		member(nil, opt, &problems[i])
		all -= g.muls[i]
	}
	order = order[large:]
	threads := min(work.Allowed(opt.Threads), len(order))
	if all < work.Threaded {
		threads = 1
	}
	opt.Threads = 1
	t := &groupTask{g: g, order: order, share: all / float64(max(1, 8*threads)), do: func(i int) { member(nil, opt, &problems[i]) }}
	if threads <= 1 {
		t.work(nil)
		return
	}
	j := jobs.Get()
	defer putJob(j)
	j.do = t
	j.run(threads)
}

// groupTask is the products of a group that any number of workers take some of at once.
type groupTask struct {
	g     *Group
	order []int
	share float64 // multiply-adds that are taken at once, at least, or one product
	do    func(i int)
	next  atomic.Int64
}

func (t *groupTask) work(*worker) {
	for {
		from := t.next.Load()
		end, sum := from, 0.0
		for ; end < int64(len(t.order)) && (end == from || sum < t.share && end-from < groupChunk); end++ {
			sum += t.g.muls[t.order[end]]
		}
		if end == from {
			return
		}
		if !t.next.CompareAndSwap(from, end) {
			continue
		}
		for _, i := range t.order[from:end] {
			t.do(i)
		}
	}
}

// groupChunk is how many products are taken at once, at most: of those that have nothing to
// multiply there may be any number.
const groupChunk = 1 << 10

// Member is a product of a group: [Set.Gemm] with g nil, else its checks only.
func (s *Set[T]) Member(g *Group, opt run.Options, out, a, b layout.Matrix[T]) {
	if g == nil {
		s.Ref(s.Name, &opt, &out, &a, &b)
		return
	}
	s.check(opt.Name(s.Name), &opt, &out, &a, &b)
	addFactors(g, out, a, b)
}

// MixedMember is [MixedGemm] for a group: see [Set.Member].
func MixedMember[Acc dtype.Sum, A, B, Out dtype.Elem](s *Mixed, g *Group, opt run.Options, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B]) {
	if g == nil {
		MixedGemm[Acc](s, s.Name, &opt, &out, &a, &b)
		return
	}
	checkMixed[Acc](s, opt.Name(s.Name), &opt, &out, &a, &b)
	addFactors(g, out, a, b)
}

func addFactors[A, B, Out dtype.Elem](g *Group, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B]) {
	i := g.add(out.Rows, out.Cols, a.Cols)
	g.memory.Add(i, epi.MemoryOf("out", out), true)
	g.memory.Add(i, epi.MemoryOf("a", a), false)
	g.memory.Add(i, epi.MemoryOf("b", b), false)
}

// Member is Gemm for a group: see [Set.Member].
func (s *Fused[A, B, Acc, Out]) Member(g *Group, opt run.Options, e *epilogue.Epilogue, a layout.Matrix[A], b layout.Matrix[B]) {
	if g == nil {
		s.Gemm(opt, e, a, b)
		return
	}
	s.check(&opt, e, &a, &b)
	i := g.add(e.Rows, e.Cols, a.Cols)
	g.memory.Add(i, epi.MemoryOf("a", a), false)
	g.memory.Add(i, epi.MemoryOf("b", b), false)
	g.memory.AddAll(i, e)
}

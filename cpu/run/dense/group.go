package dense

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
)

// Group is the products of one call, of any shapes, while they are checked: see [Grouped].
type Group struct {
	memory epi.Group
	muls   []float64 // of each product
}

// add adds a product that was checked, with its operands.
func (g *Group) add(m, n, k int, out, a, b epi.Memory) int {
	i := len(g.muls)
	g.muls = append(g.muls, float64(m)*float64(n)*float64(k))
	g.memory.Add(i, out, true)
	g.memory.Add(i, a, false)
	g.memory.Add(i, b, false)
	return i
}

// Grouped is what a generated function NAMEGrouped does: products that each have a shape,
// strides, operands and factors of their own. member calls [Gemm] or [Fuse] for the problem that
// it is given, with the group and options that it is given. Grouped first checks all problems
// before an element is read, then computes them.
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
		check.Call(name).RefuseOption("Options.Scaling is of one product; leave it unset, and give each problem factors of its own if it has some")
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

package summa

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Steps returns the work of a rank, which [cost.Total] times. The first panels go all around
// the rings. Then each step multiplies m rows and n columns over w of k, in 2mnw operations that
// also read and write m x n sums. Meanwhile the rank sends the next panels, one message after
// the other. At last it adds up layers.
func (p Plan) Steps() (list []cost.Step) {
	rows, cols := p.box(0) // no box is larger
	m, n, size := float64(rows.Len()), float64(cols.Len()), float64(p.Type.Size())
	panels := func(ranks int, across, count, w float64) cost.Work {
		if ranks == 1 {
			return cost.Work{}
		}
		return cost.Work{Messages: count, Sent: across * w * size}
	}
	steps := p.steps(0)
	for i, g := range p.groups(steps) {
		w, count := float64(steps[g.Hi-1].k.Hi-steps[g.Lo].k.Lo), float64(g.Len())
		a, b := panels(p.Grid.Cols, m, count, w), panels(p.Grid.Rows, n, count, w)
		if i == 0 { // panels follow each other around the ring, and a step needs all of its own
			hops, others, first := float64(p.Grid.Cols-2), float64(p.Grid.Rows-2), float64(steps[0].k.Len())
			list = cost.Then(list, a.Plus(panels(p.Grid.Cols, m, hops, hops*first)), b.Plus(panels(p.Grid.Rows, n, others, others*first)))
		}
		product := cost.Move(machine.Memory, 2*m*n*size)
		product.Flops = 2 * m * n * w
		if g.Len() > 1 { // panels are put together
			product.Bytes[machine.Memory] += 2 * (a.Sent + b.Sent)
		}
		list = cost.Then(list, product, a.Plus(b))
	}
	if c := float64(p.Grid.Layers); c > 1 {
		join := cost.Move(machine.Memory, (2*m*n+m*n/c)*size)
		join.Messages, join.Sent = c-1, (c-1)*m*n/c*size
		list = cost.Then(list, join, cost.Work{})
	}
	return list
}

// Plans returns the plans for an m x n by k product of elements of type t on so many ranks,
// the fastest first. There is one for each way of arranging all ranks that fits into memory,
// with its best panels. If none fits, the error says how much memory the smallest needs.
func Plans(m, n, k int, t dtype.Type, ranks int, on cost.Machine) ([]cost.Candidate[Plan], error) {
	const what = "summa.Plans"
	if err := on.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if !(on.Flops > 0) || !(on.Rates[machine.Memory] > 0) {
		return nil, fmt.Errorf("%s: a machine of %v flop/s and %v bytes/s of memory; want more than 0 of both", what, on.Flops, on.Rates[machine.Memory])
	}
	if ranks < 1 || ranks > maxPlanRanks {
		return nil, fmt.Errorf("%s: %d ranks; want 1 to %d", what, ranks, maxPlanRanks)
	}
	if err := (Plan{M: m, N: n, K: k, Type: t, Grid: Grid{1, 1, ranks}}).Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	var best []cost.Candidate[Plan]
	needs := int64(math.MaxInt64)
	for _, rows := range divisors(ranks) {
		for _, cols := range divisors(ranks / rows) {
			plan := Plan{M: m, N: n, K: k, Type: t, Grid: Grid{rows, cols, ranks / rows / cols}}
			var list []cost.Candidate[Plan]
			for plan.Panel = max(64, k/maxPlanSteps); ; plan.Panel *= 2 {
				steps := plan.Steps()
				work, counts := cost.Sum(steps), plan.Cost(0) // steps wait for messages of others too
				work.Messages, work.Sent = float64(counts.Sent), float64(counts.BytesSent)
				list = append(list, cost.Candidate[Plan]{Name: fmt.Sprintf("%v, panels of %d", plan.Grid, plan.Panel), Plan: plan,
					Work: work, Holds: counts.Bytes, Seconds: cost.Total(steps, on)})
				if plan.Panel >= (k-1)/max(rows, cols)/plan.Grid.Layers+1 || plan.Panel > math.MaxInt/2 {
					break // as wide as what a rank has
				}
			}
			list, least := cost.Fit(list, on)
			needs = min(needs, least)
			if len(list) > 0 {
				best = append(best, list[cost.Choose(list, 0)])
			}
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s: %d x %d x %d on %d ranks takes at least %d bytes a rank; there are %d", what, m, n, k, ranks, needs, on.Memory)
	}
	cost.Sort(best)
	return best, nil
}

// The search looks at all arrangements, and counts the steps of each.
const (
	maxPlanRanks = 1 << 20
	maxPlanSteps = 4096
)

func divisors(n int) []int {
	var list []int
	for d := 1; d <= n/d; d++ {
		if n%d == 0 {
			list = append(list, d)
			if d != n/d {
				list = append(list, n/d)
			}
		}
	}
	slices.Sort(list)
	return list
}

// Bound returns the least number of elements that some rank must receive, whatever the
// algorithm and its memory. It assumes that each element is on one rank at the beginning and
// the end, and that ranks compute equally much. (Al Daas, Ballard, Grigori, Kumar and Rouse,
// Tight memory-independent parallel matrix multiplication communication lower bounds, 2022,
// theorem 3.1.)
func Bound(m, n, k, ranks int) (float64, error) {
	if m < 1 || n < 1 || k < 1 || ranks < 1 {
		return 0, errors.New("summa.Bound: sizes and ranks are at least 1")
	}
	d := []float64{float64(m), float64(n), float64(k)}
	slices.Sort(d)
	small, middle, large, p := d[0], d[1], d[2], float64(ranks)
	has := (large*middle + large*small + middle*small) / p
	var needs float64
	switch {
	case p <= large/middle:
		needs = (large*middle+large*small)/p + middle*small
	case p <= large*middle/(small*small):
		needs = 2*math.Sqrt(large*middle*small*small/p) + large*middle/p
	default:
		needs = 3 * math.Pow(large*middle*small/p, 2./3)
	}
	return max(0, needs-has), nil
}

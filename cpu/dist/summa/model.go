package summa

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Machine is what a rank can do, to predict and choose with.
type Machine struct {
	Latency   float64 // seconds for a message, whatever its length
	Bandwidth float64 // bytes a second that leave a rank
	Flops     float64 // of the local product a second, with all threads of a rank
	Copy      float64 // bytes a second of a rank's memory, read or written
	Memory    int64   // bytes that a product may take on a rank; 0 for no limit
}

// check says what is wrong with m.
func (m Machine) check() error {
	if !(m.Latency >= 0) || !(m.Bandwidth > 0) || !(m.Flops > 0) || !(m.Copy > 0) || m.Memory < 0 {
		return fmt.Errorf("a machine of latency %v s, bandwidth %v B/s, %v flop/s, %v B/s of memory, %d bytes; want latency and bytes not negative, rates above 0",
			m.Latency, m.Bandwidth, m.Flops, m.Copy, m.Memory)
	}
	return nil
}

// Time is how long a product should take, in seconds.
type Time struct {
	Product  float64 // of the largest box by itself
	Messages float64 // panels, if nothing else were done
	Fill     float64 // until the first panels have been all around the rings
	Join     float64 // adding up layers
	Total    float64 // with panels on their way during products
}

// Time predicts the time of a plan. A step multiplies m rows and n columns over w of k. It takes
// 2mnw/Flops seconds, and the time to read and write m x n sums. Meanwhile the rank sends the
// next panels, one message after the other, in Latency + bytes/Bandwidth each. The longer of
// the two counts for each step.
func (p Plan) Time(on Machine) Time {
	rows, cols := p.box(0) // no box is larger
	m, n := float64(rows.Len()), float64(cols.Len())
	size := float64(p.Type.Size())
	message := func(elems float64) float64 { return on.Latency + elems*size/on.Bandwidth }
	var t Time
	steps := p.steps(0)
	for i, g := range p.groups(steps) {
		w := float64(steps[g.Hi-1].k.Hi - steps[g.Lo].k.Lo)
		product := 2*m*n*w/on.Flops + 2*m*n*size/on.Copy
		var a, b float64
		for _, s := range steps[g.Lo:g.Hi] {
			if p.Grid.Cols > 1 {
				a += message(m * float64(s.k.Len()))
			}
			if p.Grid.Rows > 1 {
				b += message(n * float64(s.k.Len()))
			}
		}
		if g.Len() > 1 { // panels are put together
			product += 2 * (a + b) * on.Bandwidth / on.Copy
		}
		if i == 0 { // panels follow each other around the ring, and a step needs all of its own
			w := float64(steps[0].k.Len())
			if p.Grid.Cols > 1 {
				t.Fill = float64(p.Grid.Cols-2)*message(m*w) + a
			}
			if p.Grid.Rows > 1 {
				t.Fill = max(t.Fill, float64(p.Grid.Rows-2)*message(n*w)+b)
			}
		}
		t.Product += product
		t.Messages += a + b
		t.Total += max(product, a+b)
	}
	if c := float64(p.Grid.Layers); c > 1 {
		t.Join = (c-1)*message(m*n/c) + (2*m*n+m*n/c)*size/on.Copy
	}
	t.Total += t.Fill + t.Join
	return t
}

// Plans returns the plans for an m x n by k product of elements of type t on so many
// ranks. The fastest is first by [Plan.Time]. There is one for each way of arranging
// all ranks that fits into memory, with its best panels. If none fits, the error says how
// much memory the smallest needs.
func Plans(m, n, k int, t dtype.Type, ranks int, on Machine) ([]Plan, error) {
	const what = "summa.Plans"
	if err := on.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if ranks < 1 || ranks > maxPlanRanks {
		return nil, fmt.Errorf("%s: %d ranks; want 1 to %d", what, ranks, maxPlanRanks)
	}
	if err := (Plan{M: m, N: n, K: k, Type: t, Grid: Grid{1, 1, ranks}}).Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	type timed struct {
		plan Plan
		time float64
	}
	var list []timed
	least := int64(math.MaxInt64)
	for _, rows := range divisors(ranks) {
		for _, cols := range divisors(ranks / rows) {
			plan := Plan{M: m, N: n, K: k, Type: t, Grid: Grid{rows, cols, ranks / rows / cols}}
			best := timed{time: math.Inf(1)}
			for plan.Panel = max(64, k/maxPlanSteps); ; plan.Panel *= 2 {
				if bytes := plan.Cost(0).Bytes; on.Memory > 0 && bytes > on.Memory {
					least = min(least, bytes)
					break
				}
				if time := plan.Time(on).Total; time < best.time {
					best = timed{plan, time}
				}
				if plan.Panel >= (k-1)/max(rows, cols)/plan.Grid.Layers+1 || plan.Panel > math.MaxInt/2 {
					break // as wide as what a rank has
				}
			}
			if best.plan.Panel > 0 {
				list = append(list, best)
			}
		}
	}
	if list == nil {
		return nil, fmt.Errorf("%s: %d x %d x %d on %d ranks takes at least %d bytes a rank; there are %d", what, m, n, k, ranks, least, on.Memory)
	}
	slices.SortStableFunc(list, func(a, b timed) int {
		switch {
		case a.time < b.time:
			return -1
		case a.time > b.time:
			return 1
		}
		return 0
	})
	plans := make([]Plan, len(list))
	for i, x := range list {
		plans[i] = x.plan
	}
	return plans, nil
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

package comm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestCollectives: every collective on 1 to 9 ranks, on lengths about the ends of the
// algorithms, against what its definition says.
func TestCollectives(t *testing.T) {
	for p := 1; p <= 9; p++ {
		for _, n := range []int{0, 1, 2, 7, 100, 513, 2500, 20000} {
			if n > 1000 && level.Of(true, p > 4, false) {
				continue
			}
			if err := Run(p, func(c *Comm) error { return collectives(c, n) }); err != nil {
				t.Errorf("%d ranks, %d elements: %v", p, n, err)
			}
		}
	}
}

func value(r, i int) float64 { return float64((r+1)*1000003 + i*i%1013) }

func fill(r, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = value(r, i)
	}
	return x
}

func same[T comparable](what string, have, want []T) error {
	if len(have) != len(want) {
		return fmt.Errorf("%s: %d elements, want %d", what, len(have), len(want))
	}
	for i := range have {
		if have[i] != want[i] {
			return fmt.Errorf("%s: element %d is %v, want %v", what, i, have[i], want[i])
		}
	}
	return nil
}

func collectives(c *Comm, n int) error {
	p, me := c.Size(), c.Rank()
	sum := make([]float64, n)
	for r := range p {
		for i, v := range fill(r, n) {
			sum[i] += v // integers: exact
		}
	}
	x := fill(me, n)
	if err := AllReduce(c, x, Sum[float64]()); err != nil {
		return err
	}
	if err := same("AllReduce", x, sum); err != nil {
		return err
	}
	for _, root := range []int{0, p - 1, p / 2} {
		x := fill(me, n)
		var out []float64
		if me == root {
			out = make([]float64, n)
		}
		if err := Reduce(c, root, out, x, Sum[float64]()); err != nil {
			return err
		}
		if me == root {
			if err := same("Reduce", out, sum); err != nil {
				return err
			}
		}
		if err := Broadcast(c, root, x); err != nil {
			return err
		}
		if err := same("Broadcast", x, fill(root, n)); err != nil {
			return err
		}
	}

	// Uneven: rank r has a share of r*n/p or so, the middle one nothing.
	counts := make([]int, p)
	var all []float64
	for r := range p {
		if counts[r] = (r*n + p/2) / p; r == p/2 {
			counts[r] = 0
		}
		all = append(all, fill(r, counts[r])...)
	}
	total := len(all)
	out := make([]float64, total)
	if err := AllGatherV(c, out, counts, fill(me, counts[me])); err != nil {
		return err
	}
	if err := same("AllGatherV", out, all); err != nil {
		return err
	}
	even := make([]float64, n*p)
	if err := AllGather(c, even, fill(me, n)); err != nil {
		return err
	}
	for r := range p {
		if err := same("AllGather", even[r*n:(r+1)*n], fill(r, n)); err != nil {
			return err
		}
	}
	begin := 0
	for r := range me {
		begin += counts[r]
	}
	sum = make([]float64, total)
	for r := range p {
		for i, v := range fill(r, total) {
			sum[i] += v
		}
	}
	mine := make([]float64, counts[me])
	x = fill(me, total)
	if err := ReduceScatter(c, mine, x, counts, Sum[float64]()); err != nil {
		return err
	}
	if err := same("ReduceScatter", mine, sum[begin:begin+counts[me]]); err != nil {
		return err
	}
	if err := same("x of ReduceScatter", x, fill(me, total)); err != nil {
		return err
	}
	root := p - 1
	if me == root {
		clear(out)
	} else {
		out = nil
	}
	if err := Gather(c, root, out, counts, fill(me, counts[me])); err != nil {
		return err
	}
	if me == root {
		if err := same("Gather", out, all); err != nil {
			return err
		}
	}
	clear(mine)
	if err := Scatter(c, root, mine, out, counts); err != nil {
		return err
	}
	if err := same("Scatter", mine, fill(me, counts[me])); err != nil {
		return err
	}

	// From a to b go (a+2b) mod (n+1) elements, those that follow value(a, b).
	send, recv := make([]int, p), make([]int, p)
	var give, want []float64
	for r := range p {
		send[r], recv[r] = (me+2*r)%(n+1), (r+2*me)%(n+1)
		for i := range send[r] {
			give = append(give, value(me, r+i))
		}
		for i := range recv[r] {
			want = append(want, value(r, me+i))
		}
	}
	got := make([]float64, len(want))
	if err := AllToAllV(c, got, recv, give, send); err != nil {
		return err
	}
	if err := same("AllToAllV", got, want); err != nil {
		return err
	}

	half, err := c.Split(me%2, -me)
	if err != nil {
		return err
	}
	rank := []int64{int64(me)}
	ranks := make([]int64, half.Size())
	if err := AllGather(half, ranks, rank); err != nil {
		return err
	}
	if !slices.IsSortedFunc(ranks, func(a, b int64) int { return int(b - a) }) || ranks[half.Rank()] != int64(me) {
		return fmt.Errorf("Split: ranks %v, and this is %d of them", ranks, half.Rank())
	}
	return c.Barrier()
}

package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// EdgeSoftmaxCase is a generated softmax over the rows of a sparse matrix under test. To its FusedCase
// the score of an entry is output 0 for the entry's value, and the result a matrix of one row.
type EdgeSoftmaxCase[T dtype.Float] struct {
	FusedCase[T, T, T]
	VL int
}

// EdgeSoftmax checks weights against powers of e in float64, with scores from the epilogue's function in
// Go, and other outputs against the function. The bits must be the same for any number of threads.
func EdgeSoftmax[T dtype.Float](t TB, of func(threads int) EdgeSoftmaxCase[T]) {
	t.Helper()
	c := of(1)
	for k, m := range sparseMatrices[T]() {
		for _, exact := range []bool{true, false} {
			p := c.problem(m.matrix, exact, uint64(k))
			err := caught(func() { c.Call(p) })
			if err == nil {
				err = c.look(p)
			}
			if err == nil {
				err = sameForThreads(func(threads int) FusedCase[T, T, T] { return of(threads).FusedCase }, p)
			}
			if err != nil {
				t.Errorf("%s %s exact=%v: %v", c.Name, m.name, exact, err)
				return
			}
		}
	}
}

// problem makes the scores of m's entries, which are random numbers or, exact, small integers.
func (c *EdgeSoftmaxCase[T]) problem(m sparse.Matrix[T], exact bool, salt uint64) *FusedProblem[T, T] {
	like := SDDMMCase[T]{FusedCase: c.FusedCase, VL: c.VL}
	p := like.problem(m, 0, exact, salt)
	var values []T
	for _, v := range SparseOf(p).All() {
		values = append(values, v)
	}
	p.sums = func(_, k int) (sum, abs float64, roundings int) { return float64(values[k]), 0, 0 }
	return p
}

// Timed makes a softmax over the rows of m ready. An entry, of which it takes a power of e and a share, counts as one
// multiply-add.
func (c *EdgeSoftmaxCase[T]) Timed(m sparse.Matrix[T]) *Timed {
	p := c.problem(m, false, 0)
	return &Timed{
		MACs: m.NNZ(), Call: func() { c.Call(p) },
		Bytes: func() int { return sparseBytes(m, false) + slotBytes(p.slots) },
		Check: func() error { return looked(c.Call, c.look, c.problem(m, true, 0), p) },
	}
}

// look compares every weight with the oracle.
func (c *EdgeSoftmaxCase[T]) look(p *FusedProblem[T, T]) error {
	eps := c.Ulp(0, 1)
	offsets := offsetsOf(SparseOf(p))
	for i := range len(offsets) - 1 {
		from, to := offsets[i], offsets[i+1]
		scores, top, slack := make([]float64, to-from), math.Inf(-1), 0.0
		for k := from; k < to; k++ {
			for o, x := range c.values(p, 0, k) {
				if have, in := c.Have(p, o, 0, k), x.wide(); o > 0 && !(in.lo <= have && have <= in.hi) {
					return fmt.Errorf("output %d of entry %d is %v, want %v", o, k, have, x.mid)
				}
				if o == 0 {
					scores[k-from], top = x.mid, max(top, x.mid)
					slack = max(slack, x.wide().hi-x.wide().lo+eps*math.Abs(x.mid)) // the shift rounds too
				}
			}
		}
		sum := 0.0
		for n, x := range scores {
			scores[n] = math.Exp(x - top)
			sum += scores[n]
		}
		bound := 4*slack + eps*float64(to-from+16)
		for n, x := range scores {
			have, want := c.Have(p, 0, 0, from+n), x/sum
			if !(math.Abs(have-want) <= bound*want+1e-30) {
				return fmt.Errorf("the weight of entry %d is %v, want %v", from+n, have, want)
			}
		}
	}
	return nil
}

package dense

import (
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// question is all that a plan depends on.
type question struct {
	kern             *kernel.Kernels
	ta, tb           dtype.Type
	m, n, k, threads int
	elems            int
	a, b             [2]int // strides
	c                int    // of the rows
	fused, pre       bool
	narrow, widens   bool
	byColumn         bool
	streams          bool
	reduced          int
	budget           int
	exists           Triangle
	as, bs, at       Triangle
}

func (p *product) question(threads int) question {
	return question{p.kern, p.ta, p.tb, p.m, p.n, p.k, threads, p.elems, [2]int{p.a.RS, p.a.CS}, [2]int{p.b.RS, p.b.CS}, p.c.RS,
		p.fused.On, p.pre != nil, p.narrow(), p.widens(), p.fused.ByColumn(), p.streams(), p.fused.Reduced, budget.Panel, p.exists, p.as, p.bs, p.at}
}

// memory is the plans that a job made last. Programs multiply the same few shapes again
// and again, and weighing the alternatives takes some microseconds.
type memory struct {
	asked  [8]question
	plans  [8]plan
	oldest int
}

// planned fills in the plan of j's product, as it was made for the same question before
// if it was.
func (j *job) planned(threads int, pl *plan) {
	q, r := j.question(threads), &j.memory
	for i := range r.asked {
		if r.asked[i] == q {
			*pl = r.plans[i]
			return
		}
	}
	j.product.plan(machine.This(), threads, pl)
	r.asked[r.oldest], r.plans[r.oldest] = q, *pl
	r.oldest = (r.oldest + 1) % len(r.asked)
}

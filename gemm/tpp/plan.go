package tpp

import (
	"slices"

	"github.com/tilesmith/tilesmith/gemm"
)

// A plan is the order in which an equation is computed. Stages with odd numbers go over all
// rows, those between them over the results that there is one of for each column, or one:
//
//	stage 0     of operands alone           1+gamma
//	stage 1     rows, and reductions of columns   ColSum(x)
//	stage 2     of those                    mean = sum/m
//	stage 3     rows once more              x - mean, ...
//
// A stage computes what it needs of rows anew; between stages only results of columns are kept.
type plan struct {
	*graph
	cost   func(n *node) int // of computing one vector of n of its arguments
	stages []*stage
	temps  []*node // kept between stages, in slots after those of parameters
	times  map[*node]int
}

// stage is one kernel. Its passes go over a row of elements. wide means elements that vary
// along columns, and narrow those that are the same all along.
type stage struct {
	number  int
	columns bool // it has one row, of column results
	closure []*node
	passes  []*pass
	spilled []*node // left in L1 by one pass for later ones
	scalars []*node // narrow ones that no row changes, computed before the rows
	firsts  []*node // narrow ones that the first pass may need
	cols    []*node // reductions of columns that it adds to
	ends    []*node // narrow results that are stored at the end of a row
	totals  []*node // reductions of narrow results, which are added to there
	level   map[*node]int
}

// pass is one walk along a row.
type pass struct {
	order   []*node // wide, computed or loaded, arguments first
	loaded  []*node // of these, spilled ones that are loaded
	reduces []*node // reductions of the row
	cols    []*node // reductions of columns
	stores  []int   // outputs
	spills  []*node
	narrow  []*node // computed after it, arguments first
}

// spillCost is how many operations on vectors a temporary in L1 has to replace to be worth a store and a
// load. Each of those takes a port as an operation does, and a line of L1 besides.
const spillCost = 4

// newPlan orders the equation.
func newPlan(g *graph, cost func(n *node) int) *plan {
	p := &plan{graph: g, cost: cost, times: map[*node]int{}}
	last := 0
	for _, n := range g.nodes {
		p.times[n] = p.time(n)
		last = max(last, p.times[n])
	}
	for i := range g.outs {
		last = max(last, p.stageOf(g.outs[i]))
	}
	for s := last; s >= 0; s-- {
		if st := p.stage(s); st != nil {
			p.stages = append(p.stages, st)
		}
	}
	slices.Reverse(p.stages)
	return p
}

// time is the stage that first has n.
func (p *plan) time(n *node) int {
	t := 0
	for _, a := range n.args {
		t = max(t, p.times[a])
	}
	byRows := n.pattern == gemm.FullPattern || n.pattern == gemm.RowPattern
	switch n.kind {
	case apply, convert:
		if byRows {
			t |= 1
		}
	case rowReduce:
		if n.args[0].pattern == gemm.FullPattern {
			t |= 1
		}
	case colReduce:
		t = t | 1 + 1
	}
	return t
}

// stageOf is the stage that stores n.
func (p *plan) stageOf(n *node) int {
	t := p.times[n]
	if n.pattern == gemm.FullPattern || n.pattern == gemm.RowPattern {
		return t | 1
	}
	return t
}

// leaf reports whether stage s does not compute n but finds it: kept says that another stage did.
func (p *plan) leaf(n *node, s int) (leaf, kept bool) {
	t := p.times[n]
	byColumns := n.pattern == gemm.ColumnPattern || n.pattern == gemm.ScalarPattern
	switch {
	case n.args == nil && n.kind != apply:
		return true, false
	case n.kind == colReduce:
		return true, true
	case !byColumns || t == s:
		return false, false
	case t > 0:
		return true, true
	}
	// For operands alone: a value that is the same for all rows is computed once, unless it
	// costs next to nothing.
	dear := n.pattern == gemm.ColumnPattern && p.cost(n) >= spillCost
	return dear, dear
}

// wide reports whether n varies along a row of the stage.
func (st *stage) wide(n *node) bool {
	return n.pattern == gemm.ColumnPattern || n.pattern == gemm.FullPattern && !st.columns
}

// stage plans stage s; later ones are planned. It is nil if there is nothing to do.
func (p *plan) stage(s int) *stage {
	st := &stage{number: s, columns: s%2 == 0, level: map[*node]int{}}
	var outs []int
	var targets []*node
	for i, n := range p.outs {
		leaf, kept := p.leaf(n, s)
		if p.stageOf(n) == s && !(leaf && kept && p.place(n) == i) {
			outs, targets = append(outs, i), append(targets, n)
		}
	}
	for _, n := range p.nodes {
		if n.kind == colReduce && p.times[n] == s+1 {
			st.cols = append(st.cols, n)
			targets = append(targets, n.args[0])
		}
	}
	var keep []*node
	for _, n := range p.temps {
		if n.kind != colReduce && p.times[n] == s {
			keep = append(keep, n)
			targets = append(targets, n)
		}
	}
	for _, n := range targets {
		p.reach(st, n)
	}
	if len(targets) == 0 {
		return nil
	}
	last := 0
	for _, n := range st.closure {
		last = max(last, p.levelOf(st, n))
	}
	st.passes = make([]*pass, last+1)
	for i := range st.passes {
		st.passes[i] = &pass{}
	}
	for _, n := range st.closure {
		if n.kind == rowReduce && !p.isLeaf(n, s) {
			at := st.passes[st.level[n.args[0]]]
			at.reduces = append(at.reduces, n)
		}
	}
	for _, i := range outs {
		if n := p.outs[i]; st.wide(n) {
			at := st.passes[st.level[n]]
			at.stores = append(at.stores, i)
		} else {
			st.ends = append(st.ends, n)
		}
	}
	for _, n := range st.cols {
		if a := n.args[0]; st.wide(a) {
			at := st.passes[st.level[a]]
			at.cols = append(at.cols, n)
		} else {
			st.totals = append(st.totals, n)
		}
	}
	for _, n := range keep {
		if st.wide(n) {
			at := st.passes[st.level[n]]
			at.stores = append(at.stores, p.place(n))
		} else {
			st.ends = append(st.ends, n)
		}
	}
	p.spill(st)
	for _, n := range st.closure {
		switch {
		case st.wide(n):
		case n.pattern == gemm.ScalarPattern && !st.columns:
			st.scalars = append(st.scalars, n)
		case st.level[n] == 0:
			st.firsts = append(st.firsts, n)
		default:
			at := st.passes[st.level[n]-1]
			at.narrow = append(at.narrow, n)
		}
	}
	st.passes = slices.DeleteFunc(st.passes, func(q *pass) bool { return len(q.order) == 0 && len(q.narrow) == 0 })
	return st
}

func (p *plan) isLeaf(n *node, s int) bool {
	leaf, _ := p.leaf(n, s)
	return leaf
}

// reach collects what n is computed of in a stage.
func (p *plan) reach(st *stage, n *node) {
	if slices.Contains(st.closure, n) {
		return
	}
	leaf, kept := p.leaf(n, st.number)
	if kept && p.place(n) < 0 {
		p.temps = append(p.temps, n)
	}
	if !leaf {
		for _, a := range n.args {
			p.reach(st, a)
		}
	}
	st.closure = append(st.closure, n)
}

// place is the slot that n is found in, -1 if there is none.
func (p *plan) place(n *node) int {
	at := len(p.outs)
	if i := slices.Index(p.operands, n); i >= 0 {
		return at + i
	}
	if n.pattern == gemm.ColumnPattern || n.pattern == gemm.ScalarPattern {
		if i := slices.Index(p.outs, n); i >= 0 {
			return i
		}
	}
	if i := slices.Index(p.temps, n); i >= 0 {
		return at + len(p.operands) + i
	}
	return -1
}

// slots counts them.
func (p *plan) slots() int { return len(p.outs) + len(p.operands) + len(p.temps) }

// levelOf is the pass that n, if it is wide, can first be computed in. A narrow one is there
// for the pass of that number.
func (p *plan) levelOf(st *stage, n *node) int {
	l := 0
	if !p.isLeaf(n, st.number) {
		for _, a := range n.args {
			l = max(l, st.level[a])
		}
		if n.kind == rowReduce {
			l++
		}
	}
	st.level[n] = l
	return l
}

// spill decides what passes leave in L1 for others and what they compute again, and orders
// each. The search begins nearest to the results, so the end of a chain is kept.
func (p *plan) spill(st *stage) {
	orders := func() {
		for i, q := range st.passes {
			q.order, q.loaded = nil, nil
			for _, r := range slices.Concat(q.reduces, q.cols) {
				p.walk(st, i, r.args[0])
			}
			for _, o := range q.stores {
				p.walk(st, i, p.at(o))
			}
		}
		for i, q := range st.passes {
			for _, n := range q.spills {
				p.walk(st, i, n)
			}
		}
	}
	orders()
	for _, n := range slices.Backward(st.closure) {
		if !st.wide(n) || p.isLeaf(n, st.number) || n.kind == rowReduce {
			continue
		}
		first, again := -1, -1
		for i, q := range st.passes {
			if slices.Contains(q.order, n) {
				if first < 0 {
					first = i
				} else {
					again = i
				}
			}
		}
		if again >= 0 && p.anew(st, n) >= spillCost {
			st.spilled = append(st.spilled, n)
			st.passes[first].spills = append(st.passes[first].spills, n)
			orders()
		}
	}
}

// work is how many operations a pass takes for a vector, loads among them.
func (p *plan) work(st *stage, q *pass) (ops int) {
	for _, n := range q.order {
		ops++
		if !slices.Contains(q.loaded, n) && !p.isLeaf(n, st.number) {
			ops += p.cost(n)
		}
	}
	return ops
}

// fetches is the pass that fetches the next row: of several the one with the most to do, which
// memory has the most time beside. A single one runs on from row to row, as hardware fetches.
func (p *plan) fetches(st *stage) *pass {
	if st.columns || len(st.passes) < 2 {
		return nil
	}
	return slices.MaxFunc(st.passes, func(x, y *pass) int { return p.work(st, x) - p.work(st, y) })
}

// at is the node that is stored in a slot.
func (p *plan) at(slot int) *node {
	if slot < len(p.outs) {
		return p.outs[slot]
	}
	return p.temps[slot-len(p.outs)-len(p.operands)]
}

// anew is what computing n once more costs.
func (p *plan) anew(st *stage, n *node) int {
	if p.isLeaf(n, st.number) || !st.wide(n) || slices.Contains(st.spilled, n) {
		return 0
	}
	c := p.cost(n)
	for _, a := range n.args {
		c += p.anew(st, a)
	}
	return c
}

// walk adds n, and what it is computed of, to pass i.
func (p *plan) walk(st *stage, i int, n *node) {
	q := st.passes[i]
	if !st.wide(n) || slices.Contains(q.order, n) {
		return
	}
	if slices.Contains(st.spilled, n) && !slices.Contains(q.spills, n) {
		q.order, q.loaded = append(q.order, n), append(q.loaded, n)
		return
	}
	if !p.isLeaf(n, st.number) {
		for _, a := range n.args {
			p.walk(st, i, a)
		}
	}
	q.order = append(q.order, n)
}

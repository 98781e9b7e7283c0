package tpp

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// chain is an equation with products on its way to a unit: the values that its steps leave to each
// other, parameters first, and the steps.
type chain struct {
	*lowering
	parts  []*part
	values []*value
	of     map[*node]int // which value a node is
	steps  []*step
}

// value is anything that has a slot.
type value struct {
	n     *node
	bits  bool
	phase int  // in which it is computed
	later bool // it is of columns, and there when its phase ends
	whole bool // a later phase needs it
	name  string
}

// byRows reports whether each row has its own.
func (v *value) byRows() bool {
	return v.n.pattern == gemm.FullPattern || v.n.pattern == gemm.RowPattern
}

// step is a product or a stage.
type step struct {
	phase   int
	product *node
	part    *part
	st      *stage
	kernel  int
	reads   []int // values
	writes  []int
	slots   []int
}

// asChain divides an equation with products.
func (l *lowering) asChain() (*chain, error) {
	d := l.divide()
	c := &chain{lowering: l, parts: d.parts, of: map[*node]int{}}
	for i, n := range l.outs {
		if _, ok := c.of[n]; !ok && !l.outBits[i] && (!n.source() || n.kind == cols) {
			c.of[n] = i
		}
		c.values = append(c.values, &value{n: n, bits: l.outBits[i], name: l.Outs[i].Name})
	}
	for _, n := range l.operands {
		c.of[n] = len(c.values)
		c.values = append(c.values, &value{n: n, bits: n.bits, name: n.name})
	}
	for s := range c.widths.count() {
		if c.width(s) == "" {
			return nil, fmt.Errorf("no operand and no output has a width of its matrices, as those of %s", c.first(s).say())
		}
	}
	if c.rowsText() == "" {
		return nil, fmt.Errorf("no operand and no output has an element for each row, so nothing says how many there are")
	}
	for i, p := range c.parts {
		if err := c.lower(d, p, i); err != nil {
			return nil, err
		}
	}
	kernels := 0
	for _, p := range c.parts {
		for _, n := range p.products {
			c.add(&step{product: n, reads: []int{c.of[n.args[0]], c.of[n.args[1]]}, writes: []int{c.value(n, n.name)}})
		}
		if p.lowering == nil {
			continue
		}
		slots := c.slots(p)
		for _, st := range p.stages {
			s := &step{part: p, st: st, kernel: kernels, slots: slots}
			s.reads, s.writes = p.touches(st)
			for _, list := range [][]int{s.reads, s.writes} {
				for i, at := range list {
					list[i] = slots[at]
				}
			}
			c.add(s)
			kernels++
		}
	}
	slices.SortStableFunc(c.steps, func(x, y *step) int {
		if x.phase != y.phase {
			return x.phase - y.phase
		}
		first := map[bool]int{false: 1}
		return first[x.columns()] - first[y.columns()]
	})
	return c, nil
}

// first is a node of a space.
func (c *chain) first(space int) *node {
	for _, n := range c.nodes {
		if c.space(n) == space {
			return n
		}
	}
	return c.nodes[0]
}

// columns reports whether the step is over results of columns.
func (s *step) columns() bool { return s.st != nil && s.st.columns }

// lower makes the equation of a part, if there is more to it than products.
func (c *chain) lower(d *divider, p *part, i int) error {
	if len(p.results) == 0 {
		return nil
	}
	g, of, err := d.equation(p)
	if err != nil {
		return err
	}
	spec := c.Spec
	spec.Outs = nil
	for _, r := range p.results {
		o := Output{Name: c.label(r.n), Is: Tensor{r.n}, bits: r.bits}
		if r.param >= 0 {
			o.Name = c.Outs[r.param].Name
		}
		spec.Outs = append(spec.Outs, o)
	}
	for _, n := range p.imports {
		of[n].name = c.label(n)
	}
	l := &lowering{Spec: spec, Draft: &unit.Draft{Context: c.Context, V: fmt.Sprintf("%sPart%d", c.V, i)}, calls: map[*node]unit.Call{}, costs: map[*node]int{}}
	for n, x := range of {
		l.costs[x] = c.costs[n]
		if call, ok := c.calls[n]; ok && x.kind == apply {
			l.calls[x] = call
			l.bits = max(l.bits, c.widest[n])
		}
		l.bits = max(l.bits, gemm.ElemOf(x.t).Bits())
	}
	l.plan = newPlan(g, func(n *node) int { return l.costs[n] })
	if k := l.slots(); k > kernel.MaxSlots {
		return fmt.Errorf("between two products, the part of one width has %d results, operands and results of columns; the limit is %d: divide it between two specs", k, kernel.MaxSlots)
	}
	p.lowering = l
	return nil
}

// value is the number of a node's value, a new one if it has none.
func (c *chain) value(n *node, name string) int {
	if i, ok := c.of[n]; ok {
		return i
	}
	c.of[n] = len(c.values)
	c.values = append(c.values, &value{n: n, name: name})
	return c.of[n]
}

// slots are the values of a part's slots.
func (c *chain) slots(p *part) (slots []int) {
	for _, r := range p.results {
		if r.param >= 0 {
			slots = append(slots, r.param)
		} else {
			slots = append(slots, c.value(r.n, r.n.name))
		}
	}
	for _, n := range p.imports {
		at, ok := c.of[n]
		if !ok {
			panic("tpp: a part takes " + n.say() + ", which no step makes") // a bug of divide
		}
		slots = append(slots, at)
	}
	for _, n := range p.temps { // which no other part has
		slots = append(slots, len(c.values))
		n = &node{name: n.name, t: n.t, pattern: n.pattern}
		c.widths.cols[n] = p.at.space
		c.values = append(c.values, &value{n: n, name: n.name})
	}
	return slots
}

// touches are the slots that a stage reads and those it writes.
func (p *part) touches(st *stage) (reads, writes []int) {
	for _, n := range st.closure {
		if p.isLeaf(n, st.number) && p.place(n) >= 0 {
			reads = append(reads, p.place(n))
		}
	}
	for _, q := range st.passes {
		writes = append(writes, q.stores...)
		for _, n := range q.cols {
			writes = append(writes, p.place(n))
		}
	}
	for _, n := range st.totals {
		writes = append(writes, p.place(n))
	}
	for _, n := range st.ends {
		for i, o := range p.outs {
			if o == n {
				writes = append(writes, i)
			}
		}
		if at := p.place(n); at >= len(p.outs)+len(p.operands) {
			writes = append(writes, at)
		}
	}
	return reads, writes
}

// add finds the phase of a step: after those that end with a result of columns that it reads.
func (c *chain) add(s *step) {
	for _, i := range s.reads {
		if v := c.values[i]; v.later {
			s.phase = max(s.phase, v.phase+1)
		} else {
			s.phase = max(s.phase, v.phase)
		}
	}
	for _, i := range s.reads {
		if v := c.values[i]; v.phase < s.phase {
			v.whole = true
		}
	}
	for _, i := range s.writes {
		v := c.values[i]
		v.phase = s.phase
		v.later = !s.columns() && (v.n.pattern == gemm.ColumnPattern || v.n.pattern == gemm.ScalarPattern)
	}
	c.steps = append(c.steps, s)
}

// table is the chain as the run time takes it.
func (c *chain) table() unit.Lit {
	values, steps := unit.Lit{Type: "[]equation.Value"}, unit.Lit{Type: "[]equation.Step"}
	made := len(c.outs) + len(c.operands)
	for i, v := range c.values {
		values = values.With(unit.Field{Value: unit.Inline("Bytes", v.n.t.Size(), "Per", unit.Expr("equation."+perOf[v.n.pattern]), "Space", max(0, c.space(v.n)),
			"Bits", v.bits, "Whole", v.whole && i >= made && v.byRows())})
	}
	for _, s := range c.steps {
		steps = steps.With(unit.Field{Value: c.stepLit(s)})
	}
	return unit.Struct("equation.Chain", "Name", c.Name, "Values", values, "Outs", len(c.outs), "Params", made, "Steps", steps, "Variants", unit.Expr(c.V+"Variants"))
}

// perOf is what package equation calls a pattern.
var perOf = map[gemm.Pattern]string{gemm.FullPattern: "PerElement", gemm.RowPattern: "PerRow", gemm.ColumnPattern: "PerColumn", gemm.ScalarPattern: "PerCall"}

// stepLit is a step as the run time takes it.
func (c *chain) stepLit(s *step) unit.Expr {
	if n := s.product; n != nil {
		return unit.Inline("Phase", s.phase, "Space", max(0, c.space(n)), "Multiply", unit.Expr("products."+products[productOf(n.args[0].t, n.args[1].t)].name),
			"Out", unit.Expr(fmt.Sprint(s.writes[0])), "A", unit.Expr(fmt.Sprint(s.reads[0])), "B", unit.Expr(fmt.Sprint(s.reads[1])), "Trans", n.trans, "K", max(0, c.space(n.args[0])))
	}
	return unit.Inline("Phase", s.phase, "Space", max(0, s.part.at.space), "Stage", unit.Expr("&"+s.part.stageVar(s.st)), "Kernel", s.kernel, "Slots", unit.Expr(fmt.Sprintf("%#v", s.slots)))
}

// stageVar is the variable that says what a stage is.
func (l *lowering) stageVar(st *stage) string { return fmt.Sprintf("%sAt%d", l.V, st.number) }

// stageVars declares them.
func (c *chain) stageVars() (decls []unit.Decl) {
	for _, s := range c.steps {
		if s.st != nil {
			decls = append(decls, unit.Var{Name: s.part.stageVar(s.st), Value: s.part.stageLit(s.st)})
		}
	}
	return decls
}

// kernels are the stages of all parts for a target.
func (c *chain) kernels(t emit.Target) (fs []*emit.Func, err error) {
	for _, p := range c.parts {
		if p.lowering == nil {
			continue
		}
		of, err := p.lowering.kernels(t)
		if err != nil {
			return nil, err
		}
		fs = append(fs, of...)
	}
	return fs, nil
}

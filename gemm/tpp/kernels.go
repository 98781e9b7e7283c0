package tpp

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// plan checks the equation, finds its functions and orders it.
func (s Spec) plan(c *unit.Draft) (*lowering, error) {
	g, err := s.graph()
	if err != nil {
		return nil, err
	}
	l := &lowering{Spec: s, Draft: c, calls: map[*node]unit.Call{}, costs: map[*node]int{}, widest: map[*node]int{}}
	type known struct {
		fn   string
		call unit.Call
		wide emit.Elem
	}
	var functions []known
	for _, n := range g.nodes {
		l.bits = max(l.bits, gemm.ElemOf(n.t).Bits())
		l.costs[n] = 1
		if n.kind != apply {
			continue
		}
		at := -1
		key := functionKey(n.fn)
		for i, f := range functions {
			if f.fn == key {
				at = i
			}
		}
		if at < 0 {
			call, err := c.Call("", fmt.Sprintf("%sStep%d", s.Name, len(functions)+1), n.fn)
			if err != nil {
				return nil, err
			}
			wide, err := c.Widest(n.fn)
			if err != nil {
				return nil, err
			}
			if call.Decls != "" {
				c.Unit.Copies = append(c.Unit.Copies, unit.Text(call.Decls))
			}
			c.Unit.Imports = append(c.Unit.Imports, call.Imports...)
			at, functions = len(functions), append(functions, known{key, call, wide})
		}
		l.calls[n] = functions[at].call
		l.widest[n] = functions[at].wide.Bits()
		l.bits = max(l.bits, l.widest[n])
		if l.costs[n], err = l.count(n); err != nil {
			return nil, err
		}
	}
	if g.widths != nil {
		l.plan = &plan{graph: g} // of its parts there are some
		return l, nil
	}
	l.plan = newPlan(g, func(n *node) int { return l.costs[n] })
	if k := l.slots(); k > kernel.MaxSlots {
		return nil, fmt.Errorf("it has %d outputs, operands and results of columns that are kept between its %d walks over the rows; the limit is %d: divide it between two specs", k, len(l.stages), kernel.MaxSlots)
	}
	return l, nil
}

// functionKey tells functions apart as far as generated code does.
func functionKey(f any) string {
	if d, ok := f.(emit.Derivative); ok {
		return fmt.Sprintf("d%v%s", d.By, functionKey(d.Of))
	}
	return fmt.Sprint(reflect.ValueOf(f).Pointer(), reflect.TypeOf(f))
}

// count is how many operations the function of n takes.
func (l *lowering) count(n *node) (int, error) {
	f, err := emit.Build("count", nil, func(b *emit.Builder) {
		var args []*emit.Value
		for _, a := range n.args {
			args = append(args, b.Const(emit.Vector(gemm.ElemOf(a.t), 2), 1))
		}
		b.Apply(n.fn, args...)
	})
	if err == nil {
		err = l.Inline(f)
	}
	if err != nil {
		return 0, err
	}
	ops := 0
	f.Body.Walk(func(op *emit.Op) {
		if op.Def.Name != "const" && op.Def.Name != "bitcast" {
			ops++
		}
	})
	return ops, nil
}

// kernels are the stages for a target.
func (l *lowering) kernels(t emit.Target) ([]*emit.Func, error) {
	var fs []*emit.Func
	for _, st := range l.stages {
		f, err := l.kernel(st, t)
		if err != nil {
			return nil, err
		}
		fs = append(fs, f)
	}
	return fs, nil
}

// kernel is one stage: as many vectors of each pass at once as find registers, from what is
// worth it down to one. If there are too many matrices for general registers, addresses of some are computed
// where they are used.
func (l *lowering) kernel(st *stage, t emit.Target) (f *emit.Func, err error) {
	for _, early := range []int{kernel.MaxSlots, 4, 2, 0} {
		if f, err = l.unrolled(st, t, early); err != nil || l.Fits(t, f.Clone()) == nil {
			break
		}
	}
	return f, err
}

// unrolled is kernel with so many addresses of matrices in registers.
func (l *lowering) unrolled(st *stage, t emit.Target, early int) (*emit.Func, error) {
	name := fmt.Sprintf("%s_%s_stage%d", l.V, t.Name, st.number)
	unroll := make([]int, len(st.passes))
	for i, q := range st.passes {
		unroll[i] = l.worth(st, q)
	}
	for {
		k := &stageKernel{plan: l.plan, st: st, lanes: t.Bits / l.bits, unroll: unroll, early: early}
		f, err := k.build(name)
		if err == nil {
			err = l.Inline(f)
		}
		if err != nil {
			return nil, err
		}
		if l.Fits(t, f.Clone()) == nil {
			return f, nil
		}
		most := 0
		for i, u := range unroll {
			if u > unroll[most] && !slices.Contains(st.passes[i].order, l.words) || slices.Contains(st.passes[most].order, l.words) {
				most = i
			}
		}
		if unroll[most] == 1 || slices.Contains(st.passes[most].order, l.words) {
			f.Spills = true // the rest is the backend's: registers that are read least go to the stack
			return f, nil
		}
		unroll[most] /= 2
	}
}

// worth is how many vectors a pass should do at once: enough for additions to wait for each
// other no longer than the rest takes.
func (l *lowering) worth(st *stage, q *pass) int {
	if l.words != nil && slices.Contains(q.order, l.words) {
		return 4 // what a block of random words makes
	}
	ops := l.work(st, q)
	if ops <= 8 {
		return 4
	}
	return 1 // a processor looks far enough ahead to begin with the next
}

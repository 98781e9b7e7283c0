package emit

import "slices"

// DeadCode drops pure operations whose results are not used. It drops values that a
// loop carries or an if yields and nobody reads, and loops and ifs that are then left
// without effect. Loads stay: they may fault, and something may wait for what they
// read. It never fails.
func DeadCode(f *Func) error {
	m := &marker{sites: map[*Value]site{}, owner: map[*Block]*Op{}, block: map[*Op]*Block{}, ops: map[*Op]bool{}, live: map[*Value]bool{}}
	m.index(f.Body)
	f.Body.Walk(func(op *Op) {
		if op.effect() != Pure && len(op.Blocks) == 0 && op.Def.Name != "yield" {
			m.op(op)
		}
	})
	m.sweep(f.Body)
	return nil
}

// marker finds what is needed, beginning at effects.
type marker struct {
	sites map[*Value]site
	owner map[*Block]*Op
	block map[*Op]*Block // where an operation stands
	ops   map[*Op]bool
	live  map[*Value]bool
}

// site is where a value is defined: it is argument i of block b of op, or with b
// of -1 result i.
type site struct {
	op   *Op
	b, i int
}

func (m *marker) index(b *Block) {
	for _, op := range b.Ops {
		m.block[op] = b
		for i, v := range op.Results {
			m.sites[v] = site{op, -1, i}
		}
		for k, in := range op.Blocks {
			m.owner[in] = op
			for i, v := range in.Args {
				m.sites[v] = site{op, k, i}
			}
			m.index(in)
		}
	}
}

// op marks an operation, whatever decides that it is executed, and its operands
// but for those that are handed on one by one.
func (m *marker) op(op *Op) {
	if op == nil || m.ops[op] {
		return
	}
	m.ops[op] = true
	m.op(m.owner[m.block[op]])
	switch op.Def.Name {
	case "for":
		m.values(op.Args[:3]...)
	case "while":
		m.values(op.Blocks[0].yield()[0])
	default:
		m.values(op.Args...)
	}
}

// values marks values, what makes them, and what is handed on to them.
func (m *marker) values(vs ...*Value) {
	for _, v := range vs {
		if m.live[v] {
			continue
		}
		m.live[v] = true
		at := m.sites[v]
		op := at.op
		m.op(op)
		switch op.Def.Name {
		case "for":
			i := at.i
			if at.b == 0 {
				i-- // the index comes first
			}
			if i >= 0 {
				m.values(op.Args[3+i], op.Blocks[0].yield()[i])
			}
		case "while":
			if at.b == 0 {
				m.values(op.Args[at.i], op.Blocks[1].yield()[at.i])
			} else {
				m.values(op.Blocks[0].yield()[1+at.i])
			}
		case "if":
			m.values(op.Blocks[0].yield()[at.i], op.Blocks[1].yield()[at.i])
		}
	}
}

// sweep removes what was not marked from b.
func (m *marker) sweep(b *Block) {
	b.Ops = slices.DeleteFunc(b.Ops, func(op *Op) bool { return !m.ops[op] && op.Def.Name != "yield" })
	for _, op := range b.Ops {
		switch op.Def.Name {
		case "for":
			body := op.Blocks[0]
			keep := m.either(op.Results, body.Args[1:])
			op.Args = slices.Concat(op.Args[:3], filter(op.Args[3:], keep))
			body.Args = slices.Concat(body.Args[:1], filter(body.Args[1:], keep))
			body.setYield(filter(body.yield(), keep))
			op.Results = filter(op.Results, keep)
		case "while":
			head, body := op.Blocks[0], op.Blocks[1]
			in, through := m.either(head.Args, head.Args), m.either(op.Results, body.Args)
			op.Args, head.Args = filter(op.Args, in), filter(head.Args, in)
			body.setYield(filter(body.yield(), in))
			ys := head.yield()
			head.setYield(slices.Concat(ys[:1], filter(ys[1:], through)))
			body.Args, op.Results = filter(body.Args, through), filter(op.Results, through)
		case "if":
			keep := m.either(op.Results, op.Results)
			for _, in := range op.Blocks {
				in.setYield(filter(in.yield(), keep))
			}
			op.Results = filter(op.Results, keep)
		}
		for _, in := range op.Blocks {
			m.sweep(in)
		}
	}
}

// either returns for each place whether the value of one of the lists is live.
func (m *marker) either(xs, ys []*Value) []bool {
	keep := make([]bool, len(xs))
	for i := range xs {
		keep[i] = m.live[xs[i]] || m.live[ys[i]]
	}
	return keep
}

func filter(vs []*Value, keep []bool) []*Value {
	var out []*Value
	for i, v := range vs {
		if keep[i] {
			out = append(out, v)
		}
	}
	return out
}

// setYield replaces the operands of the final yield.
func (b *Block) setYield(vs []*Value) { b.Ops[len(b.Ops)-1].Args = vs }

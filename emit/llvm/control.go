package llvm

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
)

// regions are the operations that own blocks. Arguments of a block are phis of what
// comes from each side.
var regions map[string]func(e *emitter, op *emit.Op) error

func init() { // a literal would refer to itself through the emitter's methods
	regions = map[string]func(e *emitter, op *emit.Op) error{"for": emitFor, "while": emitWhile, "if": emitIf}
}

// phi appends a phi for each of vs, with what comes from block from so far.
func (e *emitter) phi(vs []*emit.Value, from *ir.Block, xs []value.Value) ([]*ir.InstPhi, error) {
	phis := make([]*ir.InstPhi, len(vs))
	for i, v := range vs {
		if _, err := e.of(v.Type); err != nil {
			return nil, err
		}
		phis[i] = e.at.NewPhi(ir.NewIncoming(xs[i], from))
		e.vals[v] = phis[i]
	}
	return phis, nil
}

// join adds to phis what comes from block from.
func join(phis []*ir.InstPhi, from *ir.Block, xs []value.Value) {
	for i, p := range phis {
		p.Incs = append(p.Incs, ir.NewIncoming(xs[i], from))
	}
}

// values returns what vs are in LLVM.
func (e *emitter) values(vs []*emit.Value) []value.Value {
	out := make([]value.Value, len(vs))
	for i, v := range vs {
		out[i] = e.vals[v]
	}
	return out
}

// yield returns what a block that was translated hands on.
func (e *emitter) yield(b *emit.Block) []value.Value { return e.values(b.Ops[len(b.Ops)-1].Args) }

// emitFor tests at the end of the body, and before the first round if the body may not
// run at all.
func emitFor(e *emitter, op *emit.Op) error {
	lo, hi, step, inits := e.arg(op, 0), e.arg(op, 1), e.arg(op, 2), e.values(op.Args[3:])
	before, body, after := e.at, e.newBlock("loop"), e.newBlock("after")
	if op.Attr.Once {
		e.at.NewBr(body)
	} else {
		e.at.NewCondBr(e.at.NewICmp(enum.IPredSLT, lo, hi), body, after)
	}
	e.enter(body)
	b := op.Blocks[0]
	phis, err := e.phi(b.Args, before, append([]value.Value{lo}, inits...))
	if err != nil {
		return err
	}
	if err := e.block(b); err != nil {
		return err
	}
	next := e.yield(b)
	i := e.at.NewAdd(phis[0], step)
	e.at.NewCondBr(e.at.NewICmp(enum.IPredSLT, i, hi), body, after)
	join(phis, e.at, append([]value.Value{i}, next...))
	last := e.at
	e.enter(after)
	results, err := e.phi(op.Results, last, next)
	if err == nil && !op.Attr.Once {
		join(results, before, inits)
	}
	return err
}

func emitWhile(e *emitter, op *emit.Op) error {
	before, head, body, after := e.at, e.newBlock("head"), e.newBlock("loop"), e.newBlock("after")
	e.at.NewBr(head)
	e.enter(head)
	phis, err := e.phi(op.Blocks[0].Args, before, e.values(op.Args))
	if err != nil {
		return err
	}
	if err := e.block(op.Blocks[0]); err != nil {
		return err
	}
	passed := e.yield(op.Blocks[0])
	e.at.NewCondBr(passed[0], body, after)
	for i, v := range op.Blocks[1].Args { // nothing else leads to the body or past it
		e.vals[v] = passed[1+i]
	}
	e.enter(body)
	if err := e.block(op.Blocks[1]); err != nil {
		return err
	}
	e.at.NewBr(head)
	join(phis, e.at, e.yield(op.Blocks[1]))
	e.enter(after)
	for i, v := range op.Results {
		e.vals[v] = passed[1+i]
	}
	return nil
}

func emitIf(e *emitter, op *emit.Op) error {
	var sides [2]*ir.Block
	for i := range sides {
		sides[i] = e.newBlock("side")
	}
	after := e.newBlock("after")
	e.at.NewCondBr(e.arg(op, 0), sides[0], sides[1])
	var ends [2]*ir.Block
	var xs [2][]value.Value
	for i, b := range op.Blocks {
		e.enter(sides[i])
		if err := e.block(b); err != nil {
			return err
		}
		e.at.NewBr(after)
		ends[i], xs[i] = e.at, e.yield(b)
	}
	e.enter(after)
	results, err := e.phi(op.Results, ends[0], xs[0])
	if err == nil {
		join(results, ends[1], xs[1])
	}
	return err
}

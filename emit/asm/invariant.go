package asm

import "github.com/tilesmith/tilesmith/emit"

// Invariants moves out of loops what is the same in every trip. These are operations on vectors
// that touch no memory and whose operands come from outside, such as what an epilogue makes of a
// scalar. It is for functions that may spill, which come from users' code: in others whoever
// wrote them chose where every value is made. If there are too few registers for it, all stays.
func (m *Machine) Invariants(t emit.Target, f *emit.Func) error {
	if !f.Spills {
		return nil
	}
	c := f.Clone()
	moveInvariants(c.Body)
	c.Number()
	if _, err := Allocate(m, t, c); err != nil {
		return nil // and nothing is lost
	}
	moveInvariants(f.Body)
	return nil
}

// moveInvariants moves what it can to before the loops of a block, those of inner loops first.
func moveInvariants(b *emit.Block) {
	var out []*emit.Op
	for _, op := range b.Ops {
		for _, in := range op.Blocks {
			moveInvariants(in)
		}
		if op.Def.Name == "for" {
			out = append(out, takeInvariants(op.Blocks[0])...)
		}
		out = append(out, op)
	}
	b.Ops = out
}

// takeInvariants removes from the body of a loop what does not depend on the trip, and
// returns it. Constants among the operands are made again.
func takeInvariants(body *emit.Block) (moved []*emit.Op) {
	inside := map[*emit.Value]bool{}
	for _, v := range body.Args {
		inside[v] = true
	}
	body.Walk(func(op *emit.Op) {
		for _, v := range op.Results {
			inside[v] = true
		}
		for _, in := range op.Blocks {
			for _, v := range in.Args {
				inside[v] = true
			}
		}
	})
	var kept []*emit.Op
	for _, op := range body.Ops {
		if !invariant(op, inside) {
			kept = append(kept, op)
			continue
		}
		for i, a := range op.Args {
			if IsConst(a) && inside[a] {
				c := NewOp(a.Op, "const", a.Op.Attr, nil, a.Type)
				moved = append(moved, c)
				op.Args[i] = c.Result()
			}
		}
		inside[op.Result()] = false
		moved = append(moved, op)
	}
	body.Ops = kept
	return moved
}

// invariant reports whether an operation gives the same vector in every trip, from operands
// that are not all constants. [Machine.Hoist] decides where constants are made.
func invariant(op *emit.Op, inside map[*emit.Value]bool) bool {
	if op.Def.Mem != emit.Pure || op.Inst != nil || op.Fn != nil || len(op.Blocks) > 0 || len(op.Results) != 1 || len(op.Args) == 0 {
		return false
	}
	if t := op.Result().Type; t.Lanes == 1 || t.Elem == emit.I1 {
		return false
	}
	constants := 0
	for _, a := range op.Args {
		switch {
		case IsConst(a):
			constants++
		case inside[a]:
			return false
		}
	}
	return constants < len(op.Args)
}

package amd64

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// contained reports whether the first of some operations is part of the second. That is a vector of floats that
// the second computes with, another load that is asked to be, and can be, or a shift or a
// parameter that is added to a pointer.
func (e *emitter) contained(ops []*emit.Op) bool {
	op := ops[0]
	if len(ops) < 2 {
		return false
	}
	switch op.Def.Name {
	case "shl":
		return e.scales(ops[1], op)
	case "param":
		return e.adds(ops[1], op.Result())
	}
	if op.Def.Name == "load" && e.computesWith(ops[1], op.Result()) {
		return true
	}
	if op.Attr.Imm != 1 {
		return false
	}
	switch next := ops[1]; op.Def.Name {
	case "loadb":
		return e.multiplies(next, op.Result())
	case "load":
		return e.widens(next, op.Result())
	}
	return false
}

// computesWith reports whether op takes v, a whole vector of floats that nothing else reads, from memory. An
// operand in memory takes one place in the queues of a core, where a load and an operation take two.
func (e *emitter) computesWith(op *emit.Op, v *emit.Value) bool {
	if !full(v.Type.Elem) || v.Type.Lanes == 1 || v.Type.Bits() < 128 || e.Uses[v.ID] != 1 || !slices.Contains(op.Args, v) {
		return false
	}
	switch op.Def.Name {
	case "fma":
		return v != op.Args[0] && e.Same(op.Result(), op.Args[0])
	case "add", "mul":
		return true
	case "sub", "div", "max", "min":
		return op.Args[1] == v
	}
	return false
}

// multiplies reports whether op is a multiply-add of AVX-512, into its own sum, by v, which
// nothing else reads.
func (e *emitter) multiplies(op *emit.Op, v *emit.Value) bool {
	if e.T.Bits != 512 || op.Def.Name != "fma" {
		return false
	}
	acc, x, y := op.Args[0], op.Args[1], op.Args[2]
	return full(v.Type.Elem) && e.Uses[v.ID] == 1 && (x == v || y == v) && e.Same(op.Result(), acc)
}

// adds reports whether op adds v, a field of the argument block that nothing else reads, to a register.
func (e *emitter) adds(op *emit.Op, v *emit.Value) bool {
	return op.Def.Name == "addp" && v.Type == emit.Int64 && op.Args[1] == v && e.Uses[v.ID] == 1 && e.Same(op.Result(), op.Args[0])
}

// scales reports whether op adds to a pointer what shl shifts by as much as an address does, and nothing else uses it.
func (e *emitter) scales(op, shl *emit.Op) bool {
	v := shl.Result()
	return op.Def.Name == "addp" && op.Args[1] == v && op.Args[0] != v && e.Uses[v.ID] == 1 && immediate(shl, 1) && shl.Args[1].Op.Attr.Imm <= 3
}

// widens reports whether op makes wider lanes of v, a vector that nothing else reads.
func (e *emitter) widens(op *emit.Op, v *emit.Value) bool {
	if op.Def.Name != "zext" && (op.Def.Name != "cvt" || v.Type.Elem != emit.F16) {
		return false
	}
	return v.Type.Lanes > 1 && op.Args[0] == v && e.Uses[v.ID] == 1
}

// operand spells v: its register, or where the load that the operation contains reads it.
func (e *emitter) operand(v *emit.Value) string {
	switch in := e.Within; {
	case in == nil || in.Result() != v:
		return e.reg(v)
	case in.Def.Name == "param":
		return e.field(in)
	default:
		return e.address(in, 0)
	}
}

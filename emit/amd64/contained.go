package amd64

import "github.com/tilesmith/tilesmith/emit"

// contained reports whether the first of some operations is part of the second. That is a load that is asked
// to be, and can be, or a shift of what is added to a pointer.
func (e *emitter) contained(ops []*emit.Op) bool {
	op := ops[0]
	if len(ops) < 2 {
		return false
	}
	if op.Def.Name == "shl" {
		return e.scales(ops[1], op)
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

// multiplies reports whether op is a multiply-add of AVX-512, into its own sum, by v, which
// nothing else reads.
func (e *emitter) multiplies(op *emit.Op, v *emit.Value) bool {
	if e.t.Bits != 512 || op.Def.Name != "fma" {
		return false
	}
	acc, x, y := op.Args[0], op.Args[1], op.Args[2]
	return full(v.Type.Elem) && e.uses[v.ID] == 1 && (x == v || y == v) && e.same(op.Result(), acc)
}

// scales reports whether op adds to a pointer what shl shifts by as much as an address does, and nothing else uses it.
func (e *emitter) scales(op, shl *emit.Op) bool {
	v := shl.Result()
	return op.Def.Name == "addp" && op.Args[1] == v && op.Args[0] != v && e.uses[v.ID] == 1 && immediate(shl, 1) && shl.Args[1].Op.Attr.Imm <= 3
}

// widens reports whether op makes wider lanes of v, a vector that nothing else reads.
func (e *emitter) widens(op *emit.Op, v *emit.Value) bool {
	if op.Def.Name != "zext" && (op.Def.Name != "cvt" || v.Type.Elem != emit.F16) {
		return false
	}
	return v.Type.Lanes > 1 && op.Args[0] == v && e.uses[v.ID] == 1
}

// source spells what op widens: its operand's register, or where the load that op contains
// reads.
func (e *emitter) source(op *emit.Op) string {
	if e.within != nil {
		return e.address(e.within, 0)
	}
	return e.reg(op.Args[0])
}

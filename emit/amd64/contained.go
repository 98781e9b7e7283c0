package amd64

import "github.com/tilesmith/tilesmith/emit"

// contained reports whether the first of some operations is a load that is asked to be
// part of the second, and can be.
func (e *emitter) contained(ops []*emit.Op) bool {
	load := ops[0]
	if load.Attr.Imm != 1 || len(ops) < 2 {
		return false
	}
	switch next := ops[1]; load.Def.Name {
	case "loadb":
		return e.multiplies(next, load.Result())
	case "load":
		return e.widens(next, load.Result())
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

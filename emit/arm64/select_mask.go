package arm64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// Comparisons, choices and logic of masks, which are vectors: see package asm.

// selectCmp emits nothing for a condition: it is compared where it is used.
func selectCmp(e *emitter, op *emit.Op) error {
	r, x, y := op.Result(), op.Args[0], op.Args[1]
	if asm.IsCondition(r) {
		return nil
	}
	t, pred := x.Type, op.Attr.Name
	prefix := "cm"
	switch {
	case t.Elem == emit.I1:
		return fmt.Errorf("comparison of masks has no row on arm64; use and, or, xor")
	case t.Elem.Float():
		if err := computes(t); err != nil {
			return err
		}
		prefix = "fcm"
	}
	if pred == "lt" || pred == "le" {
		x, y = y, x
	}
	d := e.as(r, t.Elem.Bits())
	e.neon("%s%s %s, %s, %s", prefix, map[string]string{"eq": "eq", "ne": "eq", "lt": "gt", "gt": "gt", "le": "ge", "ge": "ge"}[pred], d, e.v(x), e.v(y))
	if pred == "ne" {
		e.neon("mvn %s, %s", e.bytes(r), e.bytes(r))
	}
	return nil
}

// selectSelect is a bitwise choice of vectors, and a selection by flags of others.
func selectSelect(e *emitter, op *emit.Op) error {
	r, m, x, y := op.Result(), op.Args[0], op.Args[1], op.Args[2]
	if asm.IsCondition(r) {
		return fmt.Errorf("select of conditions has no row on arm64")
	}
	if r.Type.Lanes > 1 {
		d, mb, xb, yb := e.bytes(r), e.bytes(m), e.bytes(x), e.bytes(y)
		switch {
		case e.Same(r, y):
			e.neon("bit %s, %s, %s", d, xb, mb)
		case e.Same(r, x):
			e.neon("bif %s, %s, %s", d, yb, mb)
		default:
			e.Copy(r, m)
			e.neon("bsl %s, %s, %s", d, xb, yb)
		}
		return nil
	}
	cc, err := e.Condition(m)
	if err != nil {
		return err
	}
	if e.Cls[r.ID] == asm.GPR {
		e.Line("CSEL %s, %s, %s, %s", cc, e.r(x), e.r(y), e.r(r))
		return nil
	}
	e.Line("FCSEL%s %s, %s, %s, %s", map[int]string{32: "S", 64: "D"}[r.Type.Bits()], cc, e.f(x), e.f(y), e.f(r))
	return nil
}

// maskLogic is and, or and xor.
func (e *emitter) maskLogic(op *emit.Op) error {
	r := op.Result()
	m := map[string]string{"and": "and", "or": "orr", "xor": "eor"}[op.Def.Name]
	switch {
	case asm.IsCondition(r):
		return fmt.Errorf("logic on conditions has no row on arm64; select or branch twice")
	case m == "":
		return fmt.Errorf("is not defined on %v", r.Type)
	}
	e.neon("%s %s, %s, %s", m, e.bytes(r), e.bytes(op.Args[0]), e.bytes(op.Args[1]))
	return nil
}

// cutMask prints an instruction that makes a mask, and reports whether op is one. A mask is
// converted a factor of two at a time.
func (e *emitter) cutMask(op *emit.Op) (err error, ok bool) {
	to := asm.MadeBits[op.Inst]
	if to == 0 {
		return nil, false
	}
	r := op.Result()
	s := asm.MaskShape{Lanes: r.Type.Lanes, Bits: to}
	d := e.num(r)
	switch op.Inst {
	case asm.Fills[s]:
		e.neon("movi v%d.2d, #0xffffffffffffffff", d)
	case asm.Clear[s]:
		e.neon("movi v%d.2d, #0", d)
	case asm.Tails[s]:
		// The mask ends where n lanes of the table's zeros do.
		e.Line("ADD R%d<<%d, R%d, R%d", e.num(op.Args[1]), map[int]int{8: 0, 16: 1, 32: 2, 64: 3}[to], e.num(op.Args[0]), tmp)
		e.Line("FMOVQ %d(R%d), F%d", 32-s.Lanes*to/8, tmp, d)
	case asm.Cuts[s]:
		from, at := laneBits(e.T, op.Args[0]), e.num(op.Args[0])
		for ; from < to; from, at = 2*from, d {
			e.neon("sshll %s, %s, #0", lanes(2*from, d, true), lanes(from, at, false))
		}
		for ; from > to; from, at = from/2, d {
			e.neon("xtn %s, %s", lanes(from/2, d, false), lanes(from, at, true))
		}
	}
	return nil, true
}

// own loads into vector register t what tells lanes apart: lane i has bit i%8, lanes that are
// not there have none.
func (e *emitter) own(t, bits, n int) {
	words := make([]uint64, 128/bits)
	for i := range n {
		words[i] = 1 << (i % 8)
	}
	e.Line("MOVD $%s(SB), R%d", e.File.Table(bits, words), tmp2)
	e.Line("FMOVQ (R%d), F%d", tmp2, t)
}

// selectMaskBits keeps of each lane the bit that is its own, and adds them up.
func selectMaskBits(e *emitter, op *emit.Op) error {
	r, m := op.Result(), op.Args[0]
	t, bits, n := e.Temp(asm.Vec, op), laneBits(e.T, m), m.Type.Lanes
	e.own(t, bits, n)
	e.neon("and %s, %s, %s", lanes(8, t, true), lanes(8, t, true), e.bytes(m))
	switch bits {
	case 64:
		e.neon("addp d%d, v%d.2d", t, t)
	case 8: // sums of eight lanes are a byte
		for range 3 {
			e.neon("addp %s, %s, %s", lanes(8, t, true), lanes(8, t, true), lanes(8, t, true))
		}
	default:
		e.neon("addv %s, %s", scalar(bits, t), lanes(bits, t, true))
	}
	if bits == 32 {
		e.neon("umov %s, v%d.s[0]", e.w(r), t)
	} else if bits == 64 {
		e.neon("umov %s, v%d.d[0]", e.x(r), t)
	} else {
		e.neon("umov %s, v%d.h[0]", e.w(r), t)
	}
	return nil
}

// selectMaskOf makes a mask of bits: each lane looks whether it has its own.
func selectMaskOf(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	n := r.Type.Lanes
	bits := asm.Widest(e.T, n)
	ids := e.Temps[op]
	own, high, d := e.Webs[e.Find(ids[0])].Reg, e.Webs[e.Find(ids[1])].Reg, e.num(r)
	e.own(own, bits, n)
	switch bits {
	case 64:
		e.neon("dup v%d.2d, %s", d, e.x(x))
	case 8:
		e.Line("LSR $8, %s, R%d", e.r(x), tmp)
		e.neon("dup v%d.8b, w%d", high, tmp)
		e.neon("dup v%d.8b, %s", d, e.w(x))
		e.neon("ins v%d.d[1], v%d.d[0]", d, high)
	default:
		e.neon("dup %s, %s", lanes(bits, d, true), e.w(x))
	}
	e.neon("cmtst %s, %s, %s", lanes(bits, d, true), lanes(bits, d, true), lanes(bits, own, true))
	return nil
}

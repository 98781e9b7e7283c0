package amd64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// address spells the address of a memory operation, that many bytes on.
func (e *emitter) address(op *emit.Op, on int64) string {
	p, i := op.Address()
	s := fmt.Sprintf("(%s)", e.reg(p))
	if off := op.Attr.Off + on; off != 0 {
		s = fmt.Sprintf("%d%s", off, s)
	}
	if i != nil {
		s += fmt.Sprintf("(%s*%d)", e.reg(i), op.Attr.Scale)
	}
	return s
}

// scalarLoad is the mnemonic that loads a scalar. Narrow integers come with
// zeros, which nobody relies on.
func scalarLoad(t emit.Type) string {
	if t.Elem.Float() {
		return "VMOV" + suffix(t)
	}
	return map[int]string{8: "MOVBLZX", 16: "MOVWLZX", 32: "MOVL", 64: "MOVQ"}[t.Bits()]
}

// vectorMove is the mnemonic that loads or stores a vector, or part of one in the
// low end of a register.
func (e *emitter) vectorMove(t emit.Type) string {
	switch {
	case t.Bits() == 32:
		return "VMOVD"
	case t.Bits() == 64:
		return "VMOVQ"
	case full(t.Elem):
		return "VMOVU" + suffix(t)
	case e.T.Bits == 512:
		return fmt.Sprintf("VMOVDQU%d", t.Elem.Bits())
	}
	return "VMOVDQU"
}

// maskedMove is the mnemonic that loads or stores the lanes of a mask. AVX-512
// does not touch what a mask leaves out, whatever the width of the register. It is
// "" if AVX2 has no such instruction. That is so for 8 and 16 bits, and for vectors
// below 128, since it would look at the mask's lanes past the last.
func maskedMove(target emit.Target, t emit.Type) string {
	switch {
	case target.Bits == 512 && full(t.Elem):
		return "VMOVU" + suffix(t)
	case target.Bits == 512:
		return fmt.Sprintf("VMOVDQU%d", t.Elem.Bits())
	case t.Bits() < 128 || t.Elem.Bits() < 32:
		return ""
	case full(t.Elem):
		return "VMASKMOV" + suffix(t)
	}
	return "VPMASKMOV" + letter(t.Elem)
}

func selectLoad(e *emitter, op *emit.Op) error {
	r := op.Result()
	d, a := e.reg(r), e.address(op, 0)
	switch {
	case r.Type.Lanes == 1 && op.Def.Name == "loadm":
		return fmt.Errorf("a masked load of a scalar has no row on amd64; branch")
	case r.Type.Lanes == 1:
		m := "MOVQ"
		if !r.Type.Ptr {
			m = scalarLoad(r.Type)
		}
		e.Line("%s %s, %s", m, a, d)
	case op.Def.Name == "loadb":
		e.Line("%s %s, %s", broadcast(r.Type), a, d)
	case op.Def.Name == "load":
		e.Line("%s %s, %s", e.vectorMove(r.Type), a, d)
	default:
		m, k := maskedMove(e.T, r.Type), e.reg(op.Args[0])
		switch {
		case m == "":
			e.loadLanes(op)
			return nil
		case e.T.Bits == 512:
			m += ".Z"
		}
		e.Line("%s %s, %s, %s", m, a, k, d)
	}
	return nil
}

func selectStore(e *emitter, op *emit.Op) error {
	v := op.Args[0]
	s, a := e.reg(v), e.address(op, 0)
	switch {
	case v.Type.Lanes == 1 && op.Def.Name == "storem":
		return fmt.Errorf("a masked store of a scalar has no row on amd64; branch")
	case v.Type.Elem.Float() && v.Type.Lanes == 1:
		e.Line("VMOV%s %s, %s", suffix(v.Type), s, a)
	case v.Type.Lanes == 1:
		m := map[int]string{8: "MOVB", 16: "MOVW", 32: "MOVL", 64: "MOVQ"}[v.Type.Bits()]
		e.Line("%s %s, %s", m, s, a)
	case op.Def.Name == "store":
		e.Line("%s %s, %s", e.vectorMove(v.Type), s, a)
	default:
		m := maskedMove(e.T, v.Type)
		if m == "" {
			e.storeLanes(op)
			return nil
		}
		e.Line("%s %s, %s, %s", m, s, e.reg(op.Args[1]), a)
	}
	return nil
}

// Masked accesses for which AVX2 has no instruction go lane by lane. The mask is
// gathered in a general register, and each lane is moved only if its bit is set, so
// nothing outside the mask is touched. Such an access ends a row of a tile, where its
// cost does not matter.

// eachLane calls move for n lanes of t from first on. Each call makes code that is
// executed only if the lane's first byte is set in bits.
func (e *emitter) eachLane(t emit.Type, first, n int, bits string, move func(i int)) {
	for i := first; i < first+n; i++ {
		skip := e.Label()
		e.Line("BTL $%d, %s", i*t.Elem.Bytes(), bits)
		e.Line("JCC %s", skip)
		move(i)
		e.Mark(skip)
	}
}

// maskToGPR gathers the signs of the bytes of mask k in a general register.
func (e *emitter) maskToGPR(op *emit.Op, k *emit.Value) string {
	r := gprs[e.Temp(asm.GPR, op)]
	e.Line("VPMOVMSKB %s, %s", e.reg(k), r)
	return r
}

func (e *emitter) loadLanes(op *emit.Op) {
	r := op.Result()
	t := r.Type
	bits := e.maskToGPR(op, op.Args[0])
	per := min(t.Lanes, 16/t.Elem.Bytes()) // lanes in 128 bits
	fill := func(first int, d string) {
		e.Line("VPXOR %s, %s, %s", d, d, d)
		e.eachLane(t, first, per, bits, func(i int) {
			e.Line("VPINSR%s $%d, %s, %s, %s", letter(t.Elem), i-first, e.address(op, int64(i*t.Elem.Bytes())), d, d)
		})
	}
	fill(0, e.spell(r, 128))
	if per < t.Lanes {
		high := vectorName(e.Temp(asm.Vec, op), 128)
		fill(per, high)
		e.Line("VINSERTI128 $1, %s, %s, %s", high, e.reg(r), e.reg(r))
	}
}

func (e *emitter) storeLanes(op *emit.Op) {
	v := op.Args[0]
	t := v.Type
	bits := e.maskToGPR(op, op.Args[1])
	per := min(t.Lanes, 16/t.Elem.Bytes())
	take := func(first int, s string) {
		e.eachLane(t, first, per, bits, func(i int) {
			e.Line("VPEXTR%s $%d, %s, %s", letter(t.Elem), i-first, s, e.address(op, int64(i*t.Elem.Bytes())))
		})
	}
	take(0, e.spell(v, 128))
	if per < t.Lanes {
		high := vectorName(e.Temp(asm.Vec, op), 128)
		e.Line("VEXTRACTI128 $1, %s, %s", e.reg(v), high)
		take(per, high)
	}
}

func selectPrefetch(e *emitter, op *emit.Op) error {
	if op.Attr.Imm != 0 && op.Attr.Imm != 1 {
		return fmt.Errorf("prefetch level is %d, not 0 (L1) or 1 (L2)", op.Attr.Imm)
	}
	e.Line("PREFETCHT%d %s", op.Attr.Imm, e.address(op, 0))
	return nil
}

package arm64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// place prepares the address of a memory operation, on bytes further, for an access of so
// many bytes. It returns the number of the register and the offset of an instruction that
// counts offsets in accesses, or in bytes if they are few. What does not fit is added into
// tmp2.
func (e *emitter) place(op *emit.Op, on int64, size int) (base int, off int64) {
	p, i := op.Address()
	base, off = e.num(p), op.Attr.Off+on
	if i != nil {
		shift := map[int64]int{1: 0, 2: 1, 4: 2, 8: 3}[op.Attr.Scale]
		e.Line("ADD %s, R%d, R%d", shifted(e.num(i), shift), base, tmp2)
		base = tmp2
	}
	return e.near(base, off, size)
}

// near returns a base and an offset that an instruction has, of the same address.
func (e *emitter) near(base int, off int64, size int) (int, int64) {
	if reaches(off, size) {
		return base, off
	}
	e.Line("ADD $%d, R%d, R%d", off, base, tmp2)
	return tmp2, 0
}

// reaches reports whether an access of so many bytes has the offset in its instruction: 12
// bits of accesses, or nine of bytes with a sign (DDI 0487, LDR and LDUR).
func reaches(off int64, size int) bool {
	return -256 <= off && off < 256 || 0 <= off && off < 4096*int64(size) && off%int64(size) == 0
}

// at spells an address as Go does.
func (e *emitter) at(op *emit.Op, size int) string {
	return goAddress(e.place(op, 0, size))
}

func goAddress(base int, off int64) string {
	if off == 0 {
		return fmt.Sprintf("(R%d)", base)
	}
	return fmt.Sprintf("%d(R%d)", off, base)
}

// bare returns the number of a register that holds the address of a memory operation, on
// bytes further, for instructions without an offset.
func (e *emitter) bare(op *emit.Op, on int64) int {
	base, off := e.place(op, on, 1)
	if off == 0 {
		return base
	}
	e.Line("ADD $%d, R%d, R%d", off, base, tmp2)
	return tmp2
}

// scalarLoad is the mnemonic that loads a scalar. Narrow integers come with zeros, which
// nobody relies on.
func scalarLoad(t emit.Type) string {
	switch {
	case t.Ptr:
		return "MOVD"
	case t.Elem.Float():
		return wide[t.Bits()]
	}
	return map[int]string{8: "MOVBU", 16: "MOVHU", 32: "MOVWU", 64: "MOVD"}[t.Bits()]
}

// wide is the mnemonic that loads or stores the low end of a vector register.
var wide = map[int]string{32: "FMOVS", 64: "FMOVD", 128: "FMOVQ"}

func selectLoad(e *emitter, op *emit.Op) error {
	r := op.Result()
	switch t := r.Type; {
	case t.Lanes == 1:
		e.Line("%s %s, %s", scalarLoad(t), e.at(op, max(1, t.Bytes())), e.goReg(r))
	case op.Def.Name == "loadb":
		e.neon("ld1r {%s}, [x%d]", e.v(r), e.bare(op, 0))
	default:
		e.Line("%s %s, %s", wide[t.Bits()], e.at(op, t.Bytes()), e.f(r))
	}
	return nil
}

func selectStore(e *emitter, op *emit.Op) error {
	v := op.Args[0]
	switch t := v.Type; {
	case t.Lanes > 1:
		e.Line("%s %s, %s", wide[t.Bits()], e.f(v), e.at(op, t.Bytes()))
	case t.Elem.Float():
		e.Line("%s %s, %s", wide[t.Bits()], e.f(v), e.at(op, t.Bytes()))
	default:
		m := "MOVD"
		if !t.Ptr {
			m = map[int]string{8: "MOVB", 16: "MOVH", 32: "MOVW", 64: "MOVD"}[t.Bits()]
		}
		e.Line("%s %s, %s", m, e.r(v), e.at(op, max(1, t.Bytes())))
	}
	return nil
}

// Masked accesses go lane by lane, since NEON has no instruction for them. The mask comes to
// a general register, and each lane is moved only if its bit is set, so that nothing outside
// of the mask is touched.

// eachLane calls begin when the mask is in a general register, and then move for each lane of
// v with the number of a register that holds its address. What move prints is executed only
// if the lane's bit in the mask k is set.
func (e *emitter) eachLane(op *emit.Op, k *emit.Value, begin func(), v *emit.Value, move func(i, address int)) {
	bits := laneBits(e.T, k)
	from := e.num(k)
	if bits*k.Type.Lanes > 64 { // halve the lanes
		t := e.Temp(asm.Vec, op)
		if bits == 8 {
			e.neon("shrn v%d.8b, v%d.8h, #4", t, from)
		} else {
			e.neon("xtn %s, %s", lanes(bits/2, t, false), lanes(bits, from, true))
		}
		from, bits = t, bits/2
	}
	e.neon("fmov x%d, d%d", tmp, from)
	begin()
	for i := range v.Type.Lanes {
		skip := e.Label()
		e.Line("TBZ $%d, R%d, %s", i*bits, tmp, skip)
		move(i, e.bare(op, int64(i*v.Type.Elem.Bytes())))
		e.Mark(skip)
	}
}

func selectLoadMasked(e *emitter, op *emit.Op) error {
	r, k := op.Result(), op.Args[0]
	if r.Type.Lanes == 1 {
		return fmt.Errorf("a masked load of a scalar has no row on arm64; branch")
	}
	n, size := e.num(r), r.Type.Elem.Bits()
	e.eachLane(op, k, func() { e.neon("movi v%d.2d, #0", n) }, r, func(i, address int) {
		e.neon("ld1 {v%d.%s}[%d], [x%d]", n, letters[size], i, address)
	})
	return nil
}

func selectStoreMasked(e *emitter, op *emit.Op) error {
	v, k := op.Args[0], op.Args[1]
	if v.Type.Lanes == 1 {
		return fmt.Errorf("a masked store of a scalar has no row on arm64; branch")
	}
	n, size := e.num(v), v.Type.Elem.Bits()
	e.eachLane(op, k, func() {}, v, func(i, address int) {
		e.neon("st1 {v%d.%s}[%d], [x%d]", n, letters[size], i, address)
	})
	return nil
}

func selectPrefetch(e *emitter, op *emit.Op) error {
	if op.Attr.Imm != 0 && op.Attr.Imm != 1 {
		return fmt.Errorf("prefetch level is %d, not 0 (L1) or 1 (L2)", op.Attr.Imm)
	}
	e.Line("PRFM (R%d), PLDL%dKEEP", e.bare(op, 0), op.Attr.Imm+1)
	return nil
}

// shifted spells a register's number times a power of two.
func shifted(r, by int) string {
	if by == 0 {
		return fmt.Sprintf("R%d", r)
	}
	return fmt.Sprintf("R%d<<%d", r, by)
}

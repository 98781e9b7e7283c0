package ptx

import "github.com/tilesmith/tilesmith/emit"

// The operations on the bits of integers. Sections 9.7.1.12 (popc) and 9.7.1.13 (clz):
// both take 32 or 64 bits and give 32.

func selectBits(e *emitter, op *emit.Op) error {
	el := op.Result().Type.Elem
	return e.perLane(op, func(d string, x []string) error {
		name, a := map[string]string{"popcnt": "popc", "clz": "clz"}[op.Def.Name], e.inRegister(classOf(el), x[0])
		switch el.Bits() {
		case 64:
			n := e.temp(b32)
			e.line("%s.b64 %s, %s", name, n, a)
			e.line("cvt.u64.u32 %s, %s", d, n)
		case 32:
			e.line("%s.b32 %s, %s", name, d, a)
		default: // with zeros above, which clz counts too
			wide, n := e.temp(b32), e.temp(b32)
			e.line("cvt.u32.u16 %s, %s", wide, a)
			e.line("%s.b32 %s, %s", name, n, wide)
			if name == "clz" {
				less := e.temp(b32)
				e.line("sub.s32 %s, %s, %d", less, n, 32-el.Bits())
				n = less
			}
			e.line("cvt.u16.u32 %s, %s", d, n)
		}
		return nil
	})
}

// selectMulHi is mul.hi; of 8 bits the upper half is in the product of 16.
func selectMulHi(e *emitter, op *emit.Op) error {
	el := op.Result().Type.Elem
	return e.perLane(op, func(d string, x []string) error {
		if el != emit.I8 {
			e.line("mul.hi.u%d %s, %s, %s", el.Bits(), d, x[0], x[1])
			return nil
		}
		t := e.temp(b16)
		e.line("mul.lo.s16 %s, %s, %s", t, x[0], x[1])
		e.line("shr.u16 %s, %s, 8", d, t)
		return nil
	})
}

package ptx

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// rows is the instruction selection: one row per operation. Operations without a
// row are refused by name.
var rows map[string]func(e *emitter, op *emit.Op) error

func init() { // a literal would refer to itself through the emitter's methods
	rows = map[string]func(e *emitter, op *emit.Op) error{
		"const": func(*emitter, *emit.Op) error { return nil }, // its users write it as an immediate
		"param": selectParam, "sreg": selectSReg, "shared": selectShared, "inst": selectInst,
		"add": selectArith, "sub": selectArith, "mul": selectArith, "div": selectArith, "fma": selectArith,
		"and": selectArith, "or": selectArith, "xor": selectArith, "sqrt": selectArith,
		"max": selectArith, "min": selectArith, "imin": selectArith, "imax": selectArith,
		"shl": selectArith, "shr": selectArith, "sar": selectArith, "udiv": selectArith, "urem": selectArith,
		"table": selectTable, "umulh": selectMulHi, "popcnt": selectBits, "clz": selectBits,
		"cmp": selectCmp, "select": selectSelect,
		"trunc": selectResize, "zext": selectResize, "sext": selectResize, "sat": selectResize,
		"cvt": selectCvt, "round": selectRound, "bitcast": selectBitcast,
		"copy": selectMoves, "pack": selectMoves, "unpack": selectMoves,
		"splat": selectSplat, "shuffle": selectShuffle, "maskn": selectMaskN,
		"addp": selectAddp, "load": selectLoad, "loadm": selectLoadMasked, "loadb": selectLoadSplat,
		"store": selectStore, "storem": selectStoreMasked, "prefetch": selectPrefetch,
		"for": selectFor, "while": selectWhile, "if": selectIf,
	}
}

// intOps are the instructions on integers, to be followed by the width. The kinds:
// s and u say how a narrow number is extended first, b that it does not matter.
var intOps = map[string]string{
	"add": "add.s", "sub": "sub.s", "mul": "mul.lo.s", "and": "and.b", "or": "or.b", "xor": "xor.b",
	"shl": "shl.b", "shr": "shr.u", "sar": "shr.s", "udiv": "div.u", "urem": "rem.u", "imin": "min.s", "imax": "max.s",
}

// floatOps are the instructions on floats. The rounding is always written: without
// it ptxas may contract a product and a sum.
var floatOps = map[string]string{
	"add": "add.rn.f", "sub": "sub.rn.f", "mul": "mul.rn.f", "div": "div.rn.f", "sqrt": "sqrt.rn.f", "fma": "fma.rn.f",
}

func selectArith(e *emitter, op *emit.Op) error {
	if _, ok := negated(op.Result()); ok && e.onlyBranches(op.Result()) {
		return nil // its users take the opposite branch
	}
	if op.Result().Type == emit.Int64 && e.arith64(op) {
		return nil
	}
	if op.Attr.Near && op.Result().Type.Elem == emit.F32 {
		one := isConst(op.Args[0]) && op.Args[0].Op.Attr.F == 1
		return e.perLane(op, func(d string, x []string) error {
			e.divNear(d, x[0], x[1], one)
			return nil
		})
	}
	return e.perLane(op, func(d string, x []string) error {
		return e.arith(op.Def.Name, op.Result().Type.Elem, d, x)
	})
}

// arith64 prints an operation on an i64 in 32 bits if that is how it is kept, and
// shifts, whose count has 32 bits in any case. It reports whether it has.
func (e *emitter) arith64(op *emit.Op) bool {
	name, r := op.Def.Name, op.Result()
	x, y := op.Args[0], op.Args[1]
	ok := e.small.has(r)
	switch name {
	case "shr":
		ok = ok && e.small.natural(x)
	case "udiv", "urem":
		ok = ok && e.small.natural(x) && e.small.natural(y)
	case "sar":
		ok = ok && e.small.fits(x)
	case "imin", "imax":
		ok = ok && e.small.fits(x) && e.small.fits(y)
	}
	switch {
	case ok:
		e.line("%s32 %s, %s, %s", intOps[name], e.reg(r, 0), e.low(x), e.low(y))
	case name == "shl" || name == "shr" || name == "sar":
		e.line("%s64 %s, %s, %s", intOps[name], e.dst(r, 0), e.src(x, 0), e.low(y))
	default:
		return false
	}
	return true
}

// arith prints the operation called name on scalars of type el.
func (e *emitter) arith(name string, el emit.Elem, d string, x []string) error {
	switch {
	case el == emit.I1:
		return e.logic(name, d, x)
	case el == emit.F32 || el == emit.F64:
		e.float(name, el.Bits(), d, x)
		return nil
	case el.Float():
		return e.half(name, el, d, x)
	case name == "shl" || name == "shr" || name == "sar":
		x = []string{x[0], e.shiftCount(el, x[1])}
	}
	mnemonic := intOps[name]
	if mnemonic == "" {
		return fmt.Errorf("%s of %v has no instruction", name, el)
	}
	if el != emit.I8 {
		e.line("%s%d %s, %s", mnemonic, el.Bits(), d, strings.Join(x, ", "))
		return nil
	}
	// Eight bits are the low ones of sixteen, with zeros above.
	if strings.HasSuffix(mnemonic, ".s") && name != "add" && name != "sub" && name != "mul" {
		for i := range x {
			if i == 0 || name != "sar" {
				x[i] = e.signed8(x[i])
			}
		}
	}
	switch name {
	case "and", "or", "xor", "shr", "udiv", "urem": // of zeros above make zeros
		e.line("%s16 %s, %s", mnemonic, d, strings.Join(x, ", "))
		return nil
	}
	t := e.temp(b16)
	e.line("%s16 %s, %s", mnemonic, t, strings.Join(x, ", "))
	e.line("and.b16 %s, %s, 255", d, t)
	return nil
}

// signed8 returns 16 bits with the number that the low 8 of x are with their sign.
func (e *emitter) signed8(x string) string {
	d := e.temp(b16)
	e.line("cvt.s16.s8 %s, %s", d, e.inRegister(b16, x))
	return d
}

// shiftCount returns the number of bits to shift a value of type el by, which
// instructions want in 32 bits.
func (e *emitter) shiftCount(el emit.Elem, x string) string {
	if el == emit.I32 || !isReg(x) {
		return x
	}
	d, from := e.temp(b32), el.Bits()
	e.line("cvt.u32.u%d %s, %s", max(from, 16), d, x)
	return d
}

// float prints arithmetic of 32 or 64 bits.
func (e *emitter) float(name string, bits int, d string, x []string) {
	switch name {
	case "fma": // the accumulator comes first in the table, last in PTX
		e.line("fma.rn.f%d %s, %s, %s, %s", bits, d, x[1], x[2], x[0])
	case "max", "min": // max.f32 would drop a NaN, and order zeros
		p := e.temp(pred)
		e.line("setp.%s.f%d %s, %s, %s", map[string]string{"max": "gt", "min": "lt"}[name], bits, p, x[0], x[1])
		e.line("selp.f%d %s, %s, %s, %s", bits, d, x[0], x[1], p)
	default:
		e.line("%s%d %s, %s", floatOps[name], bits, d, strings.Join(x, ", "))
	}
}

// divNear prints a quotient of numbers that are not near the ends of their type. It is what ptxas makes of
// rcp.rn and div.rn, without the branch for other numbers. An approximate reciprocal r of y is corrected
// by its own error, r + r*(1 - y*r), and the quotient by the remainder of x. The last step rounds
// correctly (Markstein, IA-64 and Elementary Functions, chapter 8).
func (e *emitter) divNear(d, x, y string, one bool) {
	minus, r, left := e.temp(f32), e.temp(f32), e.temp(f32)
	e.line("rcp.approx.ftz.f32 %s, %s", r, e.inRegister(f32, y))
	e.line("neg.f32 %s, %s", minus, e.inRegister(f32, y))
	e.line("fma.rn.f32 %s, %s, %s, 0f3F800000", left, minus, r)
	if one {
		e.line("fma.rn.f32 %s, %s, %s, %s", d, r, left, r)
		return
	}
	better, q, rest := e.temp(f32), e.temp(f32), e.temp(f32)
	e.line("fma.rn.f32 %s, %s, %s, %s", better, r, left, r)
	e.line("mul.rn.f32 %s, %s, %s", q, x, better)
	e.line("fma.rn.f32 %s, %s, %s, %s", rest, minus, q, x)
	e.line("fma.rn.f32 %s, %s, %s, %s", d, rest, better, q)
}

// half prints arithmetic of 16-bit floats: in f32, whose rounding does no harm
// (emit's floatOp says why), but a multiply-add at once, where it would.
func (e *emitter) half(name string, el emit.Elem, d string, x []string) error {
	if el.Bits() != 16 {
		return fmt.Errorf("PTX has no arithmetic of %v; convert first", el)
	}
	if name == "fma" {
		e.line("fma.rn.%v %s, %s, %s, %s", el, d, e.inRegister(b16, x[1]), e.inRegister(b16, x[2]), e.inRegister(b16, x[0]))
		return nil
	}
	wide := make([]string, len(x))
	for i := range x {
		wide[i] = e.widen(el, x[i])
	}
	if name == "max" || name == "min" {
		p := e.temp(pred)
		e.line("setp.%s.f32 %s, %s, %s", map[string]string{"max": "gt", "min": "lt"}[name], p, wide[0], wide[1])
		e.line("selp.b16 %s, %s, %s, %s", d, x[0], x[1], p)
		return nil
	}
	t := e.temp(f32)
	e.float(name, 32, t, wide)
	e.line("cvt.rn.%v.f32 %s, %s", el, d, t)
	return nil
}

// logic prints operations on truth values.
func (e *emitter) logic(name, d string, x []string) error {
	if name != "and" && name != "or" && name != "xor" {
		return fmt.Errorf("%s of truth values has no instruction", name)
	}
	if name == "xor" {
		for i := range x {
			if x[i] == "-1" {
				e.line("not.pred %s, %s", d, e.inRegister(pred, x[1-i]))
				return nil
			}
		}
	}
	e.line("%s.pred %s, %s, %s", name, d, e.inRegister(pred, x[0]), e.inRegister(pred, x[1]))
	return nil
}

func selectCmp(e *emitter, op *emit.Op) error {
	el, how := op.Args[0].Type.Elem, op.Attr.Name
	if x, y := op.Args[0], op.Args[1]; x.Type == emit.Int64 && e.small.fits(x) && e.small.fits(y) {
		e.line("setp.%s.s32 %s, %s, %s", how, e.reg(op.Result(), 0), e.low(x), e.low(y))
		return nil
	}
	return e.perLane(op, func(d string, x []string) error {
		switch {
		case el == emit.I1:
			return e.cmpTruth(how, d, x)
		case el == emit.I8:
			e.line("setp.%s.s16 %s, %s, %s", how, d, e.signed8(x[0]), e.signed8(x[1]))
		case el.Int():
			e.line("setp.%s.s%d %s, %s, %s", how, el.Bits(), d, x[0], x[1])
		case el.Bits() == 8:
			return fmt.Errorf("numbers of type %v cannot be compared; convert first", el)
		default:
			if how == "ne" {
				how = "neu" // which holds of a NaN
			}
			bits := el.Bits()
			if bits == 16 {
				x, bits = []string{e.widen(el, x[0]), e.widen(el, x[1])}, 32
			}
			e.line("setp.%s.f%d %s, %s, %s", how, bits, d, x[0], x[1])
		}
		return nil
	})
}

// cmpTruth compares truth values, false below true.
func (e *emitter) cmpTruth(how, d string, x []string) error {
	not := func(x string) string {
		p := e.temp(pred)
		e.line("not.pred %s, %s", p, e.inRegister(pred, x))
		return p
	}
	a, b := x[0], x[1]
	switch how {
	case "gt", "ge":
		a, b = b, a
	}
	switch how {
	case "ne":
		return e.logic("xor", d, x)
	case "eq":
		return e.logic("xor", d, []string{not(a), b})
	case "lt", "gt":
		return e.logic("and", d, []string{not(a), b})
	}
	return e.logic("or", d, []string{not(a), b})
}

func selectSelect(e *emitter, op *emit.Op) error {
	r := op.Result().Type
	c, n := registers(r)
	switch {
	case e.small.has(op.Result()):
		m := e.inRegister(pred, e.src(op.Args[0], 0))
		e.line("selp.b32 %s, %s, %s, %s", e.reg(op.Result(), 0), e.low(op.Args[1]), e.low(op.Args[2]), m)
		return nil
	case c == pred:
		return e.perLane(op, func(d string, x []string) error {
			yes, no, other := e.temp(pred), e.temp(pred), e.temp(pred)
			m := e.inRegister(pred, x[0])
			e.line("and.pred %s, %s, %s", yes, m, e.inRegister(pred, x[1]))
			e.line("not.pred %s, %s", no, m)
			e.line("and.pred %s, %s, %s", other, no, e.inRegister(pred, x[2]))
			e.line("or.pred %s, %s, %s", d, yes, other)
			return nil
		})
	case n != r.Lanes: // lanes lie together
		return e.perLane(op, func(d string, x []string) error {
			e.line("selp.b16 %s, %s, %s, %s", d, x[1], x[2], e.inRegister(pred, x[0]))
			return nil
		})
	}
	m := e.lanes(op.Args[0])
	for k := range n {
		e.line("selp.%s %s, %s, %s, %s", c, e.reg(op.Result(), k), e.src(op.Args[1], k), e.src(op.Args[2], k), e.inRegister(pred, m[k]))
	}
	return nil
}

func selectSplat(e *emitter, op *emit.Op) error {
	r := op.Result()
	if packed(r.Type) > 1 {
		return e.perLaneOf(r, func(int) string { return e.inRegister(b16, e.src(op.Args[0], 0)) })
	}
	c, n := registers(r.Type)
	for k := range n {
		e.move(c, e.reg(r, k), e.src(op.Args[0], 0))
	}
	return nil
}

// perLaneOf fills the registers of r, which hold several lanes each.
func (e *emitter) perLaneOf(r *emit.Value, lane func(i int) string) error {
	n := packed(r.Type)
	for k := range r.Type.Lanes / n {
		group := make([]string, n)
		for i := range group {
			group[i] = lane(k*n + i)
		}
		e.pack(r.Type, e.reg(r, k), group)
	}
	return nil
}

// selectShuffle moves whole registers where it can, and takes apart those alone of which lanes go apart.
func selectShuffle(e *emitter, op *emit.Op) error {
	r := op.Result()
	n := packed(r.Type)
	apart := map[string][]string{}
	lane := func(i int) string {
		v, i := laneOf(op, i)
		m := packed(v.Type)
		if m == 1 || isConst(v) {
			return e.lanes(v)[i]
		}
		reg := e.fullWidth(v, i/m)
		if v.Type.Elem.Bits() == 8 && m == 4 {
			return e.byteOf(reg, i%m)
		}
		if apart[reg] == nil {
			apart[reg] = e.unpack(v.Type, reg)
		}
		return apart[reg][i%m]
	}
	c, count := registers(r.Type)
	// They cannot go one by one: registers that the result shares with an operand may
	// still be read.
	var dst, src []string
	groups := map[string][]string{}
	for k := range count {
		perm := op.Attr.Perm[k*n : (k+1)*n]
		if v, first := laneOf(op, perm[0]); n > 1 && packed(v.Type) == n && !isConst(v) && first%n == 0 && ascend(perm) && first+n <= v.Type.Lanes {
			dst, src = append(dst, e.reg(r, k)), append(src, e.fullWidth(v, first/n))
			continue
		}
		group := make([]string, n)
		for i, p := range perm {
			group[i] = lane(p)
		}
		if n == 1 {
			dst, src = append(dst, e.reg(r, k)), append(src, group[0])
			continue
		}
		groups[e.reg(r, k)] = group
	}
	for k := range count {
		d := e.reg(r, k)
		group := groups[d]
		if group == nil {
			continue
		}
		if len(dst) > 0 { // which are read later
			dst = append(dst, d)
			d = e.temp(c)
			src = append(src, d)
		}
		e.pack(r.Type, d, group)
	}
	e.parallel(c, dst, src)
	return nil
}

// laneOf returns the operand that has lane i of all operands, laid end to end, and which lane of it that is.
func laneOf(op *emit.Op, i int) (*emit.Value, int) {
	for _, a := range op.Args {
		if i < a.Type.Lanes {
			return a, i
		}
		i -= a.Type.Lanes
	}
	panic("ptx: a lane beyond the operands") // Func.Check has refused it
}

// ascend reports whether each number is the one before it and one more.
func ascend(x []int) bool {
	for i := range x {
		if x[i] != x[0]+i {
			return false
		}
	}
	return true
}

func selectMaskN(e *emitter, op *emit.Op) error {
	for k := range op.Result().Type.Lanes {
		e.line("setp.gt.s64 %s, %s, %d", e.reg(op.Result(), k), e.src(op.Args[0], 0), k)
	}
	return nil
}

// selectMoves prints copy, pack and unpack.
func selectMoves(e *emitter, op *emit.Op) error {
	var m moves
	copies(op, func(dst, src *emit.Value, d, s, n int) { e.collect(&m, dst, src, d, s, n) })
	m.print(e)
	return nil
}

package amd64

import (
	"fmt"
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// rows is the instruction selection: one row per operation. Control flow is in
// control.go, operations without a row are refused by name.
var rows map[string]func(e *emitter, op *emit.Op) error

func init() { // a literal would refer to itself through the emitter's methods
	rows = map[string]func(e *emitter, op *emit.Op) error{
		"const": selectConst, "param": selectParam, "copy": selectCopy, "inst": selectInst,
		"add": selectArith, "sub": selectArith, "mul": selectArith, "div": selectArith,
		"and": selectArith, "or": selectArith, "xor": selectArith, "sqrt": selectArith,
		"max": selectArith, "min": selectArith,
		"fma": selectFMA, "shl": selectShift, "shr": selectShift, "cmp": selectCmp, "select": selectSelect,
		"splat": selectSplat, "shuffle": selectShuffle, "addp": selectAddp,
		"load": selectLoad, "loadm": selectLoad, "loadb": selectLoad, "store": selectStore, "storem": selectStore,
		"prefetch": selectPrefetch,
		"for":      selectFor, "while": selectWhile, "if": selectIf,
	}
}

// floats gives the mnemonics of lanewise floating-point operations without the
// suffix PS, PD, SS or SD.
var floats = map[string]string{"add": "VADD", "sub": "VSUB", "mul": "VMUL", "div": "VDIV", "sqrt": "VSQRT", "max": "VMAX", "min": "VMIN"}

// ints gives the mnemonics of 64-bit integer operations.
var ints = map[string]string{"add": "ADDQ", "sub": "SUBQ", "mul": "IMULQ", "and": "ANDQ", "or": "ORQ", "xor": "XORQ"}

func suffix(t emit.Type) string {
	s := "S"
	if t.Lanes > 1 {
		s = "P"
	}
	if t.Elem == emit.F64 {
		return s + "D"
	}
	return s + "S"
}

// broadcast is the mnemonic that repeats one element in every lane of t.
func broadcast(t emit.Type) string {
	if t.Elem == emit.F64 && t.Lanes == 2 {
		return "VMOVDDUP" // VBROADCASTSD has no form with a 128-bit result
	}
	return "VBROADCAST" + suffix(emit.Scalar(t.Elem))
}

func selectConst(e *emitter, op *emit.Op) error {
	if r := op.Result(); e.cls[r.ID] != none {
		e.setConst(r, r)
	}
	return nil
}

// setConst puts the constant v into the register of dst.
func (e *emitter) setConst(dst, v *emit.Value) {
	r := e.reg(dst)
	switch {
	case v.Type.Elem.Int() && v.Type.Lanes == 1:
		if v.Op.Attr.Imm == 0 {
			e.line("XORL %s, %s", r, r)
		} else {
			e.line("MOVQ $%d, %s", v.Op.Attr.Imm, r)
		}
	case isZero(v):
		if strings.HasPrefix(r, "Z") {
			e.line("VPXORD %s, %s, %s", r, r, r)
		} else {
			e.line("VXORPS %s, %s, %s", r, r, r)
		}
	default:
		mnemonic := broadcast(v.Type)
		if v.Type.Lanes == 1 {
			mnemonic = "VMOV" + suffix(v.Type)
		}
		e.line("%s %s, %s", mnemonic, e.pool(v), r)
	}
}

// pool returns the address of a constant element in read-only data.
func (e *emitter) pool(v *emit.Value) string {
	bits, size := uint64(v.Op.Attr.Imm), v.Type.Elem.Bytes()
	switch v.Type.Elem {
	case emit.F32:
		bits = uint64(math.Float32bits(float32(v.Op.Attr.F)))
	case emit.F64:
		bits = math.Float64bits(v.Op.Attr.F)
	}
	name := fmt.Sprintf("const%d_%0*x<>", size*8, size*2, bits)
	e.file.data[name] = datum{size, bits}
	return name + "(SB)"
}

func selectParam(e *emitter, op *emit.Op) error {
	r, a := op.Result(), e.f.Arg(op.Attr.Name)
	src := fmt.Sprintf("%d(%s)", a.Offset, argReg)
	switch {
	case r.Type.Lanes > 1 && r.Type.Elem.Float():
		e.line("%s %s, %s", broadcast(r.Type), src, e.reg(r))
	case r.Type.Elem.Float():
		e.line("VMOV%s %s, %s", suffix(r.Type), src, e.reg(r))
	case r.Type.Ptr || r.Type == emit.Int64:
		e.line("MOVQ %s, %s", src, e.reg(r))
	default:
		return fmt.Errorf("cannot load a %v field", r.Type)
	}
	return nil
}

func selectCopy(e *emitter, op *emit.Op) error {
	e.move(op.Result(), op.Args[0])
	return nil
}

// move copies src, which may be a constant, to the register of dst.
func (e *emitter) move(dst, src *emit.Value) {
	switch {
	case isConst(src) && e.cls[src.ID] == none:
		e.setConst(dst, src)
	case e.same(dst, src):
	default:
		e.moveReg(e.cls[dst.ID], e.reg(dst), e.reg(src))
	}
}

func (e *emitter) moveReg(c class, dst, src string) {
	switch c {
	case gpr:
		e.line("MOVQ %s, %s", src, dst)
	case mask:
		e.line("KMOVW %s, %s", src, dst)
	default:
		e.line("VMOVAPS %s, %s", src, dst)
	}
}

func selectInst(e *emitter, op *emit.Op) error {
	text := op.Inst.Text["amd64"]
	if text == "" {
		return fmt.Errorf("%s is not an amd64 instruction", op.Inst.Name)
	}
	if op.Inst == tailTable {
		e.file.tails = true
	}
	var names []string
	for i, v := range append(append([]*emit.Value(nil), op.Results...), op.Args...) {
		names = append(names, fmt.Sprintf("{%d}", i), e.reg(v))
	}
	for _, l := range strings.Split(text, "\n") {
		e.line("%s", strings.NewReplacer(names...).Replace(l))
	}
	return nil
}

func selectArith(e *emitter, op *emit.Op) error {
	r := op.Result()
	d := e.reg(r)
	if r.Type.Elem.Float() {
		m, ok := floats[op.Def.Name]
		if !ok {
			return fmt.Errorf("is not defined on %v", r.Type)
		}
		src := e.reg(op.Args[0])
		if op.Def.Name == "sqrt" {
			if r.Type.Lanes == 1 {
				src += ", " + src
			}
		} else {
			src = e.reg(op.Args[1]) + ", " + src // Plan 9: second operand first
		}
		e.line("%s%s %s, %s", m, suffix(r.Type), src, d)
		return nil
	}
	if r.Type != emit.Int64 {
		return fmt.Errorf("integer arithmetic is 64-bit scalar on amd64, not %v", r.Type)
	}
	m, ok := ints[op.Def.Name]
	if !ok {
		return fmt.Errorf("is not defined on %v", r.Type)
	}
	x, y := op.Args[0], op.Args[1]
	switch commutes := op.Def.Name != "sub"; {
	case immediate(op, 1) && op.Def.Name == "mul":
		e.line("IMUL3Q $%d, %s, %s", y.Op.Attr.Imm, e.reg(x), d)
	case immediate(op, 1):
		e.move(r, x)
		e.line("%s $%d, %s", m, y.Op.Attr.Imm, d)
	case e.same(r, x):
		e.line("%s %s, %s", m, e.reg(y), d)
	case commutes && e.same(r, y):
		e.line("%s %s, %s", m, e.reg(x), d)
	case op.Def.Name == "add":
		e.line("LEAQ (%s)(%s*1), %s", e.reg(x), e.reg(y), d)
	default:
		e.move(r, x)
		e.line("%s %s, %s", m, e.reg(y), d)
	}
	return nil
}

// selectFMA picks the form by which operand's register is overwritten.
func selectFMA(e *emitter, op *emit.Op) error {
	r := op.Result()
	acc, x, y := op.Args[0], op.Args[1], op.Args[2]
	s, d := suffix(r.Type), e.reg(r)
	switch {
	case e.same(r, acc): // d = x*y + d
		e.line("VFMADD231%s %s, %s, %s", s, e.reg(y), e.reg(x), d)
	case e.same(r, x): // d = y*d + acc
		e.line("VFMADD213%s %s, %s, %s", s, e.reg(acc), e.reg(y), d)
	case e.same(r, y): // d = x*d + acc
		e.line("VFMADD213%s %s, %s, %s", s, e.reg(acc), e.reg(x), d)
	default:
		e.move(r, acc)
		e.line("VFMADD231%s %s, %s, %s", s, e.reg(y), e.reg(x), d)
	}
	return nil
}

func selectShift(e *emitter, op *emit.Op) error {
	r := op.Result()
	if r.Type != emit.Int64 {
		return fmt.Errorf("shifts are 64-bit scalar on amd64, not %v", r.Type)
	}
	m := map[string]string{"shl": "SHL", "shr": "SHR"}[op.Def.Name]
	if immediate(op, 1) {
		e.move(r, op.Args[0])
		e.line("%sQ $%d, %s", m, op.Args[1].Op.Attr.Imm, e.reg(r))
		return nil
	}
	e.line("%sXQ %s, %s, %s", m, e.reg(op.Args[1]), e.reg(op.Args[0]), e.reg(r)) // BMI2
	return nil
}

// selectCmp emits nothing for a condition: it is compared where it is used.
func selectCmp(_ *emitter, op *emit.Op) error {
	if isCondition(op.Result()) {
		return nil
	}
	return fmt.Errorf("vector comparison has no row on amd64")
}

// selectSelect is a conditional move of integers and pointers.
func selectSelect(e *emitter, op *emit.Op) error {
	r := op.Result()
	if e.cls[r.ID] != gpr {
		return fmt.Errorf("select of %v has no row on amd64", r.Type)
	}
	e.move(r, op.Args[2])
	cc, err := e.compare(op.Args[0])
	if err != nil {
		return err
	}
	e.line("CMOVQ%s %s, %s", cc, e.reg(op.Args[1]), e.reg(r))
	return nil
}

func selectSplat(e *emitter, op *emit.Op) error {
	r := op.Result()
	if !r.Type.Elem.Float() {
		return fmt.Errorf("splat of %v has no row on amd64", op.Args[0].Type)
	}
	e.line("%s %s, %s", broadcast(r.Type), regName(vec, e.index(op.Args[0]), op.Args[0].Type), e.reg(r))
	return nil
}

func selectShuffle(e *emitter, op *emit.Op) error {
	r := op.Result()
	x := op.Args[0]
	y := op.Args[len(op.Args)-1]
	perm := op.Attr.Perm
	if r.Type != x.Type {
		return fmt.Errorf("shuffles of %v into %v have no row on amd64", x.Type, r.Type)
	}
	m, err := matchShuffle(x.Type, perm, x == y)
	if err != nil {
		return err
	}
	if strings.HasPrefix(m, "VPERM2F128") && max(e.index(x), e.index(y), e.index(r)) > 15 {
		return fmt.Errorf("VPERM2F128 reaches vector registers 0 to 15 only")
	}
	e.line("%s %s, %s, %s", m, e.reg(y), e.reg(x), e.reg(r))
	return nil
}

func selectAddp(e *emitter, op *emit.Op) error {
	r, p, n := op.Result(), op.Args[0], op.Args[1]
	switch {
	case immediate(op, 1) && e.same(r, p):
		e.line("ADDQ $%d, %s", n.Op.Attr.Imm, e.reg(r))
	case immediate(op, 1):
		e.line("LEAQ %d(%s), %s", n.Op.Attr.Imm, e.reg(p), e.reg(r))
	case e.same(r, p):
		e.line("ADDQ %s, %s", e.reg(n), e.reg(r))
	default:
		e.line("LEAQ (%s)(%s*1), %s", e.reg(p), e.reg(n), e.reg(r))
	}
	return nil
}

// address spells the address of a memory operation.
func (e *emitter) address(op *emit.Op) string {
	p, i := op.Address()
	s := fmt.Sprintf("(%s)", e.reg(p))
	if op.Attr.Off != 0 {
		s = fmt.Sprintf("%d%s", op.Attr.Off, s)
	}
	if i != nil {
		s += fmt.Sprintf("(%s*%d)", e.reg(i), op.Attr.Scale)
	}
	return s
}

func selectLoad(e *emitter, op *emit.Op) error {
	r := op.Result()
	d, a := e.reg(r), e.address(op)
	switch {
	case e.cls[r.ID] == gpr && r.Type.Bits() == 64:
		e.line("MOVQ %s, %s", a, d)
	case !r.Type.Elem.Float():
		return fmt.Errorf("load of %v has no row on amd64", r.Type)
	case op.Def.Name == "loadb":
		e.line("%s %s, %s", broadcast(r.Type), a, d)
	case op.Def.Name == "loadm" && e.t.Bits == 512:
		e.line("VMOVU%s.Z %s, %s, %s", suffix(r.Type), a, e.reg(op.Args[0]), d)
	case op.Def.Name == "loadm" && r.Type.Bits() != 256:
		return noMaskedMove(e.t, r.Type)
	case op.Def.Name == "loadm":
		e.line("VMASKMOV%s %s, %s, %s", suffix(r.Type), a, e.reg(op.Args[0]), d)
	case r.Type.Lanes == 1:
		e.line("VMOV%s %s, %s", suffix(r.Type), a, d)
	default:
		e.line("VMOVU%s %s, %s", suffix(r.Type), a, d)
	}
	return nil
}

func selectStore(e *emitter, op *emit.Op) error {
	v := op.Args[0]
	s, a := e.reg(v), e.address(op)
	switch {
	case e.cls[v.ID] == gpr && v.Type.Bits() == 64:
		e.line("MOVQ %s, %s", s, a)
	case !v.Type.Elem.Float():
		return fmt.Errorf("store of %v has no row on amd64", v.Type)
	case op.Def.Name == "storem" && e.t.Bits == 512:
		e.line("VMOVU%s %s, %s, %s", suffix(v.Type), s, e.reg(op.Args[1]), a)
	case op.Def.Name == "storem" && v.Type.Bits() != 256:
		return noMaskedMove(e.t, v.Type)
	case op.Def.Name == "storem":
		e.line("VMASKMOV%s %s, %s, %s", suffix(v.Type), s, e.reg(op.Args[1]), a)
	case v.Type.Lanes == 1:
		e.line("VMOV%s %s, %s", suffix(v.Type), s, a)
	default:
		e.line("VMOVU%s %s, %s", suffix(v.Type), s, a)
	}
	return nil
}

// noMaskedMove refuses narrow vectors where a mask is a vector itself: its lanes
// are cut for 256 bits.
func noMaskedMove(t emit.Target, v emit.Type) error {
	return fmt.Errorf("masked moves are of 256 bits on %s, not of %v", t.Name, v)
}

func selectPrefetch(e *emitter, op *emit.Op) error {
	if op.Attr.Imm != 0 && op.Attr.Imm != 1 {
		return fmt.Errorf("prefetch level is %d, not 0 (L1) or 1 (L2)", op.Attr.Imm)
	}
	e.line("PREFETCHT%d %s", op.Attr.Imm, e.address(op))
	return nil
}

package ptx

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Memory. Sections 9.7.9.8 (ld) and 9.7.9.11 (st).

var spaces = map[emit.Space]string{emit.Generic: "", emit.Global: ".global", emit.Shared: ".shared"}

func selectAddp(e *emitter, op *emit.Op) error {
	p, n, d := op.Args[0], op.Args[1], e.reg(op.Result(), 0)
	if op.Result().Type.Space != emit.Shared {
		e.line("add.s64 %s, %s, %s", d, e.reg(p, 0), e.src(n, 0))
		return nil
	}
	e.line("add.s32 %s, %s, %s", d, e.reg(p, 0), e.low(n))
	return nil
}

// address is where an operation accesses memory.
type address struct {
	space string
	base  string // register
	off   int64
	align int64 // known alignment of base + off, at least 1
	exact bool  // align is all there is to know: base is a multiple of more
}

// at returns the address of a memory operation whose pointer is operand i.
func (e *emitter) at(op *emit.Op, i int) (address, error) {
	p := op.Args[i]
	a := address{space: spaces[p.Type.Space], base: e.reg(p, 0), off: op.Attr.Off, align: int64(max(p.Type.Align, 1))}
	a.exact = true
	if len(op.Args) > i+1 {
		n, scale := op.Args[i+1], op.Attr.Scale
		if c, ok := intConst(n); ok && fits32(a.off+c*scale) && fits32(c) {
			a.off += c * scale
		} else {
			a.exact = false
			a.align = min(a.align, multipleOf(n, 4)*scale)
			a.base = e.indexed(p.Type.Space == emit.Shared, a.base, n, scale)
		}
	}
	if a.off != 0 {
		low := a.off & -a.off
		a.exact = a.exact && low < a.align
		a.align = min(a.align, low)
	} else {
		a.exact = false
	}
	if !fits32(a.off) {
		return a, fmt.Errorf("offset %d does not fit in 32 bits", a.off)
	}
	return a, nil
}

// indexed returns a register with base + n*scale.
func (e *emitter) indexed(shared bool, base string, n *emit.Value, scale int64) string {
	var x, row string
	c, add := b64, "add.s64"
	switch {
	case shared:
		c, add, row, x = b32, "add.s32", "mad.lo.s32", e.low(n)
	case e.small.fits(n) && scale > 1:
		row, x = "mad.wide.s32", e.low(n)
	default:
		row, x = "mad.lo.s64", e.src(n, 0)
	}
	d := e.temp(c)
	if scale == 1 {
		e.line("%s %s, %s, %s", add, d, base, x)
	} else {
		e.line("%s %s, %s, %d, %s", row, d, x, scale, base)
	}
	return d
}

func fits32(n int64) bool { return int64(int32(n)) == n }

// multipleOf returns a power of two that divides v for certain, up to 4096, looking
// at operations to the given depth.
func multipleOf(v *emit.Value, depth int) int64 {
	const most = 4096
	if c, ok := intConst(v); ok {
		if c == 0 {
			return most
		}
		return min(most, c&-c)
	}
	if v.Op == nil || depth == 0 {
		return 1
	}
	arg := func(i int) int64 { return multipleOf(v.Op.Args[i], depth-1) }
	switch v.Op.Def.Name {
	case "mul":
		return min(most, arg(0)*arg(1))
	case "shl":
		if c, ok := intConst(v.Op.Args[1]); ok && 0 <= c && c < 13 {
			return min(most, arg(0)<<c)
		}
	case "add", "sub", "or", "xor":
		return min(arg(0), arg(1))
	case "and":
		return max(arg(0), arg(1))
	case "select":
		return min(arg(1), arg(2))
	case "sext", "zext":
		return arg(0)
	}
	return 1
}

// add returns the address n bytes on.
func (a address) add(n int64) address {
	a.off += n
	return a
}

func (a address) String() string {
	if a.off == 0 {
		return "[" + a.base + "]"
	}
	return fmt.Sprintf("[%s+%d]", a.base, a.off)
}

// memType is how ld and st spell a register of a t. A type that fills the register has
// no kind; an i8 by itself is extended with zeros.
func memType(t emit.Type) string {
	c, _ := oneRegister(t)
	if c == b16 && t.Elem.Bits() == 8 && packed(t) == 1 {
		return "u8"
	}
	return c.String()
}

// bytesOf is the size of one register of a t in memory.
func bytesOf(t emit.Type) int64 {
	if t.Ptr {
		return 8
	}
	return int64(t.Elem.Bytes() * packed(t))
}

// access prints one ld or st for every 16 bytes of a t, or for less at its end.
func (e *emitter) access(t emit.Type, a address, print func(suffix string, k, n int, at address)) error {
	if t.Ptr {
		return fmt.Errorf("pointers in memory are not supported")
	}
	_, regs := oneRegister(t)
	size := bytesOf(t)
	for k := 0; k < regs; {
		n := min(regs-k, max(1, int(16/size)), 4)
		n = 1 << (bits.Len(uint(n)) - 1)
		at := a.add(int64(k) * size)
		want := size * int64(n)
		if at.off != a.off {
			at.align = min(at.align, at.off&-at.off)
		}
		switch {
		case a.exact && a.align < min(want, 16):
			return fmt.Errorf("%d bytes at offset %d of a pointer aligned to more are misaligned", want, at.off)
		case want > int64(t.Elem.Bytes()) && at.align < want:
			return fmt.Errorf("%d bytes at once need an address aligned to them, but only %d is known: give the pointer a type such as ptr%s.%d, or access single elements",
				want, at.align, spaceName(a.space), want)
		}
		suffix := a.space
		if n > 1 {
			suffix += fmt.Sprintf(".v%d", n)
		}
		print(suffix+"."+memType(t), k, n, at)
		k += n
	}
	return nil
}

func spaceName(s string) string {
	if s == "" {
		return "."
	}
	return s
}

// list writes registers as ld.v4 wants them, or the only one.
func list(regs []string) string {
	if len(regs) == 1 {
		return regs[0]
	}
	return "{" + strings.Join(regs, ", ") + "}"
}

func selectLoad(e *emitter, op *emit.Op) error {
	a, err := e.at(op, 0)
	if err != nil {
		return err
	}
	d := e.regs(op.Result())
	return e.access(op.Result().Type, a, func(suffix string, k, n int, at address) {
		e.line("ld%s %s, %s", suffix, list(d[k:k+n]), at)
	})
}

func selectStore(e *emitter, op *emit.Op) error {
	a, err := e.at(op, 1)
	if err != nil {
		return err
	}
	v := op.Args[0]
	return e.access(v.Type, a, func(suffix string, k, n int, at address) {
		var s []string
		for i := range n {
			s = append(s, e.held(v, k+i))
		}
		e.line("st%s %s, %s", suffix, at, list(s))
	})
}

// predicated prints a line that is executed where p holds, and the guard of the
// side of an if that it may stand in.
func (e *emitter) predicated(p, format string, args ...any) {
	outer := e.guard
	if outer != "" { // both have to hold; p may not even be there if the guard does not
		both := e.temp(pred)
		e.guard = ""
		e.move(pred, both, "0")
		e.guard = outer
		e.move(pred, both, p)
		p = both
	}
	e.guard = "@" + p + " "
	e.line(format, args...)
	e.guard = outer
}

func selectLoadMasked(e *emitter, op *emit.Op) error {
	a, err := e.at(op, 1)
	if err != nil {
		return err
	}
	r := op.Result()
	el := emit.Scalar(r.Type.Elem)
	c, _ := registers(el)
	m := e.lanes(op.Args[0])
	size := int64(el.Elem.Bytes())
	var d []string
	for i := range r.Type.Lanes {
		x := e.temp(c)
		e.move(c, x, immediate(el, 0))
		e.predicated(e.inRegister(pred, m[i]), "ld%s.%s %s, %s", a.space, memType(el), x, a.add(int64(i)*size))
		d = append(d, x)
	}
	if packed(r.Type) > 1 {
		return e.perLaneOf(r, func(i int) string { return d[i] })
	}
	for i := range d {
		e.move(c, e.reg(r, i), d[i])
	}
	return nil
}

func selectLoadSplat(e *emitter, op *emit.Op) error {
	a, err := e.at(op, 0)
	if err != nil {
		return err
	}
	r := op.Result()
	el := emit.Scalar(r.Type.Elem)
	c, _ := registers(el)
	x := e.temp(c)
	e.line("ld%s.%s %s, %s", a.space, memType(el), x, a)
	if packed(r.Type) > 1 {
		return e.perLaneOf(r, func(int) string { return x })
	}
	for i := range r.Type.Lanes {
		e.move(c, e.reg(r, i), x)
	}
	return nil
}

func selectStoreMasked(e *emitter, op *emit.Op) error {
	a, err := e.at(op, 2)
	if err != nil {
		return err
	}
	v := op.Args[0]
	el := emit.Scalar(v.Type.Elem)
	m := e.lanes(op.Args[1])
	for i, x := range e.lanes(v) {
		c, _ := registers(el)
		e.predicated(e.inRegister(pred, m[i]), "st%s.%s %s, %s", a.space, memType(el), a.add(int64(i*el.Elem.Bytes())), e.inRegister(c, x))
	}
	return nil
}

func selectPrefetch(e *emitter, op *emit.Op) error {
	a, err := e.at(op, 0)
	if err != nil {
		return err
	}
	if a.space == ".shared" {
		return nil // it is near already
	}
	e.line("prefetch%s.L%d %s", a.space, 1+min(op.Attr.Imm, 1), a)
	return nil
}

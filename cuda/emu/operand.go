package emu

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// take removes the first of the modifiers that the instruction has and returns it,
// or "" if it has none of them.
func (c *compiler) take(names ...string) string {
	m, _ := takeOf(c, func(m string) (string, bool) { return m, slices.Contains(names, m) })
	return m
}

// takeOf removes the first modifier that stands for something, and returns that.
func takeOf[T any](c *compiler, of func(m string) (T, bool)) (x T, ok bool) {
	for i, m := range c.mods {
		if x, ok := of(m); ok {
			c.mods = slices.Delete(c.mods, i, i+1)
			return x, true
		}
	}
	return x, false
}

// one is take that refuses an instruction without any of them, and need one that calls them what.
func (c *compiler) one(names ...string) string {
	last := len(names) - 1
	return c.need(fmt.Sprintf("one of %s and %s", strings.Join(names[:last], ", "), names[last]), names...)
}

func (c *compiler) need(what string, names ...string) string {
	m := c.take(names...)
	if m == "" {
		c.fail("%s is missing", what)
	}
	return m
}

func (c *compiler) has(name string) bool { return c.take(name) != "" }

// drop removes modifiers that change nothing here, such as cache hints.
func (c *compiler) drop(prefixes ...string) {
	c.mods = slices.DeleteFunc(c.mods, func(m string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return either(p, m) })
	})
}

// typ takes the first modifier that is a type.
func (c *compiler) typ() typ {
	t, ok := takeOf(c, func(m string) (typ, bool) { t, ok := types[m[1:]]; return t, ok })
	if !ok {
		c.fail("a type such as .b32 is missing")
	}
	return t
}

// oneOf takes a type and refuses it if it is not among the names.
func (c *compiler) oneOf(names string) typ {
	t := c.typ()
	c.want(t, names)
	return t
}

func (c *compiler) want(t typ, names string) {
	if !slices.Contains(strings.Fields(names), t.name) {
		c.fail("%v is not one of its types: %s", t, names)
	}
}

// arity refuses an instruction without lo to hi operands.
func (c *compiler) arity(lo, hi int) {
	if n := len(c.in.args); n < lo || n > hi {
		if lo == hi {
			c.fail("has %d operands, wants %d", n, lo)
		}
		c.fail("has %d operands, wants %d to %d", n, lo, hi)
	}
}

func (c *compiler) arg(i int) *argText {
	if i >= len(c.in.args) {
		c.fail("operand %d is missing", i+1)
	}
	return &c.in.args[i]
}

// fits reports whether a register of type r may stand where an instruction wants t
// (ISA 9.4). The size agrees, and floats and integers are not mixed.
func fits(r, t typ) bool {
	return r.size == t.size && (r.class == classBits || t.class == classBits || r.float() == t.float())
}

// register returns the register that a names, or nil if it names something else.
func (c *compiler) register(a *argText) *variable {
	if a.kind != argName {
		return nil
	}
	if v := c.in.lookup(a.name); v != nil && v.space == spaceReg {
		return v
	}
	return nil
}

// maxSlots bounds the registers and constants of a kernel: 8 MiB a warp.
const maxSlots = 1 << 15

// newSlot makes a slot of 32 lanes.
func (c *compiler) newSlot() int {
	if c.prog.slots >= maxSlots {
		c.fail("%s uses more than %d registers and constants", c.prog.name, maxSlots)
	}
	c.prog.slots++
	return c.prog.slots - 1
}

func (c *compiler) regSlot(a *argText, v *variable) int {
	key := regKey{v, a.name}
	s, ok := c.slot[key]
	if !ok {
		s = c.newSlot()
		c.slot[key] = s
		c.prog.regs += max(1, v.typ.size/4)
	}
	return s
}

// check refuses a register of another type than the operand's. With wide, it may be
// larger: ld, st and cvt allow that.
func (c *compiler) check(a *argText, v *variable, t typ, wide bool) {
	if v.typ.class == classPred {
		c.failAt(a, "%s is a predicate, a %v is wanted", clip(a.name), t)
	}
	if v.vec > 1 {
		c.failAt(a, "%s is a vector of %d; one element, such as %s.x, is wanted", clip(a.name), v.vec, clip(a.name))
	}
	ok := fits(v.typ, t)
	if t.half() {
		// Half floats live in registers of their own type, or of bits.
		bits := v.typ.class == classBits
		ok = v.typ.size == t.size && (bits || v.typ.name == t.name) || wide && bits && v.typ.size > t.size && t.name == "f16"
	} else if wide && !ok {
		ok = v.typ.size > t.size && (!v.typ.float() || !t.float() && !t.integer())
	}
	if !ok {
		c.failAt(a, "%s is a %v, a %v is wanted", clip(a.name), v.typ, t)
	}
}

// source returns the slot of an operand that is read as t.
func (c *compiler) source(a *argText, t typ) int { return c.sourceAs(a, t, false) }

func (c *compiler) sourceAs(a *argText, t typ, wide bool) int {
	switch a.kind {
	case argInt:
		switch {
		case t.half():
			c.failAt(a, "a constant where a %v is wanted, which has none: put its bits into a register", t)
		case t.float():
			c.failAt(a, "an integer where a %v is wanted: write 0f… or 0d…", t)
		}
		return c.constant(a.bits & maskOf(t.size))
	case argFloat:
		if t.packed() {
			c.failAt(a, "a constant where a %v is wanted, which has none: put its bits into a register", t)
		}
		if t.class == classBits && (a.size != t.size && a.size != 0 || a.size == 0 && t.size != 8) {
			c.failAt(a, "a constant of another size than %v", t)
		}
		return c.constant(a.floatBits(t))
	case argName:
		if a.not {
			c.failAt(a, "! is for predicates")
		}
		v := c.in.lookup(a.name)
		switch {
		case v == nil && a.name == "WARP_SZ":
			c.added = append(c.added, a.col)
			return c.constant(uint64(32+a.offset) & maskOf(t.size))
		case v == nil:
			return c.specialSlot(a, t)
		case v.space == spaceReg:
			c.check(a, v, t, wide)
			s := c.regSlot(a, v)
			c.ins.srcs = append(c.ins.srcs, s)
			if a.plus {
				return c.plus(a, v, t, s)
			}
			return s
		}
		c.added = append(c.added, a.col)
		if v.space == spaceShared {
			c.ins.origins.roots = append(c.ins.origins.roots, v)
		}
		return c.constant(uint64(c.address(a, v) + a.offset))
	}
	c.failAt(a, "a register or a constant is wanted")
	return 0
}

// plus returns the slot of %r1 + 4, which assemblers make an addition before the
// instruction. It is one of integers, in as many bits as the register has.
func (c *compiler) plus(a *argText, v *variable, t typ, slot int) int {
	if v.typ.float() || t.float() || t.is("bf16", "bf16x2") {
		c.failAt(a, "%s is a float here; numbers are added to integers", clip(a.name))
	}
	c.added = append(c.added, a.col)
	sum, offset, mask := c.newSlot(), uint64(a.offset), maskOf(v.typ.size)
	c.ins.before = append(c.ins.before, lanes1(sum, slot, func(x uint64) uint64 { return (x + offset) & mask }))
	return sum
}

// address returns where a variable lies in its space.
func (c *compiler) address(a *argText, v *variable) int64 {
	switch v.space {
	case spaceShared:
		return sharedBase + c.offset[v]
	case spaceParam:
		if c.fn.entry && v.formal {
			return paramBase + v.offset
		}
		return c.localAddress(v)
	case spaceLocal:
		return c.localAddress(v)
	case spaceGlobal, spaceConst:
		return int64(c.mod.address(v))
	}
	c.failAt(a, "%s has no address", clip(a.name))
	return 0
}

// localAddress gives a variable an address in the memory of a thread.
func (c *compiler) localAddress(v *variable) int64 {
	at, ok := c.offset[v]
	if !ok {
		at = alignUp(int64(c.prog.local), v.align)
		c.offset[v] = at
		if at+v.size > maxLocal {
			panic(v.errorf("%s: more than 512 KiB of local memory a thread", clip(v.name)))
		}
		c.prog.local = int(at + v.size)
	}
	return at
}

func maskOf(size int) uint64 {
	if size >= 8 {
		return math.MaxUint64
	}
	return 1<<(8*size) - 1
}

func (c *compiler) constant(v uint64) int {
	s, ok := c.cons[v]
	if !ok {
		s = c.newSlot()
		c.cons[v] = s
		c.prog.consts = append(c.prog.consts, constant{s, v})
	}
	return s
}

// src and dst return the slots of operand i.
func (c *compiler) src(i int, t typ) int { return c.source(c.arg(i), t) }
func (c *compiler) dst(i int, t typ) int { return c.dest(c.arg(i), t, false) }

func (c *compiler) dest(a *argText, t typ, wide bool) int {
	if a.kind == argSink {
		c.failAt(a, "the result is not left out here")
	}
	v := c.register(a)
	if v == nil && a.kind == argName && c.in.lookup(a.name) == nil {
		c.failAt(a, "%s is not declared before, here or around this block: a register is wanted for the result", clip(a.name))
	}
	if v == nil {
		c.failAt(a, "a register is wanted for the result")
	}
	c.check(a, v, t, wide)
	s := c.regSlot(a, v)
	c.ins.dsts = append(c.ins.dsts, s)
	return s
}

// destOrSink is dest where _ may stand, for a result that nobody wants.
func (c *compiler) destOrSink(a *argText, t typ, wide bool) int {
	if a.kind == argSink {
		return c.newSlot()
	}
	return c.dest(a, t, wide)
}

// wanted refuses a list of results that are all left out.
func (c *compiler) wanted(list []argText) {
	for i := range list {
		if list[i].kind != argSink {
			return
		}
	}
	c.fail("every result is left out")
}

// regSize returns the size of the register that a names, or of t for a constant:
// what loads and conversions extend to.
func (c *compiler) regSize(a *argText, t typ) int {
	if v := c.register(a); v != nil {
		return v.typ.size
	}
	return t.size
}

// predSlot returns the predicate that a names.
func (c *compiler) predSlot(a *argText) int {
	v := c.register(a)
	if v == nil || v.typ.class != classPred {
		c.failAt(a, "%s is no predicate", clip(a.name))
	}
	return c.predOf(regKey{v, a.name})
}

func (c *compiler) predOf(key regKey) int {
	s, ok := c.pred[key]
	if !ok {
		s = c.prog.preds
		c.prog.preds++
		c.pred[key] = s
	}
	return s
}

// predSrc returns the predicate of operand a and whether it is negated. A number is true
// if it is not 0.
func (c *compiler) predSrc(a *argText) (slot int, not bool) {
	if a.kind == argInt {
		if c.prog.truth < 0 {
			c.prog.truth = c.prog.preds
			c.prog.preds++
		}
		return c.prog.truth, a.bits == 0
	}
	s := c.predSlot(a)
	c.ins.psrcs = append(c.ins.psrcs, s)
	return s, a.not
}

// predDst returns the predicate that a result goes to, or -1 for _.
func (c *compiler) predDst(a *argText) int {
	if a.kind == argSink {
		return -1
	}
	if a.not {
		c.failAt(a, "a result cannot be negated")
	}
	s := c.predSlot(a)
	c.ins.pdsts = append(c.ins.pdsts, s)
	return s
}

// vector returns the n elements of operand i, which is {…}; one element may stand
// without braces.
func (c *compiler) vector(i, n int) []argText {
	a := c.arg(i)
	list := a.list
	if a.kind != argVector {
		list = []argText{*a}
		if parts := c.parts(a); parts != nil {
			list = parts
		} else if a.kind == argName && dimensional[a.name] != nil && c.in.lookup(a.name) == nil {
			list = a.parts(len(vectorParts)) // %tid and its like
		}
	}
	if len(list) != n {
		c.failAt(a, "has %d registers, wants %d", len(list), n)
	}
	return list
}

// sources and dests return the slots of the n elements of operand i.
func (c *compiler) sources(i, n int, t typ) (slots []int) {
	for _, a := range c.vector(i, n) {
		slots = append(slots, c.source(&a, t))
	}
	return slots
}

func (c *compiler) dests(i, n int, t typ) (slots []int) {
	for _, a := range c.vector(i, n) {
		slots = append(slots, c.dest(&a, t, false))
	}
	return slots
}

// parts returns the elements of a register that was declared .v2 or .v4, which are
// registers of their own: x.x, x.y … It returns nil if a names something else.
func (c *compiler) parts(a *argText) []argText {
	v := c.register(a)
	if v == nil || v.vec < 2 {
		return nil
	}
	return a.parts(v.vec)
}

func (a *argText) parts(n int) (list []argText) {
	for i := range n {
		list = append(list, argText{position: a.position, name: a.name + vectorParts[i]})
	}
	return list
}

// vectorParts are the names of the elements of a vector.
var vectorParts = [...]string{".x", ".y", ".z", ".w"}

// An addressing is [base+offset].
type addressing struct {
	slot   int
	offset uint64
}

// of returns the address in a lane.
func (a addressing) of(w *warp, lane int) uint64 { return w.r[a.slot][lane] + a.offset }

// addr returns the address of operand i in a space.
func (c *compiler) addr(i int, sp space) addressing {
	a := c.arg(i)
	if a.kind != argAddress {
		c.failAt(a, "an address such as [%%rd1] is wanted")
	}
	if len(a.list) > 0 {
		c.failAt(a, "coordinates are for tensors")
	}
	if a.name == "" {
		return addressing{c.constant(uint64(a.offset)), 0}
	}
	v := c.in.lookup(a.name)
	if v == nil {
		c.failAt(a, "%s is not declared", clip(a.name))
	}
	if v.space == spaceShared {
		c.ins.origins.base = v
	}
	if v.space != spaceReg {
		if window, ok := windows[v.space]; sp == spaceGeneric && ok && (v.space == spaceShared || v.space == spaceLocal) {
			return addressing{c.constant(window + uint64(c.address(a, v)+a.offset)), 0}
		}
		if v.space != sp && !(v.space == spaceParam && sp == spaceLocal) && !(sp == spaceGeneric && (v.space == spaceGlobal || v.space == spaceConst)) {
			c.failAt(a, "%s is in .%v, the instruction is for .%v", clip(a.name), v.space, sp)
		}
		return addressing{c.constant(uint64(c.address(a, v) + a.offset)), 0}
	}
	size := v.typ.size
	if v.typ.class == classPred || v.typ.float() || size != 8 && !(size == 4 && (sp == spaceShared || sp == spaceLocal || sp == spaceParam)) {
		c.failAt(a, "%s is a %v, which is no address of .%v", clip(a.name), v.typ, sp)
	}
	s := c.regSlot(&argText{name: a.name}, v)
	c.ins.srcs = append(c.ins.srcs, s)
	c.ins.origins.bases = append(c.ins.origins.bases, s)
	return addressing{s, uint64(a.offset)}
}

// space takes the state space of an instruction.
func (c *compiler) space() space {
	s, _ := takeOf(c, func(m string) (space, bool) { s, ok := spaces[m]; return s, ok })
	return s
}

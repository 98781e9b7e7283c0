package emu

import (
	"fmt"
	"slices"
)

// Which .shared variable an address comes from, as far as the text says. Such an address
// has to stay in its variable, though others lie behind it.
//
// A register comes from a variable if every instruction that writes it gives it one of three:
// the variable's address, the address of a register which comes from it with numbers added,
// or a number. If it comes from two variables, or from something that might hold an address,
// nothing is known and nothing checked. The same holds for loaded values if an address was
// ever stored, and after calls.

// An extent is the variable that the address of an instruction comes from.
type extent struct {
	name   string
	lo, hi int // offsets in shared memory; hi is -1 for what the launch gives
}

// origins are what is known of an instruction for that.
type origins struct {
	op     string      // its first word
	roots  []*variable // in .shared, whose addresses are operands
	base   *variable   // in .shared, whose address it uses
	bases  []int       // registers that are addresses
	passed []int       // registers of a function that a call writes
}

// unknown is where an address comes from that may be of several variables.
var unknown = &variable{name: "unknown"}

// carrying are the operations whose result comes from where their operands come from.
var carrying = map[string]bool{
	"mov": true, "cvt": true, "cvta": true, "mapa": true, "selp": true, "slct": true, "min": true, "max": true, "and": true, "or": true,
	"add": true, "sub": true, "mad": true,
}

// summing are those of them in which a second address makes the result a number, or nothing.
var summing = map[string]bool{"or": true, "add": true, "sub": true, "mad": true}

// A tracer finds the origins of all registers of a program.
type tracer struct {
	code   []inst
	from   []*variable // by slot: nil is a number
	users  [][]int32   // by slot: instructions that read it
	loads  []int32     // instructions that read memory
	leaked bool        // an address was stored
	todo   []int32
	queued []bool
}

// trace finds which variable the address of each instruction comes from.
func (c *compiler) trace() {
	static := false
	for v := range c.offset {
		static = static || v.space == spaceShared
	}
	if !static {
		return
	}
	code := c.prog.code
	t := &tracer{code: code, from: make([]*variable, c.prog.slots), users: make([][]int32, c.prog.slots), queued: make([]bool, len(code))}
	for i := range code {
		in := &code[i]
		for _, s := range in.srcs {
			t.users[s] = append(t.users[s], int32(i))
		}
		if in.origins.memory() {
			t.loads = append(t.loads, int32(i))
		}
		t.queue(int32(i))
	}
	for len(t.todo) > 0 {
		i := t.todo[len(t.todo)-1]
		t.todo = t.todo[:len(t.todo)-1]
		t.queued[i] = false
		t.visit(&code[i])
	}
	for i := range code {
		in := &code[i]
		v := in.origins.base
		for _, s := range in.origins.bases {
			v = common(v, t.from[s])
		}
		if v == nil || v == unknown {
			continue
		}
		in.within = &extent{v.name, int(c.offset[v]), int(c.offset[v] + v.size)}
		if v.extern {
			in.within.hi = -1
		}
	}
}

func (t *tracer) queue(i int32) {
	if !t.queued[i] {
		t.queued[i] = true
		t.todo = append(t.todo, i)
	}
}

// memory reports whether there is an address.
func (o *origins) memory() bool { return o.base != nil || len(o.bases) > 0 }

// common is where a value comes from that is one or the other.
func common(a, b *variable) *variable {
	switch {
	case a == nil:
		return b
	case b == nil || a == b || a.extern && b.extern:
		return a
	}
	return unknown
}

// visit gives the results of an instruction their origin.
func (t *tracer) visit(in *inst) {
	var v *variable
	n := 0 // operands that are addresses
	see := func(x *variable) {
		if x != nil {
			v = common(v, x)
			n++
		}
	}
	o := in.origins
	for _, x := range o.roots {
		see(x)
	}
	bases := slices.Clone(o.bases)
	for _, s := range in.srcs {
		if i := slices.Index(bases, s); i >= 0 {
			bases = slices.Delete(bases, i, i+1)
			continue
		}
		see(t.from[s])
	}
	switch {
	case o.memory():
		if n > 0 && !t.leaked {
			t.leaked = true
			for _, i := range t.loads {
				t.queue(i)
			}
		}
		if v = nil; t.leaked {
			v = unknown
		}
	case o.op == "call":
		v = unknown
	case n > 0 && (!carrying[o.op] || n > 1 && summing[o.op]):
		v = unknown
	}
	if v == nil {
		return
	}
	for _, list := range [][]int{in.dsts, o.passed} {
		for _, d := range list {
			if x := common(t.from[d], v); x != t.from[d] {
				t.from[d] = x
				for _, i := range t.users[d] {
					t.queue(i)
				}
			}
		}
	}
}

// inside faults if n bytes of shared memory at off are not of the variable that the address
// comes from.
func (w *warp) inside(lane int, does string, off, n int) {
	if e := w.cta.prog.code[w.pc].within; e != nil && (off < e.lo || off+n > e.hi && e.hi >= 0) {
		w.stray(e, lane, does, off, n)
	}
}

func (w *warp) stray(e *extent, lane int, does string, off, n int) {
	where := fmt.Sprintf("%d bytes before", e.lo-off)
	switch past := off - e.hi; {
	case e.hi >= 0 && past == 0:
		where = "just past the end of"
	case e.hi >= 0 && past > 0:
		where = fmt.Sprintf("%d bytes past the end of", past)
	case e.hi >= 0 && off >= e.lo:
		where = fmt.Sprintf("the last %d of them past the end of", past+n)
	}
	size := ""
	if e.hi >= 0 {
		size = fmt.Sprintf(" (%d bytes)", e.hi-e.lo)
	}
	w.fault(Bounds, lane, "%s %d bytes at offset %d of shared memory, %s %s%s, which the address comes from", does, n, off, where, e.name, size)
}

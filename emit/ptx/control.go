package ptx

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Control flow. A branch that all threads of a warp take together is marked .uni.
// Small sides of an if are not branched around: their instructions are executed
// where a predicate holds.

// negated returns x if v is the opposite of the truth value x.
func negated(v *emit.Value) (x *emit.Value, ok bool) {
	if v == nil || v.Op == nil || v.Op.Def.Name != "xor" || v.Type != emit.Bool {
		return nil, false
	}
	a := v.Op.Args
	switch {
	case isConst(a[1]) && constLane(a[1]) == 1 && !isConst(a[0]):
		return a[0], true
	case isConst(a[0]) && constLane(a[0]) == 1 && !isConst(a[1]):
		return a[1], true
	}
	return nil, false
}

// onlyBranches reports whether v is used as the condition of ifs and whiles only.
func (e *emitter) onlyBranches(v *emit.Value) bool {
	if e.plainUses == nil {
		e.plainUses = map[*emit.Value]bool{}
		use := func(vs []*emit.Value) {
			for _, v := range vs {
				e.plainUses[v] = true
			}
		}
		e.f.Body.Walk(func(op *emit.Op) {
			name := op.Def.Name
			if name != "if" && name != "yield" {
				use(op.Args)
			}
			for i, b := range op.Blocks {
				ys := yields(b)
				if name == "while" && i == 0 {
					ys = ys[1:]
				}
				use(ys)
			}
		})
	}
	return !e.plainUses[v]
}

// condition returns the guard "@%p1" of what happens where v is as said.
func (e *emitter) condition(v *emit.Value, is bool) string {
	if x, ok := negated(v); ok && e.onlyBranches(v) {
		return e.condition(x, !is)
	}
	p := e.held(v, 0)
	if is {
		return "@" + p
	}
	return "@!" + p
}

// branch prints a jump to label where v is as said.
func (e *emitter) branch(v *emit.Value, is bool, label string) {
	guard := e.condition(v, is)
	e.line("%s bra%s %s", guard, uni(e.levels[v] >= emit.Warp), label)
}

func uni(yes bool) string {
	if yes {
		return ".uni"
	}
	return ""
}

// still reports whether srcs are dsts already.
func (e *emitter) still(dsts, srcs []*emit.Value) bool {
	for i, d := range dsts {
		_, n := registers(d.Type)
		for k := range n {
			if isConst(srcs[i]) || e.reg(d, k) != e.reg(srcs[i], k) {
				return false
			}
		}
	}
	return true
}

// carry copies all registers of srcs to those of dsts at once.
func (e *emitter) carry(dsts, srcs []*emit.Value) {
	m := e.moved(dsts, srcs)
	m.print(e)
}

func (e *emitter) moved(dsts, srcs []*emit.Value) (m moves) {
	for i, d := range dsts {
		_, n := registers(d.Type)
		e.collect(&m, d, srcs[i], 0, 0, n)
	}
	return m
}

// collect adds the copies of n registers, from the s-th of src to the d-th of dst.
func (e *emitter) collect(m *moves, dst, src *emit.Value, d, s, n int) {
	c, _ := registers(dst.Type)
	for k := range n {
		if e.small.has(dst) {
			m.add(b32, e.reg(dst, d+k), e.low(src))
		} else {
			m.add(c, e.reg(dst, d+k), e.src(src, s+k))
		}
	}
}

func selectFor(e *emitter, op *emit.Op) error {
	body := op.Blocks[0]
	idx := body.Args[0]
	lo, hi, step := op.Args[0], op.Args[1], op.Args[2]
	bits := idx.Type.Elem.Bits()
	if bits < 32 {
		return fmt.Errorf("loops count in i32 or i64 on a GPU, not in %v", idx.Type)
	}
	e.carry(body.Args, append([]*emit.Value{lo}, op.Args[3:]...))
	bound := func(v *emit.Value) string { return e.src(v, 0) }
	if e.small.has(idx) {
		bits, bound = 32, e.low
	}
	level := min(e.levels[lo], e.levels[hi], e.levels[step])
	jump := uni(level >= emit.Warp)
	i := e.reg(idx, 0)
	top, end := e.label(), e.label()
	if !runsOnce(op) {
		p := e.temp(pred)
		e.line("setp.ge.s%d %s, %s, %s", bits, p, i, bound(hi))
		e.line("@%s bra%s %s", p, jump, end)
	}
	e.mark(top)
	if err := e.block(body); err != nil {
		return err
	}
	e.carry(body.Args[1:], yields(body))
	p := e.temp(pred)
	e.line("add.s%d %s, %s, %s", bits, i, i, bound(step))
	e.line("setp.lt.s%d %s, %s, %s", bits, p, i, bound(hi))
	e.line("@%s bra%s %s", p, jump, top)
	if !runsOnce(op) {
		e.mark(end)
	}
	return nil
}

// runsOnce reports whether a for loop's body is executed at least once.
func runsOnce(op *emit.Op) bool {
	lo, ok1 := intConst(op.Args[0])
	hi, ok2 := intConst(op.Args[1])
	return op.Attr.Once || ok1 && ok2 && lo < hi
}

func selectWhile(e *emitter, op *emit.Op) error {
	head, body := op.Blocks[0], op.Blocks[1]
	e.carry(head.Args, op.Args)
	top, end := e.label(), ""
	e.mark(top)
	if err := e.block(head); err != nil {
		return err
	}
	e.carry(body.Args, yields(head)[1:])
	again := yields(head)[0]
	if len(body.Ops) == 1 && e.still(head.Args, yields(body)) { // a spin
		e.branch(again, true, top)
		return nil
	}
	end = e.label()
	e.branch(again, false, end)
	if err := e.block(body); err != nil {
		return err
	}
	e.carry(head.Args, yields(body))
	e.line("bra.uni %s", top)
	e.mark(end)
	return nil
}

func selectIf(e *emitter, op *emit.Op) error {
	then, otherwise := op.Blocks[0], op.Blocks[1]
	cond := op.Args[0]
	empty := func(b *emit.Block) bool { return len(b.Ops) == 1 && e.still(op.Results, yields(b)) }
	side := func(b *emit.Block) error {
		if err := e.block(b); err != nil {
			return err
		}
		e.carry(op.Results, yields(b))
		return nil
	}
	if e.guard == "" && predicable(op) {
		yes, no := e.condition(cond, true), e.condition(cond, false)
		e.guard = yes + " "
		err := side(then)
		e.guard = no + " "
		if err == nil {
			err = side(otherwise)
		}
		e.guard = ""
		return err
	}
	if e.guard != "" {
		return fmt.Errorf("ptx: an if inside a predicated one")
	}
	end := e.label()
	if empty(then) {
		e.branch(cond, true, end)
		if err := side(otherwise); err != nil {
			return err
		}
		e.mark(end)
		return nil
	}
	if empty(otherwise) {
		e.branch(cond, false, end)
		if err := side(then); err != nil {
			return err
		}
		e.mark(end)
		return nil
	}
	no := e.label()
	e.branch(cond, false, no)
	if err := side(then); err != nil {
		return err
	}
	e.line("bra.uni %s", end)
	e.mark(no)
	if err := side(otherwise); err != nil {
		return err
	}
	e.mark(end)
	return nil
}

// maxPredicated is how many operations an if may have without a branch around it.
// maxHarmless is how many more it may have that need no predicate. A jump costs some
// ten instructions' time.
const maxPredicated, maxHarmless = 10, 24

// predicable reports whether the sides of an if may be printed with a guard before
// every instruction.
func predicable(op *emit.Op) bool {
	all, harm := 0, 0
	for _, b := range op.Blocks {
		if !flat(b) {
			return false
		}
		for _, in := range b.Ops {
			switch {
			case in.Def.Name == "const" || in.Def.Name == "yield":
			case harmless(in):
				all++
			default:
				harm++
			}
		}
		for _, v := range yields(b) {
			_, n := registers(v.Type)
			harm += n
		}
	}
	return harm <= maxPredicated && all <= maxHarmless
}

// inFlight reports whether op is a copy that goes on after it. They come many together, and for those that have a
// guard ptxas keeps the addresses of the turn before too, and selects.
func inFlight(op *emit.Op) bool { return strings.HasPrefix(op.Inst.Name, "cp.async.c") }

// flat reports whether b has nothing that a guard cannot stand before.
func flat(b *emit.Block) bool {
	for _, op := range b.Ops {
		if len(op.Blocks) > 0 || op.Inst != nil && (op.Inst.Sync > emit.Thread || strings.Contains(op.Inst.Text["ptx"], "@") || inFlight(op)) {
			return false
		}
		switch op.Def.Name {
		case "udiv", "urem", "div", "sqrt": // long; a branch is shorter
			return false
		}
	}
	return true
}

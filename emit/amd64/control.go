package amd64

import (
	"fmt"
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// conditions maps a predicate on signed integers to the suffixes of CMOVQ and J.
var conditions = map[string]string{"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}
var opposite = map[string]string{"EQ": "NE", "NE": "EQ", "LT": "GE", "GE": "LT", "LE": "GT", "GT": "LE"}

// compare sets the flags for a condition and returns its suffix.
func (e *emitter) compare(cond *emit.Value) (string, error) {
	if cond.Op == nil || cond.Op.Def.Name != "cmp" {
		return "", fmt.Errorf("the condition is not made by a comparison; amd64 keeps no truth values in registers")
	}
	x, y := cond.Op.Args[0], cond.Op.Args[1]
	m := map[emit.Type]string{emit.Int32: "CMPL", emit.Int64: "CMPQ"}[x.Type]
	if m == "" {
		return "", fmt.Errorf("conditions compare i32 or i64 on amd64, not %v", x.Type)
	}
	if immediate(cond.Op, 1) {
		e.line("%s %s, $%d", m, e.reg(x), y.Op.Attr.Imm)
	} else {
		e.line("%s %s, %s", m, e.reg(x), e.reg(y))
	}
	return conditions[cond.Op.Attr.Name], nil
}

func selectFor(e *emitter, op *emit.Op) error {
	body := op.Blocks[0]
	idx := body.Args[0]
	lo, hi, step := op.Args[0], op.Args[1], op.Args[2]
	if idx.Type != emit.Int64 {
		return fmt.Errorf("loops count in i64 on amd64, not in %v", idx.Type)
	}
	if !isConst(step) || step.Op.Attr.Imm <= 0 || step.Op.Attr.Imm > math.MaxInt32 {
		return fmt.Errorf("the step must be a constant from 1 to 2^31-1 on amd64")
	}
	down := countsDown(e.live, op)
	first := lo
	if down {
		first = hi
	}
	if err := e.parallel(e.at[op], append([]*emit.Value{idx}, body.Args[1:]...), append([]*emit.Value{first}, op.Args[3:]...)); err != nil {
		return err
	}
	bound := func() string {
		if isConst(hi) && e.cls[hi.ID] == none {
			return fmt.Sprintf("$%d", hi.Op.Attr.Imm)
		}
		return e.reg(hi)
	}
	top, end := e.label(), e.label()
	if !op.Attr.Once {
		if down {
			e.line("TESTQ %s, %s", e.reg(idx), e.reg(idx))
			e.line("JLE %s", end)
		} else {
			e.line("CMPQ %s, %s", e.reg(idx), bound())
			e.line("JGE %s", end)
		}
	}
	if !hasLoop(body) {
		e.line("PCALIGN $32")
	}
	e.mark(top)
	if err := e.block(body); err != nil {
		return err
	}
	if err := e.parallel(e.end(op), body.Args[1:], body.Ops[len(body.Ops)-1].Args); err != nil {
		return err
	}
	if down {
		e.line("DECQ %s", e.reg(idx))
		e.line("JNZ %s", top)
	} else {
		e.line("ADDQ $%d, %s", step.Op.Attr.Imm, e.reg(idx))
		e.line("CMPQ %s, %s", e.reg(idx), bound())
		e.line("JLT %s", top)
	}
	if !op.Attr.Once {
		e.mark(end)
	}
	return nil
}

func hasLoop(b *emit.Block) bool {
	found := false
	b.Walk(func(op *emit.Op) { found = found || op.Def.Name == "for" || op.Def.Name == "while" })
	return found
}

func selectWhile(e *emitter, op *emit.Op) error {
	head, body := op.Blocks[0], op.Blocks[1]
	if err := e.parallel(e.at[op], head.Args, op.Args); err != nil {
		return err
	}
	top, end := e.label(), e.label()
	e.mark(top)
	if err := e.block(head); err != nil {
		return err
	}
	passed := head.Ops[len(head.Ops)-1]
	y := passed.Args
	if err := e.parallel(e.at[passed], body.Args, y[1:]); err != nil {
		return err
	}
	cc, err := e.compare(y[0])
	if err != nil {
		return err
	}
	e.line("J%s %s", opposite[cc], end)
	if err := e.block(body); err != nil {
		return err
	}
	if err := e.parallel(e.end(op), head.Args, body.Ops[len(body.Ops)-1].Args); err != nil {
		return err
	}
	e.line("JMP %s", top)
	e.mark(end)
	return nil
}

func selectIf(e *emitter, op *emit.Op) error {
	cc, err := e.compare(op.Args[0])
	if err != nil {
		return err
	}
	side := func(b *emit.Block) error {
		if err := e.block(b); err != nil {
			return err
		}
		yield := b.Ops[len(b.Ops)-1]
		return e.parallel(e.at[yield], op.Results, yield.Args)
	}
	otherwise, end := e.label(), e.label()
	e.line("J%s %s", opposite[cc], otherwise)
	if err := side(op.Blocks[0]); err != nil {
		return err
	}
	if len(op.Blocks[1].Ops) == 1 && len(op.Results) == 0 {
		e.mark(otherwise)
		return nil
	}
	e.line("JMP %s", end)
	e.mark(otherwise)
	if err := side(op.Blocks[1]); err != nil {
		return err
	}
	e.mark(end)
	return nil
}

// parallel copies srcs to dsts as if all at once, at position at. A copy whose target
// nobody still has to read goes first. A cycle of copies is broken by an exchange or,
// if the machine has none, by a free register.
func (e *emitter) parallel(at int, dsts, srcs []*emit.Value) error {
	type pair struct{ dst, src *emit.Value }
	var moves, consts []pair
	for i, d := range dsts {
		switch s := srcs[i]; {
		case e.cls[d.ID] == none, len(e.spans[d.ID]) == 0:
		case isConst(s) && e.cls[s.ID] == none:
			consts = append(consts, pair{d, s})
		case !e.same(d, s):
			moves = append(moves, pair{d, s})
		}
	}
	for len(moves) > 0 {
		ready := -1
		for i, m := range moves {
			blocked := false
			for j, o := range moves {
				blocked = blocked || i != j && e.same(o.src, m.dst)
			}
			if !blocked {
				ready = i
				break
			}
		}
		if ready < 0 { // only cycles are left
			m := moves[0]
			if e.cls[m.dst.ID] != gpr {
				r := e.free(e.cls[m.dst.ID], at)
				if r < 0 {
					var names []string
					for _, m := range moves {
						names = append(names, e.reg(m.src)+"->"+e.reg(m.dst))
					}
					return fmt.Errorf("values trade places (%s); that needs one more register, and none is free", strings.Join(names, " "))
				}
				opened := &emit.Value{Type: m.src.Type, ID: e.scratch(e.cls[m.dst.ID], r)}
				e.moveReg(e.cls[m.dst.ID], e.reg(opened), e.reg(m.src))
				moves[0].src = opened
				continue
			}
			e.line("XCHGQ %s, %s", e.reg(m.src), e.reg(m.dst))
			// The value of dst is now in src: its reader takes it from there.
			for i := range moves[1:] {
				if o := &moves[i+1]; e.same(o.src, m.dst) {
					o.src = m.src
				}
			}
			moves = moves[1:]
			// A cycle of two is done by the exchange alone.
			kept := moves[:0]
			for _, o := range moves {
				if !e.same(o.src, o.dst) {
					kept = append(kept, o)
				}
			}
			moves = kept
			continue
		}
		m := moves[ready]
		e.moveReg(e.cls[m.dst.ID], e.reg(m.dst), e.reg(m.src))
		moves = append(moves[:ready], moves[ready+1:]...)
	}
	for _, c := range consts {
		e.setConst(c.dst, c.src)
	}
	return nil
}

// free returns a register of class c that holds nothing while values are copied
// at position at, or -1. It is for cycles, whose sources are targets as well.
func (e *emitter) free(c class, at int) int {
	var taken uint64
	for id, w := range e.webs {
		if e.find(id) == id && w.cls == c && w.reg >= 0 && meet(w.spans, []span{{at, at + 2}}) {
			taken |= 1 << w.reg
		}
	}
	for r := range registers(e.t, c) {
		if taken>>r&1 == 0 {
			return r
		}
	}
	return -1
}

// scratch returns the ID of a new value without uses that lies in register r.
func (e *emitter) scratch(c class, r int) int {
	id := len(e.webs)
	e.cls, e.parent, e.spans = append(e.cls, c), append(e.parent, id), append(e.spans, nil)
	e.webs = append(e.webs, &web{cls: c, reg: r})
	return id
}

package asm

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Parallel copies srcs to dsts as if all at once, at position at. A copy whose target
// nobody still has to read goes first. A cycle of copies is broken by an exchange or,
// if the machine has none, by a free register.
func (e *Emitter) Parallel(at int, dsts, srcs []*emit.Value) error {
	type pair struct{ dst, src *emit.Value }
	var moves, consts []pair
	for i, d := range dsts {
		switch s := srcs[i]; {
		case e.Cls[d.ID] == None, len(e.Spans[d.ID]) == 0:
		case IsConst(s) && e.Cls[s.ID] == None:
			consts = append(consts, pair{d, s})
		case !e.Same(d, s):
			moves = append(moves, pair{d, s})
		}
	}
	for len(moves) > 0 {
		ready := -1
		for i, m := range moves {
			blocked := false
			for j, o := range moves {
				blocked = blocked || i != j && e.Same(o.src, m.dst)
			}
			if !blocked {
				ready = i
				break
			}
		}
		if ready < 0 { // only cycles are left
			m := moves[0]
			if !e.Exchange(e.Cls[m.dst.ID], m.src, m.dst) {
				r := e.free(e.Cls[m.dst.ID], at)
				if r < 0 {
					var names []string
					for _, m := range moves {
						names = append(names, fmt.Sprintf("%d->%d", e.Index(m.src), e.Index(m.dst)))
					}
					return fmt.Errorf("values trade places (%s); that needs one more register, and none is free", strings.Join(names, " "))
				}
				opened := &emit.Value{Type: m.src.Type, ID: e.scratch(e.Cls[m.dst.ID], r)}
				e.Move(e.Cls[m.dst.ID], opened, m.src)
				moves[0].src = opened
				continue
			}
			// The value of dst is now in src: its reader takes it from there.
			for i := range moves[1:] {
				if o := &moves[i+1]; e.Same(o.src, m.dst) {
					o.src = m.src
				}
			}
			moves = moves[1:]
			// A cycle of two is done by the exchange alone.
			kept := moves[:0]
			for _, o := range moves {
				if !e.Same(o.src, o.dst) {
					kept = append(kept, o)
				}
			}
			moves = kept
			continue
		}
		m := moves[ready]
		e.Move(e.Cls[m.dst.ID], m.dst, m.src)
		moves = append(moves[:ready], moves[ready+1:]...)
	}
	for _, c := range consts {
		e.Const(c.dst, c.src)
	}
	return nil
}

// free returns a register of class c that holds nothing while values are copied
// at position at, or -1. It is for cycles, whose sources are targets as well.
func (e *Emitter) free(c Class, at int) int {
	var taken uint64
	for id, w := range e.Webs {
		if e.Find(id) == id && w.Cls == c && w.Reg >= 0 && meet(w.Spans, []Span{{at, at + 2}}) {
			taken |= 1 << w.Reg
		}
	}
	for r := range e.M.Registers(e.T, c) {
		if taken>>r&1 == 0 {
			return r
		}
	}
	return -1
}

// scratch returns the ID of a new value without uses that lies in register r.
func (e *Emitter) scratch(c Class, r int) int {
	id := len(e.Webs)
	e.Cls, e.parent, e.Spans = append(e.Cls, c), append(e.parent, id), append(e.Spans, nil)
	e.Webs = append(e.Webs, &Web{Cls: c, Reg: r})
	return id
}

// Innermost reports whether no loop is in b.
func Innermost(b *emit.Block) bool {
	found := false
	b.Walk(func(op *emit.Op) { found = found || op.Def.Name == "for" || op.Def.Name == "while" })
	return !found
}

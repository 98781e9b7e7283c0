package asm

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// A Span is a half-open range of positions. An operation at position p reads its
// operands at p and writes its results at p+1; positions are even.
type Span struct{ from, to int }

// Live is the lifetime analysis of one function. Nesting is by position: a
// region occupies the positions between its operation's and its end.
type Live struct {
	M     *Machine
	F     *emit.Func
	T     emit.Target
	next  int
	def   []int    // by value ID: position of the definition
	Spans [][]Span // by value ID
	Cls   []Class  // by value ID
	Uses  []int    // by value ID: number of uses
	At    map[*emit.Op]int
	Temps map[*emit.Op][]int // the IDs of an operation's temporary registers, no values
	loops []loopRange        // in program order
}

// loopRange is a loop's first and last position.
type loopRange struct{ from, to int }

// analyze computes where every value of f needs a register.
func analyze(m *Machine, t emit.Target, f *emit.Func) *Live {
	n := f.Number()
	l := &Live{M: m, F: f, T: t, next: 2, def: make([]int, n), Spans: make([][]Span, n), Cls: make([]Class, n), Uses: make([]int, n), At: map[*emit.Op]int{}, Temps: map[*emit.Op][]int{}}
	l.classify(f.Body)
	l.number(f.Body)
	l.collect(f.Body)
	for _, s := range l.Spans {
		slices.SortFunc(s, func(a, b Span) int { return a.from - b.from })
	}
	return l
}

// classify counts uses and decides which values live in which registers.
func (l *Live) classify(b *emit.Block) {
	b.Walk(func(op *emit.Op) {
		for i, a := range op.Args {
			l.Uses[a.ID]++
			if !l.M.immediate(op, i) && l.Cls[a.ID] == None && IsConst(a) {
				l.Cls[a.ID] = l.M.File(l.T, a.Type)
			}
		}
		for _, r := range op.Results {
			if !IsConst(r) && !IsCondition(r) && !IsSlot(r) {
				l.Cls[r.ID] = l.M.File(l.T, r.Type)
			}
		}
		for _, in := range op.Blocks {
			for _, a := range in.Args {
				l.Cls[a.ID] = l.M.File(l.T, a.Type)
			}
		}
	})
}

// number gives every operation its position.
func (l *Live) number(b *emit.Block) {
	for _, op := range b.Ops {
		l.At[op] = l.next
		start := l.next
		l.next += 2
		for _, in := range op.Blocks {
			for _, a := range in.Args {
				l.def[a.ID] = l.next - 1
			}
			l.number(in)
		}
		if len(op.Blocks) > 0 {
			l.next += 2 // the region's end
			if op.Def.Name != "if" {
				l.loops = append(l.loops, loopRange{start, l.next - 2})
			}
		}
		for _, r := range op.Results {
			l.def[r.ID] = l.next - 1
		}
	}
}

// End is the position of the yield that ends the last block of op.
func (l *Live) End(op *emit.Op) int {
	b := op.Blocks[len(op.Blocks)-1]
	return l.At[b.Ops[len(b.Ops)-1]]
}

// collect adds the spans of all values defined or used under b.
func (l *Live) collect(b *emit.Block) {
	b.Walk(func(op *emit.Op) {
		p := l.At[op]
		for _, r := range op.Results {
			l.add(r, Span{l.def[r.ID], l.def[r.ID] + 1})
		}
		for _, c := range l.M.Temps(l.T, op) {
			l.Temps[op] = append(l.Temps[op], len(l.Spans))
			l.Cls, l.Spans = append(l.Cls, c), append(l.Spans, []Span{{p, p + 2}})
		}
		switch op.Def.Name {
		case "yield": // read by a parallel copy, done when the owner's registers are written
			for _, a := range op.Args {
				l.use(a, p, p)
			}
			return
		case "for":
			body, q := op.Blocks[0], l.End(op)
			for i, a := range op.Args {
				l.use(a, p, p)
				if i == 1 && !l.CountsDown(op) {
					l.use(a, q, q+2) // compared after the copies of the back edge
				}
			}
			for _, a := range body.Args {
				l.add(a, Span{p, p + 2})
				l.add(a, Span{q, q + 2}) // written by the back edge
			}
			l.add(body.Args[0], Span{p, q + 2}) // the index counts through the body
			for _, r := range op.Results {      // shares the register of the carried value
				l.add(r, Span{q + 2, l.def[r.ID] + 1})
			}
			return
		case "while":
			q := l.End(op)
			for _, a := range op.Args {
				l.use(a, p, p)
			}
			for _, a := range op.Blocks[0].Args {
				l.add(a, Span{p, p + 2})
				l.add(a, Span{q, q + 2})
			}
			c := op.Blocks[0].Ops
			y := l.At[c[len(c)-1]]
			for _, a := range op.Blocks[1].Args {
				l.add(a, Span{y, y + 2})
			}
			for _, r := range op.Results { // left by the exit test, shares the register of the body's argument
				l.add(r, Span{q + 2, l.def[r.ID] + 1})
			}
			return
		case "if":
			l.use(op.Args[0], p, p+1)
			for _, r := range op.Results {
				for _, in := range op.Blocks {
					y := l.At[in.Ops[len(in.Ops)-1]]
					l.add(r, Span{y, y + 2})
				}
				l.add(r, Span{l.End(op), l.def[r.ID] + 1})
			}
			return
		}
		for i, a := range op.Args {
			to := p + 1
			if l.M.Clobbers(l, op, i) {
				to = p + 2
			}
			l.use(a, p, to)
		}
	})
}

// use makes v live from its definition to position to, and to the end of every
// loop that it is used in but not defined in.
func (l *Live) use(v *emit.Value, p, to int) {
	if IsCondition(v) {
		if v.Op != nil { // computed again at the use
			for _, a := range v.Op.Args {
				l.use(a, p, max(to, p+1))
			}
		}
		return
	}
	d := l.def[v.ID]
	for _, r := range l.loops {
		if r.from < p && p < r.to && !(r.from <= d && d < r.to) {
			to = max(to, r.to+1)
		}
	}
	if d < to {
		l.add(v, Span{d, to})
	}
}

func (l *Live) add(v *emit.Value, s Span) { l.Spans[v.ID] = append(l.Spans[v.ID], s) }

// CountsDown reports whether a loop needs only the number of its trips: the index
// is not read and runs from 0 by 1.
func (l *Live) CountsDown(op *emit.Op) bool {
	lo, step := op.Args[0], op.Args[2]
	return l.Uses[op.Blocks[0].Args[0].ID] == 0 && IsConst(lo) && lo.Op.Attr.Imm == 0 && IsConst(step) && step.Op.Attr.Imm == 1
}

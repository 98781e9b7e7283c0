package amd64

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// A span is a half-open range of positions. An operation at position p reads its
// operands at p and writes its results at p+1; positions are even.
type span struct{ from, to int }

// class is a register file.
type class uint8

const (
	none class = iota // never in a register: conditions, immediates
	gpr
	vec
	mask
)

// live is the lifetime analysis of one function. Nesting is by position: a
// region occupies the positions between its operation's and its end.
type live struct {
	f     *emit.Func
	t     emit.Target
	next  int
	def   []int    // by value ID: position of the definition
	spans [][]span // by value ID
	cls   []class  // by value ID
	uses  []int    // by value ID: number of uses
	at    map[*emit.Op]int
	temps map[*emit.Op][]int // the IDs of an operation's temporary registers, no values
	loops []loopRange        // in program order
}

// loopRange is a loop's first and last position.
type loopRange struct{ from, to int }

// analyze computes where every value of f needs a register.
func analyze(t emit.Target, f *emit.Func) *live {
	n := f.Number()
	l := &live{f: f, t: t, next: 2, def: make([]int, n), spans: make([][]span, n), cls: make([]class, n), uses: make([]int, n), at: map[*emit.Op]int{}, temps: map[*emit.Op][]int{}}
	l.classify(f.Body)
	l.number(f.Body)
	l.collect(f.Body)
	for _, s := range l.spans {
		slices.SortFunc(s, func(a, b span) int { return a.from - b.from })
	}
	return l
}

// classify counts uses and decides which values live in which registers.
func (l *live) classify(b *emit.Block) {
	b.Walk(func(op *emit.Op) {
		for i, a := range op.Args {
			l.uses[a.ID]++
			if !immediate(op, i) && l.cls[a.ID] == none && isConst(a) {
				l.cls[a.ID] = l.fileOf(a.Type)
			}
		}
		for _, r := range op.Results {
			if !isConst(r) && !isCondition(r) && !isSlot(r) {
				l.cls[r.ID] = l.fileOf(r.Type)
			}
		}
		for _, in := range op.Blocks {
			for _, a := range in.Args {
				l.cls[a.ID] = l.fileOf(a.Type)
			}
		}
	})
}

func (l *live) fileOf(t emit.Type) class {
	switch {
	case t.Elem == emit.I1 && t.Lanes > 1 && l.t.Bits == 512:
		return mask
	case t.Elem == emit.I1 && t.Lanes == 1:
		return none
	case t.Lanes > 1 || t.Elem.Float():
		return vec
	}
	return gpr
}

// isConst reports whether v is a constant that operations may encode.
func isConst(v *emit.Value) bool { return v.Op != nil && v.Op.Def.Name == "const" }

// isCondition reports whether v is a scalar truth value: it lives in the flags
// and is computed again where it is used.
func isCondition(v *emit.Value) bool { return v.Type == emit.Bool }

// immediate reports whether operand i of op, a constant, is encoded in the
// instruction and needs no register.
func immediate(op *emit.Op, i int) bool {
	v := op.Args[i]
	if !isConst(v) {
		return false
	}
	small := v.Type.Elem.Int() && v.Type.Lanes == 1 && v.Op.Attr.Imm == int64(int32(v.Op.Attr.Imm))
	switch op.Def.Name {
	case "for":
		// Bounds are compared with or moved; carried values are made in place.
		return i < 3 && small || i >= 3 && (v.Type.Elem.Int() && v.Type.Lanes == 1 || isZero(v))
	case "yield":
		return v.Type.Elem.Int() && v.Type.Lanes == 1 || isZero(v)
	case "add", "and", "or", "xor", "mul", "addp":
		return small && i == 1
	case "sub", "cmp":
		return small && i == 1
	case "shl", "shr", "sar":
		return i == 1
	}
	return false
}

func isZero(v *emit.Value) bool {
	a := v.Op.Attr
	return a.Imm == 0 && a.F == 0 && !signbit(a.F)
}

// number gives every operation its position.
func (l *live) number(b *emit.Block) {
	for _, op := range b.Ops {
		l.at[op] = l.next
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

// end is the position of the yield that ends the last block of op.
func (l *live) end(op *emit.Op) int {
	b := op.Blocks[len(op.Blocks)-1]
	return l.at[b.Ops[len(b.Ops)-1]]
}

// collect adds the spans of all values defined or used under b.
func (l *live) collect(b *emit.Block) {
	b.Walk(func(op *emit.Op) {
		p := l.at[op]
		for _, r := range op.Results {
			l.add(r, span{l.def[r.ID], l.def[r.ID] + 1})
		}
		for _, c := range needs(l.t, op) {
			l.temps[op] = append(l.temps[op], len(l.spans))
			l.cls, l.spans = append(l.cls, c), append(l.spans, []span{{p, p + 2}})
		}
		switch op.Def.Name {
		case "yield": // read by a parallel copy, done when the owner's registers are written
			for _, a := range op.Args {
				l.use(a, p, p)
			}
			return
		case "for":
			body, q := op.Blocks[0], l.end(op)
			for i, a := range op.Args {
				l.use(a, p, p)
				if i == 1 && !countsDown(l, op) {
					l.use(a, q, q+2) // compared after the copies of the back edge
				}
			}
			for _, a := range body.Args {
				l.add(a, span{p, p + 2})
				l.add(a, span{q, q + 2}) // written by the back edge
			}
			l.add(body.Args[0], span{p, q + 2}) // the index counts through the body
			for _, r := range op.Results {      // shares the register of the carried value
				l.add(r, span{q + 2, l.def[r.ID] + 1})
			}
			return
		case "while":
			q := l.end(op)
			for _, a := range op.Args {
				l.use(a, p, p)
			}
			for _, a := range op.Blocks[0].Args {
				l.add(a, span{p, p + 2})
				l.add(a, span{q, q + 2})
			}
			c := op.Blocks[0].Ops
			y := l.at[c[len(c)-1]]
			for _, a := range op.Blocks[1].Args {
				l.add(a, span{y, y + 2})
			}
			for _, r := range op.Results { // left by the exit test, shares the register of the body's argument
				l.add(r, span{q + 2, l.def[r.ID] + 1})
			}
			return
		case "if":
			l.use(op.Args[0], p, p+1)
			for _, r := range op.Results {
				for _, in := range op.Blocks {
					y := l.at[in.Ops[len(in.Ops)-1]]
					l.add(r, span{y, y + 2})
				}
				l.add(r, span{l.end(op), l.def[r.ID] + 1})
			}
			return
		}
		for i, a := range op.Args {
			to := p + 1
			if l.clobbers(op, i) {
				to = p + 2
			}
			l.use(a, p, to)
		}
	})
}

// needs lists the classes of the registers that op needs for what it makes on the
// way.
func needs(t emit.Target, op *emit.Op) []class {
	var v emit.Type
	switch op.Def.Name {
	case "loadm":
		v = op.Result().Type
	case "storem":
		v = op.Args[0].Type
	case "maskbits":
		if t.Bits == 256 && op.Args[0].Type.Lanes == 16 {
			return []class{gpr}
		}
		return nil
	case "table":
		switch {
		case permutes(t, op) > 0 && op.Result().Type.Lanes > 1:
			return nil
		case t.Bits == 512:
			return []class{gpr, mask}
		}
		return []class{gpr, vec}
	}
	switch {
	case v.Lanes < 2 || maskedMove(t, v) != "":
		return nil
	case v.Bits() > 128:
		return []class{gpr, vec}
	}
	return []class{gpr}
}

// clobbers reports whether the result of op must not share a register with
// operand i: the instruction writes its result before it reads that operand.
func (l *live) clobbers(op *emit.Op, i int) bool {
	r := op.Result()
	if r == nil || l.cls[r.ID] != gpr {
		switch op.Def.Name {
		case "table": // a gather wants three registers
			return permutes(l.t, op) == 0
		case "trunc", "sat": // AVX2 takes the halves one after the other
			return l.t.Bits == 256
		case "select": // by a branch
			return r.Type.Lanes == 1 && i < 2
		case "inst": // multi-line texts
			return i > 0 || madeBits[op.Inst] > 0
		}
		return false
	}
	switch op.Def.Name {
	case "sub", "shl", "shr", "sar":
		return i == 1
	case "select":
		return i < 2
	}
	return op.Inst != nil
}

// use makes v live from its definition to position to, and to the end of every
// loop that it is used in but not defined in.
func (l *live) use(v *emit.Value, p, to int) {
	if isCondition(v) {
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
		l.add(v, span{d, to})
	}
}

func (l *live) add(v *emit.Value, s span) { l.spans[v.ID] = append(l.spans[v.ID], s) }

// countsDown reports whether a loop needs only the number of its trips: the index
// is not read and runs from 0 by 1.
func countsDown(l *live, op *emit.Op) bool {
	lo, step := op.Args[0], op.Args[2]
	return l.uses[op.Blocks[0].Args[0].ID] == 0 && isConst(lo) && lo.Op.Attr.Imm == 0 && isConst(step) && step.Op.Attr.Imm == 1
}

package ptx

import "github.com/tilesmith/tilesmith/emit"

// Where values are needed. Operations have positions in program order; one reads
// at an even number and writes at the odd one after it. A loop has a position where
// it begins and one where it ends, an if also one between its sides.
//
//	for   s: inits, bounds read, arguments written | body | e: yields and bounds read, results written
//	while s: inits read, arguments written | head | m: yields read, body's arguments written,
//	      m+1: the condition read | body | e: yields read, results written
//	if    s: the condition read | then | m: yields read, results written | else | e: the same
//
// Sides of an if may be predicated, so the condition is read until e, and results must
// not take its register at m.

// span is a stretch of program order, from inclusive.
type span struct{ from, to int }

// life holds the spans of all values of a function that has been numbered.
type life struct {
	next  int         // the next operation's position, counted by ones
	from  []int       // by value: where it is written
	spans [][]span    // by value, in order
	loops []*loopUse  // around the current operation
	last  map[int]int // by value: where it is read last
	early map[int]int // by value: where it is written first, of results of ifs
}

type loopUse struct {
	start int
	used  map[int]bool
}

func lives(f *emit.Func, values int) *life {
	l := &life{from: make([]int, values), spans: make([][]span, values), last: map[int]int{}, early: map[int]int{}}
	l.block(f.Body)
	for id := range l.spans {
		if at := l.early[id]; at > 0 {
			l.spans[id] = append(l.spans[id], span{at, at + 1})
		}
		l.spans[id] = append(l.spans[id], span{l.from[id], max(l.from[id]+1, l.last[id]+1)})
	}
	return l
}

// tick returns the next position.
func (l *life) tick() int { l.next += 2; return l.next }

func (l *life) write(at int, vs ...*emit.Value) {
	for _, v := range vs {
		l.from[v.ID] = at
	}
}

func (l *life) read(at int, vs ...*emit.Value) {
	for _, v := range vs {
		if x, ok := negated(v); ok {
			l.read(at, x) // the branch reads what it is the opposite of
		}
		l.last[v.ID] = max(l.last[v.ID], at)
		for _, in := range l.loops {
			in.used[v.ID] = true
		}
	}
}

// enter begins a loop at start; leave ends it at end: what it uses and did not make
// is needed until then.
func (l *life) enter(start int) {
	l.loops = append(l.loops, &loopUse{start, map[int]bool{}})
}

func (l *life) leave(end int) {
	in := l.loops[len(l.loops)-1]
	l.loops = l.loops[:len(l.loops)-1]
	for id := range in.used {
		if l.from[id] < in.start {
			l.last[id] = max(l.last[id], end)
		}
	}
}

func (l *life) block(b *emit.Block) {
	for _, op := range b.Ops {
		switch op.Def.Name {
		case "yield": // its owner reads it
		case "for":
			s := l.tick()
			l.read(s, op.Args...)
			l.enter(s)
			l.write(s+1, op.Blocks[0].Args...)
			l.block(op.Blocks[0])
			e := l.tick()
			l.read(e, yields(op.Blocks[0])...)
			l.read(e, op.Blocks[0].Args[0], op.Args[1], op.Args[2])
			l.leave(e)
			l.write(e+1, op.Results...)
		case "while":
			head, body := op.Blocks[0], op.Blocks[1]
			s := l.tick()
			l.read(s, op.Args...)
			l.enter(s)
			l.write(s+1, head.Args...)
			l.block(head)
			m := l.tick()
			l.read(m, yields(head)[1:]...)
			l.write(m+1, body.Args...)
			l.read(l.tick(), yields(head)[0])
			l.block(body)
			e := l.tick()
			l.read(e, yields(body)...)
			l.leave(e)
			l.write(e+1, op.Results...)
		case "if":
			l.read(l.tick(), op.Args...)
			l.block(op.Blocks[0])
			m := l.tick()
			l.read(m, yields(op.Blocks[0])...)
			for _, r := range op.Results {
				l.early[r.ID] = m + 1
			}
			l.block(op.Blocks[1])
			e := l.tick()
			l.read(e, yields(op.Blocks[1])...)
			l.read(e, op.Args...) // predicated sides need it to the end
			l.write(e+1, op.Results...)
		default:
			at := l.tick()
			l.read(at, op.Args...)
			if len(op.Results) > 0 && writesLast(op) {
				at++
			}
			l.write(at, op.Results...)
		}
	}
}

// writesLast reports whether op's results are written when all operands have been
// read, so that they may take the registers of those that end there.
func writesLast(op *emit.Op) bool {
	switch op.Def.Name {
	case "inst", "copy", "pack", "unpack", "splat", "shuffle", "bitcast":
		return true
	}
	_, n := registers(op.Result().Type)
	return n == 1
}

// yields returns what b hands to its owner.
func yields(b *emit.Block) []*emit.Value { return b.Ops[len(b.Ops)-1].Args }

package ptx

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// A web is the values, or registers of values, that share one virtual register. An
// instruction's result has the register of the operand it is tied to, and a loop's
// results those of its arguments. Beyond that, the two sides of a copy share one if
// they are never needed at the same time; then there is nothing to copy.

// webs assigns registers.
type webs struct {
	first  []int // by value: its first node; register k of the value is first + k
	class  []class
	parent []int
	spans  [][]span // by root
}

func newWebs(f *emit.Func, small *narrow) *webs {
	n := f.Number()
	l := lives(f, n)
	w := &webs{first: make([]int, n)}
	each(f.Body, func(v *emit.Value) {
		w.first[v.ID] = len(w.class)
		c, regs := registers(v.Type)
		if small.has(v) {
			c = b32
		}
		for range regs {
			w.parent = append(w.parent, len(w.class))
			w.class = append(w.class, c)
			w.spans = append(w.spans, l.spans[v.ID])
		}
	})
	f.Body.Walk(w.tie)
	// Registers of instructions in flight come first. A copy of one is not a harmless
	// move: it waits for the instruction.
	for _, async := range []bool{true, false} {
		f.Body.Walk(func(op *emit.Op) {
			copies(op, func(dst, src *emit.Value, d, s, n int) {
				if dst.Type.Async == async && !isConst(src) {
					for k := range n {
						w.join(w.first[dst.ID]+d+k, w.first[src.ID]+s+k)
					}
				}
			})
		})
	}
	return w
}

// each calls visit for every value under b.
func each(b *emit.Block, visit func(v *emit.Value)) {
	for _, v := range b.Args {
		visit(v)
	}
	for _, op := range b.Ops {
		for _, in := range op.Blocks {
			each(in, visit)
		}
		for _, v := range op.Results {
			visit(v)
		}
	}
}

// tie unites what has to be one register.
func (w *webs) tie(op *emit.Op) {
	same := func(a, b *emit.Value) {
		_, n := registers(a.Type)
		for k := range n {
			w.unite(w.find(w.first[a.ID]+k), w.find(w.first[b.ID]+k))
		}
	}
	switch op.Def.Name {
	case "inst":
		for i, o := range op.Inst.Tied {
			if o >= 0 {
				same(op.Results[i], op.Args[o])
			}
		}
	case "for":
		for i, r := range op.Results {
			same(r, op.Blocks[0].Args[1+i])
		}
	case "while":
		for i, r := range op.Results {
			same(r, op.Blocks[1].Args[i])
		}
	}
}

// copies calls visit for what op copies: n registers from the s-th of src to the
// d-th of dst.
func copies(op *emit.Op, visit func(dst, src *emit.Value, d, s, n int)) {
	all := func(dsts, srcs []*emit.Value) {
		for i, d := range dsts {
			_, n := registers(d.Type)
			visit(d, srcs[i], 0, 0, n)
		}
	}
	switch op.Def.Name {
	case "for":
		body := op.Blocks[0]
		all(body.Args[1:], op.Args[3:])
		all(body.Args[1:], yields(body))
	case "while":
		head, body := op.Blocks[0], op.Blocks[1]
		all(head.Args, op.Args)
		all(body.Args, yields(head)[1:])
		all(head.Args, yields(body))
	case "if":
		all(op.Results, yields(op.Blocks[0]))
		all(op.Results, yields(op.Blocks[1]))
	case "copy":
		all(op.Results, op.Args)
	case "bitcast":
		a, _ := registers(op.Args[0].Type)
		if r, _ := registers(op.Result().Type); a == r {
			all(op.Results, op.Args)
		}
	case "pack":
		d := 0
		for _, a := range op.Args {
			_, n := registers(a.Type)
			visit(op.Result(), a, d, 0, n)
			d += n
		}
	case "unpack":
		s := 0
		for _, r := range op.Results {
			_, n := registers(r.Type)
			visit(r, op.Args[0], 0, s, n)
			s += n
		}
	case "zext", "sext", "trunc": // of an i64 that is kept in 32 bits
		if a, r := op.Args[0].Type, op.Result().Type; a == emit.Int32 && r == emit.Int64 || a == emit.Int64 && r == emit.Int32 {
			all(op.Results, op.Args)
		}
	case "splat":
		if packed(op.Result().Type) == 1 {
			visit(op.Result(), op.Args[0], 0, 0, 1)
		}
	case "shuffle":
		if n := op.Args[0].Type.Lanes; packed(op.Result().Type) == 1 && packed(op.Args[0].Type) == 1 {
			for i, p := range op.Attr.Perm {
				visit(op.Result(), op.Args[p/n], i, p%n, 1)
			}
		}
	}
}

func (w *webs) find(n int) int {
	for w.parent[n] != n {
		w.parent[n] = w.parent[w.parent[n]]
		n = w.parent[n]
	}
	return n
}

// unite makes the webs of two roots one.
func (w *webs) unite(a, b int) {
	if a == b {
		return
	}
	w.parent[b] = a
	w.spans[a] = slices.SortedFunc(slices.Values(append(slices.Clone(w.spans[a]), w.spans[b]...)), func(x, y span) int {
		return x.from - y.from
	})
}

// join unites the webs of two nodes if they are never needed at the same time.
func (w *webs) join(a, b int) {
	a, b = w.find(a), w.find(b)
	if w.class[a] == w.class[b] && !meet(w.spans[a], w.spans[b]) {
		w.unite(a, b)
	}
}

// meet reports whether spans overlap; each list is in order of its begins.
func meet(a, b []span) bool {
	end := -1 // of all spans of the one list so far
	endB := -1
	for len(a) > 0 && len(b) > 0 {
		if a[0].from < b[0].from {
			if a[0].from < endB {
				return true
			}
			end, a = max(end, a[0].to), a[1:]
		} else {
			if b[0].from < end {
				return true
			}
			endB, b = max(endB, b[0].to), b[1:]
		}
	}
	return len(a) > 0 && a[0].from < endB || len(b) > 0 && b[0].from < end
}

package asm

import (
	"fmt"
	"sort"

	"github.com/tilesmith/tilesmith/emit"
)

// Hoist moves vector constants out of loops, as many as find a register: a
// polynomial's coefficients would otherwise be loaded again for every vector. Equal
// constants become one. Those that are used most go first. If there are too few
// registers even for constants that stay in them from their first use to the last, each
// use loads its own.
func (m *Machine) Hoist(t emit.Target, f *emit.Func) error {
	fits := func(f *emit.Func, n int) bool {
		c := f.Clone()
		m.moveOut(c, n)
		_, err := Allocate(m, t, c)
		return err == nil
	}
	if !fits(f, 0) {
		c := f.Clone()
		sink(c.Body)
		c.Number()
		if !fits(c, 0) {
			return nil // printing will say what is wrong
		}
		sink(f.Body)
		f.Number()
	}
	candidates := m.constantsInLoops(f)
	// The largest number that fits; fewer constants never need more registers.
	n := sort.Search(len(candidates), func(i int) bool { return !fits(f, i+1) })
	m.moveOut(f, n)
	return nil
}

// sink gives every use of a vector constant one of its own, just before it.
func sink(b *emit.Block) {
	var out []*emit.Op
	for _, op := range b.Ops {
		if op.Def.Name == "const" && op.Result().Type.Lanes > 1 {
			continue
		}
		for _, in := range op.Blocks {
			sink(in)
		}
		own := map[*emit.Value]*emit.Value{}
		for i, a := range op.Args {
			if !IsConst(a) || a.Type.Lanes == 1 {
				continue
			}
			if own[a] == nil {
				c := NewOp(a.Op, "const", a.Op.Attr, nil, a.Type)
				own[a] = c.Result()
				out = append(out, c)
			}
			op.Args[i] = own[a]
		}
		out = append(out, op)
	}
	b.Ops = out
}

// constant is a set of equal constants in loops.
type constant struct {
	ops  []*emit.Op
	uses int
}

// constantsInLoops lists the vector constants under loops, the most used first.
func (m *Machine) constantsInLoops(f *emit.Func) []*constant {
	byKey := map[string]*constant{}
	var list []*constant
	uses := map[*emit.Value]int{}
	f.Body.Walk(func(op *emit.Op) {
		for i, a := range op.Args {
			if IsConst(a) && !m.immediate(op, i) {
				uses[a]++
			}
		}
	})
	for _, op := range f.Body.Ops {
		for _, in := range op.Blocks {
			in.Walk(func(op *emit.Op) {
				if op.Def.Name != "const" || op.Result().Type.Lanes == 1 || uses[op.Result()] == 0 {
					return
				}
				key := constKey(op)
				c := byKey[key]
				if c == nil {
					c = &constant{}
					byKey[key] = c
					list = append(list, c)
				}
				c.ops = append(c.ops, op)
				c.uses += uses[op.Result()]
			})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].uses > list[j].uses })
	return list
}

func constKey(op *emit.Op) string {
	return fmt.Sprintf("%v %d %b %v", op.Result().Type, op.Attr.Imm, op.Attr.F, signbit(op.Attr.F))
}

// moveOut puts the first n constants at the head of f.
func (m *Machine) moveOut(f *emit.Func, n int) {
	var head []*emit.Op
	replaced := map[*emit.Value]*emit.Value{}
	for _, c := range m.constantsInLoops(f)[:n] {
		first := c.ops[0]
		head = append(head, first)
		for _, op := range c.ops {
			replaced[op.Result()] = first.Result()
		}
	}
	var walk func(b *emit.Block, top bool)
	walk = func(b *emit.Block, top bool) {
		var kept []*emit.Op
		for _, op := range b.Ops {
			if op.Def.Name == "const" && replaced[op.Result()] != nil && !top {
				continue
			}
			for i, a := range op.Args {
				if r := replaced[a]; r != nil {
					op.Args[i] = r
				}
			}
			for _, in := range op.Blocks {
				walk(in, false)
			}
			kept = append(kept, op)
		}
		b.Ops = kept
	}
	walk(f.Body, true)
	f.Body.Ops = append(head, f.Body.Ops...)
	f.Number()
}

package gemmtest

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// A Mutant is a kernel with one mistake. A suite has to see each of them, by a wrong
// result or by what the interpreter or the checker refuse.
type Mutant struct {
	What string
	Func *emit.Func
	Op   *emit.Op // of the kernel
}

// Breeder makes the mutants of one kernel, of which no two are the same.
type Breeder struct {
	Base    *emit.Func // a copy of the kernel
	Ops     []*emit.Op // of Base, in the order of Walk
	Mutants []Mutant
	seen    map[string]bool
}

// NewBreeder returns a breeder of mutants of f, from which strip, if it is not nil, has
// removed what no mutant can be made of.
func NewBreeder(f *emit.Func, strip func(f *emit.Func)) *Breeder {
	b := &Breeder{Base: f.Clone(), seen: map[string]bool{}}
	if strip != nil {
		strip(b.Base)
	}
	if err := emit.DeadCode(b.Base); err != nil {
		panic(err)
	}
	b.Base.Number()
	b.seen[b.Base.String()] = true
	b.Base.Body.Walk(func(op *emit.Op) { b.Ops = append(b.Ops, op) })
	return b
}

// Add makes a mutant: change gets the copy of operation i in a clone of the kernel.
func (b *Breeder) Add(i int, what string, change func(f *emit.Func, op *emit.Op)) {
	f := b.Base.Clone()
	var ops []*emit.Op
	f.Body.Walk(func(op *emit.Op) { ops = append(ops, op) })
	what = ops[i].String() + ": " + what
	change(f, ops[i])
	f.Number()
	if text := f.String(); !b.seen[text] {
		b.seen[text] = true
		b.Mutants = append(b.Mutants, Mutant{what, f, b.Ops[i]})
	}
}

// blockOf returns the block of f in which op stands, and where.
func blockOf(f *emit.Func, op *emit.Op) (found *emit.Block, at int) {
	var walk func(in *emit.Block)
	walk = func(in *emit.Block) {
		if i := slices.Index(in.Ops, op); i >= 0 {
			found, at = in, i
		}
		for _, o := range in.Ops {
			for _, in := range o.Blocks {
				walk(in)
			}
		}
	}
	walk(f.Body)
	return found, at
}

// Before inserts a new operation before op and returns its result.
func Before(f *emit.Func, op *emit.Op, name string, at emit.Attr, t emit.Type, args ...*emit.Value) *emit.Value {
	o := &emit.Op{Def: emit.Lookup(name), Attr: at, Args: args}
	o.Results = []*emit.Value{{Type: t, Op: o}}
	in, i := blockOf(f, op)
	in.Ops = slices.Insert(in.Ops, i, o)
	return o.Results[0]
}

// Remove drops op, whose results nobody uses.
func Remove(f *emit.Func, op *emit.Op) {
	in, i := blockOf(f, op)
	in.Ops = slices.Delete(in.Ops, i, i+1)
}

// Replace drops op, whose only result becomes v everywhere.
func Replace(f *emit.Func, op *emit.Op, v *emit.Value) {
	r := op.Result()
	f.Body.Walk(func(o *emit.Op) {
		for i, a := range o.Args {
			if a == r {
				o.Args[i] = v
			}
		}
	})
	Remove(f, op)
}

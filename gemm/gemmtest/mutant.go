package gemmtest

import (
	"iter"
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

// Breeder lists the mistakes that one can make in a kernel, and makes the mutants that a suite asks for.
// Listing them is faster than making them all.
type Breeder struct {
	Base     *emit.Func // a copy of the kernel
	Ops      []*emit.Op // of Base, in the order of Walk
	mistakes []mistake
}

// mistake changes operation at of a copy of the kernel.
type mistake struct {
	at     int
	what   string
	change func(f *emit.Func, op *emit.Op)
}

// NewBreeder returns a breeder of mutants of f, from which strip, if it is not nil, has
// removed what no mutant can be made of.
func NewBreeder(f *emit.Func, strip func(f *emit.Func)) *Breeder {
	b := &Breeder{Base: f.Clone()}
	if strip != nil {
		strip(b.Base)
	}
	if err := emit.DeadCode(b.Base); err != nil {
		panic(err)
	}
	b.Base.Number()
	b.Base.Body.Walk(func(op *emit.Op) { b.Ops = append(b.Ops, op) })
	return b
}

// Add lists a mistake: change gets the copy of operation i in a clone of the kernel.
func (b *Breeder) Add(i int, what string, change func(f *emit.Func, op *emit.Op)) {
	b.mistakes = append(b.mistakes, mistake{i, what, change})
}

// Len returns how many mistakes are listed.
func (b *Breeder) Len() int { return len(b.mistakes) }

// Make makes the mutants of the picked mistakes, those of level.Pick(b.Len(), ...) for example, one at a time.
// It leaves out what equals the kernel, or a mutant before it.
func (b *Breeder) Make(picked []int) iter.Seq[Mutant] {
	return func(yield func(Mutant) bool) {
		seen := map[string]bool{b.Base.String(): true}
		for _, p := range picked {
			x := b.mistakes[p]
			f := b.Base.Clone()
			var ops []*emit.Op
			f.Body.Walk(func(op *emit.Op) { ops = append(ops, op) })
			what := ops[x.at].String() + ": " + x.what
			x.change(f, ops[x.at])
			f.Number()
			text := f.String()
			if seen[text] {
				continue
			}
			seen[text] = true
			if !yield(Mutant{what, f, b.Ops[x.at]}) {
				return
			}
		}
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

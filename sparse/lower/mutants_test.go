package lower

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/internal/level"
)

// A mutant is a kernel with one mistake; the tests of this package have to see it.
type mutant struct {
	what string
	f    *emit.Func
}

// tally is how many mutants of a suite there are, how many it tried, and what became of those.
type tally struct{ made, tried, caught, same int }

func (n tally) String() string {
	return fmt.Sprintf("mutants tried %d of %d, caught %d; %d mean the same", n.tried, n.made, n.caught, n.same)
}

// mutants makes one for every small change of every operation that is not there for
// speed alone, of which a normal run tries so many.
func (n *tally) mutants(f *emit.Func, normal int) iter.Seq[mutant] {
	base := f.Clone()
	unhint(base)
	copied := func() (m *emit.Func, ops []*emit.Op) {
		m = base.Clone()
		m.Body.Walk(func(op *emit.Op) { ops = append(ops, op) })
		return m, ops
	}
	type place struct{ op, change int }
	var list []place
	m, ops := copied()
	for i := range ops {
		for j, c := range changes {
			if c.change(m, ops[i]) {
				list = append(list, place{i, j})
				m, ops = copied()
			}
		}
	}
	n.made += len(list)
	return func(yield func(mutant) bool) {
		seen := map[string]bool{base.String(): true}
		for _, at := range level.Pick(len(list), 0, normal) {
			m, ops := copied()
			op, c := ops[list[at].op], changes[list[at].change]
			what := op.String() + ": " + c.what
			c.change(m, op)
			m.Number()
			text := m.String()
			if seen[text] {
				continue
			}
			seen[text] = true
			if n.tried++; !yield(mutant{what, m}) {
				return
			}
		}
	}
}

// unhint removes prefetches and what is computed for them alone.
func unhint(f *emit.Func) {
	var walk func(b *emit.Block)
	walk = func(b *emit.Block) {
		b.Ops = slices.DeleteFunc(b.Ops, func(op *emit.Op) bool { return op.Def.Name == "prefetch" })
		for _, op := range b.Ops {
			for _, in := range op.Blocks {
				walk(in)
			}
		}
	}
	walk(f.Body)
	// An index that was loaded for a prefetch is not dead, as it reads memory.
	used := map[*emit.Value]bool{}
	f.Body.Walk(func(op *emit.Op) {
		for _, a := range op.Args {
			used[a] = used[a] || op.Def.Name != "addp" && op.Def.Name != "mul"
		}
	})
	for range 2 { // through a multiplication and an addition
		f.Body.Walk(func(op *emit.Op) {
			if r := op.Result(); r != nil && used[r] {
				for _, a := range op.Args {
					used[a] = true
				}
			}
		})
	}
	var drop func(b *emit.Block)
	drop = func(b *emit.Block) {
		b.Ops = slices.DeleteFunc(b.Ops, func(op *emit.Op) bool {
			r := op.Result()
			return r != nil && !used[r] && slices.Contains([]string{"addp", "mul", "inst"}, op.Def.Name)
		})
		for _, op := range b.Ops {
			for _, in := range op.Blocks {
				drop(in)
			}
		}
	}
	drop(f.Body)
	if err := emit.DeadCode(f); err != nil {
		panic(err)
	}
	f.Number()
}

// commutes are the operations whose last operands may trade places, and those with
// a change of their own. Comparisons here are for equality.
var commutes = []string{"add", "mul", "and", "xor", "fma", "cmp", "imax", "yield", "for"}

// changes leave an operation as it is where they return false.
var changes = []struct {
	what   string
	change func(f *emit.Func, op *emit.Op) bool
}{
	{"4 bytes on", func(_ *emit.Func, op *emit.Op) bool {
		if !slices.Contains([]string{"load", "loadm", "loadb", "store", "storem"}, op.Def.Name) {
			return false
		}
		op.Attr.Off += 4
		return true
	}},
	{"next index", func(_ *emit.Func, op *emit.Op) bool {
		if op.Inst == nil || op.Inst.Name != "cpu.loadindex" {
			return false
		}
		op.Attr.Imm += 4
		return true
	}},
	{"dropped", func(f *emit.Func, op *emit.Op) bool {
		switch op.Def.Name {
		case "store", "storem":
			in, at := blockOf(f.Body, op)
			in.Ops = slices.Delete(in.Ops, at, at+1)
			return true
		case "add", "sub", "mul", "fma", "and", "shr", "addp":
			if n := len(op.Args) - 1; op.Args[n].Op != nil && op.Args[n].Op.Def.Name == "and" {
				return false // all entries would go to the loop for the rest
			}
			replace(f, op.Result(), op.Args[0])
			return true
		}
		return false
	}},
	{"operands exchanged", func(_ *emit.Func, op *emit.Op) bool {
		n := len(op.Args)
		if n < 2 || op.Args[n-1].Type != op.Args[n-2].Type || slices.Contains(commutes, op.Def.Name) {
			return false
		}
		op.Args[n-1], op.Args[n-2] = op.Args[n-2], op.Args[n-1]
		return true
	}},
	{"one more", func(f *emit.Func, op *emit.Op) bool {
		if !isInt(op) || stepOnce(f, op.Result()) {
			return false
		}
		op.Attr.Imm++
		return true
	}},
	{"one less", func(_ *emit.Func, op *emit.Op) bool {
		if !isInt(op) {
			return false
		}
		op.Attr.Imm--
		return true
	}},
	{"plus 1", func(_ *emit.Func, op *emit.Op) bool {
		if op.Def.Name != "const" || !op.Result().Type.Elem.Float() {
			return false
		}
		op.Attr.F++
		return true
	}},
	{"negated", func(_ *emit.Func, op *emit.Op) bool {
		not := map[string]string{"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt"}
		if op.Def.Name != "cmp" {
			return false
		}
		op.Attr.Name = not[op.Attr.Name]
		return true
	}},
	{"another field", func(f *emit.Func, op *emit.Op) bool {
		if op.Def.Name != "param" {
			return false
		}
		i := slices.IndexFunc(f.Args, func(a emit.Arg) bool { return a.Name == op.Attr.Name })
		for d := range f.Args {
			if a := f.Args[(i+1+d)%len(f.Args)]; a.Type == f.Args[i].Type && a.Name != op.Attr.Name {
				op.Attr.Name = a.Name
				return true
			}
		}
		return false
	}},
	{"values that are carried exchanged", func(f *emit.Func, op *emit.Op) bool {
		n := len(op.Args)
		if op.Def.Name != "yield" || n < 2 || chained(f, op) || op.Args[n-1].Type != op.Args[n-2].Type {
			return false
		}
		op.Args[n-1], op.Args[n-2] = op.Args[n-2], op.Args[n-1]
		return true
	}},
}

// chained reports whether a yield carries sums that are added up in the end, so that
// it does not matter which is which: the loop has a step of more than one.
func chained(f *emit.Func, yield *emit.Op) (found bool) {
	f.Body.Walk(func(op *emit.Op) {
		for _, b := range op.Blocks {
			if op.Def.Name == "for" && b.Ops[len(b.Ops)-1] == yield {
				found = op.Args[2].Op.Attr.Imm > 1
			}
		}
	})
	return found
}

// stepOnce reports whether step is that of a loop after one with twice the step, which
// runs once at most, so that it may be anything.
func stepOnce(f *emit.Func, step *emit.Value) (found bool) {
	last := int64(0)
	f.Body.Walk(func(op *emit.Op) {
		if op.Def.Name == "for" {
			found = found || op.Args[2] == step && last == 2*step.Op.Attr.Imm
			last = op.Args[2].Op.Attr.Imm
		}
	})
	return found
}

func isInt(op *emit.Op) bool { return op.Def.Name == "const" && !op.Result().Type.Elem.Float() }

func blockOf(b *emit.Block, op *emit.Op) (found *emit.Block, at int) {
	if at := slices.Index(b.Ops, op); at >= 0 {
		return b, at
	}
	for _, o := range b.Ops {
		for _, in := range o.Blocks {
			if found, at := blockOf(in, op); found != nil {
				return found, at
			}
		}
	}
	return nil, 0
}

func replace(f *emit.Func, old, with *emit.Value) {
	f.Body.Walk(func(op *emit.Op) {
		for i, a := range op.Args {
			if a == old {
				op.Args[i] = with
			}
		}
	})
}

// skipShort skips what tests the tests.
func skipShort(t *testing.T) {
	t.Helper()
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
}

// Every mutant is caught, but for those that mean the same.
func TestMutants(t *testing.T) {
	skipShort(t)
	var n tally
	try := func(f *emit.Func, calls []run) {
		for m := range n.mutants(f, 20) {
			bad := m.f.Check()
			for _, c := range calls {
				if bad == nil {
					bad = c.rowKernel(m.f)
				}
			}
			if bad != nil {
				n.caught++
			} else {
				t.Errorf("%s survives: %s", f.Name, m.what)
			}
		}
	}
	for _, e := range []emit.Elem{emit.F32, emit.F64} {
		fs, _, err := Rows{Name: "rows", Op: NewSum(e), Vectors: 4}.Lower(amd64.AVX2)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{0, 3, 6} { // 1 vector, 2 with a tail, 4
			base := run{elem: e, vl: amd64.AVX2.Lanes(e), nv: i/2 + 1}
			try(fs[i], runs(base, i%2 == 1, false))
		}
		f, err := Vec{Name: "vec", Elem: e}.Lower(amd64.AVX2)
		if err != nil {
			t.Fatal(err)
		}
		try(f, runs(run{elem: e, vl: 1, nv: 1}, false, false))
	}
	if t.Log(n); n.made < 300 {
		t.Errorf("%d mutants, want at least 300", n.made)
	}
}

package tpp

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// breed makes mutants of a kernel: constants that are one off, other predicates, operands in each other's place, accesses a byte or a lane off, masks
// that are left out, stores that are not done.
func breed(f *emit.Func) *gemmtest.Breeder {
	b := gemmtest.NewBreeder(f, func(f *emit.Func) {
		var walk func(in *emit.Block)
		walk = func(in *emit.Block) {
			in.Ops = slices.DeleteFunc(in.Ops, func(op *emit.Op) bool { return op.Def.Name == "prefetch" })
			for _, op := range in.Ops {
				for _, inner := range op.Blocks {
					walk(inner)
				}
			}
		}
		walk(f.Body)
		if err := emit.DeadCode(f); err != nil {
			panic(err)
		}
	})
	for i, op := range b.Ops {
		switch op.Def.Name {
		case "const":
			b.Add(i, "plus 1", func(_ *emit.Func, op *emit.Op) { op.Attr.Imm++; op.Attr.F++ })
		case "cmp":
			for _, pred := range []string{"eq", "lt", "ne", "ge"} {
				if ends := op.Result().Type == emit.Bool && pred >= "m" || op.Attr.Name == "gt" && pred == "ge"; pred != op.Attr.Name && !ends {
					b.Add(i, "predicate "+pred, func(_ *emit.Func, op *emit.Op) { op.Attr.Name = pred })
				}
			}
		case "select":
			b.Add(i, "the other", func(_ *emit.Func, op *emit.Op) { op.Args[1], op.Args[2] = op.Args[2], op.Args[1] })
		case "sub", "shl", "shr":
			b.Add(i, "operands exchanged", func(_ *emit.Func, op *emit.Op) { op.Args[0], op.Args[1] = op.Args[1], op.Args[0] })
		case "and", "or", "add", "mul", "imin":
			if op.Args[1].Op != nil && op.Args[1].Op.Def.Name == "const" && op.Args[1].Op.Attr.Imm == 0 {
				continue
			}
			b.Add(i, "left out", func(f *emit.Func, op *emit.Op) { gemmtest.Replace(f, op, op.Args[0]) })
		case "store", "storem":
			b.Add(i, "left out", gemmtest.Remove)
			fallthrough
		case "load", "loadm", "loadb":
			b.Add(i, "off by one", func(_ *emit.Func, op *emit.Op) { op.Attr.Off++ })
		}
	}
	return b
}

// TestMutants: the interpreter's checks see nearly all mistakes in kernels with bits, numbers of columns and products. What is
// the same for every call survives: a bound that a multiple of the step passes anyway, bits of lanes that are masked.
func TestMutants(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	total, caught, made := 0, 0, 0
	for _, c := range []struct {
		name          string
		lanes, unroll int
	}{{"mask", 16, 2}, {"mask", 8, 1}, {"mask64", 4, 1}, {"mask64", 4, 2}, {"masked", 16, 1}, {"masked", 8, 2}, {"arguments", 8, 2}, {"products", 8, 2}} {
		s := equations()[c.name]
		check := func(at int, f *emit.Func) error {
			for _, n := range []int{1, 7, c.lanes, 2*c.lanes - 1, 2*c.lanes + 3, 4*c.lanes + 5} {
				p := &problem{p: planOf(t, s), m: 3, n: n, pad: 2, other: map[*stage]*emit.Func{}}
				if f != nil {
					p.other[p.p.stages[at]] = f
				}
				for _, draw := range []func(e int) float64{
					nil,
					func(e int) float64 { return []float64{1, 2, -1, 0.5, -2}[(e+e/n)%5] },
					func(e int) float64 { return float64(e * e % 101) },
					func(e int) float64 {
						if e%(2*n+1) == n/2 {
							return math.NaN()
						}
						return float64(e*5%7 - 3)
					},
				} {
					p.draw = draw
					p.evaluate(n, draw == nil)
					if err := p.run(c.lanes, c.unroll); err != nil {
						return fmt.Errorf("%d columns: %w", n, err)
					}
				}
			}
			return nil
		}
		p := &problem{p: planOf(t, s)}
		for at, st := range p.p.stages {
			f, err := p.kernel(st, c.lanes, c.unroll).build("stage")
			if err != nil {
				t.Fatal(err)
			}
			b := breed(f)
			if err := check(at, b.Base); err != nil {
				t.Fatal(err)
			}
			made += b.Len()
			for m := range b.Make(level.Pick(b.Len(), 0, 12)) {
				if total++; m.Func.Check() != nil || check(at, m.Func) != nil {
					caught++
				} else {
					t.Logf("%s, stage %d survives: %s", c.name, st.number, m.What)
				}
			}
		}
	}
	if t.Logf("mutants tried %d of %d, caught %d", total, made, caught); caught*100 < total*90 {
		t.Errorf("%d of %d mutants caught, want 90 %%", caught, total)
	}
}

package gen

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// semiring has numbers that the model of multiply-adds lacks: the cost of a step, and the
// part of it that is the price of Go's rule for NaN.
func (x *expectation) semiring(name string, r gemm.Semiring) ([]string, error) {
	plus, err := x.operations(r, func(b *emit.Builder, v, w *emit.Value) *emit.Value { return r.Join(b, v, w) })
	if err != nil {
		return nil, err
	}
	step, err := x.operations(r, func(b *emit.Builder, v, w *emit.Value) *emit.Value { return r.Step(b, v, v, w) })
	if err != nil {
		return nil, err
	}
	line := func(format string, args ...any) string {
		return fmt.Sprintf("%-28s%s\n", name, fmt.Sprintf(format, args...))
	}
	rows := []string{line("a step of %s is %d vector operations, %d of them Plus; one of sums of products is 1", r.Name, step, plus)}
	for _, f := range []struct {
		name string
		by   semiring.Instruction
		cost int
	}{{"Plus", r.PlusBy, plus}, {"Times", r.TimesBy, step - plus}} {
		if f.by == semiring.MaxBy || f.by == semiring.MinBy {
			rows = append(rows, line("%s is Go's %s, through which NaN spreads: %d operations, where one that may lose a NaN is 1", f.name, f.by, f.cost))
		}
	}
	return rows, nil
}

// operations counts those of a function of a semiring that depend on its operands.
func (x *expectation) operations(r gemm.Semiring, f func(b *emit.Builder, v, w *emit.Value) *emit.Value) (int, error) {
	e, _, _ := r.Types()
	v := emit.Vector(e, 8)
	built, err := emit.Build("step", []emit.Arg{{Name: "p", Type: emit.Ptr}}, func(b *emit.Builder) {
		p := b.Param("p", emit.Ptr)
		b.Store(f(b, b.Load(v, emit.At(p, 0)), b.Load(v, emit.At(p, int64(v.Bytes())))), emit.At(p, 0))
	})
	if err != nil {
		return 0, err
	}
	if r.Translates() {
		if err := x.funcs.Inline(built); err != nil {
			return 0, err
		}
	}
	n := 0
	built.Body.Walk(func(op *emit.Op) {
		switch op.Def.Name {
		case "const", "param", "load", "store", "bitcast":
		default:
			n++
		}
	})
	return n, nil
}

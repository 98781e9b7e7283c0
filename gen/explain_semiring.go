package gen

import (
	"fmt"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// semiring has numbers that the model of multiply-adds lacks: the cost of a step, and the
// part of it that is the price of Go's rule for NaN.
func (x *expectation) semiring(name string, r gemm.Semiring) ([]string, error) {
	step, err := simd.StepOf(r, x.funcs.Inline)
	if err != nil {
		return nil, err
	}
	line := func(format string, args ...any) string {
		return fmt.Sprintf("%-28s%s\n", name, fmt.Sprintf(format, args...))
	}
	rows := []string{line("a step of %s is %d vector operations, %d of them Plus; one of sums of products is 1", r.Name, step.Operations, step.Plus)}
	for _, f := range []struct {
		name string
		by   semiring.Instruction
		cost int
	}{{"Plus", r.PlusBy, step.Plus}, {"Times", r.TimesBy, step.Operations - step.Plus}} {
		if f.by == semiring.MaxBy || f.by == semiring.MinBy {
			rows = append(rows, line("%s is Go's %s, through which NaN spreads: %d operations, where one that may lose a NaN is 1", f.name, f.by, f.cost))
		}
	}
	return rows, nil
}

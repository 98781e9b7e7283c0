package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/tiling"
)

// gemmFunc is the product as package check calls it, after the statements first.
func (p *product) gemmFunc(first string) string {
	return fmt.Sprintf(`func(alpha %[1]s, a, b layout.Matrix[%[1]s], beta %[1]s, out layout.Matrix[%[1]s]) {
	%[2]s%[3]sOpt(run.Options{ISA: isa, Scaling: run.Scale(float64(alpha), float64(beta))}, out, a, b)
}`, p.Elem.Go(), first, p.Name)
}

// plainOracle checks every variant against the oracles.
func (p *product) plainOracle() *unit.Oracle {
	mr, nr := p.tile()
	return &unit.Oracle{
		ISAs: p.isas(),
		Checks: []unit.Check{{Doc: every, Body: fmt.Sprintf("check.Suite(t, %s, check.Options{Name: %q, MR: %d, NR: %d, KC: %d, Threads: true, Checked: true})",
			p.gemmFunc(""), p.Name, mr, nr, tiling.KCMax)}},
		Bench: unit.Check{Doc: "reports GFLOP/s on one core.", Body: fmt.Sprintf(`for _, n := range []int{64, 256, 1024} {
	check.Benchmark(b, isa, n, func(out, x, y layout.Matrix[%s]) { %sOpt(run.Options{ISA: isa, Threads: 1}, out, x, y) })
}`, p.Elem.Go(), p.Name)},
	}
}

package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/tiling"
)

// pairsOracle checks every variant of a product of pairs against the oracles.
func (p *product) pairsOracle() *unit.Oracle {
	elem := p.Elem.Go()
	mr, nr := p.tile()
	expr := func(format string, args ...any) unit.Expr { return unit.Expr(fmt.Sprintf(format, args...)) }
	options, times := "ISA: isa, Threads: c.Threads, Scaling: run.ScaleComplex(complex128(c.Alpha), complex128(c.Beta)), Conj: conj", unit.Expr("")
	first := "var conj run.Conjugates\nif c.ConjA {\nconj |= run.ConjA\n}\nif c.ConjB {\nconj |= run.ConjB\n}\n"
	if p.semiring != nil {
		options, first, times = "ISA: isa, Threads: c.Threads", "", unit.Expr(p.v+"Set.Semiring().Times")
	}
	c := unit.Lit{Type: "check.PairCase[" + elem + "]"}.With(
		unit.Field{Name: "Name", Value: expr("%q", p.Name)}, unit.Field{Name: "MR", Value: expr("%d", mr)}, unit.Field{Name: "NR", Value: expr("%d", nr)},
		unit.Field{Name: "KC", Value: expr("%d", tiling.KCMax)}, unit.Field{Name: "Times", Value: times},
		unit.Field{Name: "Call", Value: expr("func(c check.PairCall[%[1]s], out, a, b layout.Matrix[%[1]s]) {\n%[2]s%[3]sOpt(run.Options{%[4]s}, out, a, b)\n}", elem, first, p.Name, options)})
	return &unit.Oracle{
		ISAs:   p.isas(),
		Checks: []unit.Check{{Doc: every, Body: fmt.Sprintf("check.Pairs(t, %sCase(isa))", p.v)}},
		Bench: unit.Check{Doc: "reports GFLOP/s on one core.",
			Body: fmt.Sprintf("for _, n := range []int{64, 256, 1024} {\ncheck.BenchmarkPairs(b, isa, n, %sCase(isa))\n}", p.v)},
		Decls: []unit.Decl{unit.Case(p.Name, c, unit.Param{Name: "isa", Type: "string"})},
	}
}

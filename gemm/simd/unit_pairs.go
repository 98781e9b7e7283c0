package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/tiling"
)

// pairsOracle checks every variant of a product of pairs against the oracles.
func (p *product) pairsOracle() *unit.Oracle {
	mr, nr := p.tile()
	opt, arithmetic := "opt.Scaling = run.ScaleComplex(p.Alpha, p.Beta)\nif p.ConjA {\nopt.Conj |= run.ConjA\n}\nif p.ConjB {\nopt.Conj |= run.ConjB\n}\n", unit.Expr("")
	if p.semiring != nil {
		opt, arithmetic = "", unit.Expr("check.ArithmeticOf("+p.v+"Set.Semiring(), 0)")
	}
	return p.plainCase(unit.Lit{Type: "check.Case", Fields: plainFields(p.Name, p.Elem.Go(), mr, nr, tiling.KCMax, "check.Pairs{}", opt)}.With(
		unit.Field{Name: "Arithmetic", Value: arithmetic}))
}

// plainCase is the oracle of a product without an epilogue that a case describes.
func (p *product) plainCase(c unit.Lit) *unit.Oracle {
	return &unit.Oracle{
		ISAs:   p.isas(),
		Checks: []unit.Check{{Doc: every, Body: unit.Run(p.Name)}},
		Bench: unit.Check{Doc: "reports GFLOP/s on one core.",
			Body: fmt.Sprintf("for _, n := range []int{64, 256, 1024} {\ncheck.Bench(b, isa, n, %sCase(run.Options{ISA: isa, Threads: 1}))\n}", p.v)},
		Decls: []unit.Decl{unit.Case(p.Name, c, unit.Param{Name: "opt", Type: "run.Options"})},
	}
}

// plainFields are the fields of a check.Case about a product of one type with an operation of its own, without an epilogue.
// opt are statements that complete the variable opt.
func plainFields(name, elem string, mr, nr, kc int, op unit.Expr, opt string) []unit.Field {
	t, n := unit.DType(elem), func(x int) unit.Expr { return unit.Expr(fmt.Sprint(x)) }
	get := func(slot string) string { return unit.Taken("layout.Matrix["+elem+"]", elem, slot) }
	return []unit.Field{
		{Name: "Name", Value: unit.Expr(fmt.Sprintf("%q", name))}, {Name: "A", Value: unit.Expr(t)}, {Name: "B", Value: unit.Expr(t)}, {Name: "Acc", Value: unit.Expr(t)},
		{Name: "Slots", Value: unit.Expr("[]check.Slot{{Type: " + t + ", Out: true}}")}, {Name: "MR", Value: n(mr)}, {Name: "NR", Value: n(nr)}, {Name: "KC", Value: n(kc)}, {Name: "Op", Value: op},
		{Name: "Call", Value: unit.Expr(fmt.Sprintf("func(p *check.Problem) {\nopt := opt\n%s%sOpt(opt, %s, %s, %s)\n}", opt, name, get("0"), get("check.A"), get("check.B")))},
	}
}

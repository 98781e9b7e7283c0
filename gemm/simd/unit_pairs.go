package simd

import (
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/tiling"
)

// pairsOracle checks every variant of a product of pairs against the oracles.
func (p *product) pairsOracle() *unit.Oracle {
	mr, nr := p.tile()
	opt, arithmetic := "opt.Scaling = run.ScaleComplex(p.Alpha, p.Beta)\nif p.ConjA {\nopt.Conj |= run.ConjA\n}\nif p.ConjB {\nopt.Conj |= run.ConjB\n}\n", unit.Expr("")
	if p.Arithmetic != nil {
		opt, arithmetic = "", unit.Expr("check.ArithmeticOf("+p.V+"Set.Semiring(), 0)")
	}
	return p.Described(plainCase(p.Name, p.Elem.Go(), mr, nr, tiling.KCMax, "check.Pairs{}", opt).And("Arithmetic", arithmetic), p.Bench("", sizes...))
}

// plainCase is a check.Case about a product of one type with an operation of its own, without an epilogue.
// opt are statements that complete the variable opt.
func plainCase(name, elem string, mr, nr, kc int, op unit.Expr, opt string) unit.Lit {
	t := unit.DType(elem)
	get := func(slot string) string { return unit.Taken("layout.Matrix["+elem+"]", elem, slot) }
	return unit.Struct("check.Case", "Name", name, "A", t, "B", t, "Acc", t, "Slots", unit.Expr("[]check.Slot{{Type: "+t+", Out: true}}"),
		"MR", mr, "NR", nr, "KC", kc, "Op", op,
		"Call", unit.Exprf("func(p *check.Problem) {\nopt := opt\n%s%sOpt(opt, %s, %s, %s)\n}", opt, name, get("0"), get("check.A"), get("check.B")))
}

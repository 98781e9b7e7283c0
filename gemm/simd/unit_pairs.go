package simd

import (
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/tiling"
)

// pairsOracle checks every variant of a product of pairs against the oracles.
func (p *product) pairsOracle() *unit.Oracle {
	opt := "opt.Scaling = run.ScaleComplex(p.Alpha, p.Beta)\nif p.ConjA {\nopt.Conj |= run.ConjA\n}\nif p.ConjB {\nopt.Conj |= run.ConjB\n}\n"
	if p.Arithmetic != nil {
		opt = ""
	}
	return p.ownOracle("check.Pairs{}", opt, 0)
}

// plainCase is a check.Case about the product without an epilogue.
func (p *product) plainCase() unit.Lit {
	out := unit.DType(p.Elem.Go())
	return unit.Struct("check.Case", "Name", p.Name, "A", unit.DType(p.A.Go()), "B", unit.DType(p.B.Go()), "Acc", out, "Slots", unit.Expr("[]check.Slot{{Type: "+out+", Out: true}}"))
}

// ownOracle checks a product of one type with an operation of its own, without an epilogue. opt are statements that
// complete the variable opt, and ulp is the error of a semiring's functions.
func (p *product) ownOracle(op unit.Expr, opt string, ulp float64) *unit.Oracle {
	mr, nr := p.tile()
	return p.Described(p.plainCase().And("MR", mr, "NR", nr, "KC", tiling.KCMax, "Op", op,
		"Call", p.API.CallAfter("opt := opt\n"+opt, "opt"), "Arithmetic", p.ArithmeticOf("Set", ulp)), p.Bench("", sizes...))
}

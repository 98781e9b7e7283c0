package simd

import (
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm/tabulate"
	"github.com/tilesmith/tilesmith/tiling"
)

// depths are those of the tabulated sums: around every likely unrolling, and one and
// two blocks of k.
var depths = []int{0, 1, 2, 3, 5, 8, 17, 64, tiling.KCMax - 1, tiling.KCMax, tiling.KCMax + 1, 2*tiling.KCMax + 3}

// semiringOracle checks every variant against the oracles.
func (p *product) semiringOracle() (*unit.Oracle, error) {
	bits, err := tabulate.Bits(p.Op, depths, p.Inline)
	if err != nil {
		return nil, err
	}
	o := p.ownOracle(unit.Exprf("check.Semiring{Depths: %#v, Sums: %sSums}", depths, p.V), "if p.Alpha != 1 {\nopt.Scaling = run.Scale(2, 0)\n}\n", p.Arithmetic.ULP())
	o.Decls = append(o.Decls, unit.Var{
		Doc:  p.V + "Sums are the bits of sums of the semiring, as the interpreter has them from the code that the kernels are made of.",
		Name: p.V + "Sums", Value: unit.Expr(tabulate.Text("uint64", bits)),
	})
	return o, nil
}

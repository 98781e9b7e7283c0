package simd

import (
	"math"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm/tabulate"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// depths are those of the tabulated sums: around every likely unrolling, and one and
// two blocks of k.
var depths = []int{0, 1, 2, 3, 5, 8, 17, 64, tiling.KCMax - 1, tiling.KCMax, tiling.KCMax + 1, 2*tiling.KCMax + 3}

// semiringOracle checks every variant against the oracles.
func (p *product) semiringOracle() (*unit.Oracle, error) {
	var bits []uint64
	var err error
	if p.Arithmetic.Type == dtype.F32 {
		bits, err = tabulated(p, func(x float32) uint64 { return uint64(math.Float32bits(x)) })
	} else {
		bits, err = tabulated(p, math.Float64bits)
	}
	if err != nil {
		return nil, err
	}
	mr, nr := p.tile()
	op := unit.Exprf("check.Semiring{Depths: %#v, Sums: %sSums}", depths, p.V)
	o := p.Described(plainCase(p.Name, p.Elem.Go(), mr, nr, tiling.KCMax, op, "if p.Alpha != 1 {\nopt.Scaling = run.Scale(2, 0)\n}\n").And(
		"Arithmetic", unit.Exprf("check.ArithmeticOf(%sSet.Semiring(), %v)", p.V, p.Arithmetic.ULP())), p.Bench("", sizes...))
	o.Decls = append(o.Decls, unit.Var{
		Doc:  p.V + "Sums are the bits of sums of the semiring, as the interpreter has them from the code that the kernels are made of.",
		Name: p.V + "Sums", Value: unit.Expr(tabulate.Text(bits)),
	})
	return o, nil
}

// tabulated are the bits of the sums of depths.
func tabulated[T dtype.Float](p *product, bits func(T) uint64) (table []uint64, err error) {
	sums, err := tabulate.Sums[T](p.Op, depths[len(depths)-1], p.Inline)
	if err != nil {
		return nil, err
	}
	for _, d := range depths {
		for _, x := range sums[d*tabulate.Each : (d+1)*tabulate.Each] {
			table = append(table, bits(x))
		}
	}
	return table, nil
}

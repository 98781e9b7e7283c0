package simd

import (
	"fmt"
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
	if p.semiring.Type == dtype.F32 {
		bits, err = tabulated(p, func(x float32) uint64 { return uint64(math.Float32bits(x)) })
	} else {
		bits, err = tabulated(p, math.Float64bits)
	}
	if err != nil {
		return nil, err
	}
	elem := p.Elem.Go()
	mr, nr := p.tile()
	expr := func(format string, args ...any) unit.Expr { return unit.Expr(fmt.Sprintf(format, args...)) }
	rounds, ulps := unit.Expr(""), unit.Expr("")
	if !p.semiring.Laws.Exact {
		rounds = "true"
	}
	if u := p.semiring.ULP(); u > 0 {
		ulps = expr("%v", u)
	}
	semiring := p.v + "Set.Semiring()"
	c := unit.Lit{Type: "check.SemiringCase[" + elem + "]"}.With(
		unit.Field{Name: "Name", Value: expr("%q", p.Name)}, unit.Field{Name: "MR", Value: expr("%d", mr)}, unit.Field{Name: "NR", Value: expr("%d", nr)},
		unit.Field{Name: "KC", Value: expr("%d", tiling.KCMax)}, unit.Field{Name: "Zero", Value: unit.Expr(semiring + ".Zero")},
		unit.Field{Name: "Plus", Value: unit.Expr(semiring + ".Plus")}, unit.Field{Name: "Times", Value: unit.Expr(semiring + ".Times")},
		unit.Field{Name: "Rounds", Value: rounds}, unit.Field{Name: "StepULP", Value: ulps},
		unit.Field{Name: "Depths", Value: expr("%#v", depths)}, unit.Field{Name: "Sums", Value: unit.Expr(p.v + "Sums")},
		unit.Field{Name: "Call", Value: expr("func(threads int, out, a, b layout.Matrix[%s]) {\n%sOpt(run.Options{ISA: isa, Threads: threads}, out, a, b)\n}", elem, p.Name)},
		unit.Field{Name: "Scaled", Value: expr("func(out, a, b layout.Matrix[%s]) {\n%sOpt(run.Options{ISA: isa, Scaling: run.Scale(2, 0)}, out, a, b)\n}", elem, p.Name)})
	return &unit.Oracle{
		ISAs:   p.isas(),
		Checks: []unit.Check{{Doc: every, Body: fmt.Sprintf("check.Semiring(t, %sCase(isa))", p.v)}},
		Bench: unit.Check{Doc: "reports billions of steps per second on one core.",
			Body: fmt.Sprintf("for _, n := range []int{64, 256, 1024} {\ncheck.BenchmarkSemiring(b, isa, n, %sCase(isa))\n}", p.v)},
		Decls: []unit.Decl{
			unit.Case(p.Name, c, unit.Param{Name: "isa", Type: "string"}),
			unit.Var{
				Doc:  p.v + "Sums are the bits of sums of the semiring, as the interpreter has them from the code that the kernels are made of.",
				Name: p.v + "Sums", Value: unit.Expr(tabulate.Text(bits)),
			},
		},
	}, nil
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

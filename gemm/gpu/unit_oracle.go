package gpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm/tabulate"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// knownSums are the oracles of package verify/gpu for operators other than + and *,
// by the operator's name. Others are tabulated.
var knownSums = map[string]string{"simt.maxplus.f32": "gpu.MaxPlus", "mma.tf32": "gpu.TF32", "mma.f16.f16": "gpu.F16Sums",
	"mma.sp.tf32": "gpu.TF32", "mma.sp.f16.f16": "gpu.F16Sums"}

// depth is that up to which sums are tabulated.
const depth = 130

// oracle checks every kernel on the emulator, and on a GPU where there is one.
func (p *product) oracle() (*unit.Oracle, error) {
	o := &unit.Oracle{}
	plain := "Plain"
	switch {
	case p.Sparse != 0:
		plain = "Plain24[" + p.Acc.Go() + "]"
	case p.Acc != dtype.F32:
		plain = "PlainOf[" + p.Acc.Go() + "]"
	}
	value, v := fmt.Sprintf("gpu.%s(%sKernels(), %[2]sOpt)", plain, p.Name), unit.Lower(p.Name)
	if p.Fusion != nil {
		value = v + "Case()"
		if p.Sparse != 0 {
			value = "gpu.Pruned[" + p.A.Go() + "](" + value + ")"
		}
		o.Decls = append(o.Decls, p.describe())
	}
	if sums, ok := knownSums[p.Op.String()]; ok {
		value += ".With(" + sums + ")"
	} else if !p.isProduct() {
		depths := make([]int, depth+1)
		for i := range depths {
			depths[i] = i
		}
		bits, err := tabulate.Bits(p.operator, depths, p.Inline)
		if err != nil {
			return nil, fmt.Errorf("operator %v: %w", p.Op, err)
		}
		value = fmt.Sprintf("gpu.Tabulated(%s, %sSums)", value, v)
		o.Decls = append(o.Decls, unit.Var{
			Doc:  v + "Sums are the bits of sums of the operator, as the interpreter has them.",
			Name: v + "Sums", Value: unit.Expr(tabulate.Text("uint32", bits)),
		})
	}
	o.Checks = []unit.Check{{Doc: "checks every kernel on the emulator, and on the GPU if there is one.", Body: fmt.Sprintf("gpu.Check(t, driver.Open, %s)", value)}}
	return o, nil
}

// describe is the function that describes a product with an epilogue to the oracles.
func (p *product) describe() unit.Func {
	return p.API.Case(unit.Struct("gpu.Case",
		"Kernels", unit.Expr(p.Name+"Kernels()"),
		"Launch", unit.Exprf("func(c *gpu.Call) error {\nreturn %sOpt(c.Stream, c.Options, %s)\n}", p.Name, unit.Args(p.API.Params)),
		"Case", p.Fused(p.A.Go(), p.B.Go(), p.Acc.Go())))
}

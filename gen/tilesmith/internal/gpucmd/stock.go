package gpucmd

import (
	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/gpu"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

// stock is a function of package kernels, whose PTX takes a second to make.
type stock struct {
	name string
	make func() gpu.Stock
}

// gpuStock are the functions that are checked and timed.
func gpuStock() []stock {
	return []stock{
		plainStock("MatMulBF16", kernels.MatMulBF16, nil),
		plainStock("MatMulF16", kernels.MatMulF16, nil),
		plainStock("MatMulF32", kernels.MatMulF32, nil),
		{"DenseGELU", func() gpu.Stock {
			return gpu.NewStock("DenseGELU", denseGELU(), gpu.OperandsOf(func(s cuda.Stream, out, a, b cuda.Matrix[dtype.BF16], bias cuda.Slice[float32]) error {
				return kernels.DenseGELU(s, run.Options{}, out, a, b, bias)
			}))
		}},
		plainStock("LongestPath", kernels.LongestPath, gpu.MaxPlus),
	}
}

// plainStock is a product without an epilogue; with sums it is not of + and *.
func plainStock[T dtype.Elem](name string, p kernels.Product[T], sums func(p *check.FusedProblem[T, T], i, j int) (sum, abs float64, roundings int)) stock {
	return stock{name, func() gpu.Stock {
		return gpu.NewStock(name, gpu.Plain(p.Kernels(), p.Call).With(sums), gpu.OperandsOf(func(s cuda.Stream, out, a, b cuda.Matrix[T], _ cuda.Slice[float32]) error {
			return p.Call(s, run.Options{}, out, a, b)
		}))
	}}
}

// denseGELU is the case of DenseGELU, as a generated test has it.
func denseGELU() gpu.Case[dtype.BF16, dtype.BF16, float32] {
	type problem = check.FusedProblem[dtype.BF16, dtype.BF16]
	return gpu.Case[dtype.BF16, dtype.BF16, float32]{
		Kernels: kernels.DenseGELUKernels(),
		Launch: func(c *gpu.Call[dtype.BF16, dtype.BF16]) error {
			return kernels.DenseGELU(c.Stream, c.Options, gpu.Out[dtype.BF16](c, 0), gpu.A(c), gpu.B(c), gpu.Column[float32](c, 1))
		},
		FusedCase: check.FusedCase[dtype.BF16, dtype.BF16, float32]{
			Name: "gpu.DenseGELU", ULP: 1, Outs: 1,
			Results: func(p *problem, sum float32, _, j int) []float64 {
				bias := check.Nudged(p, 1, check.ColumnOf[float32](p, 1)[j])
				return []float64{check.Float64(dtype.ToBF16(act.GELU(sum + bias)))}
			},
			Have: func(p *problem, _, i, j int) float64 { return check.Float64(check.OutOf[dtype.BF16](p, 0).At(i, j)) },
			Ulp:  func(_ int, x float64) float64 { return check.Ulp[dtype.BF16](x) },
		},
	}
}

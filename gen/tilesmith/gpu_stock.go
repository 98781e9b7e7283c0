package main

import (
	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm/act"
	kernels "github.com/tilesmith/tilesmith/gen/examples/gpu/gpu"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/gpu"
)

// product is the type of a generated function of a product.
type product[T dtype.Elem] = func(s cuda.Stream, opt run.Options, out, a, b cuda.Matrix[T]) error

// gpuStock are the functions of gen/examples/gpu, whose PTX is part of this program.
func gpuStock() []gpu.Stock {
	return []gpu.Stock{
		plainStock("MatMulBF16", gpu.Plain(kernels.MatMulBF16Kernels(), kernels.MatMulBF16Opt), kernels.MatMulBF16Opt),
		plainStock("MatMulF16", gpu.Plain(kernels.MatMulF16Kernels(), kernels.MatMulF16Opt), kernels.MatMulF16Opt),
		plainStock("MatMulF32", gpu.Plain(kernels.MatMulF32Kernels(), kernels.MatMulF32Opt), kernels.MatMulF32Opt),
		gpu.NewStock("DenseGELU", denseGELU(), gpu.OperandsOf(func(s cuda.Stream, out, a, b cuda.Matrix[dtype.BF16], bias cuda.Slice[float32]) error {
			return kernels.DenseGELU(s, out, a, b, bias)
		})),
		plainStock("LongestPath", gpu.Plain(kernels.LongestPathKernels(), kernels.LongestPathOpt).With(gpu.MaxPlus), kernels.LongestPathOpt),
	}
}

func plainStock[T dtype.Elem](name string, c gpu.Case[T, T], f product[T]) gpu.Stock {
	return gpu.NewStock(name, c, gpu.OperandsOf(func(s cuda.Stream, out, a, b cuda.Matrix[T], _ cuda.Slice[float32]) error {
		return f(s, run.Options{}, out, a, b)
	}))
}

// denseGELU is the case of DenseGELU, as its generated test has it.
func denseGELU() gpu.Case[dtype.BF16, dtype.BF16] {
	type problem = check.FusedProblem[dtype.BF16, dtype.BF16]
	return gpu.Case[dtype.BF16, dtype.BF16]{
		Kernels: kernels.DenseGELUKernels(),
		Launch: func(c *gpu.Call[dtype.BF16, dtype.BF16]) error {
			return kernels.DenseGELUOpt(c.Stream, c.Options, gpu.Out[dtype.BF16](c, 0), gpu.A(c), gpu.B(c), gpu.Column[float32](c, 1))
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

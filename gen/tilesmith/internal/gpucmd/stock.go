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
func plainStock[T dtype.Elem](name string, p kernels.Product[T], sums func(p *check.Problem, i, j int) (sum, abs float64, roundings int)) stock {
	return stock{name, func() gpu.Stock {
		return gpu.NewStock(name, gpu.Plain(p.Kernels(), p.Call).With(sums), gpu.OperandsOf(func(s cuda.Stream, out, a, b cuda.Matrix[T], _ cuda.Slice[float32]) error {
			return p.Call(s, run.Options{}, out, a, b)
		}))
	}}
}

// denseGELU is the case of DenseGELU, as a generated test has it.
func denseGELU() gpu.Case {
	return gpu.Case{
		Kernels: kernels.DenseGELUKernels(),
		Launch: func(c *gpu.Call) error {
			return kernels.DenseGELU(c.Stream, c.Options, gpu.Out[dtype.BF16](c, 0), gpu.A[dtype.BF16](c), gpu.B[dtype.BF16](c), gpu.Column[float32](c, 1))
		},
		Case: check.Case{
			Name: "gpu.DenseGELU", A: dtype.TypeBF16, B: dtype.TypeBF16, Acc: dtype.F32, ULP: 1,
			Slots: []check.Slot{{Type: dtype.TypeBF16, Out: true}, {Type: dtype.F32, Col: true}},
			Results: func(p *check.Problem, sum float64, i, j int) []float64 {
				return []float64{dtype.ToBF16(act.GELU(float32(sum) + float32(p.At(1, i, j)))).Float64()}
			},
		},
	}
}

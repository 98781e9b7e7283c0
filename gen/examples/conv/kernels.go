package conv

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense/blocks"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Elem are the types of images and weights.
type Elem interface{ float32 | float64 | dtype.BF16 }

// Sum are the types that products of those are summed in: that of elements, or float32 for bf16.
type Sum interface{ float32 | float64 }

// kernels are the generated code for elements of type T with sums of type S.
type kernels[T Elem, S Sum] struct {
	width int // channels of the result that one call computes: columns of a block of weights
	pairs int // rows of weights that lie side by side
	rows  int // pixels that a kernel does at once where there are as many
	tile  int // rows of a block are a whole number of these, or one of fewer; 1: any number
	sum   func(opt run.Options, out layout.Matrix[T], a, b blocks.Operand[T])
	layer func(opt run.Options, out layout.Matrix[T], a, b blocks.Operand[T], bias []S)
}

// kernelsOf returns the kernels of a pair of types, and false if there are none.
func kernelsOf[T Elem, S Sum]() (k *kernels[T, S], ok bool) {
	for _, x := range []any{&singles, &doubles, &brains} {
		if k, ok = x.(*kernels[T, S]); ok {
			return k, true
		}
	}
	return nil, false
}

var (
	singles = kernels[float32, float32]{width: 32, pairs: 1, tile: 1, rows: 14,
		sum: func(opt run.Options, out layout.Matrix[float32], a, b blocks.Operand[float32]) {
			if opt.ISA != "" {
				ConvF32Opt(run.Options{ISA: opt.ISA}, out, a, b)
				return
			}
			ConvF32(out, a, b)
		},
		layer: func(opt run.Options, out layout.Matrix[float32], a, b blocks.Operand[float32], bias []float32) {
			ConvBiasReLUF32Opt(run.Options{ISA: opt.ISA}, out, a, b, bias)
		},
	}
	doubles = kernels[float64, float64]{width: 16, pairs: 1, tile: 1, rows: 14,
		sum: func(opt run.Options, out layout.Matrix[float64], a, b blocks.Operand[float64]) {
			if opt.ISA != "" {
				ConvF64Opt(run.Options{ISA: opt.ISA}, out, a, b)
				return
			}
			ConvF64(out, a, b)
		},
		layer: func(opt run.Options, out layout.Matrix[float64], a, b blocks.Operand[float64], bias []float64) {
			ConvBiasReLUF64Opt(run.Options{ISA: opt.ISA}, out, a, b, bias)
		},
	}
	brains = kernels[dtype.BF16, float32]{width: 32, pairs: 2, tile: 32, rows: 32,
		sum: func(opt run.Options, out layout.Matrix[dtype.BF16], a, b blocks.Operand[dtype.BF16]) {
			ConvBF16Opt(run.Options{ISA: opt.ISA}, out, a, b)
		},
		layer: func(opt run.Options, out layout.Matrix[dtype.BF16], a, b blocks.Operand[dtype.BF16], bias []float32) {
			ConvBiasReLUBF16Opt(run.Options{ISA: opt.ISA}, out, a, b, bias)
		},
	}
)

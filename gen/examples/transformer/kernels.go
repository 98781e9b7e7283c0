package transformer

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/gen/examples/transformer/kern"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Kernels are the generated kernels of one pair of types.
type Kernels[S dtype.Elem, P dtype.Float] struct {
	linear                      func(opt run.Options, out layout.Matrix[P], a, b layout.Matrix[S], bias []P)
	pack                        func(b layout.Matrix[S]) *run.Packed
	gelu                        func(opt run.Options, out, a, b layout.Matrix[S], bias []P)
	packGELU                    func(b layout.Matrix[S]) *run.Packed
	geluPre                     func(opt run.Options, out layout.Matrix[S], pre layout.Matrix[P], a, b layout.Matrix[S], bias []P)
	geluBackward                func(opt run.Options, out layout.Matrix[S], dbias []P, a, b layout.Matrix[S], pre layout.Matrix[P])
	addLayerNorm                func(opt run.Options, out layout.Matrix[S], sum, x layout.Matrix[P], res layout.Matrix[S], gain, bias []P, eps P)
	addLayerNormBackward        func(opt run.Options, dx layout.Matrix[S], dres layout.Matrix[P], dgain, dbias, dlast []P, sum layout.Matrix[P], gain []P, g layout.Matrix[P], eps P)
	dropoutAddLayerNorm         func(opt run.Options, out layout.Matrix[S], sum, x layout.Matrix[P], res layout.Matrix[S], gain, bias []P, eps P, drop int32, scale P, s equation.Stream)
	dropoutAddLayerNormBackward func(opt run.Options, dx layout.Matrix[S], dres layout.Matrix[P], dgain, dbias, dlast []P, sum layout.Matrix[P], gain []P, g layout.Matrix[P], eps P, drop int32, scale P, s equation.Stream)
	crossEntropy                func(opt run.Options, logProbs layout.Matrix[P], dx layout.Matrix[S], x layout.Matrix[P], scale P)
	colSum                      func(opt run.Options, sums []P, x layout.Matrix[S])
	lstmCell                    func(opt run.Options, hidden layout.Matrix[S], next, input, forget, candidate, output, cell layout.Matrix[P])
	lstmHiddenBackward          func(opt run.Options, doutput layout.Matrix[S], dcell, output, next, dhidden, dnext layout.Matrix[P])
	lstmCellBackward            func(opt run.Options, dinput, dforget, dcandidate layout.Matrix[S], dprevious, input, forget, candidate, cell, dcell layout.Matrix[P])
	adamW                       func(opt run.Options, p *Param[S, P], mean, square layout.Matrix[P], rate, decay, alpha1, alpha2 P)
	product                     func(opt run.Options, out layout.Matrix[P], a, b layout.Matrix[S])
	round                       func(opt run.Options, to *layout.Matrix[S], x layout.Matrix[P]) layout.Matrix[S] // x itself, if S is P
	widen                       func(to *layout.Matrix[P], x layout.Matrix[S]) layout.Matrix[P]                  // likewise
	ofFloat64                   func(x float64) S
}

// Float32 computes in float32 throughout.
var Float32 = &Kernels[float32, float32]{
	linear: kern.LinearOpt, pack: kern.LinearPack, gelu: kern.LinearGELUOpt, packGELU: kern.LinearGELUPack, geluPre: kern.LinearGELUPreOpt, geluBackward: kern.LinearGELUBackwardOpt,
	addLayerNorm: kern.AddLayerNormOpt, addLayerNormBackward: kern.AddLayerNormBackwardOpt, dropoutAddLayerNorm: kern.DropoutAddLayerNormOpt, dropoutAddLayerNormBackward: kern.DropoutAddLayerNormBackwardOpt, crossEntropy: kern.CrossEntropyOpt, colSum: kern.ColSumOpt,
	lstmCell: kern.LSTMCellOpt, lstmHiddenBackward: kern.LSTMHiddenBackwardOpt, lstmCellBackward: kern.LSTMCellBackwardOpt, product: cpu.MatMulOpt[float32], round: keep[float32],
	adamW: func(opt run.Options, p *Param[float32, float32], mean, square layout.Matrix[float32], rate, decay, alpha1, alpha2 float32) {
		kern.AdamWOpt(opt, p.Value, mean, square, p.Value, p.Grad, mean, square, rate, decay, alpha1, alpha2)
	},
	ofFloat64: func(x float64) float32 { return float32(x) }, widen: identity[float32],
}

// Float64 computes in float64 throughout.
var Float64 = &Kernels[float64, float64]{
	linear: kern.LinearF64Opt, pack: kern.LinearF64Pack, gelu: kern.LinearGELUF64Opt, packGELU: kern.LinearGELUF64Pack, geluPre: kern.LinearGELUPreF64Opt,
	geluBackward: kern.LinearGELUBackwardF64Opt, addLayerNorm: kern.AddLayerNormF64Opt, addLayerNormBackward: kern.AddLayerNormBackwardF64Opt, dropoutAddLayerNorm: kern.DropoutAddLayerNormF64Opt, dropoutAddLayerNormBackward: kern.DropoutAddLayerNormBackwardF64Opt,
	crossEntropy: kern.CrossEntropyF64Opt, colSum: kern.ColSumF64Opt, lstmCell: kern.LSTMCellF64Opt, lstmHiddenBackward: kern.LSTMHiddenBackwardF64Opt, lstmCellBackward: kern.LSTMCellBackwardF64Opt,
	product: cpu.MatMulOpt[float64], round: keep[float64],
	adamW: func(opt run.Options, p *Param[float64, float64], mean, square layout.Matrix[float64], rate, decay, alpha1, alpha2 float64) {
		kern.AdamWF64Opt(opt, p.Value, mean, square, p.Value, p.Grad, mean, square, rate, decay, alpha1, alpha2)
	},
	ofFloat64: func(x float64) float64 { return x }, widen: identity[float64],
}

// BFloat16 multiplies bfloat16, adds in float32, and rounds what goes to another product.
var BFloat16 = &Kernels[dtype.BF16, float32]{
	linear: kern.LinearBF16Opt, pack: kern.LinearBF16Pack, gelu: kern.LinearGELUBF16Opt, packGELU: kern.LinearGELUBF16Pack, geluPre: kern.LinearGELUPreBF16Opt,
	geluBackward: kern.LinearGELUBackwardBF16Opt, addLayerNorm: kern.AddLayerNormBF16Opt, addLayerNormBackward: kern.AddLayerNormBackwardBF16Opt, dropoutAddLayerNorm: kern.DropoutAddLayerNormBF16Opt, dropoutAddLayerNormBackward: kern.DropoutAddLayerNormBackwardBF16Opt,
	crossEntropy: kern.CrossEntropyBF16Opt, colSum: kern.ColSumBF16Opt, lstmCell: kern.LSTMCellBF16Opt, lstmHiddenBackward: kern.LSTMHiddenBackwardBF16Opt, lstmCellBackward: kern.LSTMCellBackwardBF16Opt,
	product: cpu.MatMulOfOpt[float32, dtype.BF16, dtype.BF16, float32],
	round: func(opt run.Options, to *layout.Matrix[dtype.BF16], x layout.Matrix[float32]) layout.Matrix[dtype.BF16] {
		kern.RoundBF16Opt(opt, sized(to, x.Rows, x.Cols), x)
		return *to
	},
	adamW: func(opt run.Options, p *Param[dtype.BF16, float32], mean, square layout.Matrix[float32], rate, decay, alpha1, alpha2 float32) {
		kern.AdamWBF16Opt(opt, p.Value, mean, square, p.Stored, p.Value, p.Grad, mean, square, rate, decay, alpha1, alpha2)
	},
	ofFloat64: dtype.ToBF16[float64], widen: func(to *layout.Matrix[float32], x layout.Matrix[dtype.BF16]) layout.Matrix[float32] {
		out := sized(to, x.Rows, x.Cols)
		for i, v := range x.Data {
			out.Data[i] = v.Float32()
		}
		return out
	},
}

func keep[T dtype.Elem](_ run.Options, _ *layout.Matrix[T], x layout.Matrix[T]) layout.Matrix[T] {
	return x
}

func identity[T dtype.Elem](_ *layout.Matrix[T], x layout.Matrix[T]) layout.Matrix[T] { return x }

// sized makes m a matrix of a shape, with the memory that it has if that is enough. Its contents are whatever
// was there.
func sized[T dtype.Elem](m *layout.Matrix[T], rows, cols int) layout.Matrix[T] {
	if cap(m.Data) < rows*cols {
		m.Data = make([]T, rows*cols)
	}
	*m = layout.RowMajor(m.Data[:rows*cols], rows, cols)
	return *m
}

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
	linear    func(opt run.Options, out layout.Matrix[P], a, b layout.Matrix[S], bias []P)
	pack      func(b layout.Matrix[S]) *run.Packed
	gelu      func(opt run.Options, out, a, b layout.Matrix[S], bias []P)
	packGELU  func(b layout.Matrix[S]) *run.Packed
	geluKept  func(opt run.Options, out layout.Matrix[S], pre layout.Matrix[P], a, b layout.Matrix[S], bias []P)
	geluBack  func(opt run.Options, out layout.Matrix[S], dbias []P, a, b layout.Matrix[S], pre layout.Matrix[P])
	norm      func(opt run.Options, out layout.Matrix[S], sum, x layout.Matrix[P], res layout.Matrix[S], gain, bias []P, eps P)
	normBack  func(opt run.Options, dx layout.Matrix[S], dres layout.Matrix[P], dgain, dbias, dlast []P, sum layout.Matrix[P], gain []P, g layout.Matrix[P], eps P)
	drop      func(opt run.Options, out layout.Matrix[S], sum, x layout.Matrix[P], res layout.Matrix[S], gain, bias []P, eps P, drop int32, scale P, s equation.Stream)
	dropBack  func(opt run.Options, dx layout.Matrix[S], dres layout.Matrix[P], dgain, dbias, dlast []P, sum layout.Matrix[P], gain []P, g layout.Matrix[P], eps P, drop int32, scale P, s equation.Stream)
	loss      func(opt run.Options, logs layout.Matrix[P], dx layout.Matrix[S], x layout.Matrix[P], share P)
	columns   func(opt run.Options, sums []P, x layout.Matrix[S])
	cell      func(opt run.Options, out layout.Matrix[S], next, in, forget, update, output, memory layout.Matrix[P])
	outBack   func(opt run.Options, doutput layout.Matrix[S], total, output, next, dout, dnext layout.Matrix[P])
	cellBack  func(opt run.Options, din, dforget, dupdate layout.Matrix[S], dmemory, in, forget, update, memory, total layout.Matrix[P])
	adam      func(opt run.Options, p *Param[S, P], mean, square layout.Matrix[P], rate, decay, first, second P)
	product   func(opt run.Options, out layout.Matrix[P], a, b layout.Matrix[S])
	narrow    func(opt run.Options, to *layout.Matrix[S], x layout.Matrix[P]) layout.Matrix[S] // x itself, if S is P
	widen     func(to *layout.Matrix[P], x layout.Matrix[S]) layout.Matrix[P]                  // likewise
	ofFloat64 func(x float64) S
}

// Float32 computes in float32 throughout.
var Float32 = &Kernels[float32, float32]{
	linear: kern.LinearOpt, pack: kern.LinearPack, gelu: kern.LinearGELUOpt, packGELU: kern.LinearGELUPack, geluKept: kern.LinearGELUPreOpt, geluBack: kern.LinearGELUBackwardOpt,
	norm: kern.AddLayerNormOpt, normBack: kern.AddLayerNormBackwardOpt, drop: kern.DropoutAddLayerNormOpt, dropBack: kern.DropoutAddLayerNormBackwardOpt, loss: kern.CrossEntropyOpt, columns: kern.ColSumOpt,
	cell: kern.LSTMCellOpt, outBack: kern.LSTMHiddenBackwardOpt, cellBack: kern.LSTMCellBackwardOpt, product: cpu.MatMulOpt[float32], narrow: keep[float32],
	adam: func(opt run.Options, p *Param[float32, float32], mean, square layout.Matrix[float32], rate, decay, first, second float32) {
		kern.AdamWOpt(opt, p.Value, mean, square, p.Value, p.Grad, mean, square, rate, decay, first, second)
	},
	ofFloat64: func(x float64) float32 { return float32(x) }, widen: same[float32],
}

// Float64 computes in float64 throughout.
var Float64 = &Kernels[float64, float64]{
	linear: kern.LinearF64Opt, pack: kern.LinearF64Pack, gelu: kern.LinearGELUF64Opt, packGELU: kern.LinearGELUF64Pack, geluKept: kern.LinearGELUPreF64Opt,
	geluBack: kern.LinearGELUBackwardF64Opt, norm: kern.AddLayerNormF64Opt, normBack: kern.AddLayerNormBackwardF64Opt, drop: kern.DropoutAddLayerNormF64Opt, dropBack: kern.DropoutAddLayerNormBackwardF64Opt,
	loss: kern.CrossEntropyF64Opt, columns: kern.ColSumF64Opt, cell: kern.LSTMCellF64Opt, outBack: kern.LSTMHiddenBackwardF64Opt, cellBack: kern.LSTMCellBackwardF64Opt,
	product: cpu.MatMulOpt[float64], narrow: keep[float64],
	adam: func(opt run.Options, p *Param[float64, float64], mean, square layout.Matrix[float64], rate, decay, first, second float64) {
		kern.AdamWF64Opt(opt, p.Value, mean, square, p.Value, p.Grad, mean, square, rate, decay, first, second)
	},
	ofFloat64: func(x float64) float64 { return x }, widen: same[float64],
}

// BFloat16 multiplies bfloat16, adds in float32, and rounds what goes to another product.
var BFloat16 = &Kernels[dtype.BF16, float32]{
	linear: kern.LinearBF16Opt, pack: kern.LinearBF16Pack, gelu: kern.LinearGELUBF16Opt, packGELU: kern.LinearGELUBF16Pack, geluKept: kern.LinearGELUPreBF16Opt,
	geluBack: kern.LinearGELUBackwardBF16Opt, norm: kern.AddLayerNormBF16Opt, normBack: kern.AddLayerNormBackwardBF16Opt, drop: kern.DropoutAddLayerNormBF16Opt, dropBack: kern.DropoutAddLayerNormBackwardBF16Opt,
	loss: kern.CrossEntropyBF16Opt, columns: kern.ColSumBF16Opt, cell: kern.LSTMCellBF16Opt, outBack: kern.LSTMHiddenBackwardBF16Opt, cellBack: kern.LSTMCellBackwardBF16Opt,
	product: cpu.MatMulOfOpt[float32, dtype.BF16, dtype.BF16, float32],
	narrow: func(opt run.Options, to *layout.Matrix[dtype.BF16], x layout.Matrix[float32]) layout.Matrix[dtype.BF16] {
		kern.RoundBF16Opt(opt, sized(to, x.Rows, x.Cols), x)
		return *to
	},
	adam: func(opt run.Options, p *Param[dtype.BF16, float32], mean, square layout.Matrix[float32], rate, decay, first, second float32) {
		kern.AdamWBF16Opt(opt, p.Value, mean, square, p.Stored, p.Value, p.Grad, mean, square, rate, decay, first, second)
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

func same[T dtype.Elem](_ *layout.Matrix[T], x layout.Matrix[T]) layout.Matrix[T] { return x }

// sized makes m a matrix of a shape, with the memory that it has if that is enough. What is in it is whatever
// was there.
func sized[T dtype.Elem](m *layout.Matrix[T], rows, cols int) layout.Matrix[T] {
	if cap(m.Data) < rows*cols {
		m.Data = make([]T, rows*cols)
	}
	*m = layout.RowMajor(m.Data[:rows*cols], rows, cols)
	return *m
}

//go:build ignore

package main

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gemm/tpp"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Epilogues of products.

func addBias[T dtype.Float](acc, bias T) T { return acc + bias }

// biasGELUPre is a layer's bias and activation. It also keeps the argument of the activation, which training needs.
func biasGELUPre[T dtype.Float](acc, bias T) (out, pre T) {
	pre = acc + bias
	return act.GELU(pre), pre
}

// biasGELU is biasGELUPre for inference.
func biasGELU[T dtype.Float](acc, bias T) T { return act.GELU(acc + bias) }

// geluBackward is the gradient by the argument of GELU, of the gradient acc by its result.
func geluBackward[T dtype.Float](acc, pre T) T { return acc * act.DGELU(pre) }

// lstmCell is the cell state of an LSTM after a step. The gates come before their activations.
func lstmCell[T dtype.Float](input, forget, candidate, cell T) T {
	return act.Sigmoid(forget)*cell + act.Sigmoid(input)*act.Tanh(candidate)
}

// lstmHidden is the hidden state of an LSTM, of its output gate and its cell state.
func lstmHidden[T dtype.Float](output, cell T) T { return act.Sigmoid(output) * act.Tanh(cell) }

// adamW is a weight after a step of AdamW. The moments are the running means of the gradient and of its square. rate includes the bias
// correction, as in the more efficient order at the end of section 2 of the paper.
func adamW[T dtype.Float](w, mean, square, rate, decay T) T {
	return w - rate*mean/(T(math.Sqrt(float64(square)))+1e-8) - decay*w
}

// emaUpdate is an exponential moving average after the sample x. alpha is the weight of x.
func emaUpdate[T dtype.Float](mean, x, alpha T) T { return mean + alpha*(x-mean) }

// operators are the operands and Go functions of one type. Package tpp reads functions from their source and a generic
// function cannot name its instance, so each type lists its own.
type operators struct {
	suffix                       string                       // of names
	full, stored, column, scalar func(name string) tpp.Tensor // operands; a stored one lies between layers
	store                        func(x tpp.Tensor) tpp.Tensor
	add, mul, exp                any
	lstmCell, lstmHidden         any
	square, emaUpdate, adamW     any
}

func operand[T dtype.Elem](o func(string) gemm.Operand[T]) func(string) tpp.Tensor {
	return func(name string) tpp.Tensor { return tpp.In(o(name)) }
}

// avx2Only are the targets of float64. Gradient checks alone use it, so one instruction set is enough.
var avx2Only = []emit.Target{amd64.AVX2}

func identity(x tpp.Tensor) tpp.Tensor { return x }

var (
	float32Ops = operators{"", operand(gemm.Full[float32]), operand(gemm.Full[float32]), operand(gemm.PerColumn[float32]), operand(gemm.Scalar[float32]), identity,
		op.Add[float32], op.Mul[float32], op.Exp[float32], lstmCell[float32], lstmHidden[float32], op.Square[float32], emaUpdate[float32], adamW[float32]}
	float64Ops = operators{"F64", operand(gemm.Full[float64]), operand(gemm.Full[float64]), operand(gemm.PerColumn[float64]), operand(gemm.Scalar[float64]), identity,
		op.Add[float64], op.Mul[float64], op.Exp[float64], lstmCell[float64], lstmHidden[float64], op.Square[float64], emaUpdate[float64], adamW[float64]}
	bf16Ops = operators{"BF16", float32Ops.full, operand(gemm.Full[dtype.BF16]), float32Ops.column, float32Ops.scalar, tpp.Convert[dtype.BF16],
		float32Ops.add, float32Ops.mul, float32Ops.exp, float32Ops.lstmCell, float32Ops.lstmHidden, float32Ops.square, float32Ops.emaUpdate, float32Ops.adamW}
)

func (o operators) spec(name string, operands []tpp.Tensor, outs ...tpp.Output) gen.Spec {
	s := tpp.Spec{Name: name + o.suffix, Outs: outs, Operands: operands}
	if o.suffix == "F64" {
		s.Targets = avx2Only
	}
	return s
}

// layerNorms end a part of a block: they add its result x, with dropout or without, to the residual res and normalise each row of
// the sum. Backward gives dx to the part, whose last bias has the column sums of dx as its gradient, and dres to the residual.
func (o operators) layerNorms() (list []gen.Spec) {
	x, res, gain, bias, eps := o.full("x"), o.stored("res"), o.column("gain"), o.column("bias"), o.scalar("eps")
	sum, g := o.full("sum"), o.full("g")
	drop, scale := tpp.In(gemm.Scalar[int32]("drop")), o.scalar("scale")
	y, _, _ := tpp.RowNorm(sum, eps)
	d := tpp.Gradient(tpp.Map(o.mul, y, gain), g, sum, gain)
	for _, training := range []bool{false, true} {
		name, branch, dx, more := "AddLayerNorm", x, d[0], []tpp.Tensor(nil)
		if training {
			name, branch, dx, more = "DropoutAddLayerNorm", tpp.Dropout(x, drop, scale), tpp.Dropout(d[0], drop, scale), []tpp.Tensor{drop, scale}
		}
		total := tpp.Map(o.add, branch, tpp.Widen(res))
		list = append(list,
			o.spec(name, append([]tpp.Tensor{x, res, gain, bias, eps}, more...), tpp.Out("out", o.store(tpp.LayerNorm(total, gain, bias, eps))), tpp.Out("sum", total)),
			o.spec(name+"Backward", append([]tpp.Tensor{sum, gain, g, eps}, more...), tpp.Out("dx", o.store(dx)), tpp.Out("dres", d[0]),
				tpp.Out("dgain", d[1]), tpp.Out("dbias", tpp.ColSum(g)), tpp.Out("dlast", tpp.ColSum(dx))))
	}
	return list
}

// crossEntropy gives the log-probabilities, and the gradient of the mean loss by the logits as if no class were right. The caller subtracts
// scale, one over the number of rows, at the right class.
func (o operators) crossEntropy() []gen.Spec {
	x, scale := o.full("x"), o.scalar("scale")
	log := tpp.LogSoftmax(x)
	return []gen.Spec{o.spec("CrossEntropy", []tpp.Tensor{x, scale}, tpp.Out("logProbs", log), tpp.Out("dx", o.store(tpp.Map(o.mul, tpp.Map(o.exp, log), scale))))}
}

// colSum sums columns: the gradient of a bias.
func (o operators) colSum() []gen.Spec {
	x := o.stored("x")
	return []gen.Spec{o.spec("ColSum", []tpp.Tensor{x}, tpp.Out("sums", tpp.ColSum(tpp.Widen(x))))}
}

// lstm is a step of an LSTM (Hochreiter and Schmidhuber, 1997; with a forget gate, Gers and others, 2000) from the products of its
// gates on. Backward goes from the hidden state to the cell state first, whose whole gradient is dcell, and from there to the other gates.
func (o operators) lstm() []gen.Spec {
	input, forget, candidate, output := o.full("input"), o.full("forget"), o.full("candidate"), o.full("output")
	cell, next, dhidden, dnext, dcell := o.full("cell"), o.full("next"), o.full("dhidden"), o.full("dnext"), o.full("dcell")
	newCell := tpp.Map(o.lstmCell, input, forget, candidate, cell)
	hidden := tpp.Map(o.lstmHidden, output, next)
	d := tpp.Gradient(hidden, dhidden, output, next)
	e := tpp.Gradient(newCell, dcell, input, forget, candidate, cell)
	return []gen.Spec{
		o.spec("LSTMCell", []tpp.Tensor{input, forget, candidate, output, cell}, tpp.Out("hidden", o.store(tpp.Map(o.lstmHidden, output, newCell))), tpp.Out("next", newCell)),
		o.spec("LSTMHiddenBackward", []tpp.Tensor{output, next, dhidden, dnext}, tpp.Out("doutput", o.store(d[0])), tpp.Out("dcell", tpp.Map(o.add, dnext, d[1]))),
		o.spec("LSTMCellBackward", []tpp.Tensor{input, forget, candidate, cell, dcell}, tpp.Out("dinput", o.store(e[0])), tpp.Out("dforget", o.store(e[1])),
			tpp.Out("dcandidate", o.store(e[2])), tpp.Out("dprevious", e[3])),
	}
}

// optimizer is a step of Adam (Kingma and Ba, 2015) with decoupled weight decay (Loshchilov and Hutter, 2019). Products may take a
// rounded weight: then it writes both.
func (o operators) optimizer() []gen.Spec {
	w, g, mean, square := o.full("w"), o.full("g"), o.full("mean"), o.full("square")
	rate, decay, alpha1, alpha2 := o.scalar("rate"), o.scalar("decay"), o.scalar("alpha1"), o.scalar("alpha2") // alpha is 1 - beta
	m := tpp.Map(o.emaUpdate, mean, g, alpha1)
	v := tpp.Map(o.emaUpdate, square, tpp.Map(o.square, g), alpha2)
	next := tpp.Map(o.adamW, w, m, v, rate, decay)
	outs := []tpp.Output{tpp.Out("next", next), tpp.Out("nextMean", m), tpp.Out("nextSquare", v)}
	if o.suffix == "BF16" {
		outs = append(outs, tpp.Out("stored", o.store(next)))
	}
	return []gen.Spec{o.spec("AdamW", []tpp.Tensor{w, g, mean, square, rate, decay, alpha1, alpha2}, outs...)}
}

// linears are layers of weights and activations of S, which sum, and keep for backward, in P.
func linears[S dtype.Elem, P dtype.Float](suffix string, targets []emit.Target, addBias, biasGELU func(acc, bias P) P, biasGELUPre, geluBackward any) []gen.Spec {
	bias := gemm.PerColumn[P]("bias")
	return []gen.Spec{
		gemm.Spec[S, S, P, P]{Name: "Linear" + suffix, Targets: targets, Epilogue: gemm.Map2(addBias, bias)},
		gemm.Spec[S, S, P, S]{Name: "LinearGELU" + suffix, Targets: targets, Epilogue: gemm.Fuse[P, S](biasGELU, nil, bias.In())},
		gemm.Spec[S, S, P, S]{Name: "LinearGELUPre" + suffix, Targets: targets, Epilogue: gemm.Fuse[P, S](biasGELUPre, []gemm.Output{gemm.Also[P]("pre")}, bias.In())},
		gemm.Spec[S, S, P, S]{Name: "LinearGELUBackward" + suffix, Targets: targets, Epilogue: gemm.Fuse[P, S](geluBackward, nil, gemm.Full[P]("pre").In()).ColSum("dbias")},
	}
}

func main() {
	var specs []gen.Spec
	for _, o := range []operators{float32Ops, float64Ops, bf16Ops} {
		for _, s := range [][]gen.Spec{o.layerNorms(), o.crossEntropy(), o.lstm(), o.optimizer(), o.colSum()} {
			specs = append(specs, s...)
		}
	}
	specs = append(specs, linears[float32, float32]("", nil, addBias[float32], biasGELU[float32], biasGELUPre[float32], geluBackward[float32])...)
	specs = append(specs, linears[float64, float64]("F64", avx2Only, addBias[float64], biasGELU[float64], biasGELUPre[float64], geluBackward[float64])...)
	specs = append(specs, linears[dtype.BF16, float32]("BF16", nil, addBias[float32], biasGELU[float32], biasGELUPre[float32], geluBackward[float32])...)
	x := float32Ops.full("x")
	specs = append(specs, bf16Ops.spec("Round", []tpp.Tensor{x}, tpp.Out("out", bf16Ops.store(x)))) // as a product takes it
	y, bias := float32Ops.full("y"), float32Ops.column("bias")
	// The operators that layers fuse, alone, for comparison.
	specs = append(specs, float32Ops.spec("Add", []tpp.Tensor{x, y}, tpp.Out("out", tpp.Map(float32Ops.add, x, y))),
		float32Ops.spec("AddBias", []tpp.Tensor{x, bias}, tpp.Out("out", tpp.Map(float32Ops.add, x, bias))))
	gen.Main(specs...)
}

package transformer

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// eps is what norms add to variances.
const eps = 1e-5

// addNorm ends a part of a network. Its result, some of it dropped, is added to its input, and each row of
// the sum is normalised (Ba, Kiros and Hinton, "Layer normalization", 2016). It is one kernel each way.
type addNorm[S dtype.Elem, P dtype.Float] struct {
	Gain, Bias *Param[S, P]

	k       *Kernels[S, P]
	drop    float64
	stream  rand.Stream // zero: nothing was dropped
	sum     layout.Matrix[P]
	out, dx layout.Matrix[S]
	dres    layout.Matrix[P]
}

func newAddNorm[S dtype.Elem, P dtype.Float](k *Kernels[S, P], name string, width int, drop float64) addNorm[S, P] {
	return addNorm[S, P]{Gain: newParam(k, name+" gain", 1, width, 1), Bias: newParam(k, name+" bias", 1, width, 0), k: k, drop: drop}
}

// forward returns the norm of x and res, which are not needed any more then.
func (a *addNorm[S, P]) forward(p *Pass, x layout.Matrix[P], res layout.Matrix[S]) layout.Matrix[S] {
	out, sum := sized(&a.out, x.Rows, x.Cols), sized(&a.sum, x.Rows, x.Cols)
	a.stream = rand.Stream{}
	if !p.Train || a.drop == 0 {
		a.k.addLayerNorm(p.options(), out, sum, x, res, a.Gain.row(), a.Bias.row(), eps)
		return out
	}
	a.stream = p.stream()
	drop, scale := threshold(a.drop)
	a.k.dropoutAddLayerNorm(p.options(), out, sum, x, res, a.Gain.row(), a.Bias.row(), eps, drop, P(scale), equation.Stream{Seed: a.stream.Seed, Number: a.stream.Number})
	return out
}

// backward returns the gradients by x and by res, and sets that of the parameters and of a bias that x ends with.
func (a *addNorm[S, P]) backward(opt run.Options, last []P, g layout.Matrix[P]) (dx layout.Matrix[S], dres layout.Matrix[P]) {
	dx, dres = sized(&a.dx, g.Rows, g.Cols), sized(&a.dres, g.Rows, g.Cols)
	if a.stream == (rand.Stream{}) {
		a.k.addLayerNormBackward(opt, dx, dres, a.Gain.Grad.Data, a.Bias.Grad.Data, last, a.sum, a.Gain.row(), g, eps)
		return dx, dres
	}
	drop, scale := threshold(a.drop)
	a.k.dropoutAddLayerNormBackward(opt, dx, dres, a.Gain.Grad.Data, a.Bias.Grad.Data, last, a.sum, a.Gain.row(), g, eps, drop, P(scale),
		equation.Stream{Seed: a.stream.Seed, Number: a.stream.Number})
	return dx, dres
}

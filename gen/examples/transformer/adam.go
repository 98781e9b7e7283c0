package transformer

import (
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// AdamW moves parameters against their gradients, with decay apart: Loshchilov and Hutter, "Decoupled weight decay regularization", 2019. A
// step is one kernel along a parameter, which reads and writes each number once.
type AdamW[S dtype.Elem, P dtype.Float] struct {
	LearningRate, WeightDecay float64 // WeightDecay is what a step takes of a weight, in parts of LearningRate
	// OneMinusBeta1 and OneMinusBeta2 are how far the means of gradients and their squares move: .1 and .001 in the paper.
	OneMinusBeta1, OneMinusBeta2 float64
	Clip                         float64 // gradients are not longer, all of them together; 0: they may be

	params       []*Param[S, P]
	mean, square []layout.Matrix[P]
	steps        int
}

// NewAdamW returns what moves params and has made no step, with the constants of the paper.
func NewAdamW[S dtype.Elem, P dtype.Float](params []*Param[S, P], rate float64) *AdamW[S, P] {
	a := &AdamW[S, P]{LearningRate: rate, OneMinusBeta1: .1, OneMinusBeta2: .001, params: params}
	for _, p := range params {
		a.mean = append(a.mean, layout.New[P](p.Value.Rows, p.Value.Cols))
		a.square = append(a.square, layout.New[P](p.Value.Rows, p.Value.Cols))
	}
	return a
}

// Update makes a step and returns how long the gradients were.
func (a *AdamW[S, P]) Update(p *Pass) (norm float64) {
	a.steps++
	for _, param := range a.params {
		for _, g := range param.Grad.Data {
			norm += float64(g) * float64(g)
		}
	}
	norm = math.Sqrt(norm)
	if by := P(a.Clip / norm); a.Clip > 0 && norm > a.Clip {
		for _, param := range a.params {
			for i := range param.Grad.Data {
				param.Grad.Data[i] *= by
			}
		}
	}
	// The means began at zero; what that takes from them is given back.
	rate := a.LearningRate * math.Sqrt(1-math.Pow(1-a.OneMinusBeta2, float64(a.steps))) / (1 - math.Pow(1-a.OneMinusBeta1, float64(a.steps)))
	for i, param := range a.params {
		decay := 0.0
		if param.Decay {
			decay = a.LearningRate * a.WeightDecay
		}
		param.k.adamW(p.options(), param, a.mean[i], a.square[i], P(rate), P(decay), P(a.OneMinusBeta1), P(a.OneMinusBeta2))
	}
	return norm
}

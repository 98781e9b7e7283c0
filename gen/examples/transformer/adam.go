package transformer

import (
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Adam moves parameters against their gradients, with decay apart: Loshchilov and Hutter, "Decoupled weight decay regularization", 2019. A
// step is one kernel along a parameter, which reads and writes each number once.
type Adam[S dtype.Elem, P dtype.Float] struct {
	Rate, Decay float64 // Decay is what a step takes of a weight, in parts of Rate
	// First and Second are how far the means of gradients and their squares move: .1 and .001 in the paper.
	First, Second float64
	Clip          float64 // gradients are not longer, all of them together; 0: they may be

	params       []*Param[S, P]
	mean, square []layout.Matrix[P]
	steps        int
}

// NewAdam returns what moves params and has made no step, with the constants of the paper.
func NewAdam[S dtype.Elem, P dtype.Float](params []*Param[S, P], rate float64) *Adam[S, P] {
	a := &Adam[S, P]{Rate: rate, First: .1, Second: .001, params: params}
	for _, p := range params {
		a.mean = append(a.mean, layout.New[P](p.Value.Rows, p.Value.Cols))
		a.square = append(a.square, layout.New[P](p.Value.Rows, p.Value.Cols))
	}
	return a
}

// Update makes a step and returns how long the gradients were.
func (a *Adam[S, P]) Update(p *Pass) (norm float64) {
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
	rate := a.Rate * math.Sqrt(1-math.Pow(1-a.Second, float64(a.steps))) / (1 - math.Pow(1-a.First, float64(a.steps)))
	for i, param := range a.params {
		decay := 0.0
		if param.Decay {
			decay = a.Rate * a.Decay
		}
		param.k.adam(p.options(), param, a.mean[i], a.square[i], P(rate), P(decay), P(a.First), P(a.Second))
	}
	return norm
}

package nn

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Adam moves parameters against their gradients: Kingma and Ba, "Adam: a method for stochastic
// optimization", 2015, with their constants. Decay is a part of the gradient.
type Adam[T dtype.Float] struct {
	Rate         float64
	Step         int   // steps made
	Mean, Square [][]T // running means of the gradient and its square, for each parameter
}

// NewAdam returns an optimiser that has made no step.
func NewAdam[T dtype.Float](params []*Param[T], rate float64) *Adam[T] {
	a := &Adam[T]{Rate: rate}
	for _, p := range params {
		a.Mean, a.Square = append(a.Mean, make([]T, len(p.Value.Data))), append(a.Square, make([]T, len(p.Value.Data)))
	}
	return a
}

// Update makes a step; params are those of NewAdam.
func (a *Adam[T]) Update(params []*Param[T]) {
	const keepMean, keepSquare, least = .9, .999, 1e-8
	a.Step++
	// The means begin at zero; what that takes from them is given back.
	rate := T(a.Rate / (1 - math.Pow(keepMean, float64(a.Step))))
	widen := T(1 / (1 - math.Pow(keepSquare, float64(a.Step))))
	for n, p := range params {
		mean, square, decay := a.Mean[n], a.Square[n], T(p.Decay)
		for k, g := range p.Grad.Data {
			g += decay * p.Value.Data[k]
			mean[k] = keepMean*mean[k] + (1-keepMean)*g
			square[k] = keepSquare*square[k] + (1-keepSquare)*g*g
			p.Value.Data[k] -= rate * mean[k] / (T(math.Sqrt(float64(square[k]*widen))) + least)
		}
	}
}

package transformer

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Head says how likely each class is, of the numbers of a token.
type Head[S dtype.Elem, P dtype.Float] struct {
	Weights, Bias *Param[S, P]

	k            *Kernels[S, P]
	x, dlogits   layout.Matrix[S]
	logits, logs layout.Matrix[P]
	dx           layout.Matrix[P]
}

// NewHead returns a head whose weights are zero: [Init] fills them.
func NewHead[S dtype.Elem, P dtype.Float](k *Kernels[S, P], width, classes int) *Head[S, P] {
	return &Head[S, P]{Weights: newParam(k, "head", width, classes, 0), Bias: newParam(k, "head bias", 1, classes, 0), k: k}
}

// Params returns what the head learns.
func (h *Head[S, P]) Params() []*Param[S, P] { return []*Param[S, P]{h.Weights, h.Bias} }

// Forward returns the logarithms of the probabilities, but for a number that all of a row share: logits.
func (h *Head[S, P]) Forward(p *Pass, x layout.Matrix[S]) layout.Matrix[P] {
	h.x = x
	h.k.linear(p.options(), sized(&h.logits, x.Rows, h.Weights.Value.Cols), x, h.Weights.Stored, h.Bias.row())
	return h.logits
}

// Loss returns the mean cross-entropy, in nats, of the last Forward's rows, and what Backward needs. A class of -1 is none: the row does not count.
// It panics with a [layout.ShapeError] if there is not a class for each row, or one that there is not.
func (h *Head[S, P]) Loss(p *Pass, classes []int32) float64 {
	n, width := h.logits.Rows, h.logits.Cols
	count := 0
	for i, c := range classes {
		if c < -1 || int(c) >= width {
			panic(layout.ShapeError{What: "transformer.Head", Why: fmt.Sprintf("class %d of row %d; want 0 to %d, or -1 for none", c, i, width-1)})
		}
		if c >= 0 {
			count++
		}
	}
	if len(classes) != n {
		panic(layout.ShapeError{What: "transformer.Head", Why: fmt.Sprintf("%d classes for %d rows", len(classes), n)})
	}
	share := 1 / float64(max(count, 1))
	logs, d := sized(&h.logs, n, width), sized(&h.dlogits, n, width)
	h.k.crossEntropy(p.options(), logs, d, h.logits, P(share))
	loss := 0.0
	for i, c := range classes {
		row := d.Data[i*width:][:width]
		if c < 0 {
			clear(row)
			continue
		}
		log := float64(logs.At(i, int(c)))
		loss -= log
		row[c] = h.k.ofFloat64(share * math.Expm1(log)) // one less than the probability
	}
	return loss * share
}

// Backward sets the gradients of the last Loss by the parameters, and returns that by x.
func (h *Head[S, P]) Backward(p *Pass) layout.Matrix[P] {
	opt := p.options()
	h.k.colSum(opt, h.Bias.Grad.Data, h.dlogits)
	h.k.product(opt, h.Weights.Grad, h.x.T(), h.dlogits)
	h.k.product(opt, sized(&h.dx, h.x.Rows, h.x.Cols), h.dlogits, h.Weights.Stored.T())
	return h.dx
}

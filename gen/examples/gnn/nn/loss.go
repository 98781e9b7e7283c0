package nn

import (
	"math"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// LogSoftmax sets out to the logarithms of the softmax of x, whose sum of exponentials cannot overflow:
// the largest is taken off first. out may be x.
func LogSoftmax[T dtype.Float](out, x []T) {
	top, sum := T(math.Inf(-1)), 0.0
	for _, v := range x {
		top = max(top, v)
	}
	for _, v := range x {
		sum += math.Exp(float64(v - top))
	}
	for j, v := range x {
		out[j] = v - top - T(math.Log(sum))
	}
}

// Score is what a network is worth on some nodes.
type Score struct {
	Loss     float64 `json:"loss"`     // the mean cross-entropy, in nats
	Accuracy float64 `json:"accuracy"` // the part of the nodes whose class has the largest number
}

// CrossEntropy returns the score of logits, a row for each node, on the listed nodes, whose classes are in labels.
// If dlogits has elements it becomes the gradient of the loss; it has the shape of logits.
func CrossEntropy[T dtype.Float](dlogits, logits layout.Matrix[T], labels []int, nodes []int) (s Score) {
	clear(dlogits.Data)
	logs := make([]T, logits.Cols)
	for _, i := range nodes {
		row, class := logits.Data[i*logits.Cols:][:logits.Cols], labels[i]
		LogSoftmax(logs, row)
		s.Loss -= float64(logs[class])
		if best(row) == class {
			s.Accuracy++
		}
		if len(dlogits.Data) > 0 {
			for j, l := range logs {
				dlogits.Data[i*logits.Cols+j] = T(math.Exp(float64(l)) / float64(len(nodes)))
			}
			dlogits.Data[i*logits.Cols+class] -= T(1 / float64(len(nodes)))
		}
	}
	s.Loss /= float64(len(nodes))
	s.Accuracy /= float64(len(nodes))
	return s
}

// best returns where the largest number is, the first of equals.
func best[T dtype.Float](row []T) (at int) {
	for j, v := range row {
		if v > row[at] {
			at = j
		}
	}
	return at
}

package cpu

import (
	"github.com/tilesmith/tilesmith/cpu/kern/attnf"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// EdgeSoftmax sets out[e], for each entry e of s in the order of [sparse.Matrix.CSR], to the
// softmax of the values of its row. The results are attention weights of the edges of a
// graph. Use it if [GraphAttention], which also computes scores and weighs rows, does not
// fit. s.WithValues(out) is the matrix of weights. See [graph.Attention.Softmax].
func EdgeSoftmax[T dtype.Float](opt Options, out []T, s sparse.Matrix[T]) {
	switch out := any(out).(type) {
	case []float32:
		attnf.SetF32.Softmax(opt, out, any(s).(sparse.Matrix[float32]))
	case []float64:
		attnf.SetF64.Softmax(opt, out, any(s).(sparse.Matrix[float64]))
	}
}

// EdgeSoftmaxBack sets din[e] = out[e] * (dout[e] - sum over the row of out*dout). That is the
// gradient of [EdgeSoftmax], where out is the result and dout its gradient. din may be dout.
func EdgeSoftmaxBack[T dtype.Float](opt Options, din []T, s sparse.Matrix[T], out, dout []T) {
	switch din := any(din).(type) {
	case []float32:
		attnf.SetF32.SoftmaxBack(opt, din, any(s).(sparse.Matrix[float32]), any(out).([]float32), any(dout).([]float32))
	case []float64:
		attnf.SetF64.SoftmaxBack(opt, din, any(s).(sparse.Matrix[float64]), any(out).([]float64), any(dout).([]float64))
	}
}

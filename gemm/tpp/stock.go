package tpp

import (
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gemm/tpp/op"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The compositions below compute in the type of their first argument, float32 or float64.
// Narrow elements go through Convert, before and after.

// Softmax is e^x over the sum of its row, of x less the row's greatest element. A row of -Inf
// alone, which is one that a mask closes, becomes 0; one with NaN or +Inf NaN.
func Softmax(x Tensor) Tensor {
	e := exp.of(sub.of(x, shift.of(RowMax(x))))
	return mul.of(e, share.of(RowSum(e)))
}

// SoftmaxGradient is the gradient by what Softmax made y of, if g is that by y.
func SoftmaxGradient(y, g Tensor) Tensor {
	return mul.of(y, sub.of(g, RowSum(mul.of(y, g))))
}

// LogSoftmax is the logarithm of Softmax, computed as x less the logarithm of a sum. A row of
// -Inf alone stays so.
func LogSoftmax(x Tensor) Tensor {
	d := sub.of(x, shift.of(RowMax(x)))
	return sub.of(d, logShare.of(RowSum(exp.of(d))))
}

// LogSoftmaxGradient is the gradient by what LogSoftmax made y of, if g is that by y.
func LogSoftmaxGradient(y, g Tensor) Tensor {
	return sub.of(g, mul.of(exp.of(y), RowSum(g)))
}

// RowMean is the mean of each row.
func RowMean(x Tensor) Tensor { return div.of(RowSum(x), ColsOf(x)) }

// ColMean is the mean of each column.
func ColMean(x Tensor) Tensor {
	if x.node().t == dtype.F64 {
		return div.of(ColSum(x), Rows[float64]())
	}
	return div.of(ColSum(x), Rows[float32]())
}

// normalise is x less mean, times one over the square root of eps and the mean of squares of
// that; and that factor. mean is by rows or columns.
func normalise(x, eps Tensor, mean func(Tensor) Tensor) (y, m, scale Tensor) {
	m = mean(x)
	d := sub.of(x, m)
	scale = rsqrt.of(add.of(mean(square.of(d)), eps))
	return mul.of(d, scale), m, scale
}

// RowNorm is x minus its row's mean, divided by the square root of the row's variance plus
// eps. That is layer norm before its gain and bias. mean and scale, one over that root, are
// what it computes for that. It is group norm of a matrix with a row for each sample and
// group.
func RowNorm(x, eps Tensor) (y, mean, scale Tensor) { return normalise(x, eps, RowMean) }

// LayerNorm is RowNorm times gain plus bias.
func LayerNorm(x, gain, bias, eps Tensor) Tensor {
	y, _, _ := RowNorm(x, eps)
	return mulAdd.of(y, gain, bias)
}

// RMSNorm is x over the root of the mean of its row's squares and eps, times gain.
func RMSNorm(x, gain, eps Tensor) Tensor {
	scale := rsqrt.of(add.of(RowMean(square.of(x)), eps))
	return mul.of(mul.of(x, scale), gain)
}

// ColNorm is RowNorm by columns: batch norm before its gain and bias, of a matrix with a
// column for each channel.
func ColNorm(x, eps Tensor) (y, mean, scale Tensor) { return normalise(x, eps, ColMean) }

// BatchNorm is ColNorm times gain plus bias.
func BatchNorm(x, gain, bias, eps Tensor) Tensor {
	y, _, _ := ColNorm(x, eps)
	return mulAdd.of(y, gain, bias)
}

// Dropout is x times scale, or 0 where an unsigned random word is less than drop, an int32. It
// drops a share p of the elements if drop is p*2^32. Its gradient is Dropout of the gradient,
// with the same stream: [Words] are computed again, not kept. Element (i, j) of a matrix of n
// columns has word r*i + j of the stream, where r is n rounded up to a multiple of 4. So rows of
// 6 elements begin 8 words apart.
func Dropout(x, drop, scale Tensor) Tensor { return keep.of(x, Words(), drop, scale) }

// SplitSGD is a step of gradient descent, w - rate*g, for weights stored in two halves. The
// upper half is a BF16 that products take as it is; the lower half has the remaining bits.
func SplitSGD(high, low, g, rate Tensor) (newHigh, newLow Tensor) {
	w := Map(op.NMulAdd[float32], g, rate, Map(op.Zip, high, low))
	return Map(op.High, w), Map(op.Low, w)
}

// pair is an operator for both types that Go computes in. Function values in generic
// functions are closures, which have no source, so there is no generic one.
type pair struct{ f32, f64 any }

// of applies the operator to tensors of the type of the first.
func (p pair) of(args ...Tensor) Tensor {
	if t := args[0].node().t; t == dtype.F64 {
		return Map(p.f64, args...)
	}
	return Map(p.f32, args...)
}

var (
	add      = pair{op.Add[float32], op.Add[float64]}
	sub      = pair{op.Sub[float32], op.Sub[float64]}
	mul      = pair{op.Mul[float32], op.Mul[float64]}
	div      = pair{op.Div[float32], op.Div[float64]}
	mulAdd   = pair{op.MulAdd[float32], op.MulAdd[float64]}
	square   = pair{op.Square[float32], op.Square[float64]}
	exp      = pair{op.Exp[float32], op.Exp[float64]}
	rsqrt    = pair{op.RSqrt[float32], op.RSqrt[float64]}
	shift    = pair{op.Shift[float32], op.Shift[float64]}
	share    = pair{op.Share[float32], op.Share[float64]}
	logShare = pair{op.LogShare[float32], op.LogShare[float64]}
	keep     = pair{op.Keep[float32], op.Keep[float64]}
	first    = pair{op.First[float32], op.First[float64]}
	argBest  = pair{op.At[float32], op.At[float64]}
	relu     = pair{act.ReLU[float32], act.ReLU[float64]}
	positive = pair{op.Positive[float32], op.Positive[float64]}
	only     = pair{op.Only[float32], op.Only[float64]}
	where    = pair{op.Where[float32], op.Where[float64]}
)

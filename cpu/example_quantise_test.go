package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
)

// int8Layer is a layer of a network in int8: out = (x-zero of x) * weights + bias, requantised.
type int8Layer struct {
	weights layout.Matrix[int8]
	packed  *run.Packed
	product cpu.QuantProduct
}

// newInt8Layer makes one of a layer of float32, of which x is an input, and whose output is y: both
// say how wide the numbers are that it will meet. A nil y stays float32.
func newInt8Layer[Out cpu.QuantOut](w layout.Matrix[float32], bias []float32, x, y *layout.Matrix[float32]) int8Layer {
	l := int8Layer{weights: layout.New[int8](w.Rows, w.Cols)}
	q := &l.product
	q.A, q.B = cpu.Calibrate[uint8](*x, cpu.QuantPerTensor), cpu.Calibrate[int8](w, cpu.QuantPerColumn)
	if y != nil {
		q.Out = cpu.Calibrate[uint8](*y, cpu.QuantPerTensor)
	}
	cpu.Quantise(l.weights, w, q.B)
	l.packed = cpu.QuantPack[Out, uint8](l.weights)
	q.Bias = make([]int32, len(bias))
	for j, b := range bias { // in the unit of the sums of its column
		q.Bias[j] = int32(math.RoundToEven(float64(b) / (float64(q.A.Scale[0]) * float64(q.B.Scale[j]))))
	}
	return l
}

// A network of two layers that was trained in float32 is quantised and run in int8.
func Example_quantise() {
	r := rand.New(rand.NewPCG(1, 2)) // stands for the training
	w1, w2, x := normal[float32](r, 64, 48), normal[float32](r, 48, 10), normal[float32](r, 100, 64)
	b1, b2 := normal[float32](r, 1, 48).Data, normal[float32](r, 1, 10).Data

	// In float32, of inputs like those that will come.
	hidden, scores := layout.New[float32](100, 48), layout.New[float32](100, 10)
	cpu.MatMul(hidden, x, w1)
	for i := range hidden.Data {
		hidden.Data[i] = max(0, hidden.Data[i]+b1[i%48])
	}
	cpu.MatMul(scores, hidden, w2)
	for i := range scores.Data {
		scores.Data[i] += b2[i%10]
	}

	// Its layers in int8. What ReLU leaves is not negative, so the least uint8 is 0, and
	// what is below saturates to it: that is the ReLU.
	first := newInt8Layer[uint8](w1, b1, &x, &hidden)
	last := newInt8Layer[float32](w2, b2, &hidden, nil)

	in, between, out := layout.New[uint8](100, 64), layout.New[uint8](100, 48), layout.New[float32](100, 10)
	cpu.Quantise(in, x, first.product.A)
	cpu.QuantMatMulOpt(cpu.Options{B: first.packed}, between, in, first.weights, first.product)
	cpu.QuantMatMulOpt(cpu.Options{B: last.packed}, out, between, last.weights, last.product)

	same, far, size := 0, 0.0, 0.0
	for i := range 100 {
		if largest(out.Data[10*i:][:10]) == largest(scores.Data[10*i:][:10]) {
			same++
		}
	}
	for i, want := range scores.Data {
		far, size = max(far, math.Abs(float64(out.Data[i]-want))), max(size, math.Abs(float64(want)))
	}
	fmt.Println(first.product.Out.Zero[0], same >= 90, far < size/30)
	// Output: 0 true true
}

// largest returns where the largest number is.
func largest(xs []float32) (at int) {
	for i, x := range xs {
		if x > xs[at] {
			at = i
		}
	}
	return at
}

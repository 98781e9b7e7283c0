package main

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gen/examples/network/layers"
	"github.com/tilesmith/tilesmith/layout"
)

// Quantise returns n in int8. Weights are scaled by output, so that each column of them takes
// all of int8. The scales of activations come from what n makes of the pictures of
// calibration, and clip none of these.
func Quantise(n *Network, calibration layout.Matrix[float32]) *Int8 {
	m := &Int8{pixel: whole(calibration)}
	out := n.forward(calibration)
	in := m.pixel.Scale[0]
	for i, l := range n {
		q := cpu.Calibrate[int8](l.Weights, cpu.QuantPerColumn)
		m.weights[i] = layout.New[int8](l.Weights.Rows, l.Weights.Cols)
		cpu.Quantise(m.weights[i], l.Weights, q)
		next := float32(1) // logits are not quantised
		if i < len(n)-1 {
			next = whole(out[i]).Scale[0]
		}
		m.bias[i], m.scale[i] = make([]int32, len(l.Bias)), make([]float32, len(l.Bias))
		for j, b := range l.Bias {
			unit := in * q.Scale[j] // of the sums of this output
			m.bias[i][j] = int32(math.RoundToEven(max(-1<<30, min(1<<30, float64(b)/float64(unit)))))
			m.scale[i][j] = unit / next
		}
		in = next
	}
	m.packed[0], m.packed[1] = layers.DenseInt8Pack(m.weights[0]), layers.DenseInt8Pack(m.weights[1])
	m.packed[2] = layers.LogitsInt8Pack(m.weights[2])
	return m
}

// whole is how numbers that are nowhere negative are quantised to uint8: 0 stays 0, and the
// largest is 255.
func whole(x layout.Matrix[float32]) cpu.Quant {
	q := cpu.Calibrate[uint8](x, cpu.QuantPerTensor)
	return cpu.Quant{Scale: q.Scale}
}

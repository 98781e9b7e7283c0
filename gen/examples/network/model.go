package main

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/examples/network/layers"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Model is a trained network in one type, ready to run: its weights are packed.
type Model interface {
	Name() string
	// Bytes is what weights, biases and scales take, before packing.
	Bytes() int
	// Convert takes pictures, one a row, in the type that the first layer reads.
	Convert(x layout.Matrix[float32])
	// Logits sets out to what the network says of the pictures that Convert took last.
	Logits(opt run.Options, out layout.Matrix[float32])
}

// scratch is a matrix that calls share: it grows to the largest of them.
type scratch[T dtype.Elem] struct{ data []T }

func (s *scratch[T]) matrix(rows, cols int) layout.Matrix[T] {
	if len(s.data) < rows*cols {
		s.data = make([]T, rows*cols)
	}
	return layout.RowMajor(s.data[:rows*cols], rows, cols)
}

// with returns opt for a product whose second factor is packed.
func with(opt run.Options, b *run.Packed) run.Options {
	opt.B = b
	return opt
}

// Float32 is the network as it was trained.
type Float32 struct {
	*Network
	packed [3]*run.Packed
	in     layout.Matrix[float32]
	hidden [2]scratch[float32]
}

// NewFloat32 packs the weights of n.
func NewFloat32(n *Network) *Float32 {
	m := &Float32{Network: n}
	m.packed = [3]*run.Packed{layers.DensePack(n[0].Weights), layers.DensePack(n[1].Weights), layers.LogitsPack(n[2].Weights)}
	return m
}

// Name is the type's.
func (*Float32) Name() string { return "f32" }

// Bytes is that of a Model.
func (m *Float32) Bytes() (n int) {
	for _, l := range m.Network {
		n += 4 * (len(l.Weights.Data) + len(l.Bias))
	}
	return n
}

// Convert is that of a Model: there is nothing to do.
func (m *Float32) Convert(x layout.Matrix[float32]) { m.in = x }

// Logits is that of a Model.
func (m *Float32) Logits(opt run.Options, out layout.Matrix[float32]) {
	x := m.in
	for i := range m.hidden {
		y := m.hidden[i].matrix(x.Rows, m.Network[i].Weights.Cols)
		layers.DenseOpt(with(opt, m.packed[i]), y, x, m.Network[i].Weights, m.Network[i].Bias)
		x = y
	}
	layers.LogitsOpt(with(opt, m.packed[2]), out, x, m.Network[2].Weights, m.Network[2].Bias)
}

// BFloat16 has weights and what goes between layers in bfloat16; sums and biases are of
// float32.
type BFloat16 struct {
	weights [3]layout.Matrix[dtype.BF16]
	bias    [3][]float32
	packed  [3]*run.Packed
	in      layout.Matrix[dtype.BF16]
	input   scratch[dtype.BF16]
	hidden  [2]scratch[dtype.BF16]
}

// NewBFloat16 rounds the weights of n.
func NewBFloat16(n *Network) *BFloat16 {
	m := &BFloat16{}
	for i, l := range n {
		m.weights[i], m.bias[i] = layout.New[dtype.BF16](l.Weights.Rows, l.Weights.Cols), l.Bias
		narrow(m.weights[i].Data, l.Weights.Data)
	}
	m.packed = [3]*run.Packed{layers.DenseBF16Pack(m.weights[0]), layers.DenseBF16Pack(m.weights[1]), layers.LogitsBF16Pack(m.weights[2])}
	return m
}

// narrow rounds finite numbers to the nearest, of two the even one, as dtype.ToBF16 does any.
func narrow(to []dtype.BF16, from []float32) {
	for i := range to {
		bits := math.Float32bits(from[i])
		to[i] = dtype.BF16FromBits(uint16((bits + 0x7fff + bits>>16&1) >> 16))
	}
}

// Name is the type's.
func (*BFloat16) Name() string { return "bf16" }

// Bytes is that of a Model.
func (m *BFloat16) Bytes() (n int) {
	for i, w := range m.weights {
		n += 2*len(w.Data) + 4*len(m.bias[i])
	}
	return n
}

// Convert is that of a Model.
func (m *BFloat16) Convert(x layout.Matrix[float32]) {
	m.in = m.input.matrix(x.Rows, x.Cols)
	for i := range x.Rows {
		narrow(m.in.Data[i*x.Cols:][:x.Cols], x.Data[i*x.RowStride:])
	}
}

// Logits is that of a Model.
func (m *BFloat16) Logits(opt run.Options, out layout.Matrix[float32]) {
	in := m.in
	for i := range m.hidden {
		y := m.hidden[i].matrix(in.Rows, m.weights[i].Cols)
		layers.DenseBF16Opt(with(opt, m.packed[i]), y, in, m.weights[i], m.bias[i])
		in = y
	}
	layers.LogitsBF16Opt(with(opt, m.packed[2]), out, in, m.weights[2], m.bias[2])
}

// Int8 has weights in int8, with a scale for each output. Activations between layers are
// uint8, with one scale a layer and zero point 0, as ReLU leaves them. Sums are of int32,
// in the unit of which biases are.
type Int8 struct {
	weights [3]layout.Matrix[int8]
	bias    [3][]int32
	scale   [3][]float32 // by which a sum is multiplied to be what goes to the next layer
	pixel   cpu.Quant
	packed  [3]*run.Packed
	in      layout.Matrix[uint8]
	input   scratch[uint8]
	hidden  [2]scratch[uint8]
}

// Name is the type's.
func (*Int8) Name() string { return "int8" }

// Bytes is that of a Model.
func (m *Int8) Bytes() (n int) {
	for i, w := range m.weights {
		n += len(w.Data) + 4*(len(m.bias[i])+len(m.scale[i]))
	}
	return n
}

// Convert is that of a Model.
func (m *Int8) Convert(x layout.Matrix[float32]) {
	m.in = m.input.matrix(x.Rows, x.Cols)
	cpu.Quantise(m.in, x, m.pixel)
}

// Logits is that of a Model.
func (m *Int8) Logits(opt run.Options, out layout.Matrix[float32]) {
	in := m.in
	for i := range m.hidden {
		y := m.hidden[i].matrix(in.Rows, m.weights[i].Cols)
		layers.DenseInt8Opt(with(opt, m.packed[i]), y, in, m.weights[i], m.bias[i], m.scale[i])
		in = y
	}
	layers.LogitsInt8Opt(with(opt, m.packed[2]), out, in, m.weights[2], m.bias[2], m.scale[2])
}

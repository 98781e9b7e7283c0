package main

import (
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gen/examples/network/layers"
	"github.com/tilesmith/tilesmith/layout"
)

// A Layer is one of weights, inputs x outputs, and a bias for each output.
type Layer struct {
	Weights layout.Matrix[float32]
	Bias    []float32
}

// A Network is three layers: two with ReLU, and a last one of logits.
type Network [3]Layer

// NewNetwork returns a network with the given numbers of inputs, hidden units and outputs.
// Its weights are random, of a size that keeps the variance of activations (He et al.
// 2015).
func NewNetwork(sizes [4]int, seed uint64) *Network {
	rng := rand.New(rand.NewPCG(seed, 0x11e7))
	var n Network
	for i := range n {
		w := layout.New[float32](sizes[i], sizes[i+1])
		for e := range w.Data {
			w.Data[e] = float32(rng.NormFloat64() * math.Sqrt(2/float64(sizes[i])))
		}
		n[i] = Layer{w, make([]float32, sizes[i+1])}
	}
	return &n
}

// forward returns what each layer makes of x, the logits last.
func (n *Network) forward(x layout.Matrix[float32]) (out [3]layout.Matrix[float32]) {
	for i, l := range n {
		out[i] = layout.New[float32](x.Rows, l.Weights.Cols)
		if i < len(n)-1 {
			layers.Dense(out[i], x, l.Weights, l.Bias)
		} else {
			layers.Logits(out[i], x, l.Weights, l.Bias)
		}
		x = out[i]
	}
	return out
}

// gradients sets g to the derivatives of the mean loss of a batch, softmax and cross-entropy,
// and returns that loss.
func (n *Network) gradients(g *Network, x layout.Matrix[float32], labels []uint8) (loss float64) {
	out := n.forward(x)
	d := out[2] // becomes what the loss changes by with each logit
	for i := range d.Rows {
		loss += softmax(d.Data[i*d.Cols:][:d.Cols], labels[i], d.Rows)
	}
	for i := len(n) - 1; i >= 0; i-- {
		in := x
		if i > 0 {
			in = out[i-1]
		}
		cpu.MatMul(g[i].Weights, in.T(), d)
		clear(g[i].Bias)
		for e, v := range d.Data {
			g[i].Bias[e%d.Cols] += v
		}
		if i == 0 {
			break
		}
		below := layout.New[float32](in.Rows, in.Cols)
		cpu.MatMul(below, d, n[i].Weights.T())
		for e, y := range in.Data {
			if y <= 0 { // ReLU passed nothing on
				below.Data[e] = 0
			}
		}
		d = below
	}
	return loss / float64(x.Rows)
}

// softmax returns the loss of one row of logits, and leaves its derivatives there, of the
// mean over so many rows.
func softmax(row []float32, label uint8, rows int) (loss float64) {
	most := row[0]
	for _, v := range row {
		most = max(most, v)
	}
	sum := 0.0
	for _, v := range row {
		sum += math.Exp(float64(v - most))
	}
	loss = math.Log(sum) - float64(row[label]-most)
	for j, v := range row {
		p := math.Exp(float64(v-most)) / sum
		if j == int(label) {
			p--
		}
		row[j] = float32(p / float64(rows))
	}
	return loss
}

// best is the index of the largest number.
func best(row []float32) (at int) {
	for j, v := range row {
		if v > row[at] {
			at = j
		}
	}
	return at
}

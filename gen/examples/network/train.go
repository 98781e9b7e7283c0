package main

import (
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/layout"
)

// Training says how a network learns: by Adam (Kingma and Ba 2015), whose rate falls to
// nothing along a cosine.
type Training struct {
	Epochs, Batch int
	Rate          float64
	Progress      func(epoch int, loss float64) // may be nil
}

// Run trains n on the task. Which pictures come together depends on seed only, so that two
// runs on one instruction set give the same network.
func (t Training) Run(n *Network, task *Task, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0xada3))
	var g, mean, square Network
	for i := range n {
		for _, x := range []*Network{&g, &mean, &square} {
			x[i] = Layer{layout.New[float32](n[i].Weights.Rows, n[i].Weights.Cols), make([]float32, len(n[i].Bias))}
		}
	}
	pictures, labels := layout.New[float32](t.Batch, pixels), make([]uint8, t.Batch)
	perEpoch := len(task.Labels) / t.Batch
	for epoch, step := 0, 0; epoch < t.Epochs; epoch++ {
		order, loss := rng.Perm(len(task.Labels)), 0.0
		for b := range perEpoch {
			for i, from := range order[b*t.Batch:][:t.Batch] {
				copy(pictures.Data[i*pixels:][:pixels], task.Pictures.Data[from*pixels:])
				labels[i] = task.Labels[from]
			}
			loss += n.gradients(&g, pictures, labels)
			step++
			rate := t.Rate / 2 * (1 + math.Cos(math.Pi*float64(step)/float64(t.Epochs*perEpoch)))
			for i := range n {
				adam(n[i].Weights.Data, g[i].Weights.Data, mean[i].Weights.Data, square[i].Weights.Data, rate, step)
				adam(n[i].Bias, g[i].Bias, mean[i].Bias, square[i].Bias, rate, step)
			}
		}
		if t.Progress != nil {
			t.Progress(epoch, loss/float64(perEpoch))
		}
	}
}

// adam moves x against its gradient g, by the running means of g and of its square.
func adam(x, g, mean, square []float32, rate float64, step int) {
	const keepMean, keepSquare, least = .9, .999, 1e-8
	// The means begin at zero; what that takes from them is given back.
	mended := float32(rate * math.Sqrt(1-math.Pow(keepSquare, float64(step))) / (1 - math.Pow(keepMean, float64(step))))
	for i, d := range g {
		m := keepMean*mean[i] + (1-keepMean)*d
		s := keepSquare*square[i] + (1-keepSquare)*d*d
		mean[i], square[i] = m, s
		x[i] -= mended * m / (float32(math.Sqrt(float64(s))) + least)
	}
}

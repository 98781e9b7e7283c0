package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// inTurn runs every f in turn, over and over, and returns the median seconds of each:
// what disturbs the machine disturbs all of them.
func inTurn(fs ...func()) []float64 {
	times := make([][]float64, len(fs))
	for range 7 {
		for i, f := range fs {
			n, start := 0, time.Now()
			for n == 0 || time.Since(start) < 3*time.Millisecond {
				f()
				n++
			}
			times[i] = append(times[i], time.Since(start).Seconds()/float64(n))
		}
	}
	medians := make([]float64, len(fs))
	for i, t := range times {
		medians[i] = median(t)
	}
	return medians
}

// measure reports metrics of what inTurn measures, after one run of everything that
// is not counted.
func measure(b *testing.B, metrics func(seconds []float64) map[string]float64, fs ...func()) {
	for _, f := range fs {
		f()
	}
	for b.Loop() {
		for unit, v := range metrics(inTurn(fs...)) {
			b.ReportMetric(v, unit)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSDDMM compares with SpMM on the same matrix and width, which does as many
// multiply-adds: "%spmm" is how much of its rate this is. One thread.
func BenchmarkSDDMM(b *testing.B) {
	for _, g := range graphs[float32]() {
		for _, f := range []int{32, 128, 512} {
			b.Run(fmt.Sprintf("graph=%s/f=%d", g.name, f), func(b *testing.B) {
				s := g.make(b)
				rng := rand.New(level.PCG(1, 2))
				x, y := normalDense[float32](rng, s.Rows(), f), normalDense[float32](rng, s.Cols(), f)
				values, out := make([]float32, s.NNZ()), layout.New[float32](s.Rows(), f)
				opt := Options{Threads: 1}
				measure(b, func(t []float64) map[string]float64 {
					return map[string]float64{"GFLOP/s": 2 * float64(s.NNZ()*f) / t[0] / 1e9, "%spmm": 100 * t[1] / t[0]}
				}, func() { SDDMMInto(SDDMMOptions{Options: opt}, values, s, x, y) }, func() { SpMMOpt(opt, out, s, y) })
			})
		}
	}
}

// threeSteps is attention as one writes it without GraphAttention.
func threeSteps(opt Options, out layout.Matrix[float32], s sparse.Matrix[float32], scores []float32, q, k, v layout.Matrix[float32]) {
	scale := opt
	scale.Scaling = Scale(1/math.Sqrt(float64(q.Cols)), 0)
	SDDMMInto(SDDMMOptions{Options: scale, Pattern: true}, scores, s, q, k)
	at := 0
	for i := range s.Rows() {
		row := scores[at : at+s.RowNNZ(i)]
		at += len(row)
		top, sum := float32(math.Inf(-1)), float32(0)
		for _, x := range row {
			top = max(top, x)
		}
		for n, x := range row {
			row[n] = float32(math.Exp(float64(x - top)))
			sum += row[n]
		}
		for n := range row {
			row[n] /= sum
		}
	}
	w, err := s.WithValues(scores)
	if err != nil {
		panic(err)
	}
	SpMMOpt(opt, out, w, v)
}

// BenchmarkGraphAttention compares with three steps, the softmax among them in Go:
// "x3steps" is how many times as fast this is. One thread.
func BenchmarkGraphAttention(b *testing.B) {
	for _, g := range graphs[float32]() {
		b.Run("graph="+g.name+"/f=64", func(b *testing.B) {
			s := g.make(b)
			rng := rand.New(level.PCG(1, 2))
			q, k, v := normalDense[float32](rng, s.Rows(), 64), normalDense[float32](rng, s.Cols(), 64), normalDense[float32](rng, s.Cols(), 64)
			one, three, scores := layout.New[float32](s.Rows(), 64), layout.New[float32](s.Rows(), 64), make([]float32, s.NNZ())
			opt := Options{Threads: 1}
			measure(b, func(t []float64) map[string]float64 {
				return map[string]float64{"ns/entry": t[0] / float64(s.NNZ()) * 1e9, "x3steps": t[1] / t[0]}
			}, func() { GraphAttention(AttentionOptions{Options: opt}, one, s, q, k, v) },
				func() { threeSteps(opt, three, s, scores, q, k, v) })
		})
	}
}

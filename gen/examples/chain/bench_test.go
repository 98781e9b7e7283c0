package chain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/examples/tensors"
	"github.com/tilesmith/tilesmith/gen/examples/transformer/kern"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// random is a matrix of normal numbers.
func random(r *rand.Rand, m, n int) layout.Matrix[float32] {
	x := layout.New[float32](m, n)
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64())
	}
	return x
}

func randoms(r *rand.Rand, n int) []float32 { return random(r, 1, n).Data }

// A rival is the same computation by calls of one operator or product each, between which matrices are in memory.
type rival struct {
	name         string
	calls        int // of one sample
	fused, apart func(threads int)
	have, want   layout.Matrix[float32] // what they leave
}

func rivals(r *rand.Rand) (all []rival) {
	for _, s := range [][3]int{{512, 768, 3072}, {4096, 256, 1024}, {4096, 64, 256}, {16384, 64, 64}} {
		m, n0, n1 := s[0], s[1], s[2]
		x, up, down, out, want := random(r, m, n0), random(r, n0, n1), random(r, n1, n0), layout.New[float32](m, n0), layout.New[float32](m, n0)
		gain, shift, bias := randoms(r, n0), randoms(r, n0), randoms(r, n1)
		norm, hidden, act, back := layout.New[float32](m, n0), layout.New[float32](m, n1), layout.New[float32](m, n1), layout.New[float32](m, n0)
		all = append(all, rival{fmt.Sprintf("MLP, %d rows, %d to %d", m, n0, n1), calls(m * n0 * n1), func(threads int) {
			MLPOpt(run.Options{Threads: threads}, out, x, gain, shift, 1e-5, up, bias, down)
		}, func(threads int) {
			opt := run.Options{Threads: threads}
			tensors.LayerNormOpt(opt, norm, x, gain, shift, 1e-5)
			cpu.MatMulOpt(opt, hidden, norm, up)
			BiasGELUOpt(opt, act, hidden, bias)
			cpu.MatMulOpt(opt, back, act, down)
			AddOpt(opt, want, back, x)
		}, out, want}, rival{fmt.Sprintf("MLP, %d rows, %d to %d, GELU in an epilogue", m, n0, n1), calls(m * n0 * n1), func(threads int) {
			MLPOpt(run.Options{Threads: threads}, out, x, gain, shift, 1e-5, up, bias, down)
		}, func(threads int) {
			opt := run.Options{Threads: threads}
			tensors.LayerNormOpt(opt, norm, x, gain, shift, 1e-5)
			kern.LinearGELUOpt(opt, act, norm, up, bias)
			cpu.MatMulOpt(opt, back, act, down)
			AddOpt(opt, want, back, x)
		}, out, want})
	}
	for _, s := range [][2]int{{512, 64}, {4096, 64}} {
		m, f := s[0], s[1]
		mask, err := mask.Full(m, m, 64)
		if err != nil {
			panic(err)
		}
		q, k, v, out, want, score := random(r, m, f), random(r, m, f), random(r, m, f), layout.New[float32](m, f), layout.New[float32](m, f), layout.New[float32](m, m)
		all = append(all, rival{fmt.Sprintf("attention, %d rows of %d", m, f), calls(m * m * f), func(threads int) {
			AttentionOpt(run.Options{Threads: threads}, out, q, k, v, 0.125)
		}, func(threads int) {
			opt := run.Options{Threads: threads}
			scaled := opt
			scaled.Scaling = run.Scale(0.125, 0)
			cpu.MatMulOpt(scaled, score, q, k.T())
			tensors.SoftmaxOpt(opt, score, score)
			cpu.MatMulOpt(opt, want, score, v)
		}, out, want}, rival{fmt.Sprintf("attention, %d rows of %d, cpu.BlockAttention", m, f), calls(m * m * f), func(threads int) {
			AttentionOpt(run.Options{Threads: threads}, out, q, k, v, 0.125)
		}, func(threads int) {
			cpu.BlockAttention(cpu.BlockAttentionOptions{Scale: 0.125, Options: run.Options{Threads: threads}}, want, mask, q, k, v)
		}, out, want})
	}
	return all
}

// calls is how many take some ten milliseconds.
func calls(work int) int { return max(1, 200_000_000/work) }

// BenchmarkChainTable compares chains with calls of a step each, in turns: ratios are of neighbours, their median and quartiles.
func BenchmarkChainTable(b *testing.B) {
	r := rand.New(level.PCG(1, 2))
	for _, c := range rivals(r) {
		for _, threads := range []int{1, 2} {
			var times [2][]float64
			var ratios []float64
			clear(c.have.Data)
			clear(c.want.Data)
			c.fused(threads)
			c.apart(threads)
			most := 0.0
			for _, x := range c.want.Data {
				most = max(most, math.Abs(float64(x)))
			}
			for i, x := range c.have.Data {
				if d := math.Abs(float64(x - c.want.Data[i])); !(d <= 1e-5*most) {
					b.Fatalf("%s: element %d is %v, and %v of calls apart", c.name, i, x, c.want.Data[i])
				}
			}
			for range 15 {
				var took [2]float64
				for i, f := range []func(int){c.fused, c.apart} {
					t := time.Now()
					for range c.calls {
						f(threads)
					}
					took[i] = time.Since(t).Seconds() / float64(c.calls)
					times[i] = append(times[i], took[i])
				}
				ratios = append(ratios, took[1]/took[0])
			}
			for _, list := range [][]float64{times[0], times[1], ratios} {
				slices.Sort(list)
			}
			fmt.Printf("| %s | %d | %.2f | %.2f | %.2f (%.2f to %.2f) |\n", c.name, threads, times[0][7]*1e3, times[1][7]*1e3, ratios[7], ratios[3], ratios[11])
		}
	}
}

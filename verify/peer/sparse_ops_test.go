package peer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/sparse/sample"
	cores "github.com/tilesmith/tilesmith/tiling/machine"
)

// tableSDDMM compares with SpMM on the same matrix and width, which does as many
// multiply-adds.
func tableSDDMM(b *testing.B) {
	fmt.Println("\nSDDMM f32: GFLOP/s, share of the rate of our own SpMM")
	for _, c := range sparseCases {
		b.Run(c.name, func(b *testing.B) {
			s := c.build(b)
			for _, f := range []int{32, 128, 512} {
				x, y := gaussian[float32](s.Rows(), f, 1), gaussian[float32](s.Cols(), f, 2)
				got, out := make([]float32, s.NNZ()), layout.New[float32](s.Rows(), f)
				sampled := &entrant{run: func() { cpu.SDDMMInto(cpu.SDDMMOptions{Options: one}, got, s, x, y) }}
				product := &entrant{run: func() { cpu.SpMMOpt(one, out, s, y) }}
				sampled.run()
				same(b, "SDDMM", got, plainSDDMM(s, x, y), always(f))
				how := compete(sampled, product)
				fmt.Printf("%-9s n=%-3d %6.1f  %5.1f %%  [%d rounds, others %.2f, spoilt %d]\n", c.name, f,
					2*float64(s.NNZ()*f)/sampled.seconds/1e9, 100*product.seconds/sampled.seconds, how.rounds, how.others, how.spoilt)
			}
			quiet(b)
		})
	}
}

func plainSDDMM(s sparse.Matrix[float32], x, y layout.Matrix[float32]) []float32 {
	var out []float32
	for e, v := range s.All() {
		sum, yj := float32(0), y.Data[e.J*y.Cols:(e.J+1)*y.Cols]
		for k, xi := range x.Data[e.I*x.Cols : (e.I+1)*x.Cols] {
			sum += xi * yj[k]
		}
		out = append(out, v*sum)
	}
	return out
}

// tableAttention compares with three steps. The softmax between SDDMM and SpMM is a
// plain Go loop with math.Exp; without one at all is the least that two of our kernels
// can take.
func tableAttention(b *testing.B) {
	fmt.Println("\nattention f32, 64 features: ns an entry, times as fast as three steps (softmax in Go), as two steps without softmax")
	const f = 64
	for _, c := range sparseCases {
		b.Run(c.name, func(b *testing.B) {
			s := c.build(b)
			q, k, v := gaussian[float32](s.Rows(), f, 1), gaussian[float32](s.Cols(), f, 2), gaussian[float32](s.Cols(), f, 3)
			got, want, scores := layout.New[float32](s.Rows(), f), layout.New[float32](s.Rows(), f), make([]float32, s.NNZ())
			scale := cpu.SDDMMOptions{Options: one, Pattern: true}
			scale.Scaling = cpu.Scale(1/math.Sqrt(f), 0)
			fused := &entrant{run: func() { cpu.GraphAttention(cpu.AttentionOptions{Options: one}, got, s, q, k, v) }}
			three := &entrant{run: func() {
				cpu.SDDMMInto(scale, scores, s, q, k)
				softmax(s, scores)
				w, err := s.WithValues(scores)
				if err != nil {
					b.Fatal(err)
				}
				cpu.SpMMOpt(one, want, w, v)
			}}
			two := &entrant{run: func() {
				cpu.SDDMMInto(scale, scores, s, q, k)
				cpu.SpMMOpt(one, want, s, v)
			}}
			fused.run()
			three.run()
			same(b, "attention", got.Data, want.Data, always(64))
			how := compete(fused, three, two)
			fmt.Printf("%-9s %6.1f  %5.2fx  %5.2fx  [%d rounds, others %.2f, spoilt %d]\n", c.name,
				1e9*fused.seconds/float64(s.NNZ()), three.seconds/fused.seconds, two.seconds/fused.seconds, how.rounds, how.others, how.spoilt)
			quiet(b)
		})
	}
}

func softmax(s sparse.Matrix[float32], scores []float32) {
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
}

// tableBlocks compares the rate of stored blocks with that of a dense product.
func tableBlocks(b *testing.B) {
	fmt.Println("\nBSR 32x32 f32, 4096 x 4096, 90 % sparse: GFLOP/s of stored blocks, share of the dense rate at 1024")
	const size, block = 4096, 32
	rng := rand.New(level.PCG(1, 2))
	build := sparse.NewBuilder[float32](size, size)
	for i := 0; i < size; i += block {
		for j := 0; j < size; j += block {
			if rng.Float64() < .1 {
				for k := range block * block {
					build.Add(i+k/block, j+k%block, float32(rng.NormFloat64()))
				}
			}
		}
	}
	m, err := build.Matrix()
	if err != nil {
		b.Fatal(err)
	}
	a, err := format.Pack(m, format.BSR(block))
	if err != nil {
		b.Fatal(err)
	}
	d, e, f := gaussian[float32](1024, 1024, 1), gaussian[float32](1024, 1024, 2), layout.New[float32](1024, 1024)
	for _, n := range []int{128, 512} {
		x, out, want := gaussian[float32](size, n, 1), layout.New[float32](size, n), layout.New[float32](size, n)
		blocks := &entrant{run: func() { cpu.SpMMBlocks(one, out, a, x) }}
		dense := &entrant{run: func() { cpu.MatMulOpt(one, f, d, e) }}
		blocks.run()
		cpu.SpMMOpt(one, want, m, x)
		same(b, "blocks", out.Data, want.Data, perRow(m, n))
		how := compete(blocks, dense)
		rate, top := 2*float64(m.NNZ()*n)/blocks.seconds, 2*float64(1<<30)/dense.seconds
		fmt.Printf("n=%-3d %6.1f of %6.1f = %5.1f %%  [%d rounds, others %.2f, spoilt %d]\n", n, rate/1e9, top/1e9, 100*rate/top, how.rounds, how.others, how.spoilt)
	}
	quiet(b)
}

// tablePruned compares weights without structure with the dense product.
func tablePruned(b *testing.B) {
	fmt.Println("\npruned weights f32, batch 256: GFLOP/s of entries, times as fast as our own dense product")
	for _, size := range []int{1024, 4096} {
		full, x := gaussian[float32](size, size, 1), gaussian[float32](size, 256, 2)
		dense := &entrant{run: func(out layout.Matrix[float32]) func() {
			return func() { cpu.MatMulOpt(one, out, full, x) }
		}(layout.New[float32](size, 256))}
		for _, percent := range []int{70, 90, 95} {
			rng := rand.New(level.PCG(1, 2))
			build := sparse.NewBuilder[float32](size, size)
			for i := range size * size {
				if rng.IntN(100) >= percent {
					build.Add(i/size, i%size, full.Data[i])
				}
			}
			m, err := build.Matrix()
			if err != nil {
				b.Fatal(err)
			}
			w, out, want := cpu.Prune(m), layout.New[float32](size, 256), layout.New[float32](size, 256)
			pruned := &entrant{run: func() { cpu.MulPruned(one, out, w, x) }}
			pruned.run()
			cpu.SpMMOpt(one, want, m, x)
			same(b, "pruned", out.Data, want.Data, perRow(m, 256))
			again := *dense
			how := compete(pruned, &again)
			fmt.Printf("%4d %d %%  %6.1f  %5.2fx  [%d rounds, others %.2f, spoilt %d]\n", size, percent,
				2*float64(m.NNZ()*256)/pruned.seconds/1e9, again.seconds/pruned.seconds, how.rounds, how.others, how.spoilt)
		}
	}
	quiet(b)
}

// tableSpMV reports the bandwidth on matrices beyond the last cache, of the bytes that
// the cache simulation of advise.For counts.
func tableSpMV(b *testing.B) {
	fmt.Println("\nSpMV f64: GB/s, share of copy bandwidth; time over the longest of that and the bytes of each cache at its bandwidth")
	for _, c := range []struct {
		name  string
		build func() (sparse.Matrix[float64], error)
	}{
		{"band5", func() (sparse.Matrix[float64], error) { return sample.Banded[float64](2_000_000, 2) }},
		{"band27", func() (sparse.Matrix[float64], error) { return sample.Banded[float64](500_000, 13) }},
		{"uniform64", func() (sparse.Matrix[float64], error) { return sample.Uniform[float64](169_343, 169_343, 64, 1) }},
		{"rmat", func() (sparse.Matrix[float64], error) {
			return sample.RMAT[float64](1_000_000, 8_000_000, .57, .19, .19, 1)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m, err := c.build()
			if err != nil {
				b.Fatal(err)
			}
			m = sample.Random(m, 3)
			x, y, want := gaussian[float64](m.Cols(), 1, 1), make([]float64, m.Rows()), make([]float64, m.Rows())
			for e, v := range m.All() {
				want[e.I] += v * x.Data[e.J]
			}
			ours := &entrant{run: func() { cpu.SpMVOpt(one, y, m, x.Data) }}
			ours.run()
			same(b, "SpMV", y, want, perRow(m, 1))
			disk := copying()
			var machine rates
			machine.look()
			how := compete(disk, ours)
			machine.look()
			machine.copying = copyBytes / disk.seconds
			advice, err := advise.For(m, 1, advise.MachineFor(cpu.ISAs()[0]))
			if err != nil {
				b.Fatal(err)
			}
			moved := traffic(advice, format.CSR.Name)
			least, of := machine.levels(0, moved)
			fmt.Printf("%-9s %5.1f of %5.1f = %5.1f %%  (%.0f MB)  with caches %5.2fx of %s  [%d rounds, others %.2f, spoilt %d]\n",
				c.name, float64(moved[cores.Memory])/ours.seconds/1e9, machine.copying/1e9, 100*machine.roofline(0, moved)/ours.seconds,
				float64(moved[cores.Memory])/1e6, ours.seconds/least, of, how.rounds, how.others, how.spoilt)
			quiet(b)
		})
	}
}

// tableHyb compares conversion with one product.
func tableHyb(b *testing.B) {
	fmt.Println("\nconversion of compressed rows to hyb on one CPU: ns an entry, in SpMM at 128 features")
	for _, c := range append([]sparseCase{{"arxiv", func(b *testing.B) sparse.Matrix[float32] {
		r, err := sample.Find("arxiv")
		if err != nil {
			b.Fatal(err)
		}
		return built(b)(sample.Make[float32](r, 1))
	}}}, sparseCases...) {
		b.Run(c.name, func(b *testing.B) {
			m := c.build(b)
			hyb := rule.Hyb(1, rule.HybBuckets(m.Rows(), m.NNZ()))
			x, out, want := gaussian[float32](m.Cols(), 128, 1), layout.New[float32](m.Rows(), 128), layout.New[float32](m.Rows(), 128)
			product := &entrant{run: func() { cpu.SpMMOpt(one, want, m, x) }}
			convert := &entrant{run: func() {
				if _, err := rule.Decompose(m, hyb); err != nil {
					b.Fatal(err)
				}
			}}
			product.run()
			advised(b, advise.Candidate{Rules: []rule.Rule{hyb}}, out, m, x)()
			same(b, "hyb", out.Data, want.Data, perRow(m, 128))
			how := compete(convert, product)
			fmt.Printf("%-9s %s %6.1f  %5.2f SpMM  [%d rounds, others %.2f, spoilt %d]\n", c.name, hyb.Name,
				1e9*convert.seconds/float64(m.NNZ()), convert.seconds/product.seconds, how.rounds, how.others, how.spoilt)
			quiet(b)
		})
	}
}

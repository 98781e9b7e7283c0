package cpu

import (
	"errors"
	"fmt"
	"math"
	randv2 "math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// Weights that are dropped, and gradients behind them, are those of the formula with the mask that rand.Dropout makes.
func TestBlockAttentionDrop(t *testing.T) {
	oracles := map[string]dropOracle{}
	eachISA(t, func(t *testing.T, isa string) {
		for _, heads := range []int{2, 4} { // gradients of which are computed in different ways
			if heads == 4 || level.Long() {
				t.Run(fmt.Sprint("f32 ", heads), func(t *testing.T) { testBlockAttentionDrop[float32](t, isa, heads, oracles) })
			}
			if heads == 2 || level.Long() {
				t.Run(fmt.Sprint("f64 ", heads), func(t *testing.T) { testBlockAttentionDrop[float64](t, isa, heads, oracles) })
			}
		}
	})
}

// A dropOracle is outputs and gradients by their formulas, and what the magnitudes of their terms add up to.
type dropOracle struct{ want, size [4]layout.Matrix[float64] }

func testBlockAttentionDrop[T dtype.Float](t *testing.T, isa string, heads int, oracles map[string]dropOracle) {
	const f = 5
	for name, mask := range byName(blockMasks()) {
		if large := mask.Rows()*mask.Cols() > 10_000; large && level.Of(true, heads == 4, false) {
			continue
		}
		rng := randv2.New(level.PCG(7, 8))
		m, n := mask.Rows(), mask.Cols()
		random := func(rows int) layout.Matrix[T] { return normalDense[T](rng, rows, heads*f) }
		first := func(x layout.Matrix[T]) layout.Matrix[T] { return headAt(x, f, 0) }
		q, k, v, dout := random(m), random(n), random(n), random(m)
		out, dq, dk, dv := layout.New[T](m, heads*f), layout.New[T](m, heads*f), layout.New[T](n, heads*f), layout.New[T](n, heads*f)
		opt := BlockAttentionOptions{Options: Options{ISA: isa, Threads: 2}, Scale: .5, Heads: Heads{Count: heads, Out: f, Q: f, K: f, V: f},
			LogSums: make([]float64, heads*m), Drop: .3, Stream: rand.Stream{Seed: 3<<40 + 5, Number: 7}}
		BlockAttention(opt, first(out), mask, first(q), first(k), first(v))
		BlockAttentionBack(opt, first(dq), first(dk), first(dv), mask, first(q), first(k), first(v), first(out), first(dout))
		have := [4]layout.Matrix[T]{out, dq, dk, dv}
		key := fmt.Sprint(name, dtype.Of[T](), heads)
		oracle, ok := oracles[key]
		want, size := oracle.want, oracle.size
		for i, x := range have {
			if !ok {
				want[i], size[i] = layout.New[float64](x.Rows, x.Cols), layout.New[float64](x.Rows, x.Cols)
			}
		}
		kept := make([]float64, (n+3)&^3)
		for h := 0; h < heads && !ok; h++ {
			for i := range m {
				rand.Dropout(opt.Stream, uint64((h*m+i)*len(kept)), kept, opt.Drop)
				weight, by, total, mean, most := make([]float64, n), make([]float64, n), 0.0, 0.0, 0.0
				for j := range n {
					if !mask.Has(i, j) {
						continue
					}
					for c := h * f; c < (h+1)*f; c++ {
						weight[j] += float64(q.At(i, c)) * float64(k.At(j, c)) * opt.Scale
						by[j] += float64(dout.At(i, c)) * float64(v.At(j, c)) * kept[j]
					}
					weight[j] = math.Exp(weight[j])
					total += weight[j]
				}
				for j := range n {
					if weight[j] /= total; total == 0 {
						weight[j] = 0
					}
					mean += weight[j] * by[j]
					most += weight[j] * math.Abs(by[j])
				}
				add := func(of, row, c int, x, s float64) {
					want[of].Data[row*heads*f+c] += x
					size[of].Data[row*heads*f+c] += math.Abs(s)
				}
				for j := range n {
					w := weight[j] * kept[j]
					d, s := weight[j]*(by[j]-mean)*opt.Scale, weight[j]*(math.Abs(by[j])+most)*opt.Scale
					for c := h * f; c < (h+1)*f; c++ {
						add(0, i, c, w*float64(v.At(j, c)), w*float64(v.At(j, c)))
						add(1, i, c, d*float64(k.At(j, c)), s*float64(k.At(j, c)))
						add(2, j, c, d*float64(q.At(i, c)), s*float64(q.At(i, c)))
						add(3, j, c, w*float64(dout.At(i, c)), w*float64(dout.At(i, c)))
					}
				}
			}
		}
		oracles[key] = dropOracle{want, size}
		for i, x := range have {
			t.Run(name+" "+[]string{"out", "dq", "dk", "dv"}[i], func(t *testing.T) { near(t, x, want[i].Data, size[i].Data, 4*f, m+n) })
		}
		if name == "tall" {
			sameForThreads(t, func(o Options) []T {
				opt, out := opt, layout.New[T](4*m, heads*f)
				opt.Options = o
				part := func(i int) layout.Matrix[T] { return first(out.Slice(i*m, (i+1)*m, 0, heads*f)) } // n is m here
				BlockAttention(opt, part(0), mask, first(q), first(k), first(v))
				BlockAttentionBack(opt, part(1), part(2), part(3), mask, first(q), first(k), first(v), part(0), first(dout))
				return out.Data
			})
		}
	}
}

// A probability that is none is refused.
func TestBlockAttentionDropRefused(t *testing.T) {
	mask := blockMasks()["full"]
	x := layout.New[float64](11, 2)
	for _, p := range []float64{-1, 1, math.NaN(), math.Inf(1)} {
		func() {
			defer func() {
				err, _ := recover().(error)
				var refused run.OptionError
				if !errors.As(err, &refused) {
					t.Errorf("Drop %v: %v; want a run.OptionError", p, err)
				}
			}()
			BlockAttention(BlockAttentionOptions{Drop: p}, layout.New[float64](9, 2), mask, layout.New[float64](9, 2), x, x)
		}()
	}
}

// q, k and v may be columns of one matrix and so may their gradients, with several heads in each; where heads of two share a place they are refused.
func TestBlockAttentionSideBySide(t *testing.T) {
	const n, f, heads = 20, 4, 3
	rng := randv2.New(level.PCG(9, 10))
	mask := mustMask(mask.Full(n, n, 8))
	qkv, dqkv, out, dout := normalDense[float32](rng, n, 3*heads*f), layout.New[float32](n, 3*heads*f), layout.New[float32](n, heads*f), normalDense[float32](rng, n, heads*f)
	opt := BlockAttentionOptions{Heads: Heads{Count: heads, Out: f, Q: f, K: f, V: f}, LogSums: make([]float64, heads*n)}
	part := func(m layout.Matrix[float32], i int) layout.Matrix[float32] { return headAt(m, f, i*heads) }
	BlockAttention(opt, headAt(out, f, 0), mask, part(qkv, 0), part(qkv, 1), part(qkv, 2))
	BlockAttentionBack(opt, part(dqkv, 0), part(dqkv, 1), part(dqkv, 2), mask, part(qkv, 0), part(qkv, 1), part(qkv, 2), headAt(out, f, 0), headAt(dout, f, 0))
	for i := range 3 {
		apart := layout.New[float32](n, heads*f)
		d := [3]layout.Matrix[float32]{layout.New[float32](n, heads*f), layout.New[float32](n, heads*f), layout.New[float32](n, heads*f)}
		d[i] = apart
		BlockAttentionBack(opt, headAt(d[0], f, 0), headAt(d[1], f, 0), headAt(d[2], f, 0), mask, part(qkv, 0), part(qkv, 1), part(qkv, 2), headAt(out, f, 0), headAt(dout, f, 0))
		var beside []float32
		for r := range n {
			beside = append(beside, dqkv.Data[r*3*heads*f+i*heads*f:][:heads*f]...)
		}
		if diff := cmp.Diff(apart.Data, beside); diff != "" {
			t.Errorf("gradient %d beside others is not the one alone:\n%s", i, diff)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("gradients that share columns are not refused")
		}
	}()
	BlockAttentionBack(opt, part(dqkv, 0), headAt(dqkv, f, heads-1), part(dqkv, 2), mask, part(qkv, 0), part(qkv, 1), part(qkv, 2), headAt(out, f, 0), headAt(dout, f, 0))
}

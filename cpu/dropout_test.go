package cpu

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestDropout: every kernel and any number of goroutines give the bits of package rand, of any length, with counters
// and streams beyond 32 bits, in place as well; infinities that are dropped are NaN, and zeros have signs.
func TestDropout(t *testing.T) {
	t.Run("float32", dropouts[float32])
	t.Run("float64", dropouts[float64])
}

func dropouts[T dtype.Float](t *testing.T) {
	for _, n := range []int{0, 1, 3, 15, 16, 31, 32, 33, 63, 64, 65, 127, 1000, 1<<13 + 5, 1<<17 + 77} {
		x, want := make([]T, n), make([]T, n)
		for k := range x {
			x[k] = T(k%61-30) / 8
		}
		if n > 32 {
			x[7], x[8], x[20] = T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN())
		}
		for _, s := range []rand.Stream{{}, {Seed: 1, Number: 2}, {Seed: math.MaxUint64, Number: math.MaxUint64}, {Seed: 7 << 40, Number: 5 << 33}} {
			for _, p := range []float64{0, .3, .5, .6, 1 - 0x1p-32, 1 - 0x1p-40} {
				if n > 1000 && p != .6 {
					continue
				}
				rand.Dropout(s, 0, want, p)
				for k, v := range x {
					want[k] *= v
				}
				for _, isa := range run.PlainISAs() {
					for _, threads := range []int{1, 3} {
						got := slices.Clone(x)
						Dropout(Options{ISA: isa, Threads: threads}, got, got, s, p)
						for k, v := range want {
							if math.Float64bits(float64(got[k])) != math.Float64bits(float64(v)) && (v == v || got[k] == got[k]) {
								t.Fatalf("%s, %d threads, %v, p = %v: number %d of %d is %v, want %v", isa, threads, s, p, k, n, got[k], v)
							}
						}
					}
				}
			}
		}
	}
}

func TestDropoutRefused(t *testing.T) {
	x := make([]float32, 8)
	for _, c := range []struct {
		want string
		call func()
	}{
		{"cpu.Dropout: p is 1; want a probability from 0 to below 1", func() { Dropout(Options{}, x, x, rand.Stream{}, 1) }},
		{"out has 4 numbers, x has 8", func() { Dropout(Options{}, x[:4], x, rand.Stream{}, .5) }},
		{"out shares memory with x, at another place", func() { Dropout(Options{}, x[1:5], x[:4], rand.Stream{}, .5) }},
		{"a mask has no alpha and no beta", func() { Dropout(Options{Scaling: Scale(1, 1)}, x, x, rand.Stream{}, .5) }},
		{"-1 threads", func() { Dropout(Options{Threads: -1}, x, x, rand.Stream{}, .5) }},
	} {
		func() {
			defer func() {
				if msg := fmt.Sprint(recover()); !strings.Contains(msg, c.want) {
					t.Errorf("panic %q, want %q in it", msg, c.want)
				}
			}()
			c.call()
		}()
	}
}

// BenchmarkDropout measures what a mask costs per number. The bound is in
// docs/rationale/cpu.md, "Dropout draws its mask twice".
func BenchmarkDropout(b *testing.B) {
	x := make([]float32, 1<<13)
	for _, isa := range run.PlainISAs() {
		b.Run("isa="+isa, func(b *testing.B) {
			for b.Loop() {
				Dropout(Options{ISA: isa, Threads: 1}, x, x, rand.Stream{Seed: 1}, .6)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/number")
		})
	}
}

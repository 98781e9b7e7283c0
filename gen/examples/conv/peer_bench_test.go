package conv_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gen/examples/conv"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// BenchmarkConvTable compares the convolutions of ResNet-50 with oneDNN's: one image and one thread on both sides, in turns, medians,
// random operands, weights in the order that each side likes, and no timing before the results were compared with each other and with plain
// loops. oneDNN has images with channels last, as we do, and in the layout that it likes best, whose making does not count; its time
// is the shorter one. Its calls are made from C in a loop, ours from Go.
//
//	go test -run '^$' -bench ConvTable -benchtime 1x -timeout 30m ./gen/examples/conv
//
// One part is -bench ConvTable/f32/forward or ConvTable/bf16/data, one line of it -bench 'ConvTable/f32/forward/04'.
func BenchmarkConvTable(b *testing.B) {
	fmt.Printf("\nmachine: %s, %d CPUs, %s; ISAs %s\n", machine.ThisCPU(), runtime.NumCPU(), runtime.Version(), strings.Join(cpu.ISAs(), " "))
	t := &convTable{}
	var err error
	if t.loop, err = peer.OpenLoop(); err != nil {
		fmt.Printf("no peer: %v\n", err)
	} else if t.peer, err = peer.Load("onednn"); err != nil {
		fmt.Printf("%v\n", err)
	} else {
		t.peer.SetThreads(1)
		fmt.Printf("peer: %s\n", t.peer.Version)
	}
	directions := []struct {
		name string
		is   peer.Direction
	}{{"forward", peer.Forward}, {"data", peer.BackwardData}, {"weights", peer.BackwardWeights}}
	for _, d := range directions {
		b.Run("f32/"+d.name, func(b *testing.B) { convRows[float32](b, t, d.is, 1e-5) })
		t.print("f32 " + d.name)
	}
	for _, d := range directions {
		b.Run("bf16/"+d.name, func(b *testing.B) { convRows[dtype.BF16](b, t, d.is, 1e-5) })
		t.print("bf16 " + d.name)
	}
}

type convTable struct {
	loop *peer.Loop
	peer *peer.Gemm
	rows []string
	logs float64 // sum of the logarithms of ratios
	n    int
}

func (t *convTable) print(name string) {
	if len(t.rows) == 0 {
		return
	}
	fmt.Printf("\n%s\n\n| # | shape | GFLOP/s | share | oneDNN | its kernel | times oneDNN |\n|---|---|---|---|---|---|---|\n%s\n", name, strings.Join(t.rows, "\n"))
	if t.n > 0 {
		fmt.Printf("| | geometric mean | | | | | %.3f |\n", math.Exp(t.logs/float64(t.n)))
	}
	*t = convTable{loop: t.loop, peer: t.peer}
}

func convRows[T conv.Elem](b *testing.B, t *convTable, d peer.Direction, eps float64) {
	typ := dtype.Of[T]()
	var ceiling roof.Ceiling
	for _, isa := range cpu.ISAs() {
		if c := roof.Products(isa, typ, typ, 100*time.Millisecond); c.Rate > ceiling.Rate {
			ceiling = c
		}
	}
	fmt.Printf("ceiling of %v: %.0f GFLOP/s by %s\n", typ, ceiling.Rate/1e9, ceiling.By)
	for i, s := range conv.ResNet50(1) {
		b.Run(fmt.Sprintf("%02d", i+1), func(b *testing.B) {
			c, err := conv.New[T, float32](s)
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(level.PCG(uint64(i), 5))
			random := func(n int) []T {
				x := make([]T, n)
				for i := range x {
					x[i] = convElem[T](rng.NormFloat64())
				}
				return x
			}
			in, w, out := random(s.In()), random(s.Weights()), random(s.Out())
			theirIn, theirOut := append([]T(nil), in...), append([]T(nil), out...)
			dw, theirDW := make([]float32, s.Weights()), make([]float32, s.Weights())
			one := cpu.Options{Threads: 1}
			var ours func()
			same := func(what string) {}
			switch d {
			case peer.Forward:
				packed := c.Pack(w)
				ours = func() { c.Forward(one, out, in, packed) }
				same = func(what string) { compareConv(b, what, out, theirOut, s.R*s.S*s.C, eps) }
			case peer.BackwardData:
				packed := c.PackBackward(w)
				ours = func() { c.BackwardData(one, in, out, packed) }
				same = func(what string) { compareConv(b, what, in, theirIn, s.R*s.S*s.K, eps) }
			case peer.BackwardWeights:
				ours = func() { c.BackwardWeights(one, dw, in, out) }
				same = func(what string) { compareConv(b, what, dw, theirDW, s.OutH()*s.OutW(), eps) }
			}
			ours()
			runs := []func(int){func(times int) {
				for range times {
					ours()
				}
			}}
			var kernels []string
			for _, blocked := range []bool{false, true} {
				if t.peer == nil {
					break
				}
				p := peer.Convolution{N: s.N, H: s.H, W: s.W, C: s.C, K: s.K, R: s.R, S: s.S, Stride: s.Stride, Dilation: s.Dilation, Pad: s.Pad, Direction: d}
				x, err := peer.Convolve(t.loop, t.peer, p, blocked, theirIn, w, theirOut, theirDW)
				if err != nil {
					b.Log(err)
					continue
				}
				x.Run(1)
				x.Read()
				same(x.Kernel)
				runs, kernels = append(runs, x.Run), append(kernels, x.Kernel)
			}
			seconds := peer.InTurns(runs...)
			flops := 2 * s.MACs()
			row := fmt.Sprintf("| %d | %v | %.1f | %.0f %% |", i+1, s, flops/seconds[0]/1e9, 100*flops/seconds[0]/ceiling.Rate)
			if len(seconds) > 1 {
				best := 1
				if len(seconds) > 2 && seconds[2] < seconds[1] {
					best = 2
				}
				ratio := seconds[best] / seconds[0]
				row += fmt.Sprintf(" %.1f | %s%s | %.2f |", flops/seconds[best]/1e9, kernels[best-1], []string{"", "", ", its layout"}[best], ratio)
				t.logs, t.n = t.logs+math.Log(ratio), t.n+1
			} else {
				row += " | | |"
			}
			t.rows = append(t.rows, row)
			fmt.Println(row)
			for b.Loop() {
			}
		})
	}
}

func convElem[T conv.Elem](x float64) T {
	var e T
	switch p := any(&e).(type) {
	case *float32:
		*p = float32(x)
	case *float64:
		*p = x
	case *dtype.BF16:
		*p = dtype.ToBF16(float32(x))
	}
	return e
}

// compareConv compares two results of sums of n products of numbers about 1.
func compareConv[T dtype.Elem](b *testing.B, who string, ours, theirs []T, n int, eps float64) {
	b.Helper()
	for i := range ours {
		x, y := check.Float64(ours[i]), check.Float64(theirs[i])
		tolerance := eps * math.Sqrt(float64(n)) * 10
		if dtype.Of[T]() == dtype.TypeBF16 {
			tolerance += math.Abs(y) / 64
		}
		if !(math.Abs(x-y) <= tolerance) {
			b.Fatalf("element %d is %v, and of %s %v, +- %v", i, x, who, y, tolerance)
		}
	}
}

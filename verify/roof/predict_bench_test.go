package roof_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// squares and skinny are what predictions are held to.
var (
	squares = []int{128, 192, 256, 384, 500, 512, 768, 1000, 1024, 1536, 2048}
	skinny  = [][3]int{
		{1, 2048, 2048}, {8, 2048, 2048}, {16, 2048, 2048}, {2048, 1, 2048}, {2048, 8, 2048}, {2048, 16, 2048},
		{32, 1024, 1024}, {1024, 32, 1024}, {2048, 2048, 16}, {2048, 2048, 64}, {128, 2048, 512}, {2048, 128, 512},
	}
)

// BenchmarkPredict prints what [tiling.Plan.Predict] says of products on one thread
// beside what they take, with rates that it measures first, and the median error.
// TILESMITH_ISA chooses the variant, PREDICT=f32,skinny some of the products.
//
//	go test -run '^$' -bench Predict -benchtime 1x -timeout 30m ./verify/roof
//
// Other work on the machine spoils it: caches and memory are shared.
func BenchmarkPredict(b *testing.B) {
	for b.Loop() {
		isa := cpu.ISAs()[0]
		if s := os.Getenv("TILESMITH_ISA"); s != "" {
			isa = s
		}
		m := roof.Machine(6 * time.Second)
		if os.Getenv("PREDICT_DATA") != "" {
			m = machine.This()
		}
		fmt.Printf("\n%s", m.Text())
		only := os.Getenv("PREDICT")
		wanted := func(name string) bool {
			other := map[string]string{"f32": "f64", "f64": "f32", "square": "skinny", "skinny": "square"}[name]
			return strings.Contains(only, name) || !strings.Contains(only, other)
		}
		var errs []float64
		if wanted("f32") {
			errs = append(errs, predictions[float32](m, isa, wanted)...)
		}
		if wanted("f64") {
			errs = append(errs, predictions[float64](m, isa, wanted)...)
		}
		summary("all", errs)
	}
}

// predictions prints the products of one type and returns the errors.
func predictions[T dtype.Float](m *machine.Machine, isa string, wanted func(string) bool) (all []float64) {
	for _, set := range []string{"square", "skinny"} {
		if !wanted(set) {
			continue
		}
		shapes := skinny
		if set == "square" {
			shapes = nil
			for _, n := range squares {
				shapes = append(shapes, [3]int{n, n, n})
			}
		}
		var errs []float64
		for _, s := range shapes {
			for _, op := range []string{"NN", "NT", "TN", "TT"} {
				errs = append(errs, predicted[T](m, isa, s, op))
			}
		}
		summary(fmt.Sprintf("%v %s", dtype.Of[T](), set), errs)
		all = append(all, errs...)
	}
	return all
}

func summary(what string, errs []float64) {
	if len(errs) > 0 {
		slices.Sort(errs)
		fmt.Printf("%s: median error %.1f %% of %d; nine in ten within %.1f %%\n", what, errs[len(errs)/2], len(errs), errs[len(errs)*9/10])
	}
}

// predicted prints one product and returns the error in percent.
func predicted[T dtype.Float](on *machine.Machine, isa string, s [3]int, op string) float64 {
	m, n, k := s[0], s[1], s[2]
	filled := func(rows, cols int, trans bool) layout.Matrix[T] {
		if trans {
			rows, cols = cols, rows
		}
		x := layout.New[T](rows, cols)
		for i := range x.Data {
			x.Data[i] = T(i%7) - 3
		}
		if trans {
			return x.T()
		}
		return x
	}
	t := dtype.Of[T]()
	a, b, out := filled(m, k, op[0] == 'T'), filled(k, n, op[1] == 'T'), filled(m, n, false)
	opt := run.Options{Threads: 1}
	if isa != cpu.ISAs()[0] {
		opt.ISA = isa
	}
	call := func() { cpu.MatMulOpt(opt, out, a, b) }

	// The clock changes: the ceiling is that of the same moment.
	top, best := 0.0, math.Inf(1)
	flops := 2 * float64(m) * float64(n) * float64(k)
	reps := max(1, int(1e8/flops))
	for range 12 {
		top = max(top, roof.FMA(isa, t, time.Millisecond))
		call()
		best = min(best, seconds(func() {
			for range reps {
				call()
			}
		})/float64(reps))
	}
	now := *on
	now.Clock *= top / on.Ceiling(isa, t.Size())
	planned := dense.Planned{Kernels: tiling.Outline(isa, t.Size()), A: t, B: t, Acc: t, M: m, N: n, K: k, TransA: op[0] == 'T', TransB: op[1] == 'T'}
	plan := planned.Plan(machine.This(), opt)
	p := plan.Predict(&now)
	e := 100 * (best/p.Seconds - 1)
	fmt.Printf("%v %s %4d x %4d x %4d %-4s  %6.1f GFLOP/s, predicted %6.1f (%+5.1f %%), %4.1f %% of the ceiling, bound by %s: %s\n",
		t, op, m, n, k, plan.Loop, flops/best/1e9, p.Rate()/1e9, e, 100*flops/best/top, p.Bound(), p.Because(int(cost.Resources)))
	return math.Abs(e)
}

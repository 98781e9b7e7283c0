package peer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	cpurun "github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// BenchmarkLLC prints the speed of our micro-kernels beside that of llc's code for the
// same functions, on the same operands, one thread: seven of the largest tiles, one
// under another, with k = 512.
//
//	go test -run '^$' -bench LLC -benchtime 1x ./verify/peer ./gen/examples/fused
func BenchmarkLLC(b *testing.B) {
	for b.Loop() {
		fmt.Printf("\n%s\n\nmicro-kernels, k=512: GFLOP/s\n%-24s %10s %10s %10s\n", llctest.Header(), "", "ours", "llc's", "ours/llc's")
		for _, target := range llctest.Targets() {
			benchmarkLLC(b, target, gemm.Spec[float32, float32, float32, float32]{Name: "SGEMM"}.Describe(), gemmf.SGEMMOpt)
			benchmarkLLC(b, target, gemm.Spec[float64, float64, float64, float64]{Name: "DGEMM"}.Describe(), gemmf.DGEMMOpt)
		}
	}
}

func benchmarkLLC[T dtype.Float](b *testing.B, target emit.Target, d gemm.Description,
	native func(opt cpurun.Options, out, a, b layout.Matrix[T])) {
	m, err := simd.Lower(d, target, simd.Options{})
	if err != nil {
		b.Fatal(err)
	}
	o := llctest.Compile(b, target, m.Funcs)
	set := dense.Set[T]{Name: "llc", Variants: []*kernel.Kernels{llctest.Kernels(o, m)}}
	rows, cols, k := 7*m.MR, m.NV*m.VL, 512
	r := rand.New(level.PCG(1, 2))
	matrix := func(m, n int) layout.Matrix[T] {
		return layout.RowMajor(llctest.Fill[T](r, (*rand.Rand).NormFloat64, m*n), m, n)
	}
	x, y, have, want := matrix(rows, k), matrix(k, cols), matrix(rows, cols), matrix(rows, cols)
	opt := cpurun.Options{ISA: target.Name, Threads: 1}
	ours, theirs := func() { native(opt, want, x, y) }, func() { set.Gemm(opt, have, x, y) }
	ours()
	theirs()
	if i := llctest.Differs(have.Data, want.Data); i >= 0 {
		b.Fatalf("%s: element %d is %v by llc, %v by our assembly", target.Name, i, have.Data[i], want.Data[i])
	}
	s := llctest.Race(ours, theirs)
	flops := 2 * float64(rows) * float64(cols) * float64(k)
	fmt.Printf("%-24s %10.1f %10.1f %9.2fx\n", fmt.Sprintf("%s %v %dx%d", target.Name, dtype.Of[T](), m.MR, cols),
		flops/s[0]/1e9, flops/s[1]/1e9, s[1]/s[0])
}

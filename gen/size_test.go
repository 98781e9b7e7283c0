package gen

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// logAdd computes in float64.
func logAdd(x, y float32) float32 {
	most, least := float64(max(x, y)), float64(min(x, y))
	if math.IsInf(most, 0) {
		return float32(most)
	}
	return float32(most + math.Log1p(math.Exp(least-most)))
}

var logSum = semiring.Semiring[float32]{Name: "logsum", Zero: float32(math.Inf(-1)), Plus: logAdd, Times: plusBias, Laws: semiring.Laws{Commutative: true}}

// TestWideSemiring: a semiring of float32 that computes in float64 has kernels in every product that takes
// one, and not much text.
func TestWideSemiring(t *testing.T) {
	targets := level.Of([]emit.Target{amd64.AVX2}, []emit.Target{amd64.AVX2, arm64.NEON}, gemm.CPUTargets())
	specs := []Spec{
		f32Spec{Name: "LogDense", Operator: gemm.Over(logSum), Targets: targets},
		spec.SpMM[float32]{Name: "LogRows", Reduce: logSum, Targets: emit.Targets(targets)},
		spec.SpMV[float32]{Name: "LogVector", Reduce: logSum, Targets: emit.Targets(targets)},
		spec.SegmentReduce[float32]{Name: "LogSegments", Reduce: logSum, Targets: emit.Targets(targets)},
	}
	o := Options{Package: "p", Source: "a test", Dir: "."}
	funcs := newFunctions(o)
	files, err := generateAll(o, funcs, specs)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range specs {
		sizes, err := sizesOf(files, s.Kernel(), specs)
		if err != nil || len(sizes) != len(targets) {
			t.Errorf("%s: %v, %v", s.Kernel(), sizes, err)
		}
		for _, z := range sizes {
			if z.bytes > 200_000 {
				t.Errorf("%s has %s", s.Kernel(), sizeText(sizes))
			}
		}
	}
	var b strings.Builder
	if err := warnings(&b, "spec.go", funcs, files, specs); err != nil || b.Len() > 0 {
		t.Errorf("%q, %v", b.String(), err)
	}
	much := []File{{"p_gen_amd64.s", []byte("\nTEXT ·logDense_avx2_1x4(SB)" + strings.Repeat("\tNOP\n", muchAssembly/5))}}
	if err := warnings(&b, "spec.go", funcs, much, specs); err != nil || strings.Count(b.String(), "\n") != 1 ||
		!strings.HasPrefix(b.String(), "tilesmith: spec.go: warning: LogDense has 500 KB of assembly for amd64, because a step of the semiring logsum is 1") {
		t.Errorf("%q, %v", b.String(), err)
	}
}

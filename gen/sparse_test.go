package gen

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// named is a list of targets that does not come from the IR.
type named []string

func (n named) Names() []string { return n }

// strange is an epilogue of somebody's own.
type strange struct{}

func (strange) Sum() (x float32) { return }

func plusBias(acc, bias float32) float32 { return acc + bias }

// TestSparseRefused wants one sentence, with the spec's name, for what cannot be
// generated.
func TestSparseRefused(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{spec.SpMM[float32]{Name: "Agg", Targets: named{"avx2", "mmx"}}, `no target "mmx"; there is avx512, avx2`},
		{spec.SpMM[float32]{Name: "Agg", Targets: named{"avx2", "avx2"}}, "avx2 is listed twice"},
		{spec.SpMM[float32]{Name: "Agg", Targets: emit.Targets{}}, "has no targets"},
		{spec.SpMM[float32]{Name: "Agg", Features: -1}, "-1 features; 0 leaves their number to run time"},
		{spec.SpMM[float32]{Name: "a_b"}, "underscore"},
		{spec.SpMM[float32]{Name: "sparse"}, "means something else"},
		{spec.SpMM[float32]{Name: "Agg", Epilogue: strange{}}, "make one with gemm.Map1"},
		{spec.SpMM[float32]{Name: "Agg", Epilogue: gemm.Map2(plusBias, gemm.PerRow[float32]("AggOpt"))}, `called "AggOpt", which is what generated code calls`},
		{spec.SpMM[float32]{Name: "Agg", Epilogue: gemm.Map2(plusBias, gemm.PerRow[float32]("a"))}, `two parameters are called "a"`},
		{spec.SpMMTo[float32, int8]{Name: "Agg"}, "give the spec an epilogue"},
		{spec.SpMMOf[float32, int8, float32]{Name: "Agg"}, "b is stored as i8 for sums in f32; want bf16 or f16"},
		{spec.SpMMOf[float64, dtype.BF16, float64]{Name: "Agg"}, "b is stored as bf16 for sums in f64"},
		{spec.SpMMOf[float32, dtype.F16, float32]{Name: "Agg", Format: format.ELL(4)}, "a is in the format ell4; want compressed rows, or a b of f32"},
		{spec.SpMM[float32]{Name: "Agg", Reduce: spec.Reduction(9)}, "there are spec.Plus, Mean, Max and Min"},
		{spec.SpMM[float32]{Name: "Agg", Reduce: gemm.MaxPlus}, "a spec.Semiring of Go functions"},
		{spec.SpMM[float32]{Name: "Agg", Reduce: spec.Semiring[float64]{Name: "other"}}, "is of another type than f32"},
		{spec.SpMM[float32]{Name: "Agg", Reduce: spec.Semiring[float32]{Name: "half", Plus: plusBias}}, "Plus and Times have to be functions"},
		{spec.SpMM[float32]{Name: "Agg", Reduce: spec.Semiring[float32]{Name: "nan", Zero: float32(math.NaN()), Plus: plusBias, Times: plusBias}}, "neutral for nothing"},
		{spec.SpMM[float32]{Name: "Agg", Format: format.SELL(8, 9)}, "holds none of the matrices"},
		{spec.SpMV[float32]{Name: "Agg", Epilogue: gemm.Map1(act.ReLU[float32]).RowSum("total")}, "reduce the column with ColSum"},
		{spec.SpMV[float32]{Name: "Agg", Epilogue: gemm.Map2(plusBias, gemm.PerColumn[float32]("bias"))}, "operand bias is PerColumn, and the result is a vector; make it gemm.PerRow"},
		{spec.SDDMM[float32]{Name: "Agg", Epilogue: gemm.Map1(act.ReLU[float32]).RowSum("total")}, "a sampled product has no rows and columns to reduce; leave it out"},
	} {
		_, err := Generate(Options{Package: "p", Source: "a test", Dir: "."}, c.spec)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v:\n\t%v\n\twant %q", c.spec, err, c.want)
		}
	}
}

// TestSparseFixed has only those kernels that a fixed number of features calls, if the
// package has its own.
func TestSparseFixed(t *testing.T) {
	for _, c := range []struct {
		features int
		want     string // functions of AVX-512, whose vectors have 16 lanes
	}{
		{1, "16tail fetch_16tail vec"},
		{16, "16 fetch_16"},
		{100, "112tail fetch_112tail"},
		{256, "256 fetch_256"},
		{300, "144tail 160 fetch_144tail fetch_160"}, // 19 vectors: 10 and 9
		{288, "144 fetch_144"},
	} {
		files, err := Generate(Options{Package: "p", Source: "a test", Dir: "."},
			spec.SpMM[float32]{Name: "Agg", Features: c.features, Targets: emit.Targets{amd64.AVX512}, Standalone: true})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			if !strings.HasSuffix(f.Name, ".s") {
				continue
			}
			for line := range strings.Lines(string(f.Data)) {
				if rest, ok := strings.CutPrefix(line, "TEXT ·agg_avx512_"); ok {
					name, _, _ := strings.Cut(rest, "(")
					names = append(names, name)
				}
			}
		}
		if have := strings.Join(names, " "); have != c.want {
			t.Errorf("%d features: %s, want %s", c.features, have, c.want)
		}
	}
}

// TestSparseExplain shows a row kernel, and an epilogue with its cost.
func TestSparseExplain(t *testing.T) {
	if testing.Short() {
		t.Skip("explains in a program of its own")
	}
	s := spec.SpMM[float32]{Name: "Agg", Features: 64, Epilogue: gemm.Map1(act.GELU[float32])}
	for _, c := range []struct{ name, want string }{
		{"64", "agg_avx512_64, avx512, assembly"},
		{"", "agg_avx512_epi, avx512, the epilogue's function"},
	} {
		var b strings.Builder
		if err := (Explanation{Func: c.name}).Print(&b, Options{Package: "p", Source: "a test", Dir: "."}, s); err != nil {
			t.Errorf("%q: %v", c.name, err)
		}
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("explain %q lacks %q:\n%.500s", c.name, c.want, b.String())
		}
	}
}

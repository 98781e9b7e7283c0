package gen

import (
	"regexp"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// TestScarceAddresses wants the place of an epilogue with more outputs, operands and
// reductions than registers hold addresses of, what takes them, and a way out; and that
// what has too many of them for a kernel's arguments is counted as the reader can.
func TestScarceAddresses(t *testing.T) {
	e := gemm.Map3(func(acc, scale, row float32) float32 { return acc*scale - row }, gemm.Scalar[float32]("scale"), gemm.PerRow[float32]("row")).
		RowLogSumExp("r0").RowArgMin("r1").RowMax("r2").RowSumSquares("r3").ColLogSumExp("r4")
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{f32Spec{Name: "Many", Epilogue: e, Targets: []emit.Target{amd64.AVX512}},
			`^gen: Many: scarce_test\.go:\d+: in the kernel many_avx512_epi: 1\d general registers are needed at once, avx512 has 13; they hold where outputs, operands and reductions are: give .*divide them between two specs$`},
		{spec.SpMM[float32]{Name: "Many", Epilogue: e, Targets: emit.Targets{amd64.AVX512}},
			`^gen: Many: scarce_test\.go:\d+: in the kernel .*general registers .*divide them between two specs$`},
		{f32Spec{Name: "Many", Epilogue: e.RowArgMax("r5")},
			`^gemm: Many: scarce_test\.go:\d+: the epilogue has 15 .* \(a row index counts as three, a log-sum-exp as two\); the limit is 12: divide them between two specs$`},
	} {
		_, err := Generate(Options{Package: "p", Source: "a test", Dir: "."}, c.spec)
		if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("said:\n%v\nwant %s", err, c.want)
		}
	}
}

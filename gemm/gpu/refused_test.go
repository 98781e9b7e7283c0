package gpu

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// TestRefused: what no GPU kernel can be made of is refused with the reason.
func TestRefused(t *testing.T) {
	type bf = dtype.BF16
	sum64 := gemm.Map1(func(x float32) float64 { return float64(x) }).RowSum("s")
	for _, c := range []struct {
		s      spec
		target emit.Target
		want   string
	}{
		{gemm.Spec[bf, bf, float32, bf]{Name: "P"}, amd64.AVX2, "P: avx2 is not a GPU"},
		{gemm.Spec[bf, bf, float32, bf]{}, sm80, `a spec is called "";`},
		{gemm.Spec[float64, float64, float64, float32]{Name: "P"}, sm80, "sums of f64 are not stored as f32 by themselves"},
		{gemm.Spec[float64, float64, float32, float32]{Name: "P"}, sm80, "no operator of a GPU multiplies f64 by f64 into f32"},
		{gemm.Spec[int8, uint8, int32, int8]{Name: "P"}, sm80, "sums of i32 are not stored as i8 by themselves"},
		{gemm.Spec[int8, int8, float32, float32]{Name: "P"}, sm80, "i8 or u8 with sums of i32"},
		{gemm.Spec[dtype.F8E4M3, dtype.F8E5M2, float32, float32]{Name: "P"}, sm80, "sm_80 has no products of e4m3 and e5m2: they are of sm_89 and later"},
		{gemm.Spec[bf, bf, float32, float32]{Name: "P", Operator: gemm.TF32}, sm80, "operator tf32 is for f32, f32 and f32"},
		{gemm.Spec[bf, bf, float32, float32]{Name: "P", Operator: gemm.F16Sums}, sm80, "operator f16 sums is for f16, f16 and f32"},
		{gemm.Spec[float64, float64, float64, float32]{Name: "P", Epilogue: gemm.Map1(func(x float64) float32 { return float32(x) }).RowSum("s")}, sm80, "reductions on a GPU are of results that take the place of sums"},
		{gemm.Spec[int8, int8, int32, int32]{Name: "P", Sparse: gemm.Sparse24, Epilogue: gemm.Map1(func(x int32) int32 { return x }).ZeroPoints("az", "")}, sm80, "no number above a zero point"},
		{gemm.Spec[bf, float32, float32, float32]{Name: "P"}, sm80, "no operator of a GPU multiplies bf16 by f32"},
		{gemm.Spec[bf, bf, float32, float32]{Name: "P", Operator: gemm.MaxPlus}, sm80, "operator maxplus.f32 is for f32, f32 and f32"},
		{gemm.Spec[bf, bf, float32, float32]{Name: "P", Operator: widening{}}, sm80, "operator widening is for bf16; on a GPU an operator of one's own is for f32"},
		{gemm.Spec[float32, float32, float32, float32]{Name: "P", Operator: deep{}}, sm80, "operator deep takes 2 k a step; on a GPU"},
		{gemm.Spec[bf, bf, float32, float64]{Name: "P"}, sm80, "are not stored as f64 by themselves"},
		{gemm.Spec[bf, bf, float32, float64]{Name: "P", Epilogue: sum64}, sm80, "reductions on a GPU are of f32"},
		{gemm.Spec[bf, bf, float32, bf]{Name: "P", GPU: tiling.GPU{BM: 128, BN: 128, BK: 32, WM: 128, WN: 64, Stages: 4}}, sm80, "threads are fewer than BN"},
		{gemm.Spec[bf, bf, float32, bf]{Name: "P", GPU: tiling.GPU{BM: 256, BN: 128, BK: 32, WM: 128, WN: 64, Stages: 3}}, sm80, "needs about 392 registers a thread for sums, operands and addresses, the limit is 255"},
		{gemm.Spec[bf, bf, float32, bf]{Name: "P", GPU: tiling.GPU{BM: 128, BN: 128, BK: 64, WM: 64, WN: 64, Stages: 4}}, emit.Target{Name: "sm_89", Arch: "ptx"}, "needs 131072 bytes of shared memory, the limit is 101376"},
		{gemm.Spec[bf, bf, float32, bf]{Name: "P", Sparse: 2}, sm80, "Sparse is 2; want Sparse24"},
		{gemm.Spec[float32, float32, float32, float32]{Name: "P", Sparse: gemm.Sparse24}, sm80, "f32 with Operator: gemm.TF32"},
		{gemm.Spec[float64, float64, float64, float64]{Name: "P", Sparse: gemm.Sparse24}, sm80, "tensor cores have no sparse products of f64 and f64 into f64"},
		{gemm.Spec[float32, float32, float32, float32]{Name: "P", Sparse: gemm.Sparse24, Operator: gemm.MaxPlus}, sm80, "operator maxplus.f32 has no sparse products"},
		{gemm.Spec[dtype.F8E4M3, dtype.F8E5M2, float32, float32]{Name: "P", Sparse: gemm.Sparse24}, sm80, "sm_80 has no products of e4m3 and e5m2"},
		{gemm.Spec[bf, bf, float32, bf]{Name: "P", Sparse: gemm.Sparse24, GPU: tiling.GPU{BM: 64, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 4}}, sm80, "128 threads do not share 64 words of metadata"},
		{gemm.Spec[bf, bf, float32, bf]{Name: "P", Epilogue: gemm.Map2(func(x, y float32) bf { return bf{} }, gemm.PerRow[float32]("out"))}, sm80, `two parameters are called "out"`},
	} {
		_, err := Lower(c.s.Describe(), c.target)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// widening is an operator on narrow elements with sums of f32.
type widening struct{ gemm.FMA }

func (widening) String() string               { return "widening" }
func (widening) Types() (a, b, acc emit.Elem) { return emit.BF16, emit.BF16, emit.F32 }

// deep is an operator that takes two k a step.
type deep struct{ gemm.FMA }

func (deep) String() string               { return "deep" }
func (deep) Types() (a, b, acc emit.Elem) { return emit.F32, emit.F32, emit.F32 }
func (deep) Depth() gemm.Depth            { return gemm.Depth{K: 2, Interleave: 2} }

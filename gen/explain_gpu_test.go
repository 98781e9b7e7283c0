package gen

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// TestExplainGPU: what a kernel for a GPU needs says how it cuts the product and what is in a
// stage, a sparse one's metadata too. Without a name the kernel is one that multiplies.
func TestExplainGPU(t *testing.T) {
	tile := tiling.GPU{BM: 32, BN: 64, BK: 64, WM: 32, WN: 32, Stages: 3}
	targets := []emit.Target{ptx.SM80}
	dense := gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Dense", Targets: targets, GPU: tile, Grouped: true}
	half := gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Half", Targets: targets, GPU: tile, Sparse: gemm.Sparse24}
	words := gemm.Spec[float32, float32, float32, float32]{Name: "Words", Targets: targets, GPU: tile, Sparse: gemm.Sparse24, Operator: gemm.TF32}
	bytes := gemm.Spec[int8, uint8, int32, int32]{Name: "Bytes", Targets: targets, Sparse: gemm.Sparse24,
		GPU: tiling.GPU{BM: 32, BN: 64, BK: 128, WM: 32, WN: 32, Stages: 2}}
	cases := []struct {
		spec Spec
		name string
		want []string
	}{
		{dense, "nk16", nil},
		{dense, "kn16group", []string{
			"tile       32 x 64 of out a CTA, 32 x 32 a warp, 64 of K at a time, by mma.bf16\nstages     3 of 12288 bytes",
			"\na          4096 bytes of a stage: bf16 at Sw<3,3,3> o (32,64):(64,1)\nb          8192 bytes of a stage: bf16 at Sw<3,3,3> o (64,64):(1,64)\n"}},
		{half, "", []string{"== half_sm80_kk16, sm_80, what it needs", "16 mma, 0 fma", "shared     31488 bytes a CTA",
			"by mma.sp.bf16\nstages     3 of 10496 bytes",
			"\na          2048 bytes of a stage: bf16 at Sw<2,3,3> o (32,32):(32,1); of 64 along K 32 are stored\nb          8192 bytes",
			"\nmetadata   256 bytes of a stage: words of 32 bits at Sw<3,2,3> o (2,32):(32,1), 16 for each 16 rows and 32 of K in the order of package sparse24; four bits name the 2 elements of 4 neighbours"}},
		{words, "kn4", []string{"by mma.sp.tf32\n", "\nmetadata   512 bytes of a stage", "16 for each 16 rows and 16 of K", "four bits name the 1 element of 2 neighbours"}},
		{bytes, "any", []string{"by mma.sp.s8.u8\n", "\nmetadata   512 bytes of a stage", "32 for each 16 rows and 64 of K"}},
	}
	for _, i := range level.Pick(len(cases), 0, 2) {
		x := cases[i]
		var b strings.Builder
		err := Explanation{Func: x.name}.Print(&b, Options{Package: "p", Source: "spec.go"}, x.spec)
		if x.want == nil {
			if err == nil {
				t.Errorf("there is a %s", x.name)
			}
			continue
		}
		_, needs, _ := strings.Cut(b.String(), "assembly\n")
		i := strings.LastIndex(needs, "\n== ")
		if err != nil || i < 0 {
			t.Errorf("%s: %v", x.spec.Kernel(), err)
			continue
		}
		for _, w := range x.want {
			if !strings.Contains(needs[i:], w) {
				t.Errorf("%s: no %q in\n%s", x.spec.Kernel(), w, needs[i:])
			}
		}
	}
	if level.Of(true, false, false) {
		return
	}
	// What is no product has no tile.
	var b strings.Builder
	if err := (Explanation{Func: "parts"}).Print(&b, Options{Package: "p", Source: "spec.go"}, dense); err != nil || strings.Contains(b.String(), "\nstages ") {
		t.Errorf("%v, and the kernel that adds up parts is said to have stages", err)
	}
}

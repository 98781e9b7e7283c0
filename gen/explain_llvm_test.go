package gen_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

func TestExplainLLVM(t *testing.T) {
	if testing.Short() {
		t.Skip("explains in a program of its own")
	}
	spec := gemm.Spec[float32, float32, float32, float32]{Name: "Product"}
	o := gen.Options{Package: "product", Source: "spec.go"}
	var out strings.Builder
	if err := (gen.Explanation{Target: "avx2", Pass: "llvm", Func: "6x16"}).Print(&out, o, spec); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"; product_avx2_6x16 for avx2, LLVM 15 or newer\n", "define void @product_avx2_6x16(ptr %args) #0 {", "call <8 x float> @llvm.fma.v8f32(", `"target-features"="+avx2,`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%.1500s", want, out.String())
		}
	}
	spec.Targets = gen.GPU[:1]
	if spec.Targets[0] != ptx.SM80 {
		t.Fatalf("the first GPU is %v", spec.Targets[0])
	}
	err := (gen.Explanation{Pass: "llvm"}).Print(&out, o, spec)
	if err == nil || !strings.Contains(err.Error(), "has no row on llvm") {
		t.Errorf("a function for a GPU is refused with %v", err)
	}
}

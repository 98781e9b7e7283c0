package gen

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling"
)

// minus is an operator that gen cannot make a portable package of.
type minus struct{ gemm.FMA }

func (minus) String() string { return "minus" }
func (minus) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	return b.Sub(acc, b.Mul(x, y))
}

// TestOperator refuses a package that would be wrong where there is no assembly.
func TestOperator(t *testing.T) {
	_, err := Generate(Options{Package: "p", Source: "spec.go", Dir: "."},
		gemm.Spec[float32, float32, float32, float32]{Name: "Minus", Targets: onAMD64, Operator: minus{gemm.FMA{Elem: emit.F32}}})
	if err == nil || !strings.Contains(err.Error(), "gemm: Minus: operator minus has no portable form") {
		t.Errorf("have %v", err)
	}
	few := []emit.Target{amd64.AVX2} // its kernels have hundreds of instructions a step
	tile := level.Of(tiling.Micro{MR: 1, NV: 1}, tiling.Micro{MR: 1, NV: 1}, tiling.Micro{})
	// docs/howto-operator.md
	norms := semiring.Semiring[float32]{Name: "norms", Plus: hypot, Times: size, Laws: semiring.Laws{Commutative: true}}
	if _, err := Generate(Options{Package: "p", Source: "a test", Dir: "."}, f32Spec{Name: "Norms", Operator: gemm.Over(norms), Targets: level.Of(few, few, gemm.CPUTargets()), Tile: tile}); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{f32Spec{Name: "Far", Operator: gemm.Semiring{}}, "the semiring is empty"},
		{f32Spec{Name: "Far", Targets: onAMD64, Epilogue: gemm.Map2(plusBias, gemm.PerRow[float32]("FarOpt"))}, `an operand of the epilogue is called "FarOpt", which is what generated code calls`},
		{f32Spec{Name: "Far", Targets: onAMD64, Epilogue: gemm.Map1(act.ReLU[float32]).RowSum("float32")}, `a reduction is called "float32", which is a type of Go`},
		{f32Spec{Name: "true", Targets: onAMD64}, `spec name "true" means something else`},
		{f32Spec{Name: "isa", Targets: onAMD64}, `spec name "isa" means something else`},
		{(*f32Spec)(nil), "spec 1 is nil"},
		{f32Spec{Name: "Far", Operator: gemm.MaxPlus, Shape: gemm.Shape{M: 4}}, "no epilogue and no fixed shape yet"},
		{f32Spec{Name: "Far", Operator: gemm.MaxPlus, Epilogue: gemm.Map1(act.ReLU[float32])}, "no epilogue and no fixed shape yet"},
		{f32Spec{Name: "Far", Operator: gemm.Over(semiring.Semiring[float32]{Name: "empty"})}, "gemm: Far: semiring empty: Plus and Times have to be functions"},
		{f32Spec{Name: "Far", Operator: gemm.Over(semiring.MaxPlus[float64]())}, "operator maxplus.f64 is for f64"},
		{f32Spec{Name: "Far", Operator: gemm.MaxPlus, Tile: tiling.Micro{MR: 14, NV: 2}}, "register"},
	} {
		if _, err := Generate(Options{Package: "p", Source: "a test", Dir: "."}, c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func hypot(x, y float32) float32 { return float32(math.Hypot(float64(x), float64(y))) }
func size(x, y float32) float32  { return float32(math.Abs(float64(x * y))) }

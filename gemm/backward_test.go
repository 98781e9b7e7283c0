package gemm_test

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func gated(acc, bias, gain float32, n int32, row dtype.BF16) (out, pre float32) {
	pre = acc*float32(n) + bias + row.Float32()
	return gain * act.GELU(pre), pre
}

// TestBackward looks at the operands and results of what is derived.
func TestBackward(t *testing.T) {
	s := gemm.Spec[float32, float32, float32, float32]{Name: "Dense", Epilogue: gemm.Fuse[float32, float32](gated, []gemm.Output{gemm.Also[float32]("pre")},
		gemm.PerColumn[float32]("bias").In(), gemm.Full[float32]("gain").In(), gemm.Scalar[int32]("n").In(), gemm.PerRow[dtype.BF16]("row").In())}
	back := s.Backward()
	f := back.Epilogue.Fusion()
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, in := range f.Inputs {
		have = append(have, in.Name+" "+in.Pattern.String())
	}
	for _, o := range f.Also {
		have = append(have, o.Name)
	}
	for _, r := range f.Reduces {
		have = append(have, map[bool]string{true: "column ", false: "row "}[r.Col]+r.Name)
	}
	want := "bias PerColumn, gain Full, n Scalar, row PerRow, dout Full, dpre Full, dbiasEach, dgain, drowEach, column dbias, row drow"
	if got := strings.Join(have, ", "); got != want || back.Name != "DenseBack" {
		t.Errorf("%s: %s\nwant %s", back.Name, got, want)
	}
}

// TestBackwardReduced looks at the operands by which gradients come through reductions.
func TestBackwardReduced(t *testing.T) {
	biased := func(acc, bias float32) (out, pre float32) { return act.GELU(acc + bias), acc + bias }
	e := gemm.Fuse[float32, float32](biased, []gemm.Output{gemm.Unstored[float32]("pre")}, gemm.PerColumn[float32]("bias").In()).
		RowSum("total").RowArgMax("at").Of("pre").ColSumSquares("power").RowLogSumExp("lse")
	f := e.Backward().Fusion()
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, in := range f.Inputs[1:] {
		have = append(have, in.Name+" "+in.Pattern.String())
	}
	if got, want := strings.Join(have, ", "), "dout Full, dtotal PerRow, dpower PerColumn, lse PerRow, dlse PerRow"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if f := e.Unstored().Backward().Fusion(); f.Check() != nil || f.Inputs[1].Name != "dtotal" {
		t.Errorf("of a result that is only reduced %v, %v", f.Inputs, f.Check())
	}
}

func TestBackwardRefused(t *testing.T) {
	plain := gemm.Spec[float32, float32, float32, float32]{Name: "Plain"}
	whole := gemm.Spec[int8, int8, int32, int32]{Name: "Whole", Epilogue: gemm.Map1(func(x int32) int32 { return x + 1 })}
	reduced := gemm.Map1(act.ReLU[float32]).RowMax("peak")
	jumps := gemm.Map1(func(x float32) int32 { return int32(max(-9, min(9, x))) })
	for _, c := range []struct {
		f    *gemm.Fusion
		want string
	}{
		{plain.Backward().Epilogue.Fusion(), "the spec has no epilogue"},
		{whole.Backward().Epilogue.Fusion(), "sums of i32 have no derivative"},
		{reduced.Backward().Fusion(), "peak is the Max of many numbers, and which of equal ones it is"},
		{jumps.Backward().Fusion(), "has no float result"},
		{gemm.Epilogue[float32, float32]{}.Backward().Fusion(), "the spec has no epilogue"},
	} {
		if err := c.f.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

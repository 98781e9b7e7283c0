package gemm

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/quant"
)

// TestZeroPoints: they are of integers with sums of integers, have names of their own, and
// slots behind those of the operands.
func TestZeroPoints(t *testing.T) {
	e := Map2(quant.Dequantise, PerColumn[float32]("scale"))
	both := e.ZeroPoints("az", "bz").Fusion()
	if both.ColumnTerm() != 2 || both.RowTerm() != 3 || both.Slots() != 4 || both.Product() != "(a-az)*(b-bz)" {
		t.Errorf("terms at %d and %d of %d slots, product %s", both.ColumnTerm(), both.RowTerm(), both.Slots(), both.Product())
	}
	one := e.ZeroPoints("", "bz").RowMax("top").Fusion()
	if one.ColumnTerm() != -1 || one.RowTerm() != 2 || one.ReduceSlot(0) != 3 || one.Product() != "a*(b-bz)" {
		t.Errorf("terms at %d and %d, the reduction at %d, product %s", one.ColumnTerm(), one.RowTerm(), one.ReduceSlot(0), one.Product())
	}
	if e.Fusion().Zeros != (Zeros{}) {
		t.Error("the epilogue that it was made of has zero points, too")
	}
	var none Epilogue[int32, int32]
	if none.ZeroPoints("az", "bz").Fusion() != nil {
		t.Error("an epilogue without a function has become one")
	}
	float := Map1(func(x float32) float32 { return x }).ZeroPoints("az", "")
	unsigned := Map2(func(x int32, y uint8) float32 { return 0 }, Scalar[uint8]("y"))
	signed := Map2(func(x int32, y int8) float32 { return 0 }, Scalar[int8]("y"))
	swapped := *signed.Fusion()
	swapped.Inputs = unsigned.Fusion().Inputs
	for _, c := range []struct {
		d    Description
		want string
	}{
		{Spec[uint8, int8, int32, float32]{Name: "X", Epilogue: e.ZeroPoints("az", "bz")}.Describe(), ""},
		{Spec[uint8, int8, int32, float32]{Name: "X", Epilogue: unsigned}.Describe(), ""},
		{Spec[float32, float32, float32, float32]{Name: "X", Epilogue: float}.Describe(), "az is the zero point of a, which is f32 with sums of f32; want integers"},
		{Spec[uint8, int8, int32, float32]{Name: "X", Epilogue: e.ZeroPoints("scale", "")}.Describe(), `two parameters are called "scale"`},
		{Spec[uint8, int8, int32, float32]{Name: "X", Epilogue: e.ZeroPoints("a", "")}.Describe(), `two parameters are called "a"`},
		{Spec[uint8, int8, int32, float32]{Name: "X", Epilogue: e.ZeroPoints("a z", "")}.Describe(), `a parameter is called "a z", which is no Go identifier`},
		{Description{Name: "X", A: swapped.Acc, B: swapped.Acc, Acc: swapped.Acc, Out: swapped.Out, Fusion: &swapped}, "parameter 2 (y) of the epilogue is a int8, want uint8"},
	} {
		if err := c.d.Check(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

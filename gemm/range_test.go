package gemm

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/ranges"
)

func plus[T int8 | float32 | float64](acc float32, x T) float32 { return acc + float32(x) }

func plusF16(acc float32, x dtype.F16) float32 { return acc + x.Float32() }

// TestRangeRefused: ends that are no range are refused with the operand and what would be right; Go itself refuses constants that
// are not of the operand's type.
func TestRangeRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	of := func(x Operand[float32]) *Fusion { return Map2(plus[float32], x).Fusion() }
	eps := Scalar[float32]("eps")
	for _, c := range []struct {
		f    *Fusion
		want string // "": it is right
	}{
		{of(eps), ""}, {of(eps.Within(0, 1)), ""}, {of(eps.Within(0, inf)), ""}, {of(eps.Within(-inf, inf)), ""}, {of(eps.Within(-inf, -1)), ""},
		{Map2(plus[int8], Full[int8]("q").Within(-128, 127)).Fusion(), ""},
		{Map2(plusF16, PerRow[dtype.F16]("h").Within(dtype.ToF16(0.5), dtype.ToF16(2.0))).Fusion(), ""},
		{of(eps.Within(1, 1e-3)), "operand eps of the epilogue is from 1 to 0.001: want low < high"},
		{of(eps.Within(1, 0)), "want low < high"},
		{of(eps.Within(nan, 1)), "an end is NaN"}, {of(eps.Within(0, nan)), "an end is NaN"},
		{of(eps.Within(2, 2)), "it has one number; write that into the function"},
		{of(eps.Within(inf, inf)), "it has one number"}, {of(eps.Within(0, 0)), "it has one number"},
		{Map2(plus[int8], Full[int8]("q").Within(7, -7)).Fusion(), "want low < high"},
	} {
		if err := c.f.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.f.Inputs, err, c.want)
		}
	}
}

// TestRangeText: what documents say of ranges, with the digits that the type has.
func TestRangeText(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		in   Input
		want string
	}{
		{PerRow[float32]("eps").Within(1e-3, 1).In(), "{eps PerRow f32 from 0.001 to 1}"},
		{Scalar[float64]("eps").Within(1e-3, inf).In(), "{eps Scalar f64 at least 0.001}"},
		{Full[int32]("i").Within(-1<<31, 1<<31-1).In(), "{i Full i32 from -2147483648 to 2147483647}"},
		{PerColumn[dtype.BF16]("b").Within(dtype.ToBF16(-inf), dtype.ToBF16(3.0)).In(), "{b PerColumn bf16 at most 3}"},
		{PerRow[float32]("x").Within(float32(-inf), float32(inf)).In(), "{x PerRow f32 any number but NaN}"},
		{PerRow[uint8]("x").In(), "{x PerRow u8}"},
	} {
		if have := c.in.String(); have != c.want {
			t.Errorf("%s, want %s", have, c.want)
		}
	}
}

// TestRangeOfGradients: a derivative is given the ranges of the operands that it takes, and no others.
func TestRangeOfGradients(t *testing.T) {
	back := Map2(plus[float32], PerRow[float32]("eps").Within(1e-3, 1)).RowSum("total").Backward().Fusion()
	r, ok := back.Applied().(ranges.Promise)
	if !ok || len(r.Within) != 1+len(back.Inputs) {
		t.Fatalf("%T of %v", back.Applied(), back.Inputs)
	}
	for i, w := range r.Within {
		if (w != ranges.Range{}) != (i == 1) {
			t.Errorf("operand %d is within %v", i, w)
		}
	}
	if _, ok := Map2(plus[float32], PerRow[float32]("eps")).Fusion().Applied().(ranges.Promise); ok {
		t.Error("a function without ranges has some")
	}
}

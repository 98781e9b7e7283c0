package vmath

import (
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// expNear is [ExpNear] from end to end of where it is shorter.
func expNear(lo, hi float64) *Func {
	return &Func{Name: "ExpNear", Args: 1, Ref: func(x ...float64) float64 { return math.Exp(x[0]) },
		Build: func(b *emit.Builder, x ...*emit.Value) *emit.Value { return ExpNear(b, x[0], lo, hi) }}
}

func TestExpNear(t *testing.T) {
	beyond := func(lo, hi float64) func(x float64) bool { return func(x float64) bool { return x < lo || x > hi } }
	f, x := expNear(-87, 88), append(points32(fewer(2000)), -87, 88, -86.99999, 87.99999)
	x = slices.DeleteFunc(x, func(x float32) bool { return beyond(-87, 88)(float64(x)) })
	for x := range slices.Chunk(x, 1<<14) {
		for i, y := range run(t, f, x) {
			judge(t, f, 1, x[i], y, float32(math.Exp(float64(x[i]))))
		}
	}
	g, z := expNear(-708, 709), append(points64(fewer(400)), -708, 709, -707.9999999, 708.9999999)
	z = slices.DeleteFunc(z, beyond(-708, 709))
	for z := range slices.Chunk(z, 1<<14) {
		for i, y := range run(t, g, z) {
			judge(t, g, 2, z[i], y, math.Exp(z[i]))
		}
	}
	// Where a number may be anywhere it is Exp, to the bit.
	all, far := Lookup("math.Exp"), points32(8)
	want := run(t, all, far)
	for i, y := range run(t, expNear(-87.5, 88), far) {
		if math.Float32bits(y) != math.Float32bits(want[i]) && y == y {
			t.Fatalf("exp(%v): %v, want %v", far[i], y, want[i])
		}
	}
	if n := operations(kernel(t, f, emit.F32, 1)); n != 13 {
		t.Errorf("%d operations of f32, want 13", n)
	}
	if n := operations(kernel(t, g, emit.F64, 1)); n != 19 {
		t.Errorf("%d operations of f64, want 19", n)
	}
}

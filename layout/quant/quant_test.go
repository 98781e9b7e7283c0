package quant_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/quant"
)

// nearest is the integer nearest to x, of two the even one, written apart: x is far from where
// a float64 has no halves.
func nearest(x float64) float64 {
	down := math.Floor(x)
	switch d := x - down; {
	case d > 0.5, d == 0.5 && math.Mod(down, 2) != 0:
		return down + 1
	}
	return down
}

// clamp keeps x between lo and hi; a NaN becomes lo.
func clamp(x, lo, hi float64) float64 {
	switch {
	case x >= hi:
		return hi
	case x > lo:
		return x
	}
	return lo
}

func check[T quant.Int](t *testing.T, lo, hi float64) {
	least, greatest := quant.Limits[T]()
	if float64(least) != lo || float64(greatest) != hi {
		t.Errorf("limits are %d and %d, want %v and %v", least, greatest, lo, hi)
	}
	rnd := rand.New(level.PCG(1, uint64(hi)))
	sums := []int32{0, 1, -1, 2, 3, 5, -5, 1<<24 + 1, 1<<25 + 3, math.MaxInt32, math.MinInt32, math.MinInt32 + 1}
	scales := []float32{1, 0.5, 0.25, 1.0 / 3, 1e-3, 1e-9, 1e9, math.MaxFloat32, math.SmallestNonzeroFloat32}
	for i := range 50_000 {
		acc, bias, scale := int32(rnd.Uint32())>>rnd.IntN(32), int32(rnd.Uint32())>>rnd.IntN(32), float32(math.Exp(rnd.NormFloat64()*4))
		if i%3 == 0 {
			acc, scale = sums[rnd.IntN(len(sums))], scales[rnd.IntN(len(scales))]
		}
		zero := T(rnd.Uint32())
		same := func(what string, have T, x float32) {
			if want := clamp(nearest(clamp(float64(x), -1e6, 1e6))+float64(zero), lo, hi); float64(have) != want {
				t.Fatalf("%s of sum %d, bias %d, scale %v and zero %d is %d, want %v", what, acc, bias, scale, zero, have, want)
			}
		}
		same("Requantise", quant.Requantise(acc, scale, zero), float32(acc)*scale)
		same("RequantiseBias", quant.RequantiseBias(acc, bias, scale, zero), float32(acc+bias)*scale)
		x := math.Float32frombits(rnd.Uint32())
		if i%2 == 0 {
			x = float32(rnd.IntN(2000)-1000) / 4
		}
		if have, want := quant.Saturate[T](x), clamp(nearest(clamp(float64(x), -1e6, 1e6)), lo, hi); float64(have) != want {
			t.Fatalf("Saturate(%v) is %d, want %v", x, have, want)
		}
		same("Quantise", quant.Quantise(x, scale, zero), x/scale)
		back := quant.Restore(zero, scale, zero/2)
		if want := float32(float64(zero)-float64(zero/2)) * scale; back != want {
			t.Fatalf("Restore(%d, %v, %d) is %v, want %v", zero, scale, zero/2, back, want)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(-1), -1e30} {
		if have := quant.Saturate[T](float32(x)); float64(have) != lo {
			t.Errorf("Saturate(%v) is %d", x, have)
		}
	}
	if have := quant.Saturate[T](float32(math.Inf(1))); float64(have) != hi {
		t.Errorf("Saturate(+Inf) is %d", have)
	}
}

// TestQuant compares with the definition in float64, at halves and at the ends of each type.
func TestQuant(t *testing.T) {
	check[int8](t, -128, 127)
	check[uint8](t, 0, 255)
	check[int16](t, -32768, 32767)
}

func TestDequantise(t *testing.T) {
	for _, acc := range []int32{0, 1, -7, 1<<24 + 1, math.MinInt32} {
		if have, want := quant.Dequantise(acc, 0.1), float32(float64(float32(acc))*float64(float32(0.1))); have != want {
			t.Errorf("Dequantise(%d, 0.1) is %v, want %v", acc, have, want)
		}
	}
	if have := quant.DequantiseBias(math.MaxInt32, 1, 0.5); have != math.MinInt32/2 {
		t.Errorf("a bias beyond the greatest sum gives %v; sums wrap", have)
	}
}

// Numbers of a scale and a zero point, and a product of two of them.
func Example() {
	const scale, zero = 0.05, 10 // uint8 10 is 0, 11 is 0.05
	x := quant.Quantise[uint8](1.5, scale, zero)
	fmt.Println(x, quant.Restore(x, scale, zero))

	w := quant.Quantise[int8](-0.25, 0.01, 0)
	sum := (int32(x) - zero) * int32(w) // of one product here, else of many
	fmt.Printf("%.3f %d\n", quant.Dequantise(sum, scale*0.01), quant.Requantise[int8](sum, scale*0.01/0.02, 3))
	// Output:
	// 40 1.5
	// -0.375 -16
}

package level12

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// exactNorm is the norm to more digits than a float64 has.
func exactNorm[T dtype.Float](x []T) float64 {
	sum := new(big.Float).SetPrec(400)
	for _, v := range x {
		f := new(big.Float).SetPrec(400).SetFloat64(float64(v))
		sum.Add(sum, f.Mul(f, f))
	}
	r, _ := sum.Sqrt(sum).Float64()
	return r
}

// TestNrm2 compares norms with exact ones where squares overflow, underflow, or both.
func TestNrm2(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		r := rand.New(level.PCG(3, 4))
		for _, n := range []int{16, 17, 31, 100, 1000} {
			bound := 8.0
			if !Ready() { // gonum's adds one square after another, so each of n sums may round
				bound += float64(n) / 2
			}
			for _, scales := range [][]float64{
				{1}, {0x1p-1074}, {0x1p-1060, 1}, {0x1p-600}, {0x1p-520, 0x1p-500}, {0x1p-481, 0x1p-479}, {0x1p479, 0x1p481}, {0x1p600, 1}, {0x1p1000, 0x1p-1000},
				{0x1p1017}, {0x1p700, 0x1p-700, 0x1p-1070}, {0x1p-540, 0x1p-470, 0}, {0}, {0x1p-530}, {0x1p-535, 0x1p-531}, {0x1p520, 0x1p478}, {0x1p-482, 0x1p-530},
			} {
				var x []float64
				var narrow []float32
				for i := range n {
					v := r.NormFloat64()
					x = append(x, v*scales[i%len(scales)])
					narrow = append(narrow, float32(v*min(0x1p120, max(0x1p-120, scales[i%len(scales)]))))
				}
				if have, want := set64(Float64{}).nrm2(n, x, 1), exactNorm(x); math.Abs(have-want) > bound*0x1p-53*want+0x1p-1074 {
					t.Errorf("float64, %d elements of %v: %v, want %v", n, scales, have, want)
				}
				if have, want := set32(Float32{}).nrm2(n, narrow, 1), float32(exactNorm(narrow)); math.Abs(float64(have-want)) > 2*0x1p-24*float64(want) && Ready() { // gonum's adds up in float32
					t.Errorf("float32, %d elements of %v: %v, want %v", n, scales, have, want)
				}
			}
		}
		// NaN before Inf, before numbers; wherever they are.
		for _, n := range []int{16, 40, 41} {
			for at := range n {
				x := make([]float64, n)
				x[at] = math.Inf(-1)
				if have := (Float64{}).Dnrm2(n, x, 1); !math.IsInf(have, 1) {
					t.Errorf("-Inf at %d of %d: %v", at, n, have)
				}
				x[(at+7)%n] = math.NaN()
				x[(at+9)%n] = math.MaxFloat64
				if have := (Float64{}).Dnrm2(n, x, 1); !math.IsNaN(have) {
					t.Errorf("NaN at %d of %d: %v", (at+7)%n, n, have)
				}
			}
		}
		big := []float32{math.MaxFloat32, math.MaxFloat32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
		if have := (Float32{}).Snrm2(len(big), big, 1); !math.IsInf(float64(have), 1) {
			t.Errorf("a norm beyond float32: %v", have)
		}
	})
}

// TestIamax: the first of equal ones, -0, Inf, and NaNs as gonum.
func TestIamax(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		r := rand.New(level.PCG(5, 6))
		special := []float64{0, math.Copysign(0, -1), 1, -1, 1, math.Inf(1), math.Inf(-1), math.NaN(), math.NaN(), 0x1p-1074, 5}
		for n := 1; n < 300; n++ {
			x := make([]float64, n)
			for range 8 {
				kinds := special[:2+r.IntN(len(special)-1)]
				for i := range x {
					x[i] = kinds[r.IntN(len(kinds))]
				}
				if have, want := (Float64{}).Idamax(n, x, 1), (gonum.Implementation{}).Idamax(n, x, 1); have != want {
					t.Fatalf("%d of %v, want %d", have, x, want)
				}
			}
		}
		x := make([]float32, 3*piece+5)
		for _, at := range []int{0, 1, piece - 1, piece, 2*piece + 77, len(x) - 1} {
			clear(x)
			x[at] = -1
			x[len(x)-1] = 1
			if have := (Float32{}).Isamax(len(x), x, 1); have != at {
				t.Errorf("the greatest is at %d, have %d", at, have)
			}
		}
	})
}

package check

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// requantised is a fused product of integers in plain Go: the sum and a bias, scaled by
// row and saturated to int8.
type requantised struct {
	round func(x float64) float64
	bias  bool // is added
	clamp func(x float64) int8
	sum   func(sum, x int32) int32
}

func (q requantised) of(sum, bias int32, scale float32) int8 {
	if q.bias {
		sum += bias
	}
	return q.clamp(q.round(float64(float32(float32(sum) * scale))))
}

var rightRequantised = requantised{
	round: math.RoundToEven, bias: true,
	clamp: func(x float64) int8 { return int8(max(-128, min(127, x))) },
	sum:   func(sum, x int32) int32 { return sum + x },
}

func (q requantised) check(t TB) {
	Fused(t, FusedCase[uint8, int8, int32]{
		Name: "requantised", MR: 3, NR: 8, KC: 16, Outs: 1, Strict: true,
		Call: func(p *FusedProblem[uint8, int8]) {
			out, scale, bias := OutOf[int8](p, 0), RowOf[float32](p, 1), ColumnOf[int32](p, 2)
			for i := range p.M {
				for j := range p.N {
					sum := int32(0)
					for k := range p.K {
						sum = q.sum(sum, int32(p.A.At(i, k))*int32(p.B.At(k, j)))
					}
					out.Set(i, j, q.of(sum, bias[j], scale[i]))
				}
			}
		},
		Results: func(p *FusedProblem[uint8, int8], sum int32, i, j int) []float64 {
			return []float64{float64(rightRequantised.of(sum, ColumnOf[int32](p, 2)[j], Nudged(p, 1, RowOf[float32](p, 1)[i])))}
		},
		Have: func(p *FusedProblem[uint8, int8], o, i, j int) float64 { return float64(OutOf[int8](p, o).At(i, j)) },
		Ulp:  func(_ int, x float64) float64 { return Ulp[int8](x) },
	})
}

// TestFusedIntegers: a right epilogue of integer sums passes, and each wrong one is
// noticed, by a single unit of the result.
func TestFusedIntegers(t *testing.T) {
	rightRequantised.check(t)
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	for what, change := range map[string]func(q *requantised){
		"halves are rounded away from zero": func(q *requantised) { q.round = math.Round },
		"numbers are cut":                   func(q *requantised) { q.round = math.Trunc },
		"no bias":                           func(q *requantised) { q.bias = false },
		"results wrap":                      func(q *requantised) { q.clamp = func(x float64) int8 { return int8(int64(x)) } },
		"-128 is left out":                  func(q *requantised) { q.clamp = func(x float64) int8 { return int8(max(-127, min(127, x))) } },
		"sums of int16": func(q *requantised) {
			q.sum = func(sum, x int32) int32 { return int32(int16(sum + x)) }
		},
		"products saturate to int16": func(q *requantised) {
			q.sum = func(sum, x int32) int32 { return max(math.MinInt16, min(math.MaxInt16, sum+x)) }
		},
	} {
		q := rightRequantised
		change(&q)
		var r Recorder
		q.check(&r)
		if !r.Failed() {
			t.Errorf("%s: not noticed", what)
		}
	}
}

// narrowOut is a product of bf16 whose result is rounded to bf16 by round.
func narrowOut(t TB, round func(x float32) dtype.BF16) {
	Fused(t, FusedCase[dtype.BF16, dtype.BF16, float32]{
		Name: "narrow", MR: 3, NR: 8, KC: 16, Outs: 1, Flushes: true,
		Call: func(p *FusedProblem[dtype.BF16, dtype.BF16]) {
			out := OutOf[dtype.BF16](p, 0)
			for i := range p.M {
				for j := range p.N {
					var x, y []dtype.BF16
					sum := float32(0)
					for k := range p.K {
						x, y = append(x, p.A.At(i, k)), append(y, p.B.At(k, j))
						if len(x) == 2 || k == p.K-1 {
							sum, x, y = dotBF16(sum, x, y), nil, nil
						}
					}
					out.Set(i, j, round(sum))
				}
			}
		},
		Results: func(p *FusedProblem[dtype.BF16, dtype.BF16], sum float32, i, j int) []float64 {
			return []float64{dtype.ToBF16(sum).Float64()}
		},
		Have: func(p *FusedProblem[dtype.BF16, dtype.BF16], o, i, j int) float64 {
			return OutOf[dtype.BF16](p, o).At(i, j).Float64()
		},
		Ulp: func(_ int, x float64) float64 { return Ulp[dtype.BF16](x) },
	})
}

// TestFusedNarrow: results of bf16, of the instruction that joins two products.
func TestFusedNarrow(t *testing.T) {
	narrowOut(t, dtype.ToBF16[float32])
	var r Recorder
	narrowOut(&r, func(x float32) dtype.BF16 { // two units off
		return dtype.BF16FromBits(uint16(math.Float32bits(x)>>16) + 2)
	})
	if !r.Failed() {
		t.Error("results that are two units off are not noticed")
	}
}

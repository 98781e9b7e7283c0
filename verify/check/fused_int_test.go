package check

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
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
	c := Case{
		Name: "requantised", MR: 3, NR: 8, KC: 16, A: dtype.U8, B: dtype.I8, Acc: dtype.I32, Strict: true,
		Slots: []Slot{{Type: dtype.I8, Out: true}, {Type: dtype.F32, Row: true}, {Type: dtype.I32, Col: true}},
		Call: func(p *Problem) {
			out, scale, bias := Get[layout.Matrix[int8]](p, 0), Get[[]float32](p, 1), Get[[]int32](p, 2)
			a, b := Get[layout.Matrix[uint8]](p, A), Get[layout.Matrix[int8]](p, B)
			for i := range p.M {
				for j := range p.N {
					sum := int32(0)
					for k := range p.K {
						sum = q.sum(sum, int32(a.At(i, k))*int32(b.At(k, j)))
					}
					out.Set(i, j, q.of(sum, bias[j], scale[i]))
				}
			}
		},
		Results: func(p *Problem, sum float64, i, j int) []float64 {
			return []float64{float64(rightRequantised.of(int32(sum), int32(p.At(2, i, j)), float32(p.At(1, i, j))))}
		},
	}
	Run(t, func(int) Case { return c })
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
	bf := dtype.TypeBF16
	c := Case{
		Name: "narrow", MR: 3, NR: 8, KC: 16, A: bf, B: bf, Acc: dtype.F32, Slots: []Slot{{Type: bf, Out: true}}, Flushes: true,
		Call: func(p *Problem) {
			matrix := Get[layout.Matrix[dtype.BF16]]
			out, a, b := matrix(p, 0), matrix(p, A), matrix(p, B)
			for i := range p.M {
				for j := range p.N {
					var x, y []dtype.BF16
					sum := float32(0)
					for k := range p.K {
						x, y = append(x, a.At(i, k)), append(y, b.At(k, j))
						if len(x) == 2 || k == p.K-1 {
							sum, x, y = dotBF16(sum, x, y), nil, nil
						}
					}
					out.Set(i, j, round(sum))
				}
			}
		},
	}
	Run(t, func(int) Case { return c })
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

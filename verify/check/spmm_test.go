package check

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// loopCase is a product in plain Go with an epilogue, x + bias, and what it does
// wrong, if anything.
func loopCase(wrong string) func(threads int) SpMMCase[float32] {
	epilogue := func(x, bias float32) float32 { return x + bias }
	return func(threads int) SpMMCase[float32] {
		return SpMMCase[float32]{
			VL: 4, Mean: true, Pattern: true,
			FusedCase: FusedCase[float32, float32, float32]{
				Name: "loop", Outs: 1,
				Call: func(p *FusedProblem[float32, float32]) {
					loopProduct(wrong, threads, OutOf[float32](p, 0), SparseOf(p), p.B, ColumnOf[float32](p, 1), epilogue)
				},
				Results: func(p *FusedProblem[float32, float32], sum float32, i, j int) []float64 {
					return []float64{float64(epilogue(sum, Nudged(p, 1, ColumnOf[float32](p, 1)[j])))}
				},
				Have: func(p *FusedProblem[float32, float32], _, i, j int) float64 {
					return float64(OutOf[float32](p, 0).At(i, j))
				},
				Ulp: func(_ int, x float64) float64 { return Ulp[float32](x) },
			},
		}
	}
}

func loopProduct(wrong string, threads int, out layout.Matrix[float32], a sparse.Matrix[float32], b layout.Matrix[float32], bias []float32, epilogue func(x, bias float32) float32) {
	for i := range out.Rows {
		n := a.RowNNZ(i)
		for j := range out.Cols {
			var sum float32
			if wrong == "pad" && n < 5 && a.Cols() > 0 {
				sum = 0 * b.At(0, j)
			}
			seen := 0
			for k := range a.Row(i) {
				if seen++; wrong == "last" && seen == n && n > 3 {
					continue
				}
				sum += b.At(k, j)
			}
			if wrong != "mean" && n > 0 {
				sum /= float32(n)
			}
			switch {
			case wrong == "empty" && n == 0:
				continue
			case wrong == "twice" && n > 100:
				sum = epilogue(sum, bias[j])
			case wrong == "threads" && threads > 1 && n > 100:
				sum *= 1 + 1.0/(1<<23)
			}
			out.Set(i, j, epilogue(sum, bias[j]))
		}
	}
	if wrong == "gap" && out.RowStride > out.Cols && out.Rows > 1 {
		out.Data[out.Cols] = 1
	}
	if wrong == "panic" && a.NNZ() > 0 {
		panic("no such row")
	}
}

// TestSpMM lets a right loop pass, and finds every wrong one.
func TestSpMM(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	SpMM(t, loopCase(""))
	all := [][2]string{
		{"last", "want"}, {"threads", "with 2 threads"}, {"mean", "want"}, {"pad", "NaN"},
		{"gap", "of row 0, which is a gap or is not there, was written"}, {"empty", "want"}, {"twice", "want"}, {"panic", "no such row"},
	}
	picked := level.Pick(len(all), 0, 4)
	t.Logf("mutants tried %d of %d", len(picked), len(all))
	for _, i := range picked {
		wrong, want := all[i][0], all[i][1]
		var r Recorder
		SpMM(&r, loopCase(wrong))
		if len(r.Failures) == 0 || !strings.Contains(r.Failures[0], want) {
			t.Errorf("%s: %q, want a failure with %q", wrong, r.Failures, want)
		}
	}
}

// TestSDDMM does the same for a sampled product.
func TestSDDMM(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	loop := func(wrong string) func(threads int) SDDMMCase[float64] {
		return func(threads int) SDDMMCase[float64] {
			return SDDMMCase[float64]{VL: 4, Plain: true, FusedCase: FusedCase[float64, float64, float64]{
				Name: "loop", Outs: 1,
				Call: func(p *FusedProblem[float64, float64]) {
					k := 0
					for e, v := range SparseOf(p).All() {
						var sum float64
						for f := range p.K {
							if wrong == "feature" && f == 63 {
								continue
							}
							sum += p.A.At(e.I, f) * p.B.At(e.J, f)
						}
						if wrong == "threads" && threads == 4 && k == 100 {
							sum++
						}
						if wrong != "values" {
							sum *= v
						}
						OutOf[float64](p, 0).Set(0, k, sum)
						k++
					}
				},
				Results: func(_ *FusedProblem[float64, float64], sum float64, _, _ int) []float64 { return []float64{sum} },
				Have:    func(p *FusedProblem[float64, float64], _, i, j int) float64 { return OutOf[float64](p, 0).At(i, j) },
				Ulp:     func(_ int, x float64) float64 { return Ulp[float64](x) },
			}}
		}
	}
	SDDMM(t, loop(""))
	for _, wrong := range []string{"feature", "threads", "values"} {
		var r Recorder
		SDDMM(&r, loop(wrong))
		if len(r.Failures) == 0 {
			t.Errorf("%s passes", wrong)
		}
	}
}

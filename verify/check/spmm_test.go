package check

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// loopCase is a product in plain Go with an epilogue, x + bias, and what it does
// wrong, if anything.
func loopCase(wrong string) func(threads int) Case {
	epilogue := func(x, bias float32) float32 { return x + bias }
	return func(threads int) Case {
		return Case{
			Name: "loop", A: dtype.F32, B: dtype.F32, Acc: dtype.F32, Slots: []Slot{{Type: dtype.F32, Out: true}, {Type: dtype.F32, Col: true}},
			Op: SpMM{VL: 4, Mean: true, Pattern: true},
			Call: func(p *Problem) {
				loopProduct(wrong, threads, Get[layout.Matrix[float32]](p, 0), Get[sparse.Matrix[float32]](p, S), Get[layout.Matrix[float32]](p, B), Get[[]float32](p, 1), epilogue)
			},
			Results: func(p *Problem, sum float64, i, j int) []float64 {
				return []float64{float64(epilogue(float32(sum), float32(p.At(1, i, j))))}
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
	if wrong == "gap of threads" && threads > 1 && out.RowStride > out.Cols && out.Rows > 1 {
		out.Data[out.Cols] = 1
	}
	if wrong == "operand of threads" && threads == 3 && len(b.Data) > 0 {
		b.Data[0]++
	}
	if (wrong == "panic" || wrong == "panic of threads" && threads > 1) && a.NNZ() > 0 {
		panic("no such row")
	}
}

// TestSpMM lets a right loop pass, and finds every wrong one.
func TestSpMM(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	Run(t, loopCase(""))
	all := [][2]string{
		{"last", "want"}, {"threads", "with 2 threads"}, {"mean", "want"}, {"pad", "NaN"},
		{"gap", "of row 0, which is a gap or is not there, was written"}, {"empty", "want"}, {"twice", "want"}, {"panic", "no such row"},
		{"gap of threads", "with 2 threads: output 0: place"}, {"operand of threads", "with 3 threads: the kernel changed the operand in slot -2"},
		{"panic of threads", "with 2 threads: panic: no such row"},
	}
	picked := level.Pick(len(all), 0, 4)
	t.Logf("mutants tried %d of %d", len(picked), len(all))
	for _, i := range picked {
		wrong, want := all[i][0], all[i][1]
		var r Recorder
		Run(&r, loopCase(wrong))
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
	loop := func(wrong string) func(threads int) Case {
		return func(threads int) Case {
			return Case{Name: "loop", A: dtype.F64, B: dtype.F64, Acc: dtype.F64, Slots: []Slot{{Type: dtype.F64, Out: true}}, Op: SDDMM{VL: 4},
				Call: func(p *Problem) {
					a, b, out := Get[layout.Matrix[float64]](p, A), Get[layout.Matrix[float64]](p, B), Get[[]float64](p, 0)
					k := 0
					for e, v := range Get[sparse.Matrix[float64]](p, S).All() {
						var sum float64
						for f := range p.K {
							if wrong == "feature" && f == 63 {
								continue
							}
							sum += a.At(e.I, f) * b.At(e.J, f)
						}
						if wrong == "threads" && threads == 4 && k == 100 {
							sum++
						}
						if wrong != "values" {
							sum *= v
						}
						out[k] = sum
						k++
					}
				},
			}
		}
	}
	Run(t, loop(""))
	for _, wrong := range []string{"feature", "threads", "values"} {
		var r Recorder
		Run(&r, loop(wrong))
		if len(r.Failures) == 0 {
			t.Errorf("%s passes", wrong)
		}
	}
}

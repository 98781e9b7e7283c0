package check

import (
	"math/cmplx"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// pairsCase is a product of complex numbers by the plain loop, with a mistake or without one.
func pairsCase(mistake string) func(threads int) Case {
	return func(threads int) Case {
		c := dtype.C64
		return Case{Name: "pairs", A: c, B: c, Acc: c, MR: 2, NR: 4, KC: 8, Slots: []Slot{{Type: c, Out: true}}, Op: Pairs{}, Call: func(p *Problem) {
			matrix := Get[layout.Matrix[complex64]]
			a, b, out := matrix(p, A), matrix(p, B), matrix(p, 0)
			for i := range out.Rows {
				for j := range out.Cols {
					var sum complex64
					for k := range a.Cols {
						x, y := complex128(a.At(i, k)), complex128(b.At(k, j))
						if p.ConjA && mistake != "conjugate" {
							x = cmplx.Conj(x)
						}
						if p.ConjB {
							y = cmplx.Conj(y)
						}
						switch {
						case mistake == "last" && k == a.Cols-1 && k > 6, mistake == "zeros" && x == 0, p.Alpha == 0:
						case mistake == "half" && k > 3:
							sum += complex64(x * y * (1 + 0x1p-14))
						default:
							sum += complex64(x) * complex64(y)
						}
					}
					old := complex128(0)
					if p.Beta != 0 {
						if old = complex128(out.At(i, j)); mistake != "beta" {
							old = scale(p.Beta, old)
						}
					}
					if out.Set(i, j, complex64(scale(p.Alpha, complex128(sum))+old)); mistake == "threads" && threads == 3 {
						out.Set(i, j, 0)
					}
				}
			}
			if mistake == "gap" && out.Cols > 0 && out.ColStride == 1 && out.RowStride > out.Cols && out.Rows > 1 {
				out.Data[out.Cols] = 0
			}
			if mistake == "operand" && len(b.Data) > 2 {
				b.Data[2] = 1i
			}
		}}
	}
}

// A right product of complex numbers passes, and wrong ones are caught.
func TestPairs(t *testing.T) {
	Run(t, pairsCase(""))
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	for _, mistake := range []string{"last", "conjugate", "zeros", "half", "beta", "threads", "gap", "operand"} {
		var r Recorder
		Run(&r, pairsCase(mistake))
		if !r.Failed() {
			t.Errorf("%s: not caught", mistake)
		} else {
			t.Logf("%s: %s", mistake, r.Failures[0])
		}
	}
}

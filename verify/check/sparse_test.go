package check

import (
	"errors"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// rowLoop is a right product, with places to go wrong: step is called for every
// entry, number k of n in its row.
func rowLoop(step func(acc, v, x float64, k, n int) float64) spmmFunc[float64] {
	return func(alpha float64, a sparse.Matrix[float64], b layout.Matrix[float64], beta float64, out layout.Matrix[float64]) error {
		for i := range out.Rows {
			for j := range out.Cols {
				acc, k := 0.0, 0
				for c, v := range a.Row(i) {
					acc = step(acc, v, b.At(c, j), k, a.RowNNZ(i))
					k++
				}
				acc *= alpha
				if beta != 0 {
					acc += beta * out.At(i, j)
				}
				out.Set(i, j, acc)
			}
		}
		return nil
	}
}

func rightStep(acc, v, x float64, _, _ int) float64 { return acc + v*x }

// The suite passes what is right and finds the usual mistakes.
func TestSparseProduct(t *testing.T) {
	right := rowLoop(rightStep)
	o := SparseOptions{Widths: []int{1, 5}, Long: 300}
	for _, c := range []struct {
		what string
		f    spmmFunc[float64]
		good bool
	}{
		{"right", right, true},
		{"refuses all", func(float64, sparse.Matrix[float64], layout.Matrix[float64], float64, layout.Matrix[float64]) error {
			return errors.New("not this one")
		}, true},
		{"drops the last entry of long rows", rowLoop(func(acc, v, x float64, k, n int) float64 {
			if n > 20 && k == n-1 {
				return acc
			}
			return acc + v*x
		}), false},
		{"drops a stored zero", rowLoop(func(acc, v, x float64, _, _ int) float64 {
			if v == 0 {
				return acc
			}
			return acc + v*x
		}), false},
		{"sums in float32", rowLoop(func(acc, v, x float64, _, _ int) float64 { return float64(float32(acc + v*x)) }), false},
		{"multiplies padding", func(alpha float64, a sparse.Matrix[float64], b layout.Matrix[float64], beta float64, out layout.Matrix[float64]) error {
			err := right(alpha, a, b, beta, out)
			for i := range out.Rows {
				for j := range out.Cols {
					out.Set(i, j, out.At(i, j)+0*b.At(0, j))
				}
			}
			return err
		}, false},
		{"reads out when beta is 0", func(alpha float64, a sparse.Matrix[float64], b layout.Matrix[float64], beta float64, out layout.Matrix[float64]) error {
			old := out.At(0, 0)
			err := right(alpha, a, b, beta, out)
			out.Set(0, 0, out.At(0, 0)+beta*0*old+0*old)
			return err
		}, false},
		{"writes between rows", func(alpha float64, a sparse.Matrix[float64], b layout.Matrix[float64], beta float64, out layout.Matrix[float64]) error {
			err := right(alpha, a, b, beta, out)
			if out.RowStride > out.Cols && out.ColStride == 1 && out.Rows > 1 {
				out.Data[out.Cols] = math.Pi
			}
			return err
		}, false},
		{"skips empty rows", func(alpha float64, a sparse.Matrix[float64], b layout.Matrix[float64], beta float64, out layout.Matrix[float64]) error {
			for i := range out.Rows {
				if a.RowNNZ(i) > 0 {
					if err := right(alpha, a.RowSlice(i, i+1), b, beta, out.Slice(i, i+1, 0, out.Cols)); err != nil {
						return err
					}
				}
			}
			return nil
		}, false},
	} {
		var r Recorder
		SparseProduct(&r, c.f, o)
		if r.Failed() == c.good {
			t.Errorf("%s: failures %q", c.what, r.Failures)
		}
	}
}

package rows_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// TestMultiplySegments reduces three segments, one of them empty, of a matrix and of its like
// in columns.
func TestMultiplySegments(t *testing.T) {
	offsets := []int{0, 2, 2, 5}
	byRow := layout.RowMajor([]float64{1, 10, 3, 20, -1, 5, 4, math.NaN(), 6, 7}, 5, 2)
	columns := layout.New[float64](2, 5).T()
	for i := range 5 {
		for j := range 2 {
			columns.Set(i, j, byRow.At(i, j))
		}
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name string
		set  *rows.SpMM[float64]
		opt  run.Options
		want []float64
	}{
		{"sum", &rows.SpMM[float64]{Pattern: true}, run.Options{}, []float64{4, 30, 0, 0, 9, nan}},
		{"sum, scaled", &rows.SpMM[float64]{Pattern: true}, run.Options{Scaling: run.Scale(2, 1)}, []float64{9, 61, 1, 1, 19, nan}},
		{"mean", &rows.SpMM[float64]{Pattern: true, Mean: true}, run.Options{}, []float64{2, 15, 0, 0, 3, nan}},
		{"max", &rows.SpMM[float64]{Pattern: true, Semiring: semiring.MaxTimes[float64]}, run.Options{}, []float64{3, 20, -inf, -inf, 6, nan}},
		{"min", &rows.SpMM[float64]{Pattern: true, Semiring: semiring.MinTimes[float64]}, run.Options{}, []float64{1, 10, inf, inf, -1, nan}},
	} {
		for _, x := range []layout.Matrix[float64]{byRow, columns} {
			out := layout.RowMajor([]float64{1, 1, 1, 1, 1, 1}, 3, 2)
			c.set.MultiplySegments(c.opt, out, offsets, x)
			same := cmp.Comparer(func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
			if diff := cmp.Diff(c.want, out.Data, same); diff != "" {
				t.Errorf("%s (- want, + have):\n%s", c.name, diff)
			}
		}
	}
}

// TestMultiplySegmentsRefused holds what a call says that does not fit together.
func TestMultiplySegmentsRefused(t *testing.T) {
	m := func(rows, cols int) layout.Matrix[float64] { return layout.New[float64](rows, cols) }
	shared := m(5, 2)
	for _, c := range []struct {
		out     layout.Matrix[float64]
		offsets []int
		x       layout.Matrix[float64]
		why     string
	}{
		{m(2, 3), []int{0, 1, 4}, m(4, 2), "out is 2 x 3, x is 4 x 2, there are 3 offsets; want m x h, n x h, m+1"},
		{m(0, 2), nil, m(0, 2), "there are 0 offsets"},
		{m(2, 2), []int{0, 1, 3}, m(4, 2), "offset 2 is 3; want 0 first, 4 last"},
		{m(2, 2), []int{1, 1, 4}, m(4, 2), "offset 0 is 1; want"},
		{m(2, 2), []int{0, 5, 4}, m(4, 2), "offset 2 is 4; want"},
		{shared.Slice(0, 2, 0, 2), []int{0, 1, 4}, shared.Slice(1, 5, 0, 2), "out shares memory with x"},
		{m(1, 5), []int{0, 4}, m(4, 5), "x has 5 columns, the kernel is generated for 2"},
	} {
		func() {
			defer func() {
				if e, ok := recover().(layout.ShapeError); !ok || !strings.Contains(e.Error(), c.why) {
					t.Errorf("panic with %v, want a ShapeError with %q", e, c.why)
				}
			}()
			set := rows.SpMM[float64]{Name: "Pool", Pattern: true}
			if c.out.Cols == c.x.Cols && c.out.Cols == 5 {
				set.Features = 2
			}
			set.MultiplySegments(run.Options{}, c.out, c.offsets, c.x)
		}()
	}
}

package mem

import (
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
)

// TestScale: every element once, nothing between them, and NaN is gone if beta is 0.
func TestScale(t *testing.T) {
	whole := func(rows, cols int) layout.Matrix[float32] { return layout.New[float32](rows, cols) }
	for _, c := range []struct {
		name string
		out  layout.Matrix[float32]
	}{
		{"rows", whole(5, 7)},
		{"rows with gaps", whole(5, 9).Slice(1, 4, 1, 8)},
		{"columns", whole(7, 5).T()},
		{"columns with gaps", whole(9, 5).Slice(1, 8, 1, 4).T()},
		{"strides in both directions", layout.Matrix[float32]{Data: make([]float32, 99), Rows: 4, Cols: 5, RowStride: 20, ColStride: 3}},
		{"one row", whole(5, 7).Slice(2, 3, 0, 7)},
		{"one column", whole(5, 7).Slice(0, 5, 2, 3)},
		{"one element", layout.Matrix[float32]{Data: make([]float32, 1), Rows: 1, Cols: 1, RowStride: math.MaxInt, ColStride: math.MaxInt}},
		{"a column of steps", layout.Matrix[float32]{Data: make([]float32, 21), Rows: 5, Cols: 1, RowStride: 5}},
		{"nothing", layout.Matrix[float32]{Rows: 3, RowStride: 4, ColStride: 1}},
		{"long", whole(2, clearAtOnce+3)},
	} {
		for _, beta := range []float32{0, 1, 2} {
			out := c.out
			for k := range out.Data {
				out.Data[k] = float32(k + 1)
			}
			want := slices.Clone(out.Data)
			for i := range out.Rows {
				for j := range out.Cols {
					k := i*out.RowStride + j*out.ColStride
					want[k] *= beta
					if beta == 0 {
						out.Data[k] = float32(math.NaN())
					}
				}
			}
			Scale(out, beta)
			if !slices.Equal(out.Data, want) {
				t.Errorf("%s, beta %v: not what was asked for", c.name, beta)
			}
		}
	}
}

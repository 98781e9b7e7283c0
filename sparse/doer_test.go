package sparse_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/tilesmith/tilesmith/sparse"
)

// A Matrix can be given where gonum takes what visits its elements.
var _ mat.NonZeroDoer = sparse.Matrix[float32]{}

// TestFromDoer takes matrices of gonum, which know nothing of this package.
func TestFromDoer(t *testing.T) {
	for _, d := range []interface {
		sparse.Doer
		mat.Matrix
	}{
		mat.NewSymBandDense(3, 1, []float64{1, 2, 3, 4, 5, -1}),
		mat.NewBandDense(4, 5, 1, 2, []float64{-1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -1}),
		mat.NewTriDense(3, mat.Lower, []float64{1, 0, 0, 2, 3, 0, 4, 0, 6}),
		mat.NewTridiag(3, []float64{1, 2}, []float64{3, 4, 5}, []float64{6, 7}),
	} {
		m, err := sparse.FromDoer[float32](d)
		if err != nil {
			t.Error(err)
			continue
		}
		again, err := sparse.FromDoer[float32](m)
		if err != nil || !again.Equal(m) {
			t.Errorf("%T: not the same again: %v", d, err)
		}
		rows, cols := d.Dims()
		if r, c := m.Dims(); r != rows || c != cols || m.NNZ() == 0 {
			t.Errorf("%T: %v", d, m)
		}
		for i := range rows {
			for j := range cols {
				if got := m.At(i, j); float64(got) != d.At(i, j) {
					t.Errorf("%T: element (%d, %d) is %v, want %v", d, i, j, got, d.At(i, j))
				}
			}
		}
	}
}

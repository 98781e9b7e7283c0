package sample

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Fingerprint is what kernels notice of the rows of a matrix.
type Fingerprint struct {
	Rows, Cols, NNZ int
	P50, P99, Max   int // entries of a row: of the median one, of one in a hundred, of the longest
	Empty           int // rows without entries
}

// FingerprintOf measures m.
func FingerprintOf[T dtype.Float](m sparse.Matrix[T]) Fingerprint {
	f := Fingerprint{Rows: m.Rows(), Cols: m.Cols(), NNZ: m.NNZ()}
	if f.Rows == 0 {
		return f
	}
	lengths := make([]int, f.Rows)
	for i := range lengths {
		lengths[i] = m.RowNNZ(i)
	}
	slices.Sort(lengths)
	f.P50, f.P99, f.Max = lengths[f.Rows/2], lengths[f.Rows*99/100], lengths[f.Rows-1]
	f.Empty, _ = slices.BinarySearch(lengths, 1)
	return f
}

// String is a line.
func (f Fingerprint) String() string {
	return fmt.Sprintf("%d x %d, %d entries, rows of %d (median), %d (one in a hundred), %d (longest), %d empty",
		f.Rows, f.Cols, f.NNZ, f.P50, f.P99, f.Max, f.Empty)
}

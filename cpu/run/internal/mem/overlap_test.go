package mem

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

func TestOverlaps(t *testing.T) {
	data := make([]float64, 200)
	parent := layout.RowMajor(data, 10, 20)
	other := layout.New[float64](10, 20)
	for _, tc := range []struct {
		name string
		x, y layout.Matrix[float64]
		want bool
	}{
		{"itself", parent, parent, true},
		{"its transpose", parent, parent.T(), true},
		{"another", parent, other, false},
		{"nothing", parent, parent.Slice(3, 3, 0, 5), false},
		{"left and right half", parent.Slice(0, 10, 0, 10), parent.Slice(0, 10, 10, 20), false},
		{"halves with one common column", parent.Slice(0, 10, 0, 11), parent.Slice(0, 10, 10, 20), true},
		{"top and bottom half", parent.Slice(0, 5, 0, 20), parent.Slice(5, 10, 0, 20), false},
		{"quarters across", parent.Slice(0, 5, 10, 20), parent.Slice(3, 10, 0, 10), false},
		{"quarters across with a common corner", parent.Slice(0, 5, 10, 20), parent.Slice(4, 10, 0, 11), true},
		{"halves of a column-major parent", parent.T().Slice(0, 10, 0, 10), parent.T().Slice(10, 20, 0, 10), false},
		{"left half and the right one's transpose", parent.Slice(0, 10, 0, 10), parent.Slice(0, 10, 10, 20).T(), false},
		{"two columns", parent.Slice(0, 10, 3, 4), parent.Slice(0, 10, 4, 5), false},
		{"even and odd columns", layout.Matrix[float64]{Data: data, Rows: 10, Cols: 10, RowStride: 20, ColStride: 2},
			layout.Matrix[float64]{Data: data[1:], Rows: 10, Cols: 10, RowStride: 20, ColStride: 2}, false},
		{"one element over and over", layout.Matrix[float64]{Data: data, Rows: 9, Cols: 9}, parent, true},
		{"a window that slides", layout.Matrix[float64]{Data: data, Rows: 5, Cols: 5, RowStride: 1, ColStride: 1},
			layout.Matrix[float64]{Data: data[4:], Rows: 5, Cols: 5, RowStride: 1, ColStride: 1}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Overlaps(tc.x, tc.y); got != tc.want {
				t.Errorf("Overlaps(x, y) = %v", got)
			}
			if got := Overlaps(tc.y, tc.x); got != tc.want {
				t.Errorf("Overlaps(y, x) = %v", got)
			}
		})
	}
}

// TestOverlapsRandom compares with the set of addresses: never false where an
// element is shared, and exact for sub-matrices of one parent.
func TestOverlapsRandom(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	data := make([]float32, 4000)
	share := func(x, y layout.Matrix[float32]) bool {
		in := map[*float32]bool{}
		for i := range x.Rows {
			for j := range x.Cols {
				in[&x.Data[i*x.RowStride+j*x.ColStride]] = true
			}
		}
		for i := range y.Rows {
			for j := range y.Cols {
				if in[&y.Data[i*y.RowStride+j*y.ColStride]] {
					return true
				}
			}
		}
		return false
	}
	for range 20000 {
		x := layout.Matrix[float32]{Data: data[r.IntN(100):], Rows: r.IntN(5), Cols: r.IntN(5), RowStride: r.IntN(12), ColStride: r.IntN(12)}
		y := layout.Matrix[float32]{Data: data[r.IntN(100):], Rows: r.IntN(5), Cols: r.IntN(5), RowStride: r.IntN(12), ColStride: r.IntN(12)}
		if r.IntN(2) == 0 {
			y.RowStride, y.ColStride = x.RowStride, x.ColStride
		}
		if !Overlaps(x, y) && share(x, y) {
			t.Fatalf("overlaps = false for elements %d of %v and %d of %v", cap(x.Data), x, cap(y.Data), y)
		}
		parent := layout.Matrix[float32]{Data: data, Rows: 12, Cols: 12, RowStride: 40, ColStride: 1 + r.IntN(3)}
		if r.IntN(2) == 0 {
			parent = parent.T()
		}
		cut := func() layout.Matrix[float32] {
			i, j := r.IntN(12), r.IntN(12)
			m := parent.Slice(i, i+r.IntN(13-i), j, j+r.IntN(13-j))
			if r.IntN(2) == 0 {
				m = m.T()
			}
			return m
		}
		x, y = cut(), cut()
		if got, want := Overlaps(x, y), share(x, y); got != want {
			t.Fatalf("sub-matrices %d x %d and %d x %d with strides (%d, %d) and (%d, %d): overlaps = %v",
				x.Rows, x.Cols, y.Rows, y.Cols, x.RowStride, x.ColStride, y.RowStride, y.ColStride, got)
		}
	}
}

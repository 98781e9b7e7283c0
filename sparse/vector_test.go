package sparse_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

func TestVector(t *testing.T) {
	x := sparsetest.Must(sparse.NewVector(5, []int64{3, 0, 3}, []int16{4, 7, 1}))
	y := sparsetest.Must(sparse.NewVector(5, []int{3, 4}, []int16{2, 9}))
	if x.Len() != 5 || x.NNZ() != 2 || x.At(3) != 5 || x.At(1) != 0 || !x.Has(0) || x.Has(1) || x.Has(-1) || x.Has(math.MaxInt) || x.String() != "5 elements with 2 entries of i16" {
		t.Errorf("%v: %v", x, x.ToDense())
	}
	if d := x.ToDense(); !slices.Equal(d, []int16{7, 0, 0, 5, 0}) {
		t.Errorf("dense %v", d)
	}
	sum := sparsetest.Must(x.Union(y, func(x, y int16) int16 { return x + y }))
	if d := sum.ToDense(); !slices.Equal(d, []int16{7, 0, 0, 7, 9}) {
		t.Errorf("union %v", d)
	}
	if r, c := x.Row(), x.Column(); r.Rows() != 1 || c.Cols() != 1 || c.At(3, 0) != 5 ||
		!sparsetest.Must(sparse.VectorOf(r)).Row().Equal(r) || !sparsetest.Must(sparse.VectorOf(c)).Row().Equal(r) || !sparsetest.Must(sparse.VectorOf(sparsetest.Must(sparse.FromCSR(1, 2, []int{0, 2}, []int{1, 1}, []int16{1, 2})))).Has(1) {
		t.Errorf("row %v, column %v", r, c)
	}
	var zero sparse.Vector[float32]
	if zero.Len() != 0 || zero.NNZ() != 0 || zero.Row().Rows() != 1 || len(zero.ToDense()) != 0 || zero.Has(0) {
		t.Error("the zero Vector has something")
	}
	for range zero.All() {
		t.Error("the zero Vector has an entry")
	}
	// The largest length costs what two entries do.
	if allocated := testing.AllocsPerRun(1, func() { sparsetest.Must(sparse.NewVector(sparse.MaxDim, []int{sparse.MaxDim - 1, 1}, []float64{1, 2})) }); allocated > 40 {
		t.Errorf("%v allocations", allocated)
	}
}

func TestVectorRefuses(t *testing.T) {
	for _, c := range []struct {
		err, kind error
		want      string
	}{
		{errOf(sparse.NewVector(3, []int{0}, []int8{})), sparse.ErrLength, "1 indices and 0 values"},
		{errOf(sparse.NewVector(3, []int{3}, []int8{1})), sparse.ErrIndex, "(0, 3), outside 1 x 3"},
		{errOf(sparse.NewVector(-1, []int{}, []int8{})), sparse.ErrSize, "1 x -1"},
		{errOf(sparse.VectorOf(sparsetest.Must(sparse.Identity[int8](2)))), sparse.ErrShape, "2 x 2; want 1 x n or n x 1"},
	} {
		if !errors.Is(c.err, c.kind) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %v with %q", c.err, c.kind, c.want)
		}
	}
	defer func() {
		if p := fmt.Sprint(recover()); !strings.Contains(p, "index 3 of 3 elements") {
			t.Error(p)
		}
	}()
	sparsetest.Must(sparse.NewVector(3, []int{0}, []int8{1})).At(3)
}

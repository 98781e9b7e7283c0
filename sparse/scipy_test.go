package sparse_test

import (
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// What a user of scipy.sparse counts on, and where this package is not the same.

func TestDuplicatesOfCOOAreSummedInOrder(t *testing.T) {
	// 1 + 1e16 - 1e16 is 0 in this order only.
	m := sparsetest.Must(sparse.FromCOO(2, 2, []int{1, 0, 1, 1}, []int{1, 0, 1, 1}, []float64{1, 5, 1e16, -1e16}))
	if m.NNZ() != 2 || m.At(1, 1) != 0 || m.HasDuplicates() || !m.Sorted() {
		t.Errorf("%v: (1, 1) is %v", m, m.At(1, 1))
	}
	m = sparsetest.Must(sparse.FromCOO(1, 1, []int{0, 0, 0}, []int{0, 0, 0}, []float64{1e16, -1e16, 1}))
	if m.At(0, 0) != 1 {
		t.Errorf("(0, 0) is %v", m.At(0, 0))
	}
}

func TestCSRIsKeptAsGiven(t *testing.T) {
	m := sparsetest.Must(sparse.FromCSR(2, 4, []int{0, 4, 5}, []int{3, 1, 3, 0, 2}, []float64{1, 2, 4, 8, 16}))
	if m.Sorted() || !m.HasDuplicates() || m.NNZ() != 5 || m.At(0, 3) != 5 || m.At(0, 2) != 0 || m.RowNNZ(0) != 4 {
		t.Errorf("%v, sorted %v, duplicates %v", m, m.Sorted(), m.HasDuplicates())
	}
	_, x, v := m.CSR()
	if !slices.Equal(x, []int32{3, 1, 3, 0, 2}) || !slices.Equal(v, []float64{1, 2, 4, 8, 16}) {
		t.Errorf("%v %v", x, v)
	}
	c := m.Canonical()
	if _, x, v := c.CSR(); !slices.Equal(x, []int32{0, 1, 3, 2}) || !slices.Equal(v, []float64{8, 2, 5, 16}) {
		t.Errorf("canonical: %v %v", x, v)
	}
	if !c.Sorted() || c.HasDuplicates() || !c.Equal(m) || !m.Equal(c) {
		t.Error("the canonical matrix is another")
	}
	unsorted := sparsetest.Must(sparse.FromCSR(1, 4, []int{0, 3}, []int{3, 1, 2}, []float64{1, 2, 3}))
	if unsorted.Sorted() || unsorted.HasDuplicates() {
		t.Error("unsorted without duplicates")
	}
	twice := sparsetest.Must(sparse.FromCSR(1, 4, []int{0, 3}, []int{1, 1, 2}, []float64{1, 2, 3}))
	if !twice.Sorted() || !twice.HasDuplicates() || twice.At(0, 1) != 3 {
		t.Error("sorted with duplicates")
	}
	part := m.RowSlice(1, 2)
	if !part.Sorted() || part.HasDuplicates() || part.At(0, 2) != 16 {
		t.Error("a part that is in order")
	}
}

func TestStoredZerosStay(t *testing.T) {
	m := sparsetest.Must(sparse.FromCSR(1, 3, []int{0, 3}, []int{0, 1, 2}, []float64{0, 1, math.Copysign(0, -1)}))
	if m.NNZ() != 3 || m.Transpose().NNZ() != 3 || m.Scale(0).NNZ() != 3 || sparsetest.Must(m.Add(m)).NNZ() != 3 {
		t.Error("a stored zero was lost")
	}
	if !math.Signbit(m.At(0, 2)) || !math.Signbit(sparsetest.Must(m.Add(m)).At(0, 2)) || !math.Signbit(m.Canonical().At(0, 2)) {
		t.Error("-0 became 0")
	}
	if d := m.DropZeros(); d.NNZ() != 1 || d.At(0, 1) != 1 || d.Equal(m) {
		t.Errorf("DropZeros: %v", d)
	}
	for _, f := range []format.Format{format.COO, format.Dense, format.ELL(3), format.BSR(2), format.DIA, format.SRBCRS(2, 2)} {
		if p, err := format.Pack(m, f); err != nil || p.NNZ() != 3 || p.Matrix().NNZ() != 3 {
			t.Errorf("%s: %v, %v", f.Name, p, err)
		}
	}
	if minus := sparsetest.Must(m.Add(m.Scale(-1))); minus.NNZ() != 3 || minus.DropZeros().NNZ() != 0 {
		t.Errorf("m - m: %v", minus) // scipy drops these
	}
	n := 0
	m.DoNonZero(func(i, j int, v float64) { n++ })
	if n != 1 {
		t.Errorf("DoNonZero yields %d", n)
	}
}

// TestInfinityTimesZero: s*m multiplies what is stored and nothing else.
func TestInfinityTimesZero(t *testing.T) {
	m := sparsetest.Must(sparse.FromCSR(1, 3, []int{0, 2}, []int{0, 1}, []float64{0, 2})).Scale(math.Inf(1))
	if !math.IsNaN(m.At(0, 0)) || m.At(0, 1) != math.Inf(1) || m.At(0, 2) != 0 {
		t.Errorf("%v", m.ToDense().Data)
	}
}

func TestEqual(t *testing.T) {
	nan := math.NaN()
	row := func(v ...float64) sparse.Matrix[float64] {
		x := make([]int, len(v))
		for k := range x {
			x[k] = k
		}
		return sparsetest.Must(sparse.FromCSR(1, 4, []int{0, len(v)}, x, v))
	}
	for _, c := range []struct {
		a, b sparse.Matrix[float64]
		want bool
	}{
		{row(1, 2), row(1, 2), true},
		{row(1, nan), row(1, nan), true},
		{row(1, nan), row(1, 2), false},
		{row(1, 2), row(1, nan), false},
		{row(1, 0), row(1, math.Copysign(0, -1)), true},
		{row(1, 0), row(1), false},
		{row(1, 2), row(1, 3), false},
		{row(), sparsetest.Must(sparse.FromCSR(2, 4, []int{0, 0, 0}, nil, []float64{})), false},
		{row(), sparsetest.Must(sparse.FromCSR(1, 5, []int{0, 0}, nil, []float64{})), false},
		{row(7), sparsetest.Must(sparse.FromCSR(1, 4, []int{0, 1}, []int{1}, []float64{7})), false},
		{sparse.Matrix[float64]{}, sparsetest.Must(sparse.FromCOO[float64, int](0, 0, nil, nil, nil)), true},
	} {
		if c.a.Equal(c.b) != c.want || c.b.Equal(c.a) != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, !c.want)
		}
	}
}

// TestZeroMatrix: the zero value is 0 x 0 in every method.
func TestZeroMatrix(t *testing.T) {
	var z sparse.Matrix[float32]
	s, err := z.Add(z)
	p, x, v := z.CSR()
	again, err2 := sparse.FromCSR(0, 0, p, x, v)
	if err != nil || err2 != nil || !s.Equal(z) || !again.Equal(z) || !z.Transpose().Equal(z) || !z.RowSlice(0, 0).Equal(z) ||
		!z.Scale(2).Equal(z) || !z.DropZeros().Equal(z) || !z.Canonical().Equal(z) || z.ToDense().Rows != 0 ||
		len(z.Diagonal())+len(aggregate.RowSums(z))+len(aggregate.ColSums(z)) != 0 || z.String() != "0 x 0 with 0 entries of f32" {
		t.Error("the zero Matrix is not 0 x 0")
	}
	for range z.All() {
		t.Error("the zero Matrix has an entry")
	}
	for _, f := range formats {
		if _, err := format.Pack(z, f); err != nil {
			t.Error(err)
		}
	}
}

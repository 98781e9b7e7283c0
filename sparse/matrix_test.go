package sparse_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/radix"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// random returns a CSR with small integers, often unsorted and with duplicates, and
// what it means, dense.
func random(r *rand.Rand, rows, cols int) (sparse.Matrix[float64], layout.Matrix[float64]) {
	p, x, v := []int{0}, []int{}, []float64{}
	d := layout.New[float64](rows, cols)
	most := r.IntN(8)
	for i := range rows {
		for range r.IntN(most + 1) {
			if cols > 0 {
				j, w := r.IntN(cols), float64(r.IntN(9)-4)
				x, v = append(x, j), append(v, w)
				d.Set(i, j, d.At(i, j)+w)
			}
		}
		p = append(p, len(x))
	}
	if r.IntN(3) == 0 {
		for i := range rows {
			slices.Sort(x[p[i]:p[i+1]])
		}
		clear(d.Data)
		for i := range rows {
			for k := p[i]; k < p[i+1]; k++ {
				d.Set(i, x[k], d.At(i, x[k])+v[k])
			}
		}
	}
	return sparsetest.Must(sparse.FromCSR(rows, cols, p, x, v)), d
}

func same(a, b layout.Matrix[float64]) bool {
	return a.Rows == b.Rows && a.Cols == b.Cols && slices.Equal(a.Data, b.Data)
}

// TestOperations compares every operation with the dense one; small integers make
// all sums exact.
func TestOperations(t *testing.T) {
	r := rand.New(level.PCG(7, 7))
	for range 3000 {
		rows, cols := r.IntN(12), r.IntN(12)
		m, d := random(r, rows, cols)
		o, e := random(r, rows, cols)
		if err := invariants(m); err != nil {
			t.Fatal(err)
		}
		if !same(m.ToDense(), d) {
			t.Fatalf("ToDense: %v, want %v", m.ToDense().Data, d.Data)
		}
		for i := range rows {
			for j := range cols {
				if m.At(i, j) != d.At(i, j) {
					t.Fatalf("At(%d, %d)", i, j)
				}
			}
		}

		tr, from := m.TransposeFrom()
		_, _, tv := tr.CSR()
		_, _, mv := m.CSR()
		for k, f := range from {
			if tv[k] != mv[f] {
				t.Fatalf("value %d of the transposed is not value %d", k, f)
			}
		}
		perm := slices.Clone(from)
		slices.Sort(perm)
		if !slices.Equal(perm, radix.Sequence(m.NNZ())) {
			t.Fatalf("not a permutation: %v", from)
		}
		for i := range rows {
			for j := range cols {
				if tr.At(j, i) != d.At(i, j) {
					t.Fatal("Transpose")
				}
			}
		}

		s, err := m.Add(o)
		if err != nil {
			t.Fatal(err)
		}
		sum, scaled := layout.New[float64](rows, cols), layout.New[float64](rows, cols)
		rowSums, colSums, diagonal := make([]float64, rows), make([]float64, cols), make([]float64, min(rows, cols))
		for i := range rows {
			for j := range cols {
				v := d.At(i, j)
				sum.Set(i, j, v+e.At(i, j))
				scaled.Set(i, j, 3*v)
				rowSums[i] += v
				colSums[j] += v
				if i == j {
					diagonal[i] = v
				}
			}
		}
		if !same(s.ToDense(), sum) || !same(m.Scale(3).ToDense(), scaled) || !slices.Equal(aggregate.RowSums(m), rowSums) ||
			!slices.Equal(aggregate.ColSums(m), colSums) || !slices.Equal(m.Diagonal(), diagonal) {
			t.Fatal("Add, Scale, RowSums, ColSums or Diagonal")
		}

		i0 := r.IntN(rows + 1)
		i1 := i0 + r.IntN(rows-i0+1)
		part := m.RowSlice(i0, i1)
		want := layout.New[float64](i1-i0, cols)
		copy(want.Data, d.Data[i0*cols:i1*cols])
		if !same(part.ToDense(), want) {
			t.Fatal("RowSlice")
		}

		if m.NNZ() > 0 && (m.Equal(m.Scale(2)) != same(d, scaled)) {
			t.Fatal("Equal")
		}
		b := sparse.NewBuilder[float64](rows, cols)
		for i := range rows {
			for j, v := range m.Row(i) {
				b.Add(i, j, v)
			}
		}
		if built := sparsetest.Must(b.Matrix()); !built.Equal(m) || !sparsetest.Must(sparse.FromDense(d)).Equal(m.DropZeros()) {
			t.Fatal("Builder or FromDense")
		}
		tp, tx, tv := tr.CSR()
		csc := sparsetest.Must(sparse.FromCSC(rows, cols, tp, tx, tv))
		if !csc.Equal(m) || !csc.Sorted() {
			t.Fatal("FromCSC")
		}
		for _, x := range []sparse.Matrix[float64]{tr, s, part, csc, m.Canonical(), m.DropZeros(), m.Scale(3), sparsetest.Must(sparse.FromDense(d))} {
			if err := invariants(x); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// invariants is what every matrix promises.
func invariants[T float32 | float64](m sparse.Matrix[T]) error {
	p, x, v := m.CSR()
	again, err := sparse.FromCSR(m.Rows(), m.Cols(), p, x, v)
	if err != nil {
		return err
	}
	sorted, duplicates := true, false
	for i := range m.Rows() {
		row := x[p[i]:p[i+1]]
		sorted = sorted && slices.IsSorted(row)
		row = slices.Clone(row)
		slices.Sort(row)
		duplicates = duplicates || len(slices.Compact(row)) < int(p[i+1]-p[i])
	}
	if m.Sorted() != sorted || m.HasDuplicates() != duplicates || !again.Equal(m) || m.NNZ() != len(v) {
		return sparse.Errorf(sparse.ErrShape, "invariants", "", "%v: sorted %v, not %v; duplicates %v, not %v", m, m.Sorted(), sorted, m.HasDuplicates(), duplicates)
	}
	return nil
}

// TestFloat32: sums of rows are rounded once, duplicates at every step.
func TestFloat32(t *testing.T) {
	one := []float32{1 << 24, 1, 1}
	m, err := sparse.FromCSR(1, 3, []int{0, 3}, []int{0, 1, 2}, one)
	if err != nil || aggregate.RowSums(m)[0] != 1<<24+2 || aggregate.ColSums(m.Transpose())[0] != 1<<24+2 {
		t.Errorf("%v, %v", aggregate.RowSums(m), err)
	}
	m, err = sparse.FromCOO(1, 1, []int{0, 0, 0}, []int{0, 0, 0}, one)
	if err != nil || m.At(0, 0) != 1<<24 {
		t.Errorf("%v, %v", m.At(0, 0), err)
	}
}

var formats = sparsetest.Formats(format.Parse)

// TestBreak: leaving a loop over a matrix stops it.
func TestBreak(t *testing.T) {
	m := sparsetest.Where("", 4, 4, func(i, j int) bool { return true }).Matrix()
	n := 0
	for range m.All() {
		if n++; n == 6 {
			break
		}
	}
	for range m.Row(1) {
		if n++; n == 8 {
			break
		}
	}
	for _, f := range formats {
		if p, err := format.Pack(m, f); err == nil {
			for range p.All() {
				n++
				break
			}
		}
	}
	if n < 8 || n > 8+len(formats) {
		t.Error(n)
	}
}

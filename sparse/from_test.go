package sparse_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
)

// TestFromCSRRefuses pins what is said of arrays that are not a matrix. FromCSC goes
// the same way, with the sizes exchanged.
func TestFromCSRRefuses(t *testing.T) {
	for _, c := range []struct {
		what       string
		rows, cols int
		p, x       []int
		values     int
		want       string
		kind       error
	}{
		{"negative rows", -1, 3, nil, nil, 0, "size -1 x 3; sizes are from 0 to 134217728", sparse.ErrSize},
		{"too many columns", 0, sparse.MaxDim + 1, []int{0}, nil, 0, "size 0 x 134217729; sizes are from 0 to 134217728", sparse.ErrSize},
		{"too many rows", 2_000_000_000, 1, []int{0}, nil, 0, "size 2000000000 x 1; sizes are from 0 to 134217728", sparse.ErrSize},
		{"no pointers", 0, 3, nil, nil, 0, "0 pointers for 0 x 3; one more than rows, or columns of a CSC", sparse.ErrLength},
		{"as many pointers as rows", 2, 3, []int{0, 1}, []int{0}, 1, "2 pointers for 2 x 3; one more than rows, or columns of a CSC", sparse.ErrLength},
		{"too many pointers", 2, 3, []int{0, 0, 0, 1}, []int{0}, 1, "4 pointers for 2 x 3; one more than rows, or columns of a CSC", sparse.ErrLength},
		{"few values", 2, 3, []int{0, 1, 2}, []int{0, 1}, 1, "2 indices and 1 values; as many of each", sparse.ErrLength},
		{"not from 0", 2, 3, []int{1, 1, 2}, []int{0, 1}, 2, "pointers[0] is 1; the first is 0", sparse.ErrPointers},
		{"not to the end", 2, 3, []int{0, 1, 1}, []int{0, 1}, 2, "pointers[2] is 1, with 2 entries; the last is the number of entries", sparse.ErrPointers},
		{"beyond the end", 2, 3, []int{0, 1, 3}, []int{0, 1}, 2, "pointers[2] is 3, with 2 entries; the last is the number of entries", sparse.ErrPointers},
		{"there and back", 3, 3, []int{0, 3, 1, 2}, []int{0, 1}, 2, "pointers[1] is 3, with 2 entries; pointers do not go beyond the last entry", sparse.ErrPointers},
		{"backward", 3, 3, []int{0, 2, 1, 2}, []int{0, 1}, 2, "pointers[2] is 1, after 2; pointers do not go backward", sparse.ErrPointers},
		{"negative", 3, 3, []int{0, -1, 1, 2}, []int{0, 1}, 2, "pointers[1] is -1, after 0; pointers do not go backward", sparse.ErrPointers},
		{"far column", 2, 3, []int{0, 1, 2}, []int{0, 3}, 2, "indices[1] is 3, outside 2 x 3", sparse.ErrIndex},
		{"negative column", 2, 3, []int{0, 1, 2}, []int{-1, 0}, 2, "indices[0] is -1, outside 2 x 3", sparse.ErrIndex},
		{"entries without columns", 2, 0, []int{0, 1, 2}, []int{0, 0}, 2, "indices[0] is 0, outside 2 x 0", sparse.ErrIndex},
	} {
		_, err := sparse.FromCSR(c.rows, c.cols, c.p, c.x, make([]float32, c.values))
		sparsetest.Refusal(t, c.what, err, "sparse.FromCSR: "+c.want, c.kind)
		if _, err := sparse.FromCSC(c.cols, c.rows, c.p, c.x, make([]float32, c.values)); !errors.Is(err, c.kind) {
			t.Errorf("%s: FromCSC: %v", c.what, err)
		}
	}
	// What wraps to something innocent in 32 bits.
	const wrap = 1 << 32
	_, err := sparse.FromCSR(1, 3, []int64{0, wrap + 1}, []int64{0}, []float64{1})
	sparsetest.Refusal(t, "a pointer that wraps", err, "sparse.FromCSR: pointers[1] is 4294967297, with 1 entries; the last is the number of entries", sparse.ErrPointers)
	_, err = sparse.FromCSR(2, 3, []int64{0, wrap, 1}, []int64{0}, []float64{1})
	sparsetest.Refusal(t, "a pointer between that wraps", err, "sparse.FromCSR: pointers[1] is 4294967296, with 1 entries; pointers do not go beyond the last entry", sparse.ErrPointers)
	_, err = sparse.FromCSR(1, 3, []int64{0, 1}, []int64{wrap}, []float64{1})
	sparsetest.Refusal(t, "an index that wraps", err, "sparse.FromCSR: indices[0] is 4294967296, outside 1 x 3", sparse.ErrIndex)
	_, err = sparse.FromCOO(1, 3, []int64{wrap}, []int64{0}, []float64{1})
	sparsetest.Refusal(t, "a row that wraps", err, "sparse.FromCOO: entry 0 is (4294967296, 0), outside 1 x 3", sparse.ErrIndex)
}

func TestOtherRefusals(t *testing.T) {
	_, err := sparse.FromCOO(2, 2, []int{0}, []int{0, 1}, []float64{1, 2})
	sparsetest.Refusal(t, "lengths", err, "sparse.FromCOO: 1 rows, 2 columns and 2 values; as many of each", sparse.ErrLength)
	_, err = sparse.FromCOO(2, -2, []int{5}, []int{5}, []float64{1})
	sparsetest.Refusal(t, "size", err, "sparse.FromCOO: size 2 x -2; sizes are from 0 to 134217728", sparse.ErrSize)
	_, err = sparse.FromCOO(2, 2, []int{0, 1}, []int{0, 2}, []float64{1, 2})
	sparsetest.Refusal(t, "column", err, "sparse.FromCOO: entry 1 is (1, 2), outside 2 x 2", sparse.ErrIndex)

	b := sparse.NewBuilder[float32](2, 2)
	b.Add(0, 0, 1)
	b.Add(2, 0, 1)
	b.Add(-7, 0, 1)
	sparsetest.Refusal(t, "builder", b.Err(), "sparse.Builder: entry 1 is (2, 0), outside 2 x 2", sparse.ErrIndex)
	if _, err := b.Matrix(); err != b.Err() {
		t.Errorf("Matrix says %v", err)
	}
	_, err = sparse.NewBuilder[float32](sparse.MaxDim+1, 2).Matrix()
	sparsetest.Refusal(t, "builder's size", err, "sparse.Builder: size 134217729 x 2; sizes are from 0 to 134217728", sparse.ErrSize)

	_, err = sparse.FromDense(layout.Matrix[float64]{Rows: 2, Cols: 2, RowStride: 2, ColStride: 1})
	sparsetest.Refusal(t, "dense", err, "sparse.FromDense: d: 0 elements do not hold 2 x 2 with strides (2, 1); want at least 4", sparse.ErrShape)
	_, err = sparse.FromDense(layout.Matrix[float64]{Rows: sparse.MaxDim + 1})
	sparsetest.Refusal(t, "dense size", err, "sparse.FromDense: size 134217729 x 0; sizes are from 0 to 134217728", sparse.ErrSize)

	m := sparsetest.Must(sparse.FromCOO(2, 3, []int{0}, []int{0}, []float64{1}))
	_, err = m.Add(m.Transpose())
	sparsetest.Refusal(t, "shapes", err, "sparse.Matrix.Add: 2 x 3 and 3 x 2; they are the same", sparse.ErrShape)
	_, err = m.WithValues(nil)
	sparsetest.Refusal(t, "values", err, "sparse.Matrix.WithValues: 0 values for 1 entries; one an entry", sparse.ErrLength)
	for want, f := range map[string]func(){
		"sparse.Matrix.At: index (2, 0) outside 2 x 3":         func() { m.At(2, 0) },
		"sparse.Matrix.At: index (0, -1) outside 2 x 3":        func() { m.At(0, -1) },
		"sparse.Matrix.Row: row -1 of a 2 x 3 matrix":          func() { m.Row(-1) },
		"sparse.Matrix.RowNNZ: row 2 of a 2 x 3 matrix":        func() { m.RowNNZ(2) },
		"sparse.Matrix.RowSlice: rows [0:3) of a 2 x 3 matrix": func() { m.RowSlice(0, 3) },
		"sparse.Matrix.RowSlice: rows [2:1) of a 2 x 3 matrix": func() { m.RowSlice(2, 1) },
		"sparse.Matrix.ToDense: 134217728 x 134217728 is too large": func() {
			sparse.Ones[float32](sparsetest.Must(sparse.PatternFromCOO[int](sparse.MaxDim, sparse.MaxDim, nil, nil))).ToDense()
		},
	} {
		func() {
			defer func() {
				if err, ok := recover().(layout.ShapeError); !ok || err.Error() != want {
					t.Errorf("%v, want %s", err, want)
				}
			}()
			f()
		}()
	}
}

// TestImmutable: nothing that goes in or comes out is the matrix itself.
func TestImmutable(t *testing.T) {
	p, x, v := []int32{0, 2, 3}, []int32{0, 2, 1}, []float64{1, 2, 3}
	m := sparsetest.Must(sparse.FromCSR(2, 3, p, x, v))
	c := sparsetest.Must(sparse.FromCSC(3, 2, p, x, v))
	o := sparsetest.Must(sparse.FromCOO(3, 3, x, x, v))
	w := sparsetest.Must(m.WithValues(v))
	b := sparse.NewBuilder[float64](1, 1)
	b.Add(0, 0, 5)
	built := sparsetest.Must(b.Matrix())
	kept := format.Arrays{}
	keeps := format.CSR
	keeps.Build = func(m, n int, in []sparse.Entry) (a format.Arrays, err error) {
		kept, err = format.CSR.Build(m, n, in)
		return kept, err
	}
	packed, err := format.Pack(m, keeps)
	if err != nil {
		t.Fatal(err)
	}

	b.Add(0, 0, 6)
	p[1], x[0], v[0] = -5, 77, 9
	kept.Levels[1].Indices[0], kept.Levels[0].Size = 99, 77
	mp, mx, mv := m.CSR()
	mp[1], mx[0], mv[0] = 9, 9, 9
	a := packed.Arrays()
	a.Levels[1].Indices[0], a.Levels[1].Pointers[1], a.Levels[0].Size = 9, 9, 9
	packed.Values()[0] = 9

	want := sparsetest.Must(sparse.FromCOO(2, 3, []int{0, 0, 1}, []int{0, 2, 1}, []float64{1, 2, 3}))
	if !m.Equal(want) || !w.Equal(want) || !c.Equal(want.Transpose()) || !packed.Matrix().Equal(want) {
		t.Error("a matrix was changed from outside")
	}
	if o.At(0, 0) != 1 || built.At(0, 0) != 5 || sparsetest.Must(b.Matrix()).At(0, 0) != 11 {
		t.Errorf("%v %v", o.At(0, 0), built.At(0, 0))
	}
}

// TestIndexTypes: int, int32 and int64 make the same matrix.
func TestIndexTypes(t *testing.T) {
	a := sparsetest.Must(sparse.FromCSR(1, 3, []int{0, 2}, []int{0, 2}, []float64{1, 2}))
	b := sparsetest.Must(sparse.FromCSR(1, 3, []int32{0, 2}, []int32{0, 2}, []float64{1, 2}))
	c := sparsetest.Must(sparse.FromCSR(1, 3, []int64{0, 2}, []int64{0, 2}, []float64{1, 2}))
	d := sparsetest.Must(sparse.FromCOO(1, 3, []int64{0, 0}, []int64{2, 0}, []float64{2, 1}))
	if !a.Equal(b) || !b.Equal(c) || !c.Equal(d) {
		t.Error("they differ")
	}
}

// TestFromDense: zeros are not stored, NaN and infinities are, strides do not
// matter.
func TestFromDense(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	d := layout.RowMajor([]float64{1, 0, nan, math.Copysign(0, -1), inf, 0}, 2, 3)
	m := sparsetest.Must(sparse.FromDense(d))
	if m.NNZ() != 3 || m.At(1, 1) != inf || !math.IsNaN(m.At(0, 2)) {
		t.Errorf("%v: %v", m, slices.Collect(values(m)))
	}
	if !sparsetest.Must(sparse.FromDense(d.T())).Equal(m.Transpose()) {
		t.Error("column-major comes out otherwise")
	}
	if !sparsetest.Must(sparse.FromDense(m.ToDense())).Equal(m) {
		t.Error("ToDense is not the way back")
	}
	if e := sparsetest.Must(sparse.FromDense(layout.Matrix[float64]{})); e.NNZ() != 0 || e.ToDense().Rows != 0 {
		t.Error("the zero matrix")
	}
}

func values(m sparse.Matrix[float64]) func(func(float64) bool) {
	return func(yield func(float64) bool) {
		for _, v := range m.All() {
			if !yield(v) {
				return
			}
		}
	}
}

package layout

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// far is a stride whose fourth multiple is 0 in the machine's integers: the
// product (rows-1)*stride of five rows wraps to an innocent number.
const far = math.MaxInt/2 + 1

func TestShapes(t *testing.T) {
	data := []float64{0, 1, 2, 3, 4, 5}
	r := RowMajor(data, 2, 3)
	c := ColMajor(data, 2, 3)
	for _, x := range []struct {
		name string
		m    Matrix[float64]
		i, j int
		want float64
	}{
		{"row-major", r, 1, 0, 3},
		{"row-major", r, 1, 2, 5},
		{"column-major", c, 1, 0, 1},
		{"column-major", c, 1, 2, 5},
		{"transposed", r.T(), 2, 1, 5},
		{"transposed", r.T(), 2, 0, 2},
		{"twice transposed", r.T().T(), 1, 1, 4},
		{"part", r.Slice(1, 2, 1, 3), 0, 1, 5},
		{"part of the transposed", r.T().Slice(1, 3, 0, 2), 1, 1, 5},
		{"repeated row", Matrix[float64]{data, 4, 3, 0, 1}, 3, 2, 2},
	} {
		if got := x.m.At(x.i, x.j); got != x.want {
			t.Errorf("%s: element (%d, %d) is %v, want %v", x.name, x.i, x.j, got, x.want)
		}
	}
	s := New[float32](2, 2)
	s.Slice(1, 2, 0, 2).Set(0, 1, 7)
	if got := s.Data[3]; got != 7 {
		t.Errorf("Set through a part: %v in the whole, want 7", got)
	}
	if e := r.Slice(1, 1, 0, 3); e.Rows != 0 || e.Cols != 3 || e.Data != nil {
		t.Errorf("empty part: %+v", e)
	}
	var zero Matrix[float32]
	if err := zero.CheckOut("zero"); err != nil {
		t.Errorf("the zero Matrix: %v", err)
	}
}

// checks is what Check and CheckOut must say; "" is no error.
var checks = []struct {
	what       string
	length     int
	rows, cols int
	rs, cs     int
	check, out string
}{
	{what: "row-major", length: 6, rows: 2, cols: 3, rs: 3, cs: 1},
	{what: "column-major", length: 6, rows: 2, cols: 3, rs: 1, cs: 2},
	{what: "padded rows, the last one not", length: 13, rows: 2, cols: 3, rs: 10, cs: 1},
	{what: "strided both ways", length: 19, rows: 3, cols: 3, rs: 7, cs: 2},
	{what: "longer than needed", length: 100, rows: 2, cols: 3, rs: 3, cs: 1},
	{what: "one element", length: 1, rows: 1, cols: 1, rs: 1, cs: 1},
	{what: "one element, strides mean nothing", length: 1, rows: 1, cols: 1, rs: far, cs: math.MaxInt},
	{what: "one row, its stride means nothing", length: 3, rows: 1, cols: 3, rs: far, cs: 1},
	{what: "one column, its stride means nothing", length: 5, rows: 3, cols: 1, rs: 2, cs: far},
	{what: "no rows", rows: 0, cols: 3, rs: 3, cs: 1},
	{what: "no columns of many rows", rows: math.MaxInt, cols: 0, rs: far, cs: far},

	{what: "short by one", length: 5, rows: 2, cols: 3, rs: 3, cs: 1,
		check: "x: 5 elements do not hold 2 x 3 with strides (3, 1); want at least 6"},
	{what: "no data", length: 0, rows: 1, cols: 1, rs: 1, cs: 1,
		check: "x: 0 elements do not hold 1 x 1 with strides (1, 1); want at least 1"},
	{what: "negative rows", rows: -1, cols: 3, rs: 3, cs: 1, check: "x: size -1 x 3 is negative; want 0 or more"},
	{what: "negative columns of no rows", rows: 0, cols: -3, rs: 3, cs: 1, check: "x: size 0 x -3 is negative; want 0 or more"},
	{what: "negative stride", length: 6, rows: 2, cols: 3, rs: -3, cs: 1, check: "x: strides (-3, 1) must not be negative"},
	{what: "negative stride of nothing", rows: 0, cols: 0, rs: 0, cs: -1, check: "x: strides (0, -1) must not be negative"},

	{what: "repeated row", length: 3, rows: 4, cols: 3, rs: 0, cs: 1,
		out: "x: strides (0, 1) put several elements of 4 x 3 in one place; want one to step over all that the other spans"},
	{what: "repeated column", length: 4, rows: 4, cols: 3, rs: 1, cs: 0,
		out: "x: strides (1, 0) put several elements of 4 x 3 in one place; want one to step over all that the other spans"},
	{what: "one element repeated without end", length: 1, rows: math.MaxInt, cols: math.MaxInt, rs: 0, cs: 0,
		out: "*"},
	{what: "one row of one element", length: 1, rows: 1, cols: 3, rs: 3, cs: 0,
		out: "x: strides (3, 0) put several elements of 1 x 3 in one place; want one to step over all that the other spans"},
	{what: "rows that share an element", length: 5, rows: 2, cols: 3, rs: 2, cs: 1,
		out: "x: strides (2, 1) put several elements of 2 x 3 in one place; want one to step over all that the other spans"},
	{what: "a Hankel matrix", length: 5, rows: 3, cols: 3, rs: 1, cs: 1,
		out: "x: strides (1, 1) put several elements of 3 x 3 in one place; want one to step over all that the other spans"},
	{what: "columns step over rows", length: 6, rows: 2, cols: 2, rs: 2, cs: 3},
	// Distinct, but neither stride steps over the other: no part of a dense matrix.
	{what: "interleaved", length: 11, rows: 3, cols: 3, rs: 2, cs: 3,
		out: "x: strides (2, 3) put several elements of 3 x 3 in one place; want one to step over all that the other spans"},
}

func TestCheck(t *testing.T) {
	for _, c := range checks {
		m := Matrix[float32]{make([]float32, c.length), c.rows, c.cols, c.rs, c.cs}
		compare(t, c.what+": Check", m.Check("x"), c.check)
		want := c.out
		if c.check != "" {
			want = c.check
		}
		compare(t, c.what+": CheckOut", m.CheckOut("x"), want)
	}
}

func compare(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case want == "":
	case err == nil:
		t.Errorf("%s: no error, want %q", what, want)
	case !errors.As(err, new(ShapeError)):
		t.Errorf("%s: %T, want a ShapeError", what, err)
	case want != "*" && err.Error() != want:
		t.Errorf("%s: %q, want %q", what, err, want)
	}
}

// TestCheckOverflow: whatever the strides, a product that wraps must not let a
// short slice through, since assembly would then read outside it.
func TestCheckOverflow(t *testing.T) {
	data := make([]float64, 64)
	large := []int{far - 1, far, far + 1, math.MaxInt - 1, math.MaxInt, math.MaxInt / 3}
	small := []int{0, 1, 2, 8}
	for _, rows := range append([]int{2, 3, 4, 5, 9}, large...) {
		for _, rs := range large {
			for _, cs := range append(small, large...) {
				for _, cols := range []int{1, 2, 5, far} {
					m := Matrix[float64]{data, rows, cols, rs, cs}
					for _, m := range []Matrix[float64]{m, m.T()} {
						if m.Check("m") == nil || m.CheckOut("m") == nil {
							t.Errorf("%d x %d with strides (%d, %d) is said to lie in %d elements", m.Rows, m.Cols, m.RowStride, m.ColStride, len(data))
						}
					}
				}
			}
		}
	}
}

// TestCheckLaws compares with a walk over all elements of small matrices: Check is
// exact, CheckOut never passes two elements in one place, and passes every part of
// a dense matrix.
func TestCheckLaws(t *testing.T) {
	r := rand.New(level.PCG(3, 5))
	for range 20_000 {
		m := Matrix[float32]{make([]float32, r.IntN(40)), r.IntN(5), r.IntN(5), r.IntN(9), r.IntN(9)}
		seen, last, twice := map[int]bool{}, -1, false
		for i := range m.Rows {
			for j := range m.Cols {
				at := i*m.RowStride + j*m.ColStride
				twice = twice || seen[at]
				seen[at], last = true, max(last, at)
			}
		}
		if fits := last < len(m.Data); fits != (m.Check("m") == nil) {
			t.Fatalf("%+v: reaches element %d, Check says %v", m, last, m.Check("m"))
		}
		if twice && m.CheckOut("m") == nil {
			t.Fatalf("%+v: CheckOut passes elements that share a place", m)
		}
	}
	for range 5_000 {
		rows, cols := r.IntN(9), r.IntN(9)
		m := New[float32](rows, cols)
		if r.IntN(2) == 0 {
			m = m.T()
		}
		i0, j0 := r.IntN(m.Rows+1), r.IntN(m.Cols+1)
		s := m.Slice(i0, i0+r.IntN(m.Rows-i0+1), j0, j0+r.IntN(m.Cols-j0+1))
		if s.Rows > 1 && r.IntN(2) == 0 { // every other row
			s.Rows, s.RowStride = (s.Rows+1)/2, 2*s.RowStride
		}
		if err := s.CheckOut("part"); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
	}
}

func TestPanics(t *testing.T) {
	m := New[float32](2, 3)
	for _, c := range []struct {
		f    func()
		want string
	}{
		{func() { New[float32](-1, 2) }, "layout.New: size -1 x 2 is negative; want 0 or more"},
		{func() { New[float32](2, -1) }, "layout.New: size 2 x -1 is negative; want 0 or more"},
		{func() { RowMajor(make([]float32, 3), 2, 2) }, "layout.RowMajor: 3 elements do not hold 2 x 2; want at least 4"},
		{func() { ColMajor(make([]float32, 3), 2, 2) }, "layout.ColMajor: 3 elements do not hold 2 x 2; want at least 4"},
		{func() { RowMajor([]float32(nil), 1, 1) }, "layout.RowMajor: 0 elements do not hold 1 x 1; want at least 1"},
		{func() { RowMajor(make([]float32, 3), -1, 2) }, "layout.RowMajor: size -1 x 2 is negative; want 0 or more"},
		{func() { ColMajor(make([]float32, 3), 0, math.MinInt) }, fmt.Sprintf("layout.ColMajor: size 0 x %d is negative; want 0 or more", math.MinInt)},
		{func() { RowMajor(make([]float32, 3), math.MaxInt, 4) }, fmt.Sprintf("layout.RowMajor: 3 elements do not hold %d x 4; want smaller sizes or strides", math.MaxInt)},
		{func() { ColMajor(make([]float32, 3), math.MaxInt/2+1, 4) }, fmt.Sprintf("layout.ColMajor: 3 elements do not hold %d x 4; want smaller sizes or strides", math.MaxInt/2+1)},
		{func() { New[float64](math.MaxInt, math.MaxInt) }, "*"},
		{func() { New[float64](far, 4) }, "*"},
		{func() { m.At(2, 0) }, "layout.Matrix.At: index (2, 0) outside 2 x 3"},
		{func() { m.At(0, 3) }, "layout.Matrix.At: index (0, 3) outside 2 x 3"},
		{func() { m.At(-1, 0) }, "layout.Matrix.At: index (-1, 0) outside 2 x 3"},
		{func() { m.Set(0, -1, 1) }, "layout.Matrix.Set: index (0, -1) outside 2 x 3"},
		{func() { m.Slice(0, 3, 0, 3) }, "layout.Matrix.Slice: rows [0:3), columns [0:3) of a 2 x 3 matrix"},
		{func() { m.Slice(2, 1, 0, 3) }, "layout.Matrix.Slice: rows [2:1), columns [0:3) of a 2 x 3 matrix"},
		{func() { m.Slice(0, 2, -1, 3) }, "layout.Matrix.Slice: rows [0:2), columns [-1:3) of a 2 x 3 matrix"},
		{func() { m.Slice(0, 2, 0, 4) }, "layout.Matrix.Slice: rows [0:2), columns [0:4) of a 2 x 3 matrix"},
	} {
		func() {
			defer func() {
				switch err, ok := recover().(ShapeError); {
				case !ok:
					t.Errorf("no ShapeError, want %q", c.want)
				case c.want != "*" && err.Error() != c.want:
					t.Errorf("panic %q, want %q", err, c.want)
				}
			}()
			c.f()
		}()
	}
}

package cuda

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// of returns a matrix over n elements.
func of(t *testing.T, d Device, n, rows, cols, rs, cs int) Matrix[float32] {
	t.Helper()
	x, err := Make[float32](d, n)
	if err != nil {
		t.Fatal(err)
	}
	return Matrix[float32]{x, rows, cols, rs, cs}
}

// TestCheck: a matrix of a device is one if and only if it would be one of the host,
// and for the same reason.
func TestCheck(t *testing.T) {
	const far = math.MaxInt/2 + 1 // five rows of it wrap to an innocent number
	d := newHost()
	sizes := []int{-1, 0, 1, 2, 3, 5, math.MaxInt}
	strides := []int{-1, 0, 1, 2, 3, 5, 7, far, math.MaxInt}
	n := 0
	for _, length := range []int{0, 1, 6, 13, 100} {
		x, err := Make[float32](d, length)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]float32, length)
		for _, rows := range sizes {
			for _, cols := range sizes {
				for _, rs := range strides {
					for _, cs := range strides {
						m := Matrix[float32]{x, rows, cols, rs, cs}
						h := layout.Matrix[float32]{Data: data, Rows: rows, Cols: cols, RowStride: rs, ColStride: cs}
						if diff := cmp.Diff(h.Check("x"), m.Check("x")); diff != "" {
							t.Fatalf("Check of %+v, host to device:\n%s", h, diff)
						}
						if diff := cmp.Diff(h.CheckOut("x"), m.CheckOut("x")); diff != "" {
							t.Fatalf("CheckOut of %+v, host to device:\n%s", h, diff)
						}
						if m.Check("x") == nil {
							n++
						}
					}
				}
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d of them were matrices", n)
	}
}

func TestNew(t *testing.T) {
	d := newHost()
	m, err := New[float64](d, 3, 5)
	if err != nil || m.Data.Len() != 15 || m.RowStride != 5 || m.CheckOut("m") != nil {
		t.Errorf("New: %+v, %v", m, err)
	}
	m, err = NewStrided[float64](d, 3, 5, 8)
	if err != nil || m.Data.Len() != 21 || m.RowStride != 8 || m.CheckOut("m") != nil {
		t.Errorf("NewStrided: %+v, %v", m, err)
	}
	for _, c := range []struct{ rows, cols int }{{0, 5}, {5, 0}, {0, 0}, {math.MaxInt, 0}} {
		if m, err := New[float64](d, c.rows, c.cols); err != nil || m.Data.Len() != 0 || m.Check("m") != nil {
			t.Errorf("%d x %d: %+v, %v", c.rows, c.cols, m, err)
		}
	}
	const half = 1 << (bits.UintSize / 2) // its square is 0 in an int
	for _, c := range []struct {
		rows, cols, stride int
		want               string
	}{
		{-1, 5, 5, "size -1 x 5 is negative; want 0 or more"},
		{5, -1, 5, "size 5 x -1 is negative; want 0 or more"},
		{2, 5, 4, "stride 4 is too short for rows of 5 elements"},
		{2, 0, 0, "stride 0 is too short"},
		{math.MaxInt, math.MaxInt, math.MaxInt, "too large"},
		{half, half, half, "too large"},
		{1, math.MaxInt, math.MaxInt, "a buffer cannot have"},
		{3, 1, math.MaxInt/2 + 1, "too large"},
	} {
		refused(t, fmt.Sprint(c), func() error { _, err := NewStrided[float64](d, c.rows, c.cols, c.stride); return err }, c.want)
	}
	if _, err := New[float64](d, 1<<12, 1<<12); !errors.Is(err, ErrMemory) {
		t.Errorf("too much: %v", err)
	}
}

func TestViews(t *testing.T) {
	d := newHost()
	m := of(t, d, 40, 4, 7, 10, 1)
	at := func(m Matrix[float32]) int { return int(m.Data.Offset()) / 4 }
	for _, c := range []struct {
		what             string
		got              Matrix[float32]
		at, rows, cols   int
		rs, cs, elements int
	}{
		{"transposed", m.T(), 0, 7, 4, 1, 10, 40},
		{"part", m.Slice(1, 3, 2, 6), 12, 2, 4, 10, 1, 14},
		{"rows", m.RowSlice(2, 4), 20, 2, 7, 10, 1, 17},
		{"columns", m.ColSlice(5, 7), 5, 4, 2, 10, 1, 32},
		{"columns of the transposed", m.T().ColSlice(1, 2), 10, 7, 1, 1, 10, 7},
		{"nothing", m.Slice(1, 1, 0, 7), 0, 0, 7, 10, 1, 0},
	} {
		g := c.got
		if at(g) != c.at || g.Rows != c.rows || g.Cols != c.cols || g.RowStride != c.rs || g.ColStride != c.cs || g.Data.Len() != c.elements || g.Check("g") != nil {
			t.Errorf("%s: at %d, %d elements, %+v", c.what, at(g), g.Data.Len(), g)
		}
		if g.Address() != m.Address()+uint64(4*c.at) {
			t.Errorf("%s: at %#x", c.what, g.Address())
		}
	}
	for _, c := range [][4]int{{-1, 2, 0, 1}, {2, 1, 0, 1}, {0, 5, 0, 1}, {0, 1, -1, 1}, {0, 1, 2, 1}, {0, 1, 0, 8}} {
		refused(t, "Slice", func() error { m.Slice(c[0], c[1], c[2], c[3]); return nil }, "of a 4 x 7 matrix")
	}
}

func TestCheckOn(t *testing.T) {
	d, other := newHost(), newHost()
	m := of(t, d, 6, 2, 3, 3, 1)
	if err := m.CheckOn(d, "a"); err != nil {
		t.Error(err)
	}
	if err := m.CheckOn(other, "a"); !errors.Is(err, ErrForeign) || err.Error() != "a belongs to another device: its memory is on host, the kernel runs on host" {
		t.Errorf("on another device: %v", err)
	}
	m.Rows = 3
	refused(t, "too many rows", func() error { return m.CheckOn(d, "a") }, "a: 6 elements do not hold 3 x 3")
	if err := (Matrix[float32]{}).CheckOn(d, "a"); err != nil {
		t.Errorf("the zero Matrix: %v", err)
	}
}

// TestTransfer moves random matrices both ways and counts the pieces they go in.
func TestTransfer(t *testing.T) {
	for _, c := range []struct {
		what   string
		rs, cs int // on the device; 7 x 5
		hrs    int // on the host, row-major
		pieces int
	}{
		{"dense", 5, 1, 5, 1},
		{"dense from padded", 5, 1, 9, 1},
		{"column-major", 1, 7, 5, 1},
		{"padded", 8, 1, 8, 7},
		{"padded columns", 1, 9, 5, 5},
		{"strided", 10, 2, 5, 35},
	} {
		d := newHost()
		s, _ := d.NewStream()
		m := of(t, d, 6*c.rs+4*c.cs+1, 7, 5, c.rs, c.cs)
		src := layout.Matrix[float32]{Data: make([]float32, 6*c.hrs+5), Rows: 7, Cols: 5, RowStride: c.hrs, ColStride: 1}
		r := rand.New(level.PCG(1, 2))
		for i := range src.Data {
			src.Data[i] = r.Float32()
		}
		if err := m.Write(s, src); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if d.transfers != c.pieces {
			t.Errorf("%s: went in %d pieces, want %d", c.what, d.transfers, c.pieces)
		}
		got, err := m.To(s)
		if err != nil || got.RowStride != 5 || got.ColStride != 1 {
			t.Errorf("%s: %+v, %v", c.what, got, err)
		}
		for i := range 7 {
			for j := range 5 {
				if got.At(i, j) != src.At(i, j) {
					t.Errorf("%s: element (%d, %d) is %v, want %v", c.what, i, j, got.At(i, j), src.At(i, j))
				}
			}
		}
	}
}

// TestLarge has more than fits the memory for putting elements in order.
func TestLarge(t *testing.T) {
	d := newHost()
	d.left = 1 << 30
	s, _ := d.NewStream()
	src := layout.New[int32](700, 1001)
	for i := range src.Data {
		src.Data[i] = int32(i)
	}
	m, err := New[int32](d, 1001, 700)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Write(s, src.T()); err != nil {
		t.Fatal(err)
	}
	if d.transfers != 3 { // 2.8 MB
		t.Errorf("went in %d pieces, want 3", d.transfers)
	}
	dst := layout.New[int32](1001, 700).T()
	if err := m.T().Read(s, dst); err != nil || !cmp.Equal(dst.T().Data, append([]int32(nil), flat(src.T())...)) {
		t.Errorf("came back otherwise, %v", err)
	}
}

func flat(m layout.Matrix[int32]) []int32 {
	x := make([]int32, 0, m.Rows*m.Cols)
	for i := range m.Rows {
		for j := range m.Cols {
			x = append(x, m.At(i, j))
		}
	}
	return x
}

func TestFrom(t *testing.T) {
	d := newHost()
	s, _ := d.NewStream()
	data := []dtype.BF16{dtype.ToBF16(1.), dtype.ToBF16(2.), dtype.ToBF16(3.), dtype.ToBF16(4.), dtype.ToBF16(5.), dtype.ToBF16(6.)}
	for _, src := range []layout.Matrix[dtype.BF16]{
		layout.RowMajor(data, 2, 3), layout.ColMajor(data, 2, 3), layout.RowMajor(data, 1, 6), layout.RowMajor(data, 6, 1),
		layout.RowMajor(data, 2, 3).Slice(0, 2, 1, 3), {Data: data, Rows: 4, Cols: 3, ColStride: 2}, layout.RowMajor(data, 0, 3), {},
	} {
		m, err := From(s, src)
		if err != nil || m.CheckOut("m") != nil {
			t.Errorf("%+v: %+v, %v", src, m, err)
		}
		got, err := m.To(s)
		if err != nil || got.Rows != src.Rows || got.Cols != src.Cols {
			t.Errorf("%+v: %+v, %v", src, got, err)
		}
		for i := range src.Rows {
			for j := range src.Cols {
				if got.At(i, j) != src.At(i, j) {
					t.Errorf("%+v: element (%d, %d) is %v", src, i, j, got.At(i, j))
				}
			}
		}
		if column := src.RowStride == 1 && src.ColStride != 1; column != (m.RowStride == 1 && m.ColStride != 1) {
			t.Errorf("%+v became one with strides (%d, %d)", src, m.RowStride, m.ColStride)
		}
	}
	refused(t, "a matrix that is none", func() error {
		_, err := From(s, layout.Matrix[dtype.BF16]{Data: data, Rows: 3, Cols: 3, RowStride: 3, ColStride: 1})
		return err
	}, "src: 6 elements do not hold 3 x 3")
	m := of(t, d, 6, 2, 3, 3, 1)
	refused(t, "another size", func() error { return m.Write(s, layout.New[float32](3, 2)) }, "2 x 3 on the device, 3 x 2 on the host")
	refused(t, "another size", func() error { return m.Read(s, layout.New[float32](2, 2)) }, "2 x 3 on the device, 2 x 2 on the host")
	refused(t, "one element for all", func() error { return of(t, d, 3, 2, 3, 0, 1).Write(s, layout.New[float32](2, 3)) }, "in one place")
	refused(t, "one element for very many", func() error {
		_, err := of(t, d, 1, math.MaxInt, math.MaxInt, 0, 0).To(s)
		return err
	}, "in one place")
}

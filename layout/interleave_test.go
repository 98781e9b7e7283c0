package layout

import (
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestVNNI: the closed form at every coordinate, a bijection onto [rows/depth][cols][depth].
func TestVNNI(t *testing.T) {
	for _, depth := range []int{1, 2, 3, 4, 8} {
		for rows := 1; rows <= 13; rows++ {
			for _, cols := range []int{1, 2, 5, 16} {
				l, err := VNNI(depth, rows, cols)
				if err != nil {
					t.Fatal(err)
				}
				steps := (rows + depth - 1) / depth
				if l.Rank() != 2 || l.Mode(0).Size() != steps*depth || l.Mode(1).Size() != cols || l.Cosize() != steps*depth*cols {
					t.Fatalf("depth %d of %d x %d is %v", depth, rows, cols, l)
				}
				for k := range steps * depth {
					for n := range cols {
						if have, want := l.At(k, n), (k/depth*cols+n)*depth+k%depth; have != want {
							t.Fatalf("depth %d of %d x %d: (%d, %d) lies at %d, want %d", depth, rows, cols, k, n, have, want)
						}
					}
				}
			}
		}
	}
	if l, _ := VNNI(1, 3, 4); !l.Equal(MustParse("(3,4):(4,1)")) {
		t.Errorf("depth 1 is %v, want the row-major matrix", l)
	}
	for _, c := range [][3]int{{0, 1, 1}, {2, 0, 1}, {2, 1, 0}, {-1, 4, 4}, {2, maxSize, 2}} {
		if l, err := VNNI(c[0], c[1], c[2]); err == nil {
			t.Errorf("depth %d of %d x %d is %v", c[0], c[1], c[2], l)
		}
	}
}

// TestArrange: whatever the strides of a matrix, its elements go where the layout says and
// come back; what the matrix has not is zero.
func TestArrange(t *testing.T) {
	for _, depth := range []int{1, 2, 4} {
		for _, rows := range []int{1, 3, 4, 7} {
			dense := New[dtype.BF16](rows, 5)
			for i := range dense.Data {
				dense.Data[i] = dtype.ToBF16(float32(i + 1))
			}
			strided := Matrix[dtype.BF16]{Data: make([]dtype.BF16, 400), Rows: rows, Cols: 5, RowStride: 3, ColStride: 31}
			for i := range rows {
				for j := range 5 {
					strided.Set(i, j, dense.At(i, j))
				}
			}
			l, err := VNNI(depth, rows, 6)
			if err != nil {
				t.Fatal(err)
			}
			packed, err := Arrange(l, dense)
			if err != nil {
				t.Fatal(err)
			}
			if other, err := Arrange(l, strided); err != nil || !slices.Equal(other, packed) {
				t.Errorf("other strides, another order; %v", err)
			}
			for k := range l.Mode(0).Size() {
				for n := range 6 {
					want := dtype.BF16{}
					if k < rows && n < 5 {
						want = dense.At(k, n)
					}
					if have := packed[l.At(k, n)]; have != want {
						t.Fatalf("depth %d, %d rows: (%d, %d) is %v, want %v", depth, rows, k, n, have, want)
					}
				}
			}
			back := New[dtype.BF16](rows, 5)
			if err := Restore(back, l, packed); err != nil || !slices.Equal(back.Data, dense.Data) {
				t.Errorf("depth %d, %d rows: what comes back is not what went; %v", depth, rows, err)
			}
		}
	}
}

func TestArrangeRefuses(t *testing.T) {
	m := New[int8](4, 4)
	short := Matrix[int8]{Data: m.Data[:3], Rows: 2, Cols: 2, RowStride: 2, ColStride: 1}
	for _, c := range []struct {
		l    string
		m    Matrix[int8]
		want string
	}{
		{"16:1", m, "layout.Arrange: 16:1 is not of two modes, for at least 4 rows and 4 columns"},
		{"(3,4):(4,1)", m, "layout.Arrange: (3,4):(4,1) is not of two modes, for at least 4 rows and 4 columns"},
		{"(4,4):(1,1)", m, "layout.Arrange: (4,4):(1,1) puts element (1, 0) where another one is, at 1"},
		{"(4,4):(1,1000000)", m, "layout.Arrange: (4,4):(1,1000000) takes 3000004 elements for the 16 of m, more than 8 times as many"},
		{"(2,2):(1,2)", short, "layout.Arrange: m: 3 elements do not hold 2 x 2 with strides (2, 1); want at least 4"},
	} {
		if _, err := Arrange(MustParse(c.l), c.m); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if err := Restore(m, MustParse("(4,4):(4,1)"), m.Data[:15]); err == nil || err.Error() != "layout.Restore: (4,4):(4,1) needs 16 elements, not 15" {
		t.Errorf("%v", err)
	}
}

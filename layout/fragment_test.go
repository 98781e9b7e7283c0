package layout_test

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/layout"
)

// element says which element of a tile value i of a lane is.
type element func(lane, i int) (row, col int)

// turned exchanges rows and columns: B is held by columns, n + 8k.
func turned(f element) element {
	return func(lane, i int) (row, col int) { col, row = f(lane, i); return }
}

// fragments are those of PTX ISA 9.1, 9.7.14.5 and 9.7.15.5, as layouts and as the
// manual's formulas with g = lane/4 and t = lane%4. A and C are m x k and m x n, B
// is n x k.
var fragments = []struct {
	name       string
	rows, cols int
	tv         string
	at         element
}{
	{"A m16n8k16 16-bit", 16, 16, "((4,8),(2,2,2)):((32,1),(16,8,128))", inst.MmaA},
	{"B m16n8k16 16-bit", 8, 16, "((4,8),(2,2)):((16,1),(8,64))", turned(inst.MmaB)},
	{"C m16n8", 16, 8, "((4,8),(2,2)):((32,1),(16,8))", inst.MmaC},
	{"A m16n8k8 16-bit", 16, 8, "((4,8),(2,2)):((32,1),(16,8))",
		func(l, i int) (int, int) { return l/4 + i/2*8, l%4*2 + i%2 }},
	{"B m16n8k8 16-bit", 8, 8, "((4,8),2):((16,1),8)",
		func(l, i int) (int, int) { return l / 4, l%4*2 + i }},
	{"A m16n8k8 tf32", 16, 8, "((4,8),(2,2)):((16,1),(8,64))",
		func(l, i int) (int, int) { return l/4 + i%2*8, l%4 + i/2*4 }},
	{"B m16n8k8 tf32", 8, 8, "((4,8),2):((8,1),32)",
		func(l, i int) (int, int) { return l / 4, l%4 + i*4 }},
	{"A m16n8k4 tf32", 16, 4, "((4,8),2):((16,1),8)",
		func(l, i int) (int, int) { return l/4 + i*8, l % 4 }},
	{"B m16n8k4 tf32", 8, 4, "((4,8),1):((8,1),0)",
		func(l, _ int) (int, int) { return l / 4, l % 4 }},
	{"A m16n8k32 8-bit", 16, 32, "((4,8),(4,2,2)):((64,1),(16,8,256))",
		func(l, i int) (int, int) { return l/4 + i/4%2*8, l%4*4 + i%4 + i/8*16 }},
	{"B m16n8k32 8-bit", 8, 32, "((4,8),(4,2)):((32,1),(8,128))",
		func(l, i int) (int, int) { return l / 4, l%4*4 + i%4 + i/4*16 }},
	{"A m16n8k16 8-bit", 16, 16, "((4,8),(4,2)):((64,1),(16,8))",
		func(l, i int) (int, int) { return l/4 + i/4*8, l%4*4 + i%4 }},
	{"B m16n8k16 8-bit", 8, 16, "((4,8),4):((32,1),8)",
		func(l, i int) (int, int) { return l / 4, l%4*4 + i }},
	{"A, B m8n8k4 f64", 8, 4, "((4,8),1):((8,1),0)",
		func(l, _ int) (int, int) { return l / 4, l % 4 }},
	{"C m8n8k4 f64", 8, 8, "((4,8),2):((16,1),8)",
		func(l, i int) (int, int) { return l / 4, l%4*2 + i }},
	{"A m16n8k16 f64", 16, 16, "((4,8),(2,4)):((16,1),(8,64))",
		func(l, i int) (int, int) { return l/4 + i%2*8, i/2*4 + l%4 }},
	{"B m16n8k16 f64", 8, 16, "((4,8),4):((8,1),32)",
		func(l, i int) (int, int) { return l / 4, l%4 + i*4 }},
	{"ldmatrix, one matrix", 8, 8, "((4,8),2):((16,1),8)",
		func(l, i int) (int, int) { return l / 4, l%4*2 + i }},
	{"ldmatrix.trans, one matrix", 8, 8, "((4,8),2):((2,8),1)",
		func(l, i int) (int, int) { return l%4*2 + i, l / 4 }},
	{"D wgmma m64n8", 64, 8, "((4,8,4),(2,2,1)):((128,1,16),(64,8,512))", inst.WgmmaD},
	{"D wgmma m64n64", 64, 64, "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))", inst.WgmmaD},
	{"D wgmma m64n128", 64, 128, "((4,8,4),(2,2,16)):((128,1,16),(64,8,512))", inst.WgmmaD},
	{"D wgmma m64n256", 64, 256, "((4,8,4),(2,2,32)):((128,1,16),(64,8,512))", inst.WgmmaD},
}

// TestFragments: layout and formula agree, and every element is held once.
func TestFragments(t *testing.T) {
	for _, f := range fragments {
		x := layout.Fragment{Rows: f.rows, Cols: f.cols, TV: layout.MustParse(f.tv)}
		if err := x.Check(); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		if x.Threads()*x.Values() != f.rows*f.cols {
			t.Errorf("%s: %d threads of %d values", f.name, x.Threads(), x.Values())
		}
		for lane := range x.Threads() {
			for i := range x.Values() {
				row, col := x.At(lane, i)
				if r, c := f.at(lane, i); r != row || c != col {
					t.Fatalf("%s: lane %d value %d is (%d, %d), want (%d, %d)", f.name, lane, i, row, col, r, c)
				}
			}
		}
	}
}

// TestFragmentChain: two accumulators side by side are an A of the next product,
// value by value.
func TestFragmentChain(t *testing.T) {
	c, a := layout.MustParse("((4,8),(2,2)):((32,1),(16,8))"), layout.MustParse("((4,8),(2,2,2)):((32,1),(16,8,128))")
	next := layout.MustParse("2:128") // 8 columns on
	pair := layout.Join(c.Mode(0), layout.Join(append(c.Mode(1).Modes(), next)...))
	if !pair.Equal(a) {
		t.Errorf("two accumulators are %v, A is %v", pair, a)
	}
}

// TestLdmatrix: from the rows that the lanes point at, ldmatrix gives register r of
// lane 4g+t the elements 2t and 2t+1 of the row of lane 8r+g; with trans, element g
// of the rows of lanes 8r+2t and 8r+2t+1. With these rows that is what mma wants.
func TestLdmatrix(t *testing.T) {
	for _, c := range []struct {
		what     string
		rows, tv string // (lane, element of its row) and (lane, value) -> row + 16*column
		trans    bool
	}{
		{"A, m16 x k16", "((8,2,2),8):((1,8,128),16)", "((4,8),(2,2,2)):((32,1),(16,8,128))", false},
		{"two B, n16 x k16, rows along k", "((8,2,2),8):((1,128,8),16)", "((4,8),(2,2,2)):((32,1),(16,128,8))", false},
		{"two B, n16 x k16, rows along n", "((8,2,2),8):((16,128,8),1)", "((4,8),(2,2,2)):((32,1),(16,128,8))", true},
	} {
		rows, tv := layout.MustParse(c.rows), layout.MustParse(c.tv)
		for _, f := range []layout.Layout{rows, tv} {
			if err := (layout.Fragment{Rows: 16, Cols: 16, TV: f}).Check(); err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
		}
		for lane := range 32 {
			for v := range 8 {
				j, e := lane/4, lane%4*2+v%2
				if c.trans {
					j, e = e, j
				}
				if got, want := rows.At(v/2*8+j, e), tv.At(lane, v); got != want {
					t.Fatalf("%s: lane %d value %d is element %d, want %d", c.what, lane, v, got, want)
				}
			}
		}
	}
}

// TestSparseMetadata: the metadata of wgmma.sp, bit by bit over 64 x K; where only
// half the threads' words are read, the others repeat them.
func TestSparseMetadata(t *testing.T) {
	for _, c := range []struct {
		name   string
		k      int
		tv     string
		copies int
		at     element
	}{
		{"16-bit", 32, "((2,2,8,4),(16,2)):((1024,0,1,16),(64,8))", 2,
			func(l, i int) (int, int) { return l/32*16 + l/4%8 + i/16*8, l%2*16 + i%16 }},
		{"8-bit", 64, "((2,2,8,4),32):((8,2048,1,16),64)", 1,
			func(l, i int) (int, int) { return l/32*16 + l/4%8 + l%2*8, l/2%2*32 + i }},
		{"tf32", 16, "((2,2,8,4),(8,2)):((512,0,1,16),(64,8))", 2,
			func(l, i int) (int, int) { return l/32*16 + l/4%8 + i/8*8, l%2*8 + i%8 }},
	} {
		f := layout.Fragment{Rows: 64, Cols: c.k, TV: layout.MustParse(c.tv)}
		held := make([]int, 64*c.k)
		for lane := range 128 {
			for i := range f.Values() {
				row, col := f.At(lane, i)
				held[row+64*col]++
				if r, k := c.at(lane, i); r != row || k != col {
					t.Fatalf("%s: lane %d bit %d is (%d, %d), want (%d, %d)", c.name, lane, i, row, col, r, k)
				}
			}
		}
		for at, n := range held {
			if n != c.copies {
				t.Fatalf("%s: element (%d, %d) is held %d times, want %d", c.name, at%64, at/64, n, c.copies)
			}
		}
		if err := f.Check(); (err == nil) != (c.copies == 1) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestFragmentRefused: a mapping that is not one to one is refused by an element.
func TestFragmentRefused(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("one of the layouts has sizes of 64 bits")
	}
	for _, c := range []struct {
		rows, cols int
		tv, want   string
	}{
		{4, 4, "(4,2):(1,4)", "layout.Fragment: no thread of (4,2):(1,4) on 4 x 4 holds element (0, 2)"},
		{4, 2, "(4,2):(1,0)", "layout.Fragment: T0 V0 and T0 V1 of (4,2):(1,0) on 4 x 2 both hold element (0, 0)"},
		{4, 2, "(4,2):(1,1)", "layout.Fragment: T0 V1 and T1 V0 of (4,2):(1,1) on 4 x 2 both hold element (1, 0)"},
		{4, 2, "(4,2):(1,5)", "layout.Fragment: (4,2):(1,5) reaches element 8 of 4 x 2"},
		{4, 2, "8:1", "layout.Fragment: 8:1 has 1 modes, not a thread and a value"},
		{0, 2, "(4,2):(1,4)", "layout.Fragment: a tile of 0 x 2, not of 1 to 65536 elements"},
		{math.MaxInt, math.MaxInt, "(4,2):(1,4)", "*"},
		{4, 2, "(1099511627776,2):(0,1)", "*"},
	} {
		f := layout.Fragment{Rows: c.rows, Cols: c.cols, TV: layout.MustParse(c.tv)}
		err := f.Check()
		if err == nil || c.want != "*" && err.Error() != c.want {
			t.Errorf("%v: %v, want %s", f, err, c.want)
		}
		if _, err := f.Draw(); c.want == "*" && err == nil {
			t.Errorf("%v is drawn", f)
		}
	}
	if _, err := (layout.Fragment{Rows: 2, Cols: 2}).Draw(); err == nil {
		t.Error("a fragment without a layout is drawn")
	}
	if got := (layout.Fragment{}).String(); got != "():() on 0 x 0" {
		t.Errorf("the zero fragment prints as %s", got)
	}
}

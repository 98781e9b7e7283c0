package general_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/general"
	"github.com/tilesmith/tilesmith/sparse"
)

// TestViews: both ways the elements are the same ones, of whole matrices and of parts,
// and what goes there and back is what it was.
func TestViews(t *testing.T) {
	d := mat.NewDense(4, 5, nil)
	part := d.Slice(1, 3, 2, 5).(*mat.Dense)
	m := general.From64(part.RawMatrix())
	if m.Rows != 2 || m.Cols != 3 || m.RowStride != 5 || m.ColStride != 1 {
		t.Fatalf("a part is %+v", m)
	}
	m.Set(1, 2, 7)
	if d.At(2, 4) != 7 {
		t.Error("the view has elements of its own")
	}
	g, err := general.To64(m)
	if err != nil {
		t.Fatal(err)
	}
	var back mat.Dense
	back.SetRawMatrix(g)
	if back.Set(0, 0, 9); d.At(1, 2) != 9 || !mat.Equal(&back, part) {
		t.Error("the way back is not the same matrix")
	}
	m32 := layout.RowMajor(make([]float32, 12), 3, 4).Slice(0, 3, 1, 3)
	g32, err := general.To32(m32)
	if err != nil {
		t.Fatal(err)
	}
	if g32.Data[4] = 5; m32.At(1, 0) != 5 || general.From32(g32).At(1, 0) != 5 {
		t.Errorf("float32: %v and %+v", m32, g32)
	}
}

// TestStrides: what a General can and what it cannot be.
func TestStrides(t *testing.T) {
	data := make([]float64, 24)
	matrix := func(rows, cols, rs, cs int) layout.Matrix[float64] {
		return layout.Matrix[float64]{Data: data, Rows: rows, Cols: cols, RowStride: rs, ColStride: cs}
	}
	const so = "general.To64: m is 3 x 4 with strides "
	for _, c := range []struct {
		m      layout.Matrix[float64]
		stride int
		err    string
	}{
		{matrix(3, 4, 4, 1), 4, ""},
		{matrix(3, 4, 7, 1), 7, ""},
		{matrix(3, 1, 4, 9), 4, ""},
		{matrix(3, 1, 1, 0), 1, ""},
		{matrix(1, 4, 0, 1), 4, ""},
		{matrix(1, 1, 0, 0), 1, ""},
		{matrix(0, 4, 0, 0), 4, ""},
		{matrix(3, 0, 0, 0), 1, ""},
		{layout.Matrix[float64]{}, 1, ""},
		{matrix(3, 4, 1, 3), 0, so + "(1, 3), so that columns are contiguous and rows are not; hand over m.T() with a transpose flag, or copy m"},
		{matrix(3, 4, 8, 2), 0, so + "(8, 2), so that rows are not contiguous; copy m"},
		{matrix(3, 4, 1, 2), 0, so + "(1, 2), so that rows are not contiguous; copy m"},
		{matrix(3, 4, 3, 1), 0, so + "(3, 1), so that rows overlap; copy m"},
		{matrix(3, 4, 0, 1), 0, so + "(0, 1), so that rows overlap; copy m"},
		{matrix(3, 1, 0, 1), 0, "general.To64: m is 3 x 1 with strides (0, 1), so that rows overlap; copy m"},
		{matrix(7, 4, 4, 1), 0, "general.To64: 24 elements do not hold 7 x 4 with strides (4, 1); want at least 28"},
	} {
		g, err := general.To64(c.m)
		if fmt.Sprint(err) != c.err && (err != nil || c.err != "") {
			t.Errorf("%#v: %v, want %q", c.m, err, c.err)
			continue
		}
		if err != nil {
			continue
		}
		if g.Stride != c.stride || g.Rows != c.m.Rows || g.Cols != c.m.Cols {
			t.Errorf("%#v becomes %+v, want the stride %d", c.m, g, c.stride)
		}
		if back := general.From64(g); back.Rows != c.m.Rows || back.Cols != c.m.Cols {
			t.Errorf("%+v is %v", g, back)
		}
	}
	if m := general.From64(new(mat.Dense).RawMatrix()); m.Rows != 0 || m.Cols != 0 {
		t.Errorf("an empty mat.Dense is %v", m)
	}
	for want, g := range map[string]blas64.General{
		"general.From64: 3 elements do not hold 2 x 2 with strides (2, 1); want at least 4":                                           {Rows: 2, Cols: 2, Stride: 2, Data: data[:3]},
		"general.From64: size -1 x 2 is negative; want 0 or more":                                                                     {Rows: -1, Cols: 2, Stride: 2, Data: data},
		"general.From64: rows of 4 elements begin 3 apart; want a stride of at least 4":                                               {Rows: 2, Cols: 4, Stride: 3, Data: data},
		fmt.Sprintf("general.From64: 24 elements do not hold 3 x 2 with strides (%d, 1); want smaller sizes or strides", math.MaxInt): {Rows: 3, Cols: 2, Stride: math.MaxInt, Data: data},
	} {
		func() {
			defer func() {
				if have := fmt.Sprint(recover()); have != want {
					t.Errorf("have %q, want %q", have, want)
				}
			}()
			general.From64(g)
		}()
	}
	if n := testing.AllocsPerRun(10, func() {
		g, _ := general.To64(matrix(3, 4, 4, 1))
		_ = general.From64(g)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A sparse matrix times a mat.Dense, into a mat.Dense.
func ExampleFrom64() {
	a, err := sparse.FromCOO(2, 3, []int{0, 1}, []int{2, 0}, []float64{10, 1})
	if err != nil {
		panic(err)
	}
	b := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	out := mat.NewDense(2, 2, nil)
	cpu.SpMM(general.From64(out.RawMatrix()), a, general.From64(b.RawMatrix()))
	fmt.Println(mat.Formatted(out))
	// Output:
	// ⎡50  60⎤
	// ⎣ 1   2⎦
}

// What this module computed, for gonum to go on with: here its norm, of the very elements.
func ExampleTo64() {
	m := layout.New[float64](2, 2)
	cpu.MatMul(m, layout.RowMajor([]float64{3, 0, 0, 4}, 2, 2), layout.RowMajor([]float64{1, 0, 0, 1}, 2, 2))
	g, err := general.To64(m)
	if err != nil {
		panic(err)
	}
	var d mat.Dense
	d.SetRawMatrix(g)
	fmt.Println(mat.Norm(&d, 2))
	// Output: 5
}

// The rows of a column-major matrix are not contiguous; those of its transpose are.
func ExampleTo32() {
	m := layout.ColMajor([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	_, err := general.To32(m)
	fmt.Println(err)

	g, err := general.To32(m.T())
	if err != nil {
		panic(err)
	}
	y := blas32.Vector{N: 3, Inc: 1, Data: make([]float32, 3)}
	blas32.Gemv(blas.Trans, 1, g, blas32.Vector{N: 2, Inc: 1, Data: []float32{1, 10}}, 0, y)
	fmt.Println(y.Data)
	// Output:
	// general.To32: m is 3 x 2 with strides (1, 3), so that columns are contiguous and rows are not; hand over m.T() with a transpose flag, or copy m
	// [41 52 63]
}

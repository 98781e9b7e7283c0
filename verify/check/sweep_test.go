package check

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// plainProduct is out = a*b by the plain loop, without the last skip products of each
// sum.
func plainProduct[T dtype.Float](skip int) func(out, a, b layout.Matrix[T]) {
	return func(out, a, b layout.Matrix[T]) {
		for i := range out.Rows {
			for j := range out.Cols {
				var sum T
				for k := range a.Cols - skip {
					sum += a.At(i, k) * b.At(k, j)
				}
				out.Set(i, j, sum)
			}
		}
	}
}

// productOf is a case of a product.
func productOf[T dtype.Float](f func(out, a, b layout.Matrix[T])) *Case {
	t := dtype.Of[T]()
	matrix := Get[layout.Matrix[T]]
	return &Case{A: t, B: t, Acc: t, Slots: []Slot{{Type: t, Out: true}}, Call: func(p *Problem) { f(matrix(p, 0), matrix(p, A), matrix(p, B)) }}
}

// TestProduct takes a right kernel for all shapes and orders, and finds every wrong one.
func TestProduct(t *testing.T) {
	testProduct[float32](t)
	if !level.Of(true, false, false) {
		testProduct[float64](t)
	}
}

func testProduct[T dtype.Float](t *testing.T) {
	for _, s := range []Shape{{1, 1, 1}, {3, 5, 7}, {17, 1, 300}, {1, 40, 2}, {130, 140, 240}} { // the last is sampled
		for i, trans := range [][2]bool{{true, false}, {false, true}, {false, false}, {true, true}} {
			if i > 0 && s.M > 100 && !level.Long() {
				continue
			}
			x := productOf(plainProduct[T](0)).TimedProduct(s, trans[0], trans[1])
			a := Get[layout.Matrix[T]](x.Problem, A)
			if byColumns := a.ColStride == s.M && a.RowStride == 1; s.M > 1 && s.K > 1 && byColumns != trans[0] {
				t.Fatalf("%v %v: the strides of a are %d and %d", s, trans, a.RowStride, a.ColStride)
			}
			if err := x.Check(); err != nil {
				t.Errorf("%v %v: %v", s, trans, err)
			}
		}
	}
	right := plainProduct[T](0)
	last := func(change func(T) T) func(out, a, b layout.Matrix[T]) {
		return func(out, a, b layout.Matrix[T]) {
			right(out, a, b)
			i, j := out.Rows-1, out.Cols-1
			out.Set(i, j, change(out.At(i, j)))
		}
	}
	eps := T(ulpOf(dtype.Of[T](), 1))
	all := []struct {
		what string
		f    func(out, a, b layout.Matrix[T])
		why  string
	}{
		{"a dropped product", plainProduct[T](1), "small integers: element (0, 0)"},
		{"an element off by one", last(func(x T) T { return x + 1 }), "small integers: element (129, 139)"},
		{"an element left out", func(out, a, b layout.Matrix[T]) {
			x := out.At(out.Rows-1, out.Cols-1)
			right(out, a, b)
			out.Set(out.Rows-1, out.Cols-1, x)
		}, "small integers: element (129, 139): have NaN"},
		{"a rounded product", func(out, a, b layout.Matrix[T]) {
			right(out, a, b)
			for i := range out.Data {
				if x := out.Data[i]; x != T(math.Trunc(float64(x))) {
					out.Data[i] = x * (1 + 400*eps)
				}
			}
		}, "random numbers: element"},
		{"a panic", func(_, _, _ layout.Matrix[T]) { panic("no") }, "panic: no"},
		{"an operand that is taken for its transpose", func(out, a, b layout.Matrix[T]) {
			a.RowStride, a.ColStride = 1, a.Rows
			right(out, a, b)
		}, "small integers: element (0, 0)"},
	}
	for _, i := range level.Pick(len(all), 1, 3) {
		c := all[i]
		err := productOf(c.f).TimedProduct(Shape{130, 140, 240}, false, false).Check()
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%v: %s: %v, want %q", dtype.Of[T](), c.what, err, c.why)
		}
	}
	if err := productOf(plainProduct[float32](0)).TimedProduct(Shape{1, 1, 1<<24 + 1}, false, false).Check(); err == nil {
		t.Error("no product of 2^24+1 terms is exact in float32")
	}
}

// TestTimed holds the problems that cases make ready: right ones pass, wrong ones do
// not, and operations and bytes are counted.
func TestTimed(t *testing.T) {
	for _, c := range []struct {
		l    layer
		good bool
	}{{layer{}, true}, {layer{skipK: true}, false}, {layer{lastCol: true}, false}, {layer{swapOuts: true}, false}, {layer{dropSum: true}, false}} {
		f := c.l.described()
		f.Slots[4] = Slot{Type: dtype.F32} // without the maximum
		x := f.TimedProduct(Shape{33, 20, 9}, true, false)
		if err := x.Check(); (err == nil) != c.good {
			t.Errorf("%+v: %v", c.l, err)
		}
		x.Call()
		// a, b, two outputs, a row, a column and a reduction.
		if want := 4 * (33*9 + 9*20 + 2*33*20 + 33 + 2*20); x.Bytes() != want || x.MACs != 33*20*9 {
			t.Errorf("%d bytes, want %d; %d multiply-adds", x.Bytes(), want, x.MACs)
		}
	}
	m, err := sample.Uniform[float64](50, 40, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, good := range []bool{true, false} {
		c := Case{Name: "SpMM", A: dtype.F32, B: dtype.F32, Acc: dtype.F32, Slots: []Slot{{Type: dtype.F32, Out: true}}, Op: SpMM{VL: 16},
			Call: func(p *Problem) {
				out, b := Get[layout.Matrix[float32]](p, 0), Get[layout.Matrix[float32]](p, B)
				for i := range p.M {
					for j := range p.N {
						var sum float32
						for k, v := range Get[sparse.Matrix[float32]](p, S).Row(i) {
							sum += v * b.At(k, j)
						}
						if !good && i == 49 {
							sum++
						}
						out.Set(i, j, sum)
					}
				}
			},
		}
		x, err := c.Timed(m, 8)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Check(); (err == nil) != good {
			t.Errorf("good %v: %v", good, err)
		}
		if len(x.free) > 0 || x.before != nil {
			t.Error("a problem that is timed lies between inaccessible pages, or has a copy")
		}
		x.Call()
		if want := 150*8 + 51*4 + 4*8*(40+50); x.Bytes() != want || x.MACs != 150*8 || len(Get[[]float32](x.Problem, 0)) != 400 {
			t.Errorf("%d bytes, want %d; %d multiply-adds", x.Bytes(), want, x.MACs)
		}
	}
	op := SpMM{Format: format.ELL(2)}
	c := Case{A: dtype.F32, B: dtype.F32, Acc: dtype.F32, Op: op}
	if _, err := c.Timed(m, 8); err == nil {
		t.Error("ell2 does not hold rows of three")
	}
	if op.Degree() != 2 {
		t.Errorf("degree %d, want 2", op.Degree())
	}
}

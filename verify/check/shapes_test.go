package check

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func TestShapesCoverTheEdges(t *testing.T) {
	shapes := Shapes(6, 16, 256, false)
	for _, want := range []Shape{
		{0, 0, 0}, {1, 1, 1}, {5, 15, 1}, {6, 16, 4}, {7, 17, 5}, {13, 33, 9}, {17, 31, 7},
		{7, 17, 255}, {7, 17, 256}, {7, 17, 257}, {1, 1, 515}, {6, 16, 0},
	} {
		if !slices.Contains(shapes, want) {
			t.Errorf("%v is missing", want)
		}
	}
	long := Shapes(6, 16, 256, true)
	for m := 1; m <= 18; m++ {
		for n := 1; n <= 33; n++ {
			if !slices.Contains(long, Shape{m, n, 6}) {
				t.Fatalf("the long list lacks %v", Shape{m, n, 6})
			}
		}
	}
	for _, s := range Shapes(1, 1, 1, false) {
		if s.M < 0 || s.N < 0 || s.K < 0 {
			t.Errorf("negative shape %v", s)
		}
	}
}

func TestLayoutsAreValid(t *testing.T) {
	for _, l := range arrangements {
		for rows := range 4 {
			for cols := range 4 {
				rs, cs := l.Strides(rows, cols)
				m := layout.Matrix[float32]{Rows: rows, Cols: cols, RowStride: rs, ColStride: cs}
				m.Data = make([]float32, extent(rows, cols, rs, cs))
				if err := m.CheckOut(l.Name); err != nil {
					t.Errorf("%d x %d: %v", rows, cols, err)
				}
				if len(m.Data) > 0 {
					m.Data = m.Data[1:]
					if m.Check(l.Name) == nil {
						t.Errorf("%s: %d x %d: an element less is enough", l.Name, rows, cols)
					}
				}
			}
		}
	}
}

func TestCombosVisitEverything(t *testing.T) {
	c := combos{alphas: []float64{0, 1, -1, 2.5}, betas: []float64{0, 1}}
	type key struct {
		a, b, out   string
		alpha, beta float64
	}
	seen := map[key]bool{}
	for range c.total() {
		x := c.next()
		seen[key{x.la.Name, x.lb.Name, x.lo.Name, x.alpha, x.beta}] = true
	}
	if len(seen) != c.total() {
		t.Errorf("%d of %d combinations", len(seen), c.total())
	}
}

func TestFillsAreDeterministic(t *testing.T) {
	_, c := bare[float32](nil, nil)
	fills := fillsOf(dtype.F32, dtype.F32, false)
	for i, f := range fills {
		s := Shape{3, 5, 8}
		p, q, other := random(c, s, f, uint64(i)), random(c, s, f, uint64(i)), random(c, s, f, uint64(i+10))
		if !slices.Equal(p.a, q.a) || !slices.Equal(p.b, q.b) || !slices.Equal(p.c, q.c) {
			t.Errorf("fill=%s differs between two calls", f.name)
		}
		if slices.Equal(p.a, other.a) {
			t.Errorf("fill=%s does not depend on the salt", f.name)
		}
	}
	op, c := bare[float64](nil, nil)
	for e, r := range op.refer(c, random(c, Shape{4, 4, 500}, fills[3], 1)) {
		if math.Abs(r.acc) > r.abs/100 {
			t.Errorf("fill=cancel: element %d is %v of %v", e, r.acc, r.abs)
		}
	}
}

// TestGonumSkipsZeros holds the documentation of specials true.
func TestGonumSkipsZeros(t *testing.T) {
	a, b, c := []float64{0}, []float64{math.Inf(1)}, []float64{7}
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, 1, 1, 1, 1, a, 1, b, 1, 0, c, 1)
	if c[0] != 0 {
		t.Errorf("gonum has 0*Inf = %v, documented as 0", c[0])
	}
	op, of := bare[float64](nil, nil)
	row := arrangements[0]
	p := op.of(of, &product{Shape: Shape{1, 1, 1}, a: a, b: b, c: c}, call{la: row, lb: row, lo: row, alpha: 1})
	if p.Store(0, 0, 0, 0); p.look() == nil {
		t.Error("0*Inf = 0 passes")
	}
	p.Store(0, 0, 0, nan)
	if err := p.look(); err != nil {
		t.Error(err)
	}
}

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// smallInts fills m with small integers, of which every sum is exact.
func smallInts[T dtype.Float](rng *rand.Rand, m layout.Matrix[T]) layout.Matrix[T] {
	for i := range m.Rows {
		for j := range m.Cols {
			m.Set(i, j, T(rng.IntN(7)-3))
		}
	}
	return m
}

// relationCases are relations of several shapes: empty ones, empty rows, rows twice, more rows than a tile.
func relationCases[T dtype.Float](rng *rand.Rand) map[string]sparse.Relations[T] {
	all := map[string]sparse.Relations[T]{}
	for _, c := range []struct {
		name                     string
		rows, cols, count, edges int
	}{{"one", 1, 1, 1, 1}, {"none", 5, 4, 3, 0}, {"few", 300, 200, 4, 90}, {"many", 150, 170, 7, 4000}, {"wide", 3, 900, 2, 700}} {
		var i, j, kind []int32
		var values []T
		for range c.edges {
			i, j, kind = append(i, int32(rng.IntN(c.rows))), append(j, int32(rng.IntN(c.cols))), append(kind, int32(rng.IntN(max(c.count-1, 1))))
			values = append(values, T(rng.IntN(5)-2))
		}
		r, err := sparse.RelationsOf(c.rows, c.cols, c.count, i, j, kind, values)
		if err != nil {
			panic(err)
		}
		all[c.name] = r
	}
	return all
}

// rowOf is a row of a matrix by rows.
func rowOf[T dtype.Float](m layout.Matrix[T], i int) []T { return m.Data[i*m.RowStride:][:m.Cols] }

// relationsOracle is the sum over entries.
func relationsOracle[T dtype.Float](a sparse.Relations[T], x, w layout.Matrix[T]) layout.Matrix[T] {
	out := layout.New[T](a.Rows(), w.Cols)
	for r := range a.Count() {
		for e, v := range a.Matrix(r).All() {
			to := rowOf(out, e.I)
			for f := range x.Cols {
				by := v * x.At(e.J, f) // of small integers: sums in any order are exact
				for c, y := range rowOf(w, r*x.Cols+f) {
					to[c] += by * y
				}
			}
		}
	}
	return out
}

func TestMulRelations(t *testing.T) {
	eachISA(t, func(t *testing.T, isa string) {
		t.Run("f32", func(t *testing.T) { testMulRelations[float32](t, isa) })
		t.Run("f64", func(t *testing.T) { testMulRelations[float64](t, isa) })
	})
}

func testMulRelations[T dtype.Float](t *testing.T, isa string) {
	rng := rand.New(level.PCG(1, 2))
	for name, a := range byName(relationCases[T](rng)) {
		turned := a.Transpose()
		for _, c := range [][2]int{{1, 1}, {7, 20}, {64, 64}, {33, 130}, {0, 3}} {
			if large := c[0]*c[1] > 4000; large && level.Of(true, (c[0] == 64) == (dtype.Of[T]() == dtype.F32), false) {
				continue
			}
			t.Run(fmt.Sprint(name, c), func(t *testing.T) {
				x, w := smallInts(rng, guarded[T](t, a.Cols(), c[0])), smallInts(rng, guarded[T](t, a.Count()*c[0], c[1]))
				out := smallInts(rng, guarded[T](t, a.Rows(), c[1]))
				before := layout.RowMajor(append([]T(nil), out.Data...), out.Rows, out.Cols)
				opt := Options{ISA: isa, Threads: 2}
				sum := relationsOracle(a, x, w)
				compare := func(what string, have layout.Matrix[T], want func(i, j int) T) {
					t.Helper()
					for i := range have.Rows {
						for j := range have.Cols {
							if h, w := have.At(i, j), want(i, j); h != w {
								t.Fatalf("%s: element (%d, %d) is %v, want %v", what, i, j, h, w)
							}
						}
					}
				}
				scaled := opt
				scaled.Scaling = Scale(2, -3)
				MulRelations(scaled, out, a, x, w)
				compare("alpha and beta", out, func(i, j int) T { return 2*sum.At(i, j) - 3*before.At(i, j) })
				MulRelations(opt, out, a, x, w)
				compare("product", out, sum.At)
				turnedOut := layout.ColMajor(make([]T, out.Rows*out.Cols), out.Rows, out.Cols)
				MulRelations(opt, turnedOut, a, columnMajor(x), columnMajor(w))
				compare("by columns", turnedOut, sum.At)

				dout := smallInts(rng, guarded[T](t, a.Rows(), c[1]))
				dx, dw := smallInts(rng, guarded[T](t, a.Cols(), c[0])), smallInts(rng, guarded[T](t, a.Count()*c[0], c[1]))
				MulRelationsBack(opt, dx, dw, a, turned, x, w, dout)
				wantX, wantW := layout.New[T](dx.Rows, dx.Cols), layout.New[T](dw.Rows, dw.Cols)
				for r := range a.Count() {
					for e, v := range a.Matrix(r).All() {
						d := rowOf(dout, e.I)
						for f := range c[0] {
							from, to, sum, by := rowOf(w, r*c[0]+f), rowOf(wantW, r*c[0]+f), T(0), v*x.At(e.J, f)
							for h, y := range d {
								sum += y * from[h]
								to[h] += by * y
							}
							wantX.Set(e.J, f, wantX.At(e.J, f)+v*sum)
						}
					}
				}
				compare("gradient of x", dx, wantX.At)
				compare("gradient of w", dw, wantW.At)

				dvalues := make([]T, a.NNZ())
				MulRelationsValues(opt, dvalues, a, x, w, dout)
				for e := range a.Edges() {
					want, d := T(0), rowOf(dout, e.I)
					for f := range c[0] {
						sum := T(0)
						for h, y := range rowOf(w, e.R*c[0]+f) {
							sum += d[h] * y
						}
						want += sum * x.At(e.J, f)
					}
					if dvalues[e.K] != want {
						t.Fatalf("gradient of the value of %v is %v, want %v", e, dvalues[e.K], want)
					}
				}
			})
		}
	}
}

func TestMulRelationsThreads(t *testing.T) {
	rng := rand.New(level.PCG(1, 2))
	var i, j, kind []int32
	for range 30000 {
		i, j, kind = append(i, int32(rng.IntN(2000))), append(j, int32(rng.IntN(2000))), append(kind, int32(rng.IntN(5)))
	}
	a, err := sparse.RelationsOf[float32](2000, 2000, 5, i, j, kind, nil)
	if err != nil {
		t.Fatal(err)
	}
	turned := a.Transpose()
	x, w, dout := normalDense[float32](rng, 2000, 24), normalDense[float32](rng, 5*24, 20), normalDense[float32](rng, 2000, 20)
	sameForThreads(t, func(opt Options) []float32 {
		out, dx, dw := layout.New[float32](2000, 20), layout.New[float32](2000, 24), layout.New[float32](5*24, 20)
		MulRelations(opt, out, a, x, w)
		MulRelationsBack(opt, dx, dw, a, turned, x, w, dout)
		dvalues := make([]float32, a.NNZ())
		MulRelationsValues(opt, dvalues, a, x, w, dout)
		return append(append(append(out.Data, dx.Data...), dw.Data...), dvalues...)
	})
}

func TestMulRelationsRefuses(t *testing.T) {
	a := relationCases[float64](rand.New(level.PCG(1, 2)))["none"]
	x, w, out := layout.New[float64](4, 6), layout.New[float64](18, 2), layout.New[float64](5, 2)
	const name = "cpu.MulRelations"
	refuses(t, name, "out is 5 x 2, a is 3 relations of 5 x 4, x is 4 x 6, w is 12 x 2; want m x l, r of m x n, n x k, and r*k x l",
		func() { MulRelations(Options{}, out, a, x, layout.New[float64](12, 2)) })
	refusesOption(t, name, "-1 threads; want 1 or more, or 0 for the default, which is TILESMITH_THREADS or else GOMAXPROCS", func() { MulRelations(Options{Threads: -1}, out, a, x, w) })
	refuses(t, name, "out shares memory with x; copy it first", func() { MulRelations(Options{}, layout.RowMajor(x.Data, 5, 2), a, x, w) })
	refuses(t, name+"Back", "dw is 12 x 2, a is 3 relations of 5 x 4, x is 4 x 6, dout is 5 x 2; want r*k x l, r of m x n, n x k, and m x l",
		func() { MulRelationsBack(Options{}, x, layout.New[float64](12, 2), a, a.Transpose(), x, w, out) })
	turned, back := a.Transpose(), func(dx, dw layout.Matrix[float64], turned sparse.Relations[float64], w layout.Matrix[float64]) func() {
		return func() { MulRelationsBack(Options{}, dx, dw, a, turned, x, w, out) }
	}
	dx, dw := layout.New[float64](4, 6), layout.New[float64](18, 2)
	for _, m := range []layout.Matrix[float64]{dx, dw} {
		for i := range m.Data {
			m.Data[i] = 7
		}
	}
	refuses(t, name+"Back", "turned is 3 relations of 5 x 4 with 0 entries, a is 3 of 5 x 4 with 0; want a.Transpose()", back(dx, dw, a, w))
	refuses(t, name+"Back", "dx is 6 x 4, x is 4 x 6, dw is 18 x 2, w is 18 x 2; want gradients of the shapes of their operands", back(layout.New[float64](6, 4), dw, turned, w))
	refuses(t, name+"Back", "dx is 4 x 6, x is 4 x 6, dw is 18 x 2, w is 3 x 2; want gradients of the shapes of their operands", back(dx, dw, turned, layout.New[float64](3, 2)))
	refuses(t, name+"Back", "dx shares memory with dw; copy it first", back(layout.RowMajor(dw.Data, 4, 6), dw, turned, w))
	refuses(t, name+"Back", "dx shares memory with w; copy it first", back(layout.RowMajor(w.Data, 4, 6), dw, turned, w))
	refuses(t, name+"Back", "dw shares memory with w; copy it first", back(dx, w, turned, w))
	for _, x := range append(dx.Data, dw.Data...) {
		if x != 7 {
			t.Fatal("what was refused wrote a gradient")
		}
	}
	refuses(t, name+"Values", "dvalues has 1 elements, a has 0 entries; want as many", func() { MulRelationsValues(Options{}, make([]float64, 1), a, x, w, out) })
	refuses(t, name+"Values", "a is 3 relations of 5 x 4, x is 4 x 6, w is 4 x 6, dout is 5 x 2; want r of m x n, n x k, r*k x l, and m x l",
		func() { MulRelationsValues(Options{}, nil, a, x, x, out) })
	few := relationCases[float64](rand.New(level.PCG(1, 2)))["one"]
	one := layout.New[float64](1, 1)
	refuses(t, name+"Values", "dvalues shares memory with w; copy it first", func() {
		MulRelationsValues(Options{}, one.Data, few, layout.New[float64](1, 1), one, layout.New[float64](1, 1))
	})
	if _, err := few.WithValues(nil); err == nil || err.Error() != "sparse.Relations.WithValues: 0 values for 1 entries; one an entry" {
		t.Error(err)
	}
}

// TestMulRelationsValuesDifference holds the gradient of values to differences of a loss: values that move
// by a little move it by the gradient times that.
func TestMulRelationsValuesDifference(t *testing.T) {
	rng := rand.New(level.PCG(1, 2))
	a := relationCases[float64](rng)["few"]
	x, w, dout := normalDense[float64](rng, a.Cols(), 9), normalDense[float64](rng, a.Count()*9, 7), normalDense[float64](rng, a.Rows(), 7)
	loss := func(values []float64) (sum float64) {
		b, err := a.WithValues(values)
		if err != nil {
			t.Fatal(err)
		}
		out := layout.New[float64](a.Rows(), 7)
		MulRelations(Options{}, out, b, x, w)
		for i, v := range out.Data {
			sum += v * dout.Data[i]
		}
		return sum
	}
	values, dvalues := make([]float64, a.NNZ()), make([]float64, a.NNZ())
	for e, v := range a.Edges() {
		values[e.K] = v
	}
	MulRelationsValues(Options{}, dvalues, a, x, w, dout)
	const h = 1.0 / 64 // the loss is linear in values: a difference is exact up to rounding
	for k := range values {
		v := values[k]
		values[k] = v + h
		more := loss(values)
		values[k] = v - h
		if have := (more - loss(values)) / (2 * h); math.Abs(have-dvalues[k]) > 1e-9 {
			t.Fatalf("the loss moves by %v, the gradient of value %d is %v", have, k, dvalues[k])
		}
		values[k] = v
	}
}

package cpu

import (
	"runtime"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// TestSpMMBand holds products with triangles and bands to those with the matrices that Tril and Triu build, and
// so the gradient by b, which is a product with a triangle of the transpose.
func TestSpMMBand(t *testing.T) {
	for _, s := range someShapes() {
		a := stagedMatrix[float32](s.m, s.k, s.entries, s.long)
		d, _ := sparse.Convert[float64](a)
		for _, k := range []int{-s.m - 5, -2, 0, 3, s.k / 2, s.k + 5} {
			for what, c := range map[string]struct {
				band sparse.Band[float32]
				want sparse.Matrix[float32]
			}{
				"lower":    {a.Lower(k), a.Tril(k)},
				"upper":    {a.Upper(k), a.Triu(k)},
				"band":     {a.Band(k-1, k+9), a.Triu(k - 1).Tril(k + 9)},
				"gradient": {a.Transpose().Upper(-k), a.Tril(k).Transpose()},
			} {
				if !c.band.Matrix().Equal(c.want) || c.band.NNZ() != c.want.NNZ() {
					t.Fatalf("%s %d of %v is %v, want %v", what, k, a, c.band, c.want)
				}
				if k == 3 {
					sameAs(t, what, c.want, s.n, func(opt Options, out, b layout.Matrix[float32]) { SpMMOpt(opt, out, c.band, b) })
				}
			}
		}
		band := d.Lower(0)
		sameAs(t, "float64", d.Tril(0), s.n, func(opt Options, out, b layout.Matrix[float64]) { SpMMOpt(opt, out, band, b) })
	}
	bandValues[int16](t)
	bandValues[complex128](t)
	whole, _ := sparse.FromCOO(2, 2, []int{0, 1, 1}, []int{1, 0, 1}, []int16{5, 6, 7})
	y := make([]int16, 2)
	if SpMV(y, whole.Lower(-1), []int16{1, 10}); y[0] != 0 || y[1] != 6 {
		t.Errorf("have %v", y)
	}
	SpMM(layout.New[float32](0, 3), sparse.Matrix[float32]{}.Lower(0), layout.New[float32](0, 3))
	SpMM(layout.New[float32](0, 3), sparse.Band[float32]{}, layout.New[float32](0, 3))
}

// bandValues holds products with bands of values that have no kernels to those with copies of their entries, which
// they do not make.
func bandValues[T int16 | complex128](t *testing.T) {
	number := func(x int) (v T) {
		switch p := any(&v).(type) {
		case *int16:
			*p = int16(x)
		case *complex128:
			*p = complex(float64(x), -1)
		}
		return v
	}
	for _, s := range someShapes() {
		a, err := sparse.Convert[T](stagedMatrix[float32](s.m, s.k, s.entries, s.long).Apply(func(_, _ int, x float32) float32 { return float32(int(8 * x)) }))
		if err != nil {
			t.Fatal(err)
		}
		b := layout.New[T](s.k, 3)
		for i := range b.Data {
			b.Data[i] = number(i%7 + 1)
		}
		for _, k := range []int{-s.m - 5, -2, 0, s.k + 5} {
			for what, band := range map[string]sparse.Band[T]{"lower": a.Lower(k), "upper": a.Upper(k), "band": a.Band(k-1, k+9)} {
				have, want := layout.New[T](s.m, 3), layout.New[T](s.m, 3)
				SpMM(have, band, b)
				SpMM(want, band.Matrix(), b)
				if !slices.Equal(have.Data, want.Data) {
					t.Fatalf("%s %d of %v: the product is that of another matrix", what, k, a)
				}
			}
		}
	}
	n := 1 << 12
	rows, cols, values := make([]int, 8*n), make([]int, 8*n), make([]T, 8*n)
	for e := range values {
		rows[e], cols[e], values[e] = e/8, (e*e/3)%n, number(1)
	}
	a, err := sparse.FromCOO(n, n, rows, cols, values)
	if err != nil {
		t.Fatal(err)
	}
	band, x, y := a.Lower(0), make([]T, n), make([]T, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	SpMV(y, band, x)
	runtime.ReadMemStats(&after)
	if bytes, copied := after.TotalAlloc-before.TotalAlloc, uint64(band.NNZ())*4; bytes > copied {
		t.Errorf("a product with %v takes %d bytes, columns of a copy %d", band, bytes, copied)
	}
}

// TestSpMMNarrow holds products with stored values of half the bytes to those with the same values in float32.
func TestSpMMNarrow(t *testing.T) {
	narrowValues[dtype.BF16](t)
	narrowValues[dtype.F16](t)
}

func narrowValues[V dtype.BF16 | dtype.F16](t *testing.T) {
	for _, s := range someShapes() {
		a := sparse.NarrowOf[V](stagedMatrix[float32](s.m, s.k, s.entries, s.long))
		m := a.Matrix()
		d, _ := sparse.Convert[float64](m)
		var times func(opt Options, out, b layout.Matrix[float32])
		var wide func(opt Options, out, b layout.Matrix[float64])
		switch a := any(a).(type) {
		case sparse.Narrow[dtype.BF16]:
			times = func(opt Options, out, b layout.Matrix[float32]) { SpMMOfOpt[float32](opt, out, a, b) }
			wide = func(opt Options, out, b layout.Matrix[float64]) { SpMMOfOpt[float64](opt, out, a, b) }
		case sparse.Narrow[dtype.F16]:
			times = func(opt Options, out, b layout.Matrix[float32]) { SpMMOfOpt[float32](opt, out, a, b) }
			wide = func(opt Options, out, b layout.Matrix[float64]) { SpMMOfOpt[float64](opt, out, a, b) }
		}
		sameAs(t, dtype.Of[V]().String(), m, s.n, times)
		sameAs(t, dtype.Of[V]().String(), d, s.n, wide)
		if !a.Transpose().Matrix().Equal(m.Transpose()) {
			t.Errorf("%v: the transpose is another", a)
		}
	}
}

// TestSpMMNarrowNumbers: every number of half precision is widened to itself, and so is a dense operand beside it.
func TestSpMMNarrowNumbers(t *testing.T) {
	n := 1 << 10
	values, at := make([]float64, n), make([]int, n)
	for k := range values {
		at[k] = k
		values[k] = dtype.F16FromBits(uint16(k * 64)).Float64() // of all exponents, Inf, NaN and denormal numbers
	}
	values[1] = 0x1p-24
	m, _ := sparse.FromCOO(n, n, at, at, values)
	short := sparse.NarrowOf[dtype.F16](m)
	y := layout.New[float64](n, 1)
	b := layout.New[dtype.BF16](n, 1)
	for k := range b.Data {
		b.Data[k] = dtype.ToBF16(float32(1))
	}
	SpMMOf[float64](y, short, b)
	single := layout.New[float32](n, 1)
	SpMMOf[float32](single, short, b)
	for k, v := range values {
		if x, z := y.Data[k], float64(single.Data[k]); (x != v || z != v) && (v == v || x == x || z == z) {
			t.Fatalf("value %v is %v and %v", v, x, z)
		}
	}
}

package dense

import (
	"fmt"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// genericOrders are ways to lay out a matrix; those that repeat elements come
// last, for operands only.
var genericOrders = []struct {
	name    string
	strides func(rows, cols int) (rs, cs int)
}{
	{"row", func(rows, cols int) (int, int) { return cols, 1 }},
	{"row+3", func(rows, cols int) (int, int) { return cols + 3, 1 }},
	{"col", func(rows, cols int) (int, int) { return 1, rows }},
	{"col+5", func(rows, cols int) (int, int) { return 1, rows + 5 }},
	{"row,2", func(rows, cols int) (int, int) { return 2*cols + 1, 2 }},
	{"col,3", func(rows, cols int) (int, int) { return 3, 3*rows + 2 }},
	{"one row", func(rows, cols int) (int, int) { return 0, 1 }},
	{"one column", func(rows, cols int) (int, int) { return 1, 0 }},
	{"one element", func(rows, cols int) (int, int) { return 0, 0 }},
}

const genericOutOrders = 6

// genericMatrix returns a matrix in the given order that ends with its slice,
// filled by next; what lies between the elements is NaN.
func genericMatrix[T dtype.Float](order, rows, cols int, next func() T) layout.Matrix[T] {
	rs, cs := genericOrders[order].strides(rows, cols)
	m := layout.Matrix[T]{Rows: rows, Cols: cols, RowStride: rs, ColStride: cs}
	if rows > 0 && cols > 0 {
		m.Data = make([]T, (rows-1)*rs+(cols-1)*cs+1)
	}
	for i := range m.Data {
		m.Data[i] = T(math.NaN())
	}
	for i := range rows {
		for j := range cols {
			m.Set(i, j, next())
		}
	}
	return m
}

// blockwise sums terms 0 to k-1 as the portable code does: from 0 in blocks of plain.KC, whose sums it adds.
func blockwise[T dtype.Sum](k int, term func(p int) T) (s T) {
	for from := 0; from < k; from += plain.KC {
		var block T
		for p := from; p < min(from+plain.KC, k); p++ {
			block += term(p)
		}
		s += block
	}
	return s
}

// genericWant is the plain triple loop, with no product fused into an FMA; for
// alpha = 0 it does not compute a*b.
func genericWant[T dtype.Float](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) layout.Matrix[T] {
	want := layout.New[T](out.Rows, out.Cols)
	for i := range out.Rows {
		for j := range out.Cols {
			var s T
			if alpha != 0 {
				s = T(alpha * blockwise(a.Cols, func(p int) T { return T(a.At(i, p) * b.At(p, j)) }))
			}
			if beta != 0 {
				s += T(beta * out.At(i, j))
			}
			want.Set(i, j, s)
		}
	}
	return want
}

// genericCase runs one shape in one order each. Small integers make every sum
// exact, so the result must be equal; the padding of out must stay NaN.
func genericCase[T dtype.Float](t *testing.T, r *rand.Rand, m, n, k int, orders [3]int, alpha, beta T, buf *plain.Buf[T]) {
	t.Helper()
	small := func() T { return T(r.IntN(9) - 4) }
	a, b := genericMatrix(orders[0], m, k, small), genericMatrix(orders[1], k, n, small)
	old := small
	if beta == 0 {
		old = func() T { return T(math.NaN()) }
	}
	out := genericMatrix(orders[2], m, n, old)
	want := genericWant(alpha, a, b, beta, out)
	plain.Multiply(alpha, plain.Of(a), plain.Of(b), beta, out, buf)

	at := func() string {
		return fmt.Sprintf("%T %dx%dx%d a %s, b %s, out %s, alpha %v, beta %v", alpha, m, n, k, genericOrders[orders[0]].name,
			genericOrders[orders[1]].name, genericOrders[orders[2]].name, alpha, beta)
	}
	for i := range m {
		for j := range n {
			if got := out.At(i, j); got != want.At(i, j) {
				t.Fatalf("%s: out[%d,%d] = %v, want %v", at(), i, j, got, want.At(i, j))
			}
			out.Set(i, j, T(math.NaN()))
		}
	}
	for i, v := range out.Data {
		if v == v {
			t.Fatalf("%s: wrote %v between the elements, at %d", at(), v, i)
		}
	}
}

func TestGeneric(t *testing.T) {
	t.Run("f32", testGeneric[float32])
	t.Run("f64", testGeneric[float64])
}

func testGeneric[T dtype.Float](t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	var buf plain.Buf[T]
	scale := []T{0, 1, -1, 2, -3}
	pick := func() (T, T) { return scale[r.IntN(len(scale))], scale[r.IntN(len(scale))] }

	// Every small shape, in orders that change from one to the next.
	for at := range 10 * 10 * 10 {
		for range level.Of(1, 2, 4) {
			alpha, beta := pick()
			orders := [3]int{r.IntN(len(genericOrders)), r.IntN(len(genericOrders)), r.IntN(genericOutOrders)}
			genericCase(t, r, at/100, at/10%10, at%10, orders, alpha, beta, &buf)
		}
	}
	// Every order for shapes on either side of the blocks.
	for _, s := range [][3]int{
		{1, 13, 30}, {13, 1, 30}, {6, 7, 11}, {7, 6, 11}, {5, 5, 9}, {9, 11, 8}, {11, 10, 9}, {8, 8, 12}, {17, 19, 23},
	} {
		for x := range genericOrders {
			for y := range genericOrders {
				for z := range genericOutOrders {
					if (x+y+z+s[0])%level.Of(8, 3, 1) != 0 {
						continue // for other shapes
					}
					alpha, beta := pick()
					genericCase(t, r, s[0], s[1], s[2], [3]int{x, y, z}, alpha, beta, &buf)
				}
			}
		}
	}
	for _, s := range [][3]int{
		{9, plain.NC + 3, 10}, {9, 2*plain.NC - 1, plain.KC + 1}, {plain.MC + 5, 10, plain.KC + 2}, {plain.MC + 1, 9, 2 * plain.KC},
		{11, 13, plain.KC - 1}, {11, 13, plain.KC}, {11, 13, 3*plain.KC + 1}, {2, plain.Row + 1, 9}, {plain.Row + 7, 3, 5},
		{10, plain.Row + 5, 3}, {plain.Row + 5, 10, 8},
	} {
		for range level.Of(2, 4, 12) {
			alpha, beta := pick()
			orders := [3]int{r.IntN(len(genericOrders)), r.IntN(len(genericOrders)), r.IntN(genericOutOrders)}
			genericCase(t, r, s[0], s[1], s[2], orders, alpha, beta, &buf)
		}
	}
}

// TestGenericSplit: parts of out computed by themselves, as by several threads,
// have the bits of the plain loop, as the whole has, though they take other paths.
func TestGenericSplit(t *testing.T) {
	t.Run("f32", testGenericSplit[float32])
	t.Run("f64", testGenericSplit[float64])
}

func testGenericSplit[T dtype.Float](t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	var buf plain.Buf[T]
	normal := func() T { return T(r.NormFloat64()) }
	for _, s := range [][3]int{{40, 50, 30}, {23, 300, plain.KC + 9}, {30, 30, 5}, {3, 70, 600}, {70, 3, 600}, {2, 3, 64*plain.KC + 300}} {
		for range level.Of(1, 4, 12) {
			m, n, k := s[0], s[1], s[2]
			a, b := genericMatrix(r.IntN(genericOutOrders), m, k, normal), genericMatrix(r.IntN(genericOutOrders), k, n, normal)
			whole := genericMatrix(r.IntN(genericOutOrders), m, n, normal)
			want := genericWant(1.25, a, b, 0.7, whole)
			parts := layout.New[T](m, n)
			for i := range m {
				for j := range n {
					parts.Set(i, j, whole.At(i, j))
				}
			}
			plain.Multiply(1.25, plain.Of(a), plain.Of(b), 0.7, whole, &buf)
			for i0, i1 := 0, 0; i0 < m; i0 = i1 {
				i1 = min(m, i0+1+r.IntN(m))
				for j0, j1 := 0, 0; j0 < n; j0 = j1 {
					j1 = min(n, j0+1+r.IntN(n))
					plain.Multiply(1.25, plain.Of(a.Slice(i0, i1, 0, k)), plain.Of(b.Slice(0, k, j0, j1)), 0.7, parts.Slice(i0, i1, j0, j1), &buf)
				}
			}
			for i := range m {
				for j := range n {
					if x, y, z := whole.At(i, j), parts.At(i, j), want.At(i, j); x != z || y != z {
						t.Fatalf("%v: [%d,%d] is %v as a whole and %v in parts, want %v", s, i, j, x, y, z)
					}
				}
			}
		}
	}
}

// TestGenericLong: errors of long sums grow with the length of a block and the number of blocks. Of 20,000 terms that are
// added one after another some are above 5e-6 of the sum.
func TestGenericLong(t *testing.T) {
	const k = 20_000
	r := rand.New(level.PCG(7, 8))
	var buf plain.Buf[float32]
	for _, s := range [][2]int{{9, 11}, {2, 30}, {30, 2}, {1, 1}} { // packed, and thin
		for range 4 {
			a := genericMatrix(r.IntN(genericOutOrders), s[0], k, r.Float32)
			b := genericMatrix(r.IntN(genericOutOrders), k, s[1], r.Float32)
			out := layout.New[float32](s[0], s[1])
			plain.Multiply(1, plain.Of(a), plain.Of(b), 0, out, &buf)
			for i := range s[0] {
				for j := range s[1] {
					want := 0.0
					for p := range k {
						want += float64(a.At(i, p)) * float64(b.At(p, j))
					}
					if away := math.Abs(float64(out.At(i, j))-want) / want; away > 1e-6 {
						t.Fatalf("%d x %d: [%d,%d] is off by %.2g of the sum, want at most 1e-6", s[0], s[1], i, j, away)
					}
				}
			}
		}
	}
}

// TestGenericSpecial: NaN and Inf appear exactly where the plain loop has them,
// also from 0*Inf, and not where a panel is padded with 0.
func TestGenericSpecial(t *testing.T) {
	r := rand.New(level.PCG(7, 8))
	var buf plain.Buf[float64]
	for at := range 400 {
		m, n, k := 1+at%11, 1+r.IntN(11), 1+r.IntN(14)
		next := func() float64 {
			switch r.IntN(60) {
			case 0:
				return math.NaN()
			case 1:
				return math.Inf(1)
			case 2:
				return math.Inf(-1)
			}
			return float64(r.IntN(3) - 1)
		}
		a, b := genericMatrix(r.IntN(genericOutOrders), m, k, next), genericMatrix(r.IntN(genericOutOrders), k, n, next)
		out := genericMatrix(r.IntN(genericOutOrders), m, n, next)
		alpha, beta := float64(r.IntN(2)), float64(r.IntN(2))
		want := genericWant(alpha, a, b, beta, out)
		plain.Multiply(alpha, plain.Of(a), plain.Of(b), beta, out, &buf)
		for i := range m {
			for j := range n {
				if x, y := out.At(i, j), want.At(i, j); x != y && (x == x || y == y) {
					t.Fatalf("%dx%dx%d alpha %v beta %v: out[%d,%d] = %v, want %v", m, n, k, alpha, beta, i, j, x, y)
				}
			}
		}
	}
}

func TestGenericAllocs(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 0}, {3, 40, 50}, {40, 3, 50}, {40, 40, 4}, {40, 40, 50}, {40, 40, 600}} {
		for order := range genericOutOrders {
			one := func() float64 { return 1 }
			a, b, out := genericMatrix(order, s[0], s[2], one), genericMatrix(order, s[2], s[1], one), genericMatrix(order, s[0], s[1], one)
			var buf plain.Buf[float64]
			if n := testing.AllocsPerRun(5, func() { plain.Multiply(1, plain.Of(a), plain.Of(b), 0, out, &buf) }); n != 0 {
				t.Errorf("%v %s: %v allocations a call", s, genericOrders[order].name, n)
			}
		}
	}
}

// BenchmarkGeneric compares with gonum on one core (-cpu 1) at whatever tags are
// set; -tags noasm makes it plain Go against plain Go.
func BenchmarkGeneric(b *testing.B) {
	for _, n := range []int{16, 64, 256, 512} {
		for _, trans := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			name := fmt.Sprintf("n=%d/trans=%c", n, trans)
			x64, y64, z64 := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
			x32, y32, z32 := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
			b.Run(name+"/prec=f32/impl=generic", func(b *testing.B) {
				benchmarkGeneric(b, n, trans, x32, y32, z32)
			})
			b.Run(name+"/prec=f32/impl=gonum", func(b *testing.B) {
				genericFill(x32, y32)
				for b.Loop() {
					gonum.Implementation{}.Sgemm(trans, trans, n, n, n, 1, x32, n, y32, n, 0, z32, n)
				}
				genericRate(b, n)
			})
			b.Run(name+"/prec=f64/impl=generic", func(b *testing.B) {
				benchmarkGeneric(b, n, trans, x64, y64, z64)
			})
			b.Run(name+"/prec=f64/impl=gonum", func(b *testing.B) {
				genericFill(x64, y64)
				for b.Loop() {
					gonum.Implementation{}.Dgemm(trans, trans, n, n, n, 1, x64, n, y64, n, 0, z64, n)
				}
				genericRate(b, n)
			})
		}
	}
}

func benchmarkGeneric[T dtype.Float](b *testing.B, n int, trans blas.Transpose, x, y, z []T) {
	var buf plain.Buf[T]
	genericFill(x, y)
	ma, mb, out := layout.RowMajor(x, n, n), layout.RowMajor(y, n, n), layout.RowMajor(z, n, n)
	if trans == blas.Trans {
		ma, mb = ma.T(), mb.T()
	}
	for b.Loop() {
		plain.Multiply(1, plain.Of(ma), plain.Of(mb), 0, out, &buf)
	}
	genericRate(b, n)
}

// genericFill avoids zeros, which gonum skips.
func genericFill[T dtype.Float](s ...[]T) {
	for _, s := range s {
		for i := range s {
			s[i] = T(1 + i%7)
		}
	}
}

func genericRate(b *testing.B, n int) {
	b.ReportMetric(2*float64(n)*float64(n)*float64(n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}

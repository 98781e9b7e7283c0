package dense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmc128"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmc64"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// lie are the ways a matrix can lie in a slice that ends with it; what is between elements is NaN.
var lie = []struct {
	name string
	make func(m, n int) (rows, cols int)
}{
	{"rows", func(m, n int) (int, int) { return max(1, n), 1 }},
	{"columns", func(m, n int) (int, int) { return 1, max(1, m) }},
	{"padded", func(m, n int) (int, int) { return n + 3, 1 }},
	{"both", func(m, n int) (int, int) { return 2*n + 1, 2 }},
}

func laid[T dtype.Float](way, m, n int, v func(i, j int) T) layout.Matrix[T] {
	rs, cs := lie[way].make(m, n)
	x := layout.Matrix[T]{Rows: m, Cols: n, RowStride: rs, ColStride: cs}
	if m > 0 && n > 0 {
		x.Data = make([]T, (m-1)*rs+(n-1)*cs+1)
		for i := range x.Data {
			x.Data[i] = T(math.NaN())
		}
		for i := range m {
			for j := range n {
				x.Set(i, j, v(i, j))
			}
		}
	}
	return x
}

// in reports whether a triangle has an element.
func in(t dense.Triangle, i, j int) bool {
	if t == dense.Lower || t == dense.UnitLower {
		return i >= j
	}
	return i <= j
}

func clone[T dtype.Number](x layout.Matrix[T]) layout.Matrix[T] {
	x.Data = append([]T(nil), x.Data...)
	return x
}

// differ returns where two matrices of the same strides differ, gaps included; NaN is as NaN.
func differ[T dtype.Number](have, want layout.Matrix[T]) string {
	for i, x := range have.Data {
		if y := want.Data[i]; x != y && (x == x || y == y) {
			return fmt.Sprintf("place %d of strides (%d, %d): have %v, want %v", i, have.RowStride, have.ColStride, x, y)
		}
	}
	return ""
}

// each runs f for both types, every variant and one, two and three goroutines.
func each(t *testing.T, f32 func(t *testing.T, s *dense.Set[float32], opt run.Options), f64 func(t *testing.T, s *dense.Set[float64], opt run.Options)) {
	for _, isa := range run.ISAs() {
		switch isa {
		case "avx512", "avx2", run.Portable:
		default:
			continue
		}
		for threads := 1; threads <= 3; threads += 2 {
			opt := run.Options{ISA: isa, Threads: threads}
			t.Run(fmt.Sprintf("f32/%s/%d", isa, threads), func(t *testing.T) { f32(t, gemmf.SGEMMSet(), opt) })
			t.Run(fmt.Sprintf("f64/%s/%d", isa, threads), func(t *testing.T) { f64(t, gemmf.DGEMMSet(), opt) })
		}
	}
}

var sides = [][2]int{{0, 3}, {1, 1}, {2, 7}, {5, 0}, {9, 8}, {16, 17}, {24, 65}, {47, 33}, {64, 64}, {97, 130}, {130, 5}, {257, 21}}

// tooLarge is what a short run leaves out.
func tooLarge(side [2]int) bool { return testing.Short() && side[0]*side[0]*side[1] > 50_000 }

func scalings(i int) (alpha, beta float64) {
	s := [][2]float64{{1, 0}, {-2, 0}, {1, 1}, {2, -1}, {0, 2}, {0, 0}}[i%6]
	return s[0], s[1]
}

// TestGemmTriangle: triangles of products, exact in small integers. What is outside is
// not touched, with beta = 0 the inside is not read, and threads do not show.
func TestGemmTriangle(t *testing.T) {
	each(t, testGemmTriangle[float32], testGemmTriangle[float64])
}

func testGemmTriangle[T dtype.Float](t *testing.T, s *dense.Set[T], opt run.Options) {
	r := rand.New(level.PCG(1, 2))
	small := func(i, j int) T { return T(r.IntN(7) - 3) }
	for at, side := range append(sides, [2]int{33, 1100}) {
		for way := range lie {
			if side[0] > level.Of(-1, 8, 100) && way != (at+opt.Threads)%4 || tooLarge(side) { // oracles take time
				continue
			}
			n, k := side[0], side[1]
			tri := dense.Lower + dense.Triangle((at+way)%2)
			alpha, beta := scalings(at + way*5)
			a := laid((way+at)%4, n, k, small)
			b := a.T()
			if at%3 == 0 {
				b = laid(way, k, n, small)
			}
			out := laid(way, n, n, func(i, j int) T {
				if beta == 0 && in(tri, i, j) {
					return T(math.NaN())
				}
				return small(i, j)
			})
			want := clone(out)
			for i := range n {
				for j := range n {
					if !in(tri, i, j) {
						continue
					}
					var sum T
					for p := 0; p < k && alpha != 0; p++ {
						sum += a.At(i, p) * b.At(p, j)
					}
					if sum *= T(alpha); beta != 0 {
						sum += T(beta) * out.At(i, j)
					}
					want.Set(i, j, sum)
				}
			}
			opt.Scaling = run.Scale(alpha, beta)
			s.GemmTriangle(opt, tri, out, a, b)
			if d := differ(out, want); d != "" {
				t.Fatalf("%v of %d x %d, k %d, %s, alpha %v, beta %v: %s", tri, n, n, k, lie[way].name, alpha, beta, d)
			}
		}
	}
}

// TestGemmSymmetric: the triangle that is not stored is NaN.
func TestGemmSymmetric(t *testing.T) {
	each(t, testGemmSymmetric[float32], testGemmSymmetric[float64])
}

func testGemmSymmetric[T dtype.Float](t *testing.T, s *dense.Set[T], opt run.Options) {
	r := rand.New(level.PCG(1, 2))
	small := func(i, j int) T { return T(r.IntN(7) - 3) }
	for at, side := range append(sides, [2]int{1030, 3}) {
		for way := range lie {
			if side[0] > level.Of(-1, 8, 100) && way != (at+opt.Threads)%4 || tooLarge(side) { // oracles take time
				continue
			}
			m, n := side[0], side[1]
			tri := dense.Lower + dense.Triangle((at+way)%2)
			alpha, beta := scalings(at + way*5)
			a := laid((way+at)%4, m, m, func(i, j int) T {
				if !in(tri, i, j) {
					return T(math.NaN())
				}
				return small(i, j)
			})
			b := laid((way+at*3)%4, m, n, small)
			out := laid(way, m, n, small)
			want := clone(out)
			for i := range m {
				for j := range n {
					var sum T
					for p := 0; p < m && alpha != 0; p++ {
						x := i
						y := p
						if !in(tri, x, y) {
							x, y = y, x
						}
						sum += a.At(x, y) * b.At(p, j)
					}
					if sum *= T(alpha); beta != 0 {
						sum += T(beta) * out.At(i, j)
					}
					want.Set(i, j, sum)
				}
			}
			opt.Scaling = run.Scale(alpha, beta)
			s.GemmSymmetric(opt, tri, out, a, b)
			if d := differ(out, want); d != "" {
				t.Fatalf("%v of %d x %d, n %d, out by %s, alpha %v, beta %v: %s", tri, m, m, n, lie[way].name, alpha, beta, d)
			}
		}
	}
}

// TestTriangular: products by triangles, and systems whose solutions are small integers:
// every step is exact. What is beside the triangle is NaN, and so is the diagonal of a unit one.
func TestTriangular(t *testing.T) {
	each(t, testTriangular[float32], testTriangular[float64])
}

func testTriangular[T dtype.Float](t *testing.T, s *dense.Set[T], opt run.Options) {
	r := rand.New(level.PCG(1, 2))
	for at, side := range append(sides, [2]int{523, 6}) {
		for way := range lie {
			if side[0] > level.Of(-1, 8, 100) && way != (at+opt.Threads)%4 || tooLarge(side) { // oracles take time
				continue
			}
			for tri := dense.Lower; tri <= dense.UnitUpper; tri++ {
				m, n := side[0], side[1]
				unit := tri >= dense.UnitLower
				a := laid((way+at)%4, m, m, func(i, j int) T {
					switch {
					case !in(tri, i, j) || i == j && unit:
						return T(math.NaN())
					case i == j:
						return []T{1, 2, -1, 0.5}[r.IntN(4)]
					}
					return T(r.IntN(3) - 1)
				})
				x := laid(way, m, n, func(i, j int) T { return T(r.IntN(7) - 3) })
				y := clone(x)
				for i := range m {
					for j := range n {
						var sum T
						for k := range m {
							switch {
							case k == i && unit:
								sum += x.At(k, j)
							case in(tri, i, k):
								sum += a.At(i, k) * x.At(k, j)
							}
						}
						y.Set(i, j, 2*sum)
					}
				}
				opt.Scaling = run.Scale(2, 0)
				b := clone(x)
				s.MulTriangular(opt, tri, a, b)
				if d := differ(b, y); d != "" {
					t.Fatalf("product by %v of %d x %d, n %d, %s: %s", tri, m, m, n, lie[way].name, d)
				}
				opt.Scaling = run.Scale(0.5, 0)
				s.SolveTriangular(opt, tri, a, b)
				if d := differ(b, x); d != "" {
					t.Fatalf("solution by %v of %d x %d, n %d, %s: %s", tri, m, m, n, lie[way].name, d)
				}
				opt.Scaling = run.Scale(0, 0)
				s.SolveTriangular(opt, tri, a, b)
				for i := range m {
					for j := range n {
						if b.At(i, j) != 0 {
							t.Fatalf("alpha = 0 leaves %v", b.At(i, j))
						}
					}
				}
			}
		}
	}
}

// TestTriangularNonFinite: Inf and NaN stay where the loop over the triangle has them:
// nothing outside it is multiplied. A zero on the diagonal is divided by, and a reciprocal
// that overflows is not taken.
func TestTriangularNonFinite(t *testing.T) {
	each(t, testTriangularNonFinite[float32], testTriangularNonFinite[float64])
}

func testTriangularNonFinite[T dtype.Float](t *testing.T, s *dense.Set[T], opt run.Options) {
	inf := T(math.Inf(1))
	for _, n := range []int{1, 4, 11, 40, level.Of(41, 270, 270)} {
		for _, at := range []int{0, n / 2, n - 1} {
			for tri := dense.Lower; tri <= dense.Upper; tri++ {
				a := laid(0, n, n, func(i, j int) T {
					if !in(tri, i, j) {
						return inf
					}
					return 1
				})
				b := laid(0, n, 30, func(i, j int) T {
					if i == at && j == 3 {
						return inf
					}
					return 1
				})
				s.MulTriangular(opt, tri, a, b)
				for i := range n {
					for j := range 30 {
						want := T(n - i)
						if tri == dense.Lower {
							want = T(i + 1)
						}
						if j == 3 && in(tri, i, at) {
							want = inf
						}
						if have := b.At(i, j); have != want {
							t.Fatalf("%v, n %d, Inf in row %d: element %d, %d is %v, want %v", tri, n, at, i, j, have, want)
						}
					}
				}
				// A diagonal with 0 at one place: the row is 1/0, those that read it Inf or NaN, others solved.
				for i := range n {
					for j := range n {
						if i != j {
							a.Set(i, j, 0)
						}
					}
				}
				a.Set(at, at, 0)
				b = laid(0, n, 5, func(i, j int) T { return 1 })
				s.SolveTriangular(opt, tri, a, b)
				for i := range n {
					want := T(1)
					if i == at {
						want = inf
					}
					reads := i != at && in(tri, i, at)
					if have := b.At(i, 2); !reads && have != want || reads && have == have {
						t.Fatalf("%v, n %d, 0 at %d: row %d is %v", tri, n, at, i, have)
					}
				}
				// The reciprocal of the least number overflows; the quotient does not.
				least := T(math.SmallestNonzeroFloat64)
				if least == 0 {
					least = math.SmallestNonzeroFloat32
				}
				a.Set(at, at, least)
				b = laid(0, n, 5, func(i, j int) T { return least * 2 })
				s.SolveTriangular(opt, tri, a, b)
				if have := b.At(at, 1); have != 2 {
					t.Fatalf("%v, n %d: quotient of least numbers %v, want 2", tri, n, have)
				}
			}
		}
	}
}

// TestTriangularAlone: of complex numbers an Inf meets no imaginary part that a diagonal does not
// have, where it would become NaN.
func TestTriangularAlone(t *testing.T) {
	inf := complex(math.Inf(1), 0)
	for _, isa := range run.ISAs() {
		if isa != "avx512" && isa != "avx2" && isa != run.Portable {
			continue
		}
		for _, n := range []int{1, 3, 40} {
			for _, tri := range []dense.Triangle{dense.UnitLower, dense.UnitUpper, dense.Lower} {
				if isa == run.Portable && tri == dense.Lower {
					continue // Go's product of 2+0i and Inf is NaN
				}
				for _, f := range []func(*dense.Set[complex128], run.Options, dense.Triangle, layout.Matrix[complex128], layout.Matrix[complex128]){
					(*dense.Set[complex128]).MulTriangular, (*dense.Set[complex128]).SolveTriangular} {
					a, b := layout.New[complex128](n, n), layout.New[complex128](n, 9)
					for i := range n {
						if a.Set(i, i, 2); tri != dense.Lower {
							a.Set(i, i, complex(math.NaN(), 0)) // which is not there
						}
					}
					last := n - 1 // of which no row is made
					if tri == dense.UnitUpper {
						last = 0
					}
					b.Set(last, 4, inf)
					f(gemmc128.ZGEMMSet(), run.Options{ISA: isa}, tri, a, b)
					if have := b.At(last, 4); !math.IsInf(real(have), 1) || imag(have) != 0 {
						t.Errorf("%s, %v of %d rows: Inf became %v", isa, tri, n, have)
					}
				}
			}
		}
	}
}

// TestStructuredGuard: operands end where a page does that cannot be read, and begin after
// one.
func TestStructuredGuard(t *testing.T) {
	for _, isa := range run.ISAs() {
		if isa != "avx512" && isa != "avx2" && isa != run.Portable {
			continue
		}
		t.Run(isa, func(t *testing.T) {
			testStructuredGuard(t, gemmf.SGEMMSet(), isa)
			testStructuredGuard(t, gemmf.DGEMMSet(), isa)
			testStructuredGuard(t, gemmc64.CGEMMSet(), isa)
			testStructuredGuard(t, gemmc128.ZGEMMSet(), isa)
		})
	}
}

func testStructuredGuard[T dtype.Number](t *testing.T, s *dense.Set[T], isa string) {
	for _, n := range level.Of([]int{7, 61}, []int{1, 7, 24, 61, 72}, []int{1, 7, 24, 61, 72, 130}) {
		guarded := func(end bool) layout.Matrix[T] {
			g, err := guard.New[T](n * n)
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { g.Close() })
			data := g.Left(n * n)
			if end {
				data = g.Right(n * n)
			}
			x := layout.RowMajor(data, n, n)
			for i := range n {
				for j := range n {
					x.Set(i, j, number[T](float64((i*3+j)%5+1), 0))
				}
			}
			return x
		}
		for _, end := range []bool{false, true} {
			a, b, c := guarded(end), guarded(end), guarded(end)
			for _, tri := range []dense.Triangle{dense.Lower, dense.Upper} {
				opt := run.Options{ISA: isa}
				s.GemmTriangle(opt, tri, c, a, b.T())
				s.GemmSymmetric(opt, tri, c, a, b)
				s.GemmSymmetric(opt, tri, c.T(), a, b.T())
				s.GemmHermitian(opt, tri, c, a, b)
				s.MulTriangular(opt, tri, a, b)
				s.SolveTriangular(opt, tri, a, b)
				s.MulTriangular(opt, tri, a, b.T())
				s.SolveTriangular(opt, tri, a, b.T())
			}
		}
	}
}

// number is x + iy, or x.
func number[T dtype.Number](x, y float64) T {
	var z T
	switch z := any(&z).(type) {
	case *float32:
		*z = float32(x)
	case *float64:
		*z = x
	case *complex64:
		*z = complex64(complex(x, y))
	case *complex128:
		*z = complex(x, y)
	}
	return z
}

// TestStructuredStorm: many goroutines at once, each with the bits that one has alone.
func TestStructuredStorm(t *testing.T) {
	t.Run("f32", func(t *testing.T) { testStructuredStorm(t, gemmf.SGEMMSet()) })
	if testing.Short() {
		return // the other types share its code
	}
	t.Run("f64", func(t *testing.T) { testStructuredStorm(t, gemmf.DGEMMSet()) })
	t.Run("c64", func(t *testing.T) { testStructuredStorm(t, gemmc64.CGEMMSet()) })
	t.Run("c128", func(t *testing.T) { testStructuredStorm(t, gemmc128.ZGEMMSet()) })
}

func testStructuredStorm[T dtype.Number](t *testing.T, s *dense.Set[T]) {
	n := level.Of(100, 190, 190)
	r := rand.New(level.PCG(5, 6))
	random := func() layout.Matrix[T] {
		x := layout.New[T](n, n)
		for i := range x.Data {
			x.Data[i] = number[T](r.NormFloat64(), r.NormFloat64())
		}
		return x
	}
	a, b := random(), random()
	for i := range n {
		a.Set(i, i, 20)
	}
	all := func(threads int) []layout.Matrix[T] {
		opt := run.Options{Threads: threads}
		x, y, z, u, v := layout.New[T](n, n), layout.New[T](n, n), layout.New[T](n, n), clone(b), clone(b)
		s.GemmTriangle(opt, dense.Lower, x, a, a.T())
		s.GemmSymmetric(opt, dense.Upper, y, a, b)
		s.Gemm(opt, z, a.T(), b)
		s.MulTriangular(opt, dense.UnitUpper, a, u)
		s.SolveTriangular(opt, dense.Lower, a, v.T())
		return []layout.Matrix[T]{x, y, z, u, v}
	}
	want := all(1)
	rounds := level.Of(1, 2, 6)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range rounds {
				for i, have := range all(1 + g%4) {
					if d := differ(have, want[i]); d != "" {
						t.Errorf("goroutine %d, result %d: %s", g, i, d)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestStructuredRefused: what cannot be done is said, before anything is written.
func TestStructuredRefused(t *testing.T) {
	s := gemmf.DGEMMSet()
	sq, wide := layout.New[float64](4, 4), layout.New[float64](4, 5)
	both := layout.New[float64](8, 9) // row 0 has beside the lower triangle what a is below
	lower := both.Slice(0, 8, 0, 8)
	opt := run.Options{Caller: "f"}
	for name, tc := range map[string]struct {
		f    func()
		want string
	}{
		"triangle": {func() { s.GemmTriangle(opt, 0, sq, wide, wide.T()) }, "f: the triangle of out is Triangle(0); want Lower or Upper"},
		"unit":     {func() { s.GemmSymmetric(opt, dense.UnitLower, wide, sq, wide) }, "f: the triangle of a is UnitLower; want Lower or Upper"},
		"square":   {func() { s.GemmTriangle(opt, dense.Lower, wide, sq, wide) }, "f: out is 4 x 5; a matrix with a triangle is square"},
		"shapes":   {func() { s.GemmSymmetric(opt, dense.Lower, sq, sq, wide) }, "f: out is 4 x 4, a is 4 x 4, b is 4 x 5; want m x n, m x k, k x n"},
		"solve":    {func() { s.SolveTriangular(opt, dense.Lower, sq, wide.T()) }, "f: a is 4 x 4, b is 5 x 4; want m x m and m x n"},
		"overlap":  {func() { s.MulTriangular(opt, dense.Lower, lower, lower) }, "f: b shares elements with a; want it in memory of its own"},
		"beta": {func() {
			s.MulTriangular(run.Options{Caller: "f", Scaling: run.Scale(1, 1)}, dense.Lower, sq, wide)
		}, "f: beta is not 0; b is an operand, and only alpha belongs to it"},
		"inside": {func() { s.GemmTriangle(opt, dense.Upper, lower, both.Slice(0, 1, 1, 9).T(), both.Slice(0, 1, 1, 9)) },
			"f: out shares memory with an operand; copy the operand first"},
		"beside": {func() { s.GemmTriangle(opt, dense.Lower, lower, both.Slice(0, 1, 1, 9).T(), both.Slice(0, 1, 1, 9)) }, "nothing"},
	} {
		func() {
			defer func() {
				have := "nothing"
				if r := recover(); r != nil {
					have = fmt.Sprint(r)
				}
				if have != tc.want {
					t.Errorf("%s: panics with %s, want %s", name, have, tc.want)
				}
			}()
			tc.f()
		}()
	}
}

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
	"gonum.org/v1/gonum/mat"

	"github.com/tilesmith/tilesmith/cpu/internal/level3"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func TestDgemm(t *testing.T) { testblas.TestDgemm(t, BLAS64{}) }

// gemmFunc is Dgemm or Sgemm.
type gemmFunc[T dtype.Float] func(tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)

var transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}

// stored returns the shape in which a rows x cols operand lies in memory.
func stored(t blas.Transpose, rows, cols int) (int, int) {
	if t == blas.NoTrans {
		return rows, cols
	}
	return cols, rows
}

// TestBLASGemm compares with a plain loop. Small integers make the sums exact.
func TestBLASGemm(t *testing.T) {
	t.Run("f32", func(t *testing.T) { testBLASGemm(t, BLAS32{}.Sgemm) })
	t.Run("f64", func(t *testing.T) { testBLASGemm(t, BLAS64{}.Dgemm) })
}

func testBLASGemm[T dtype.Float](t *testing.T, gemm gemmFunc[T]) {
	r := rand.New(level.PCG(1, 2))
	nan := T(math.NaN())
	for _, s := range [][3]int{
		{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1}, {1, 5, 7}, {6, 1, 4}, {5, 4, 1}, {7, 8, 9}, {17, 5, 13}, {16, 33, 20}, {40, 41, 70},
	} {
		m, n, k := s[0], s[1], s[2]
		for _, tA := range transposes {
			for _, tB := range transposes {
				for _, pad := range []int{0, 3} {
					for _, scale := range [][2]T{{1, 0}, {1, 1}, {-2, 0}, {3, -1}, {0, 0}, {0, 1}, {0, 2}} {
						alpha, beta := scale[0], scale[1]
						// matrix ends with its slice; what lies between rows is NaN.
						matrix := func(rows, cols int, v func() T) ([]T, int) {
							ld := max(1, cols) + pad
							s := make([]T, max(0, (rows-1)*ld+cols))
							for i := range s {
								s[i] = nan
								if i%ld < cols {
									s[i] = v()
								}
							}
							return s, ld
						}
						small := func() T { return T(r.IntN(7) - 3) }
						operand, old := small, small
						if alpha == 0 {
							operand = func() T { return nan }
						}
						if beta == 0 {
							old = func() T { return nan }
						}
						aRows, aCols := stored(tA, m, k)
						bRows, bCols := stored(tB, k, n)
						a, lda := matrix(aRows, aCols, operand)
						b, ldb := matrix(bRows, bCols, operand)
						c, ldc := matrix(m, n, old)

						want := append([]T(nil), c...)
						for i := range m {
							for j := range n {
								var sum T
								for p := 0; p < k && alpha != 0; p++ {
									x, y := i*lda+p, p*ldb+j
									if tA != blas.NoTrans {
										x = p*lda + i
									}
									if tB != blas.NoTrans {
										y = j*ldb + p
									}
									sum += a[x] * b[y]
								}
								sum *= alpha
								if beta != 0 {
									sum += beta * c[i*ldc+j]
								}
								want[i*ldc+j] = sum
							}
						}
						gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
						for i, v := range c {
							if v != want[i] && (v == v || want[i] == want[i]) {
								t.Fatalf("%c%c %v pad %d alpha %v beta %v: c[%d] = %v, want %v", tA, tB, s, pad, alpha, beta, i, v, want[i])
							}
						}
					}
				}
			}
		}
	}
}

// TestBLASPanics compares with gonum's own routine: what it panics with, if it
// does, for single faults and for pairs of them, which show the order of checks.
func TestBLASPanics(t *testing.T) {
	t.Run("f32", func(t *testing.T) { testBLASPanics(t, BLAS32{}.Sgemm, gonum.Implementation{}.Sgemm) })
	t.Run("f64", func(t *testing.T) { testBLASPanics(t, BLAS64{}.Dgemm, gonum.Implementation{}.Dgemm) })
}

// gemmArgs are the arguments of a call that can be wrong.
type gemmArgs struct {
	tA, tB              blas.Transpose
	m, n, k             int
	lda, ldb, ldc       int
	lenA, lenB, lenC    int
	alphaZero, betaZero bool
}

func (g gemmArgs) String() string { return fmt.Sprintf("%+v", struct{ gemmArgs }{g}) }

func testBLASPanics[T dtype.Float](t *testing.T, ours, theirs gemmFunc[T]) {
	faults := []struct {
		name string
		set  func(*gemmArgs)
	}{
		{"none", func(g *gemmArgs) {}},
		{"tA = 0", func(g *gemmArgs) { g.tA = 0 }},
		{"tB = 'X'", func(g *gemmArgs) { g.tB = 'X' }},
		{"m = -1", func(g *gemmArgs) { g.m = -1 }},
		{"n = -1", func(g *gemmArgs) { g.n = -1 }},
		{"k = -1", func(g *gemmArgs) { g.k = -1 }},
		{"m = 0", func(g *gemmArgs) { g.m = 0 }},
		{"n = 0", func(g *gemmArgs) { g.n = 0 }},
		{"k = 0", func(g *gemmArgs) { g.k = 0 }},
		{"lda = 0", func(g *gemmArgs) { g.lda = 0 }},
		{"ldb = 0", func(g *gemmArgs) { g.ldb = 0 }},
		{"ldc = 0", func(g *gemmArgs) { g.ldc = 0 }},
		{"lda less by 1", func(g *gemmArgs) { g.lda-- }},
		{"ldb less by 1", func(g *gemmArgs) { g.ldb-- }},
		{"ldc less by 1", func(g *gemmArgs) { g.ldc-- }},
		{"lda more by 1", func(g *gemmArgs) { g.lda++ }},
		{"ldb more by 1", func(g *gemmArgs) { g.ldb++ }},
		{"ldc more by 1", func(g *gemmArgs) { g.ldc++ }},
		{"a short by 1", func(g *gemmArgs) { g.lenA-- }},
		{"b short by 1", func(g *gemmArgs) { g.lenB-- }},
		{"c short by 1", func(g *gemmArgs) { g.lenC-- }},
		{"a empty", func(g *gemmArgs) { g.lenA = 0 }},
		{"b empty", func(g *gemmArgs) { g.lenB = 0 }},
		{"c empty", func(g *gemmArgs) { g.lenC = 0 }},
		{"alpha = 0", func(g *gemmArgs) { g.alphaZero = true }},
		{"beta = 0", func(g *gemmArgs) { g.betaZero = true }},
	}
	call := func(gemm gemmFunc[T], g gemmArgs) (got any) {
		defer func() { got = recover() }()
		alpha, beta := T(1), T(1)
		if g.alphaZero {
			alpha = 0
		}
		if g.betaZero {
			beta = 0
		}
		a, b, c := make([]T, g.lenA), make([]T, g.lenB), make([]T, g.lenC)
		gemm(g.tA, g.tB, g.m, g.n, g.k, alpha, a, g.lda, b, g.ldb, beta, c, g.ldc)
		return nil
	}
	seen := map[any]bool{}
	for _, tA := range transposes {
		for _, tB := range transposes {
			for _, x := range faults {
				for _, y := range faults {
					g := gemmArgs{tA: tA, tB: tB, m: 4, n: 3, k: 5}
					aRows, aCols := stored(tA, g.m, g.k)
					bRows, bCols := stored(tB, g.k, g.n)
					g.lda, g.ldb, g.ldc = aCols, bCols, g.n
					g.lenA, g.lenB, g.lenC = aRows*aCols, bRows*bCols, g.m*g.n
					x.set(&g)
					y.set(&g)
					got, want := call(ours, g), call(theirs, g)
					if got != want {
						t.Errorf("%s, %s: %c%c panics with %v, gonum with %v", x.name, y.name, tA, tB, got, want)
					}
					seen[got] = true
				}
			}
		}
	}
	for _, s := range []any{nil, level3.BadTranspose, level3.MLT0, level3.NLT0, level3.KLT0, level3.BadLdA, level3.BadLdB, level3.BadLdC, level3.ShortA, level3.ShortB, level3.ShortC} {
		if !seen[s] {
			t.Errorf("no case panicked with %v", s)
		}
	}
}

// TestBLASOverflow: a leading dimension for which (rows-1)*ld wraps around must
// not let a short slice through.
func TestBLASOverflow(t *testing.T) {
	const big = math.MaxInt/4 + 1 // 4*big overflows
	s := make([]float64, 25)
	for _, ld := range []int{big, big + 1, math.MaxInt} {
		for _, tc := range []struct {
			lda, ldb, ldc int
			want          string
		}{{ld, 5, 5, level3.ShortA}, {5, ld, 5, level3.ShortB}, {5, 5, ld, level3.ShortC}} {
			func() {
				defer func() {
					if got := recover(); got != tc.want {
						t.Errorf("ld %d, %d, %d: panic %v, want %s", tc.lda, tc.ldb, tc.ldc, got, tc.want)
					}
				}()
				BLAS64{}.Dgemm(blas.NoTrans, blas.NoTrans, 5, 5, 5, 1, s, tc.lda, s, tc.ldb, 0, make([]float64, 25), tc.ldc)
			}()
		}
	}
	// With one row the leading dimension is never used.
	c := []float64{0}
	BLAS64{}.Dgemm(blas.NoTrans, blas.NoTrans, 1, 1, 1, 2, []float64{3}, math.MaxInt, []float64{4}, math.MaxInt, 0, c, math.MaxInt)
	if c[0] != 24 {
		t.Errorf("1 x 1 with large leading dimensions: %v, want 24", c[0])
	}
}

// TestBLASZeroTimesInf holds the differences that the doc of BLAS64 states.
func TestBLASZeroTimesInf(t *testing.T) {
	inf := math.Inf(1)
	for _, tA := range transposes {
		for _, tB := range transposes {
			product := func(b blas.Float64, alpha, x, y float64) float64 {
				c := []float64{0}
				b.Dgemm(tA, tB, 1, 1, 1, alpha, []float64{x}, 1, []float64{y}, 1, 0, c, 1)
				return c[0]
			}
			dots := tA == blas.NoTrans && tB != blas.NoTrans
			if got := product(BLAS64{}, 1, 0, inf); !math.IsNaN(got) {
				t.Errorf("%c%c: 0*Inf = %v", tA, tB, got)
			}
			if got := product(gonum.Implementation{}, 1, 0, inf); math.IsNaN(got) != dots {
				t.Errorf("%c%c: gonum's 0*Inf = %v", tA, tB, got)
			}
			if got := product(BLAS64{}, 0, 1, inf); got != 0 {
				t.Errorf("%c%c: with alpha = 0, %v", tA, tB, got)
			}
			if got := product(gonum.Implementation{}, 0, 1, inf); math.IsNaN(got) != dots {
				t.Errorf("%c%c: gonum with alpha = 0, %v", tA, tB, got)
			}
			if got := product(BLAS64{}, 0.25, math.MaxFloat64, 2); got != inf {
				t.Errorf("%c%c: alpha before the sum: %v", tA, tB, got)
			}
		}
	}
}

// use installs BLAS64 and BLAS32 for the rest of the test.
func use(t *testing.T) {
	old64, old32 := blas64.Implementation(), blas32.Implementation()
	blas64.Use(BLAS64{})
	blas32.Use(BLAS32{})
	t.Cleanup(func() { blas64.Use(old64); blas32.Use(old32) })
}

func randomDense(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, r.NormFloat64())
		}
	}
	return m
}

// TestUse: gonum's mat on top of BLAS64. The products are compared with gonum's
// routine called directly, since mat itself now calls us.
func TestUse(t *testing.T) {
	use(t)
	r := rand.New(level.PCG(3, 4))
	m, n, k := 130, 70, 90
	a, b := randomDense(r, m, k), randomDense(r, k, n)
	var want, got mat.Dense
	want.ReuseAs(m, n)
	ra, rb, rw := a.RawMatrix(), b.RawMatrix(), want.RawMatrix()
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, ra.Data, ra.Stride, rb.Data, rb.Stride, 0, rw.Data, rw.Stride)
	got.Mul(a, b)
	if !mat.EqualApprox(&got, &want, 1e-12) {
		t.Error("Mul differs from gonum's")
	}
	got.Reset()
	got.Mul(b.T(), a.T())
	if !mat.EqualApprox(&got, want.T(), 1e-12) {
		t.Error("Mul of transposes differs from gonum's")
	}

	c := blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float32, 4)}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: []float32{1, 2, 3, 4}},
		blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: []float32{5, 6, 7, 8}}, 0, c)
	if fmt.Sprint(c.Data) != "[17 23 39 53]" {
		t.Errorf("blas32.Gemm: %v", c.Data)
	}
}

// TestUseLAPACK: factorisations that call Dgemm on parts of one matrix, checked by
// multiplying the factors together again.
func TestUseLAPACK(t *testing.T) {
	use(t)
	r := rand.New(level.PCG(5, 6))
	const n = 200
	a := randomDense(r, n, n)
	near := func(what string, got, want mat.Matrix) {
		t.Helper()
		if !mat.EqualApprox(got, want, 1e-9) {
			t.Errorf("%s does not give the matrix back", what)
		}
	}
	var got, product, q, upper, u, v mat.Dense

	var lu mat.LU
	lu.Factorize(a)
	var lt, ut mat.TriDense
	lu.LTo(&lt)
	lu.UTo(&ut)
	product.Mul(&lt, &ut)
	got.CloneFrom(&product)
	got.PermuteRows(lu.RowPivots(nil), false)
	near("LU", &got, a)

	var qr mat.QR
	tall := randomDense(r, n+50, n)
	qr.Factorize(tall)
	qr.QTo(&q)
	qr.RTo(&upper)
	got.Reset()
	got.Mul(&q, &upper)
	near("QR", &got, tall)

	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		t.Fatal("SVD did not converge")
	}
	svd.UTo(&u)
	svd.VTo(&v)
	got.Reset()
	got.Mul(&u, mat.NewDiagDense(n, svd.Values(nil)))
	product.Reset()
	product.Mul(&got, v.T())
	near("SVD", &product, a)

	var eig mat.Eigen
	if !eig.Factorize(a, mat.EigenNone) {
		t.Error("eigenvalues did not converge")
	}
	var trace complex128
	for _, v := range eig.Values(nil) {
		trace += v
	}
	if d := real(trace) - mat.Trace(a); math.Abs(d) > 1e-8 {
		t.Errorf("the eigenvalues add up to the trace with an error of %g", d)
	}

	var spd mat.SymDense
	spd.SymOuterK(1, a)
	var chol mat.Cholesky
	if !chol.Factorize(&spd) {
		t.Fatal("Cholesky failed")
	}
	var back mat.SymDense
	chol.ToSym(&back)
	near("Cholesky", &back, &spd)
}

func ExampleBLAS64() {
	blas64.Use(BLAS64{})                     // once, at the start of a program
	defer blas64.Use(gonum.Implementation{}) // only in an example: back to gonum's

	a := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	b := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1})
	var c mat.Dense
	c.Mul(a, b)
	fmt.Println(mat.Formatted(&c))
	// Output:
	// ⎡ 4   5⎤
	// ⎣10  11⎦
}

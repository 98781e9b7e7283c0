package level12

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestConformance is gonum's own suite.
func TestConformance(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		var b Float64
		for name, test := range map[string]func(t *testing.T){
			"Ddot": func(t *testing.T) { testblas.DdotTest(t, b) }, "Daxpy": func(t *testing.T) { testblas.DaxpyTest(t, b) },
			"Dscal": func(t *testing.T) { testblas.DscalTest(t, b) }, "Dcopy": func(t *testing.T) { testblas.DcopyTest(t, b) },
			"Dswap": func(t *testing.T) { testblas.DswapTest(t, b) }, "Drot": func(t *testing.T) { testblas.DrotTest(t, b) },
			"Dnrm2": func(t *testing.T) { testblas.Dnrm2Test(t, b) }, "Dasum": func(t *testing.T) { testblas.DasumTest(t, b) },
			"Idamax": func(t *testing.T) { testblas.IdamaxTest(t, b) },
			"Drotg":  func(t *testing.T) { testblas.DrotgTest(t, b, false) }, "Drotmg": func(t *testing.T) { testblas.DrotmgTest(t, b) },
			"Drotm": func(t *testing.T) { testblas.DrotmTest(t, b) },
			"Dgemv": func(t *testing.T) { testblas.DgemvTest(t, b) }, "Dger": func(t *testing.T) { testblas.DgerTest(t, b) },
			"Dsymv": func(t *testing.T) { testblas.DsymvTest(t, b) }, "Dsyr": func(t *testing.T) { testblas.DsyrTest(t, b) },
			"Dsyr2": func(t *testing.T) { testblas.Dsyr2Test(t, b) }, "Dtrmv": func(t *testing.T) { testblas.DtrmvTest(t, b) },
			"Dtrsv": func(t *testing.T) { testblas.DtrsvTest(t, b) }, "Dtxmv": func(t *testing.T) { testblas.DtxmvTest(t, b) },
			"Dgbmv": func(t *testing.T) { testblas.DgbmvTest(t, b) }, "Dsbmv": func(t *testing.T) { testblas.DsbmvTest(t, b) },
			"Dspmv": func(t *testing.T) { testblas.DspmvTest(t, b) }, "Dspr": func(t *testing.T) { testblas.DsprTest(t, b) },
			"Dspr2": func(t *testing.T) { testblas.Dspr2Test(t, b) }, "Dtbmv": func(t *testing.T) { testblas.DtbmvTest(t, b) },
			"Dtbsv": func(t *testing.T) { testblas.DtbsvTest(t, b) }, "Dtpmv": func(t *testing.T) { testblas.DtpmvTest(t, b) },
			"Dtpsv": func(t *testing.T) { testblas.DtpsvTest(t, b) },
		} {
			t.Run(name, test)
		}
	})
}

// TestAgainstGonum compares all routines of both types, in integers, of which every order of
// additions gives the same: gaps, the other triangles and what must not be written too.
func TestAgainstGonum(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		t.Run("float32", func(t *testing.T) { againstGonum(t, set32(Float32{}), set32(gonum.Implementation{}).plain()) })
		t.Run("float64", func(t *testing.T) { againstGonum(t, set64(Float64{}), set64(gonum.Implementation{}).plain()) })
	})
}

func againstGonum[T dtype.Float](t *testing.T, have, want set[T]) {
	r := rand.New(level.PCG(1, 2))
	for _, name := range level1 {
		for n := range 140 {
			for _, inc := range [][2]int{{1, 1}, {2, 1}, {1, -3}, {-1, -1}} {
				compare(t, r, have, want, name, args{n: n, incX: inc[0], incY: inc[1], alpha: 2, beta: -1})
			}
		}
	}
	for _, name := range level2 {
		for at, side := range [][2]int{{1, 1}, {4, 8}, {8, 4}, {5, 17}, {16, 16}, {19, 33}, {70, 23}, {23, 70}, {67, 66}, {130, 65}} {
			if testing.Short() && side[0]*side[1] > 1000 {
				continue
			}
			for _, ul := range []blas.Uplo{blas.Lower, blas.Upper} {
				for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans} {
					for _, d := range []blas.Diag{blas.NonUnit, blas.Unit} {
						for i, inc := range [][2]int{{1, 1}, {2, -1}, {-2, 3}} {
							g := args{m: side[0], n: side[1], kL: 2 + 7*i, kU: 19 - 9*i, incX: inc[0], incY: inc[1], t: tr, ul: ul, d: d,
								alpha: []float64{1, -2, 3, 0}[(at+i)%4], beta: []float64{0, 1, -1}[(at+2*i)%3]}
							g.lda = max(g.n, g.kL+g.kU+1) + at%3
							compare(t, r, have, want, name, g)
						}
					}
				}
			}
		}
	}
}

// operands are A, x and y of a call, with more elements than it needs.
func operands[T dtype.Float](r *rand.Rand, name string, g args) (o [3][]T) {
	rows := g.n
	if name == "gemv" || name == "ger" || name == "gbmv" {
		rows = g.m
	}
	for i, n := range []int{(rows+1)*g.lda + 1, 3*max(g.m, g.n) + 5, 3*max(g.m, g.n) + 5} {
		o[i] = make([]T, n)
		for k := range o[i] {
			o[i][k] = T(r.IntN(7) - 3)
		}
	}
	if name == "trsv" { // solutions stay small integers, since few of A's are not 0
		for i := range o[0] {
			o[0][i] = 0
			if row, col := i/g.lda, i%g.lda; row == col {
				o[0][i] = []T{1, -1}[r.IntN(2)]
			} else if row == col+5 || col == row+4 {
				o[0][i] = T(1 - 2*(i%2))
			}
		}
	}
	return o
}

// TestLarge: sizes that are cut into pieces, parts and groups.
func TestLarge(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		if !Ready() {
			return
		}
		t.Run("float32", func(t *testing.T) { large(t, set32(Float32{}), set32(gonum.Implementation{}).plain()) })
		t.Run("float64", func(t *testing.T) { large(t, set64(Float64{}), set64(gonum.Implementation{}).plain()) })
	})
}

func large[T dtype.Float](t *testing.T, have, want set[T]) {
	r := rand.New(level.PCG(3, 4))
	g := args{kL: 60, kU: 3000, incX: 1, incY: 1, alpha: 2, beta: -1, ul: blas.Upper, d: blas.NonUnit}
	for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		g.t = tr
		for i, side := range [][2]int{{701, 53}, {5, 20011}, {66, 2100}} {
			if level.Of(i > 0, i == 1 && tr == blas.Trans, false) {
				continue
			}
			g.m, g.n, g.lda = side[0], side[1], side[1]+3
			compare(t, r, have, want, "gemv", g)
			compare(t, r, have, want, "ger", g)
		}
		if testing.Short() {
			continue
		}
		g.m, g.n, g.lda = 66, 4099, 3061
		compare(t, r, have, want, "gbmv", g)
		g.n, g.lda = 1031, 1031
		if g.ul = blas.Upper; tr == blas.Trans {
			g.ul = blas.Lower
		}
		for _, name := range []string{"symv", "syr", "syr2", "trmv"} {
			compare(t, r, have, want, name, g)
		}
	}
	for _, n := range []int{piece - 1, piece + 1, 3*piece + 17, mostChunks*piece + 5} {
		if testing.Short() && n > 100_000 {
			continue
		}
		for _, name := range []string{"dot", "axpy", "scal", "swap", "rot", "asum", "iamax"} {
			if n > 100_000 && name != "iamax" && name != "axpy" {
				continue // sums of float32 are not exact
			}
			compare(t, r, have, want, name, args{n: n, incX: 1, incY: 1, alpha: 2, beta: -1})
		}
	}
}

func compare[T dtype.Float](t *testing.T, r *rand.Rand, have, want set[T], name string, g args) {
	t.Helper()
	o := operands[T](r, name, g)
	if name == "nrm2" { // whole roots
		for i := range o[1] {
			o[1][i] = 0
		}
		for i, at := 0, 0; i < min(4, g.n) && g.incX > 0; i, at = i+1, at+g.incX*max(1, g.n/4) {
			o[1][at] = []T{1, -1, 3, 5}[i]
		}
	}
	var w [3][]T
	for i := range o {
		w[i] = append(w[i], o[i]...)
	}
	h, x := have.call(name, g, o[0], o[1], o[2]), want.call(name, g, w[0], w[1], w[2])
	if h != x && math.Abs(h-x) > 1e-6 {
		t.Fatalf("%s %+v: %v, want %v", name, g, h, x)
	}
	for i := range o {
		for k, x := range w[i] {
			if o[i][k] != x {
				t.Fatalf("%s %+v: place %d of operand %d is %v, want %v", name, g, k, i, o[i][k], x)
			}
		}
	}
}

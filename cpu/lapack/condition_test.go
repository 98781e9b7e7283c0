package lapack_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	blasgonum "gonum.org/v1/gonum/blas/gonum"
	lapacks "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/lapack/testlapack"
	"gonum.org/v1/gonum/mat"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/lapack"
	"github.com/tilesmith/tilesmith/internal/level"
)

// theirs is what results are held against.
var theirs gonum.Implementation

// TestConformance: gonum's own tests.
func TestConformance(t *testing.T) {
	testlapack.DgeconTest(t, lapack.Float64{})
	testlapack.DpoconTest(t, lapack.Float64{})
	testlapack.DtrconTest(t, lapack.Float64{})
	testlapack.DgetrfTest(t, lapack.Float64{})
	testlapack.DpotrfTest(t, lapack.Float64{})
}

// TestCondition: estimates are gonum's but for rounding, of matrices of any condition, with each
// BLAS, and exactly gonum's where nothing can be solved.
func TestCondition(t *testing.T) {
	defer blas64.Use(blas64.Implementation())
	r := rand.New(level.PCG(1, 2))
	for _, impl := range []blas.Float64{blasgonum.Implementation{}, cpu.BLAS64{}} {
		blas64.Use(impl)
		for _, n := range []int{1, 2, 7, 64, 301} {
			for _, grade := range []float64{0, 3, 12, 200, 320} { // powers of ten between columns
				lda := n + r.IntN(3)
				a := make([]float64, n*lda)
				for i := range n {
					for j := range n {
						a[i*lda+j] = r.NormFloat64() * math.Pow(10, -grade*float64(j)/float64(n))
					}
				}
				work, iwork, pivots := make([]float64, 4*n), make([]int, n), make([]int, n)
				for _, norm := range []lapacks.MatrixNorm{lapacks.MaxColumnSum, lapacks.MaxRowSum} {
					f := append([]float64(nil), a...)
					anorm := theirs.Dlange(norm, n, n, f, lda, work)
					theirs.Dgetrf(n, n, f, lda, pivots)
					want := theirs.Dgecon(norm, n, f, lda, anorm, work, iwork)
					for _, uplo := range []blas.Uplo{blas.Upper, blas.Lower} {
						near(t, fmt.Sprintf("Dtrcon of %d, grade %v, norm %c, %c", n, grade, norm, uplo),
							lapack.Float64{}.Dtrcon(norm, uplo, blas.NonUnit, n, f, lda, work, iwork), theirs.Dtrcon(norm, uplo, blas.NonUnit, n, f, lda, work, iwork), 0x1p-1000)
					}
					near(t, fmt.Sprintf("Dgecon of %d, grade %v, norm %c", n, grade, norm), lapack.Float64{}.Dgecon(norm, n, f, lda, anorm, work, iwork), want, 0x1p-1000)
				}
				if grade > 100 {
					continue // its square is out of range
				}
				s := make([]float64, n*lda)
				blas64.Implementation().Dsyrk(blas.Upper, blas.Trans, n, n, 1, a[:(n-1)*lda+n], lda, 0, s[:(n-1)*lda+n], lda)
				for i := range n {
					s[i*lda+i] += 1e-20
					for j := range i {
						s[i*lda+j] = s[j*lda+i]
					}
				}
				for _, uplo := range []blas.Uplo{blas.Upper, blas.Lower} {
					f := append([]float64(nil), s...)
					anorm := theirs.Dlansy(lapacks.MaxColumnSum, uplo, n, f, lda, work)
					if !theirs.Dpotrf(uplo, n, f, lda) {
						continue
					}
					want := theirs.Dpocon(uplo, n, f, lda, anorm, work, iwork)
					near(t, fmt.Sprintf("Dpocon of %d, grade %v, %c", n, grade, uplo), lapack.Float64{}.Dpocon(uplo, n, f, lda, anorm, work, iwork), want, 0x1p-53)
				}
			}
		}
	}
}

// near holds reciprocals of condition numbers against each other. Columns that differ in size cost
// no figures, so most agree in nearly all; gonum gives 0 for some whose inverse is not quite out of range; of a matrix times its transpose one below eps has none.
func near(t *testing.T, what string, have, want, floor float64) {
	t.Helper()
	if math.IsNaN(have) && math.IsNaN(want) {
		return
	}
	if d := math.Abs(have - want); !(d <= 1e-9*want || d <= floor) {
		t.Errorf("%s is %v, want %v", what, have, want)
	}
}

// TestSingular: what cannot be solved is gonum's in every bit.
func TestSingular(t *testing.T) {
	const n = 40
	for _, c := range []struct {
		name string
		at   float64
	}{{"zero", 0}, {"NaN", math.NaN()}, {"infinite", math.Inf(1)}, {"tiny", 5e-324}} {
		a := make([]float64, n*n)
		for i := range n {
			for j := range n {
				a[i*n+j] = float64((i*7+j*3)%5) - 2
			}
			a[i*n+i] = 9
		}
		a[n*n/2+n/2] = c.at
		work, iwork := make([]float64, 4*n), make([]int, n)
		want := theirs.Dgecon(lapacks.MaxColumnSum, n, a, n, 9, work, iwork)
		if have := (lapack.Float64{}).Dgecon(lapacks.MaxColumnSum, n, a, n, 9, work, iwork); math.Float64bits(have) != math.Float64bits(want) {
			t.Errorf("%s on the diagonal: %v, want %v", c.name, have, want)
		}
	}
}

// TestPanics: with gonum's values.
func TestPanics(t *testing.T) {
	panics := func(f func()) (p any) {
		defer func() { p = recover() }()
		f()
		return nil
	}
	a, work, iwork := make([]float64, 9), make([]float64, 12), make([]int, 3)
	type geconer interface {
		Dgecon(norm lapacks.MatrixNorm, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64
		Dtrcon(norm lapacks.MatrixNorm, uplo blas.Uplo, diag blas.Diag, n int, a []float64, lda int, work []float64, iwork []int) float64
		Dpocon(uplo blas.Uplo, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64
	}
	for i, call := range []func(f geconer){
		func(f geconer) { f.Dgecon('x', 3, a, 3, 1, work, iwork) },
		func(f geconer) { f.Dgecon(lapacks.MaxRowSum, -1, a, 3, 1, work, iwork) },
		func(f geconer) { f.Dgecon(lapacks.MaxRowSum, 3, a, 2, 1, work, iwork) },
		func(f geconer) { f.Dgecon(lapacks.MaxRowSum, 3, a[:8], 3, 1, work, iwork) },
		func(f geconer) { f.Dgecon(lapacks.MaxRowSum, 3, a, 3, -1, work, iwork) },
		func(f geconer) { f.Dgecon(lapacks.MaxRowSum, 3, a, 3, 1, work[:11], iwork) },
		func(f geconer) { f.Dgecon(lapacks.MaxRowSum, 3, a, 3, 1, work, iwork[:2]) },
		func(f geconer) { f.Dgecon(lapacks.MaxRowSum, math.MaxInt, a, math.MaxInt, 1, work, iwork) },
		func(f geconer) { f.Dtrcon('x', blas.Upper, blas.Unit, 3, a, 3, work, iwork) },
		func(f geconer) { f.Dtrcon(lapacks.MaxRowSum, 'x', blas.Unit, 3, a, 3, work, iwork) },
		func(f geconer) { f.Dtrcon(lapacks.MaxRowSum, blas.Upper, 'x', 3, a, 3, work, iwork) },
		func(f geconer) { f.Dtrcon(lapacks.MaxRowSum, blas.Upper, blas.Unit, 3, a, 3, work[:8], iwork) },
		func(f geconer) { f.Dpocon('x', 3, a, 3, 1, work, iwork) },
		func(f geconer) { f.Dpocon(blas.Upper, 3, a, 3, 1, work[:8], iwork) },
		func(f geconer) { f.Dpocon(blas.Lower, 3, a, 3, math.NaN(), work, iwork) },
	} {
		have, want := panics(func() { call(lapack.Float64{}) }), panics(func() { call(theirs) })
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("call %d panics with %v, want %v", i, have, want)
		}
	}
}

// Example registers both: a system is factored, its condition estimated, and solved.
func Example() {
	defer blas64.Use(blas64.Implementation())
	defer lapack64.Use(theirs)
	blas64.Use(cpu.BLAS64{})
	lapack64.Use(lapack.Float64{})
	a := mat.NewSymDense(3, []float64{4, 1, 0, 1, 3, 1, 0, 1, 2})
	var c mat.Cholesky
	fmt.Println(c.Factorize(a))
	fmt.Printf("condition %.3g\n", c.Cond())
	// Output:
	// true
	// condition 4.44
}

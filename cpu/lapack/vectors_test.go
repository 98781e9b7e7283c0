package lapack_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/lapack/testlapack"
	"gonum.org/v1/gonum/mat"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/lapack"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestVectorsConform runs gonum's own tests of these routines, of matrices of any order, that of Dgesvd in long runs.
func TestVectorsConform(t *testing.T) {
	use(t)
	defer lapack.SetLeast(0)()
	f := lapack.Float64{}
	t.Run("Dsteqr", func(t *testing.T) { testlapack.DsteqrTest(t, f) })
	t.Run("Dsyev", func(t *testing.T) { testlapack.DsyevTest(t, f) })
	t.Run("Dgeqrf", func(t *testing.T) { testlapack.DgeqrfTest(t, f) })
	t.Run("Dorgqr", func(t *testing.T) { testlapack.DorgqrTest(t, f) })
	t.Run("Dbdsqr", func(t *testing.T) { testlapack.DbdsqrTest(t, f) })
	if level.Of(false, false, true) { // some seconds
		t.Run("Dgesvd", func(t *testing.T) { testlapack.DgesvdTest(t, f, 3e-13) })
	}
}

// use registers the routines of cpu until the test ends.
func use(t *testing.T) {
	blas := blas64.Implementation()
	blas64.Use(cpu.BLAS64{})
	lapack64.Use(lapack.Float64{})
	t.Cleanup(func() {
		blas64.Use(blas)
		lapack64.Use(theirs)
	})
}

// spectra are singular values, or absolute values of eigenvalues, that algorithms find hard.
var spectra = map[string]func(r *rand.Rand, i, n int) float64{
	"random":     func(r *rand.Rand, i, n int) float64 { return r.Float64() },
	"graded":     func(r *rand.Rand, i, n int) float64 { return math.Pow(10, -15*float64(i)/float64(n)) },
	"clustered":  func(r *rand.Rand, i, n int) float64 { return 1 + float64(i%3)*1e-15 },
	"one large":  func(r *rand.Rand, i, n int) float64 { return 1e-9 + float64(n/(i+n)) },
	"half zeros": func(r *rand.Rand, i, n int) float64 { return float64(i % 2) },
	"equal":      func(r *rand.Rand, i, n int) float64 { return 1 },
	"huge":       func(r *rand.Rand, i, n int) float64 { return 1e300 * r.Float64() },
	"tiny":       func(r *rand.Rand, i, n int) float64 { return 1e-300 * r.Float64() },
}

// TestVectors decomposes matrices of given singular values: residuals as LAPACK's tests bound them, and values near the given ones.
func TestVectors(t *testing.T) {
	use(t)
	r := rand.New(level.PCG(9, 10))
	for name, of := range spectra {
		for _, shape := range [][2]int{{130, 130}, {150, 40}, {60, 45}, {40, 50}, {33, 200}} {
			m, n := shape[0], shape[1]
			k := min(m, n)
			values, most := make([]float64, k), 0.0
			for i := range values {
				values[i] = of(r, i, k)
				most = max(most, values[i])
			}
			u, v := orthogonal(r, m), orthogonal(r, n)
			a := product(u.Slice(0, m, 0, k), mat.NewDiagDense(k, values), v.Slice(0, n, 0, k).T())
			limit := 30 * float64(max(m, n)) * 0x1p-53
			for _, kind := range []mat.SVDKind{mat.SVDThin, mat.SVDFull} {
				var svd mat.SVD
				if !svd.Factorize(a, kind) {
					t.Errorf("%s, %d x %d: no singular values", name, m, n)
					continue
				}
				var left, right mat.Dense
				svd.UTo(&left)
				svd.VTo(&right)
				have := svd.Values(nil)
				back := product(left.Slice(0, m, 0, k), mat.NewDiagDense(k, have), right.Slice(0, n, 0, k).T())
				check := func(what string, x float64) {
					if !(x <= limit) {
						t.Errorf("%s, %d x %d, kind %d: %s is %.3g, want at most %.3g", name, m, n, kind, what, x, limit)
					}
				}
				check("residual", distance(back, a)/most)
				check("what U is from orthogonal", defect(&left))
				check("what V is from orthogonal", defect(&right))
				for i, x := range have {
					if i > 0 && x > have[i-1] || x < 0 {
						t.Errorf("%s, %d x %d: values %d and %d are %g and %g", name, m, n, i-1, i, have[max(0, i-1)], x)
					}
				}
			}
			if m != n {
				continue
			}
			for i := range values {
				values[i] *= float64(1 - r.IntN(2)*2)
			}
			sym := mat.NewSymDense(n, nil)
			whole := product(u, mat.NewDiagDense(n, values), u.T())
			for i := range n {
				for j := range i + 1 {
					sym.SetSym(i, j, whole.At(i, j)/2+whole.At(j, i)/2)
				}
			}
			var eigen mat.EigenSym
			if !eigen.Factorize(sym, true) {
				t.Errorf("%s: no eigenvalues", name)
				continue
			}
			var vectors mat.Dense
			eigen.VectorsTo(&vectors)
			if x := distance(product(&vectors, mat.NewDiagDense(n, eigen.Values(nil)), vectors.T()), sym) / most; !(x <= limit) {
				t.Errorf("%s: residual of eigenvectors is %.3g, want at most %.3g", name, x, limit)
			}
			if x := defect(&vectors); !(x <= limit) {
				t.Errorf("%s: eigenvectors are %.3g from orthogonal", name, x)
			}
		}
	}
}

// TestVectorsNotFinite: matrices with NaN or Inf end, without vectors.
func TestVectorsNotFinite(t *testing.T) {
	use(t)
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		sym := mat.NewSymDense(50, nil)
		sym.SetSym(3, 7, x)
		d, e, z := make([]float64, 50), make([]float64, 49), make([]float64, 2500)
		for i := range e {
			d[i], e[i] = 1, 1
		}
		e[20] = x
		if (lapack.Float64{}).Dsteqr(gonumlapack.EVTridiag, 50, d, e, z, 50, make([]float64, 98)) {
			t.Errorf("Dsteqr finds eigenvalues of a matrix with %g", x)
		}
		if (lapack.Float64{}).Dbdsqr('U', 50, 50, 0, 0, d, e, z, 50, nil, 50, nil, 1, make([]float64, 200)) {
			t.Errorf("Dbdsqr finds singular values of a matrix with %g", x)
		}
	}
}

func orthogonal(r *rand.Rand, n int) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, r.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	var q mat.Dense
	qr.QTo(&q)
	return &q
}

func product(xs ...mat.Matrix) *mat.Dense {
	p := mat.DenseCopyOf(xs[0])
	for _, x := range xs[1:] {
		var q mat.Dense
		q.Mul(p, x)
		p = &q
	}
	return p
}

// distance is the largest absolute value of a - b.
func distance(a, b mat.Matrix) (most float64) {
	m, n := a.Dims()
	for i := range m {
		for j := range n {
			if x := math.Abs(a.At(i, j) - b.At(i, j)); !(x <= most) {
				most = x
			}
		}
	}
	return most
}

// defect is how far the columns of q are from orthonormal.
func defect(q *mat.Dense) float64 {
	_, n := q.Dims()
	eye := mat.NewDiagDense(n, nil)
	for i := range n {
		eye.SetDiag(i, 1)
	}
	return distance(product(q.T(), q), eye)
}

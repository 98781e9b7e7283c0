package level3_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
)

var ours cpu.BLAS64

// TestConformance is gonum's own suite.
func TestConformance(t *testing.T) {
	t.Run("Dsymm", func(t *testing.T) { testblas.DsymmTest(t, ours) })
	t.Run("Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, ours) })
	t.Run("Dsyr2k", func(t *testing.T) { testblas.Dsyr2kTest(t, ours) })
	t.Run("Dtrmm", func(t *testing.T) { testblas.DtrmmTest(t, ours) })
	t.Run("Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, ours) })
}

// args are those of any routine; which it uses is its own business.
type args struct {
	s                blas.Side
	ul               blas.Uplo
	t                blas.Transpose
	d                blas.Diag
	m, n             int
	lda, ldb, ldc    int
	lenA, lenB, lenC int
	alpha, beta      float64
}

// routine calls one by its name.
func routine(name string, b blas.Float64, g args, x, y, z []float64) {
	switch name {
	case "symm":
		b.Dsymm(g.s, g.ul, g.m, g.n, g.alpha, x, g.lda, y, g.ldb, g.beta, z, g.ldc)
	case "syrk":
		b.Dsyrk(g.ul, g.t, g.n, g.m, g.alpha, x, g.lda, g.beta, z, g.ldc)
	case "syr2k":
		b.Dsyr2k(g.ul, g.t, g.n, g.m, g.alpha, x, g.lda, y, g.ldb, g.beta, z, g.ldc)
	case "trmm":
		b.Dtrmm(g.s, g.ul, g.t, g.d, g.m, g.n, g.alpha, x, g.lda, y, g.ldb)
	case "trsm":
		b.Dtrsm(g.s, g.ul, g.t, g.d, g.m, g.n, g.alpha, x, g.lda, y, g.ldb)
	}
}

// routine32 is routine for float32, of numbers that are rounded.
func routine32(name string, g args, x, y, z []float64) {
	var b cpu.BLAS32
	a, alpha, beta := [3][]float32{}, float32(g.alpha), float32(g.beta)
	for i, s := range [][]float64{x, y, z} {
		for _, v := range s {
			a[i] = append(a[i], float32(v))
		}
	}
	switch name {
	case "symm":
		b.Ssymm(g.s, g.ul, g.m, g.n, alpha, a[0], g.lda, a[1], g.ldb, beta, a[2], g.ldc)
	case "syrk":
		b.Ssyrk(g.ul, g.t, g.n, g.m, alpha, a[0], g.lda, beta, a[2], g.ldc)
	case "syr2k":
		b.Ssyr2k(g.ul, g.t, g.n, g.m, alpha, a[0], g.lda, a[1], g.ldb, beta, a[2], g.ldc)
	case "trmm":
		b.Strmm(g.s, g.ul, g.t, g.d, g.m, g.n, alpha, a[0], g.lda, a[1], g.ldb)
	case "trsm":
		b.Strsm(g.s, g.ul, g.t, g.d, g.m, g.n, alpha, a[0], g.lda, a[1], g.ldb)
	}
	for i, s := range [][]float64{x, y, z} {
		for k, v := range a[i] {
			s[k] = float64(v)
		}
	}
}

var names = []string{"symm", "syrk", "syr2k", "trmm", "trsm"}

// TestAgainstGonum: all sides, triangles, transposes and diagonals of both types, in
// integers of which every routine computes exact results, gaps and other triangles too.
func TestAgainstGonum(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	for _, name := range names {
		for _, s := range []blas.Side{blas.Left, blas.Right} {
			for _, ul := range []blas.Uplo{blas.Lower, blas.Upper} {
				for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans} {
					for _, d := range []blas.Diag{blas.NonUnit, blas.Unit} {
						for at, side := range [][2]int{{1, 1}, {5, 3}, {17, 29}, {64, 40}} {
							g := args{s: s, ul: ul, t: tr, d: d, m: side[0], n: side[1], alpha: []float64{1, -2, 0, 0.5}[at], beta: []float64{0, 1, -1, 2}[at]}
							ld := max(side[0], side[1]) + 2
							g.lda, g.ldb, g.ldc = ld, ld, ld
							var have, want, have32 [3][]float64
							for i := range have {
								for range ld * ld {
									have[i] = append(have[i], float64(r.IntN(5)-2))
								}
							}
							if name == "trsm" { // solutions stay integers, since few of A's are not 0
								for i := range have[0] {
									if have[0][i] = 0; i%(ld+1) == 0 {
										have[0][i] = []float64{1, -1, 2}[r.IntN(3)]
									} else if i%ld == i/ld+3 || i/ld == i%ld+2 {
										have[0][i] = 1 - 2*float64(i%2)
									}
								}
							}
							for i := range have {
								want[i], have32[i] = append(want[i], have[i]...), append(have32[i], have[i]...)
							}
							routine(name, ours, g, have[0], have[1], have[2])
							routine(name, gonum.Implementation{}, g, want[0], want[1], want[2])
							routine32(name, g, have32[0], have32[1], have32[2])
							for i := range have {
								for k, x := range want[i] {
									if have[i][k] != x || math.Abs(x) < 1<<20 && have32[i][k] != float64(float32(x)) {
										t.Fatalf("%s %+v: place %d of operand %d is %v, in float32 %v, want %v", name, g, k, i, have[i][k], have32[i][k], x)
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestPanics compares what pairs of faults panic with, which shows the order of checks.
func TestPanics(t *testing.T) {
	faults := []func(*args){
		func(g *args) {}, func(g *args) { g.s = 'x' }, func(g *args) { g.ul = 'x' }, func(g *args) { g.t = 'x' }, func(g *args) { g.d = 'x' },
		func(g *args) { g.m = -1 }, func(g *args) { g.n = -1 }, func(g *args) { g.m = 0 }, func(g *args) { g.n = 0 },
		func(g *args) { g.lda = 0 }, func(g *args) { g.ldb = 0 }, func(g *args) { g.ldc = 0 },
		func(g *args) { g.lda = 4 }, func(g *args) { g.ldb = 3 }, func(g *args) { g.ldc = 2 },
		func(g *args) { g.lenA = 3 }, func(g *args) { g.lenB = 3 }, func(g *args) { g.lenC = 3 },
		func(g *args) { g.alpha = 0 }, func(g *args) { g.beta = 1 },
	}
	call := func(name string, b blas.Float64, g args) (got any) {
		defer func() { got = recover() }()
		routine(name, b, g, make([]float64, g.lenA), make([]float64, g.lenB), make([]float64, g.lenC))
		return nil
	}
	seen := map[string]bool{}
	for _, name := range names {
		for _, s := range []blas.Side{blas.Left, blas.Right} {
			for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				for x := range faults {
					for y := range faults {
						g := args{s: s, ul: blas.Lower, t: tr, d: blas.NonUnit, m: 4, n: 5, lda: 5, ldb: 5, ldc: 5, lenA: 25, lenB: 25, lenC: 25, alpha: 1}
						faults[x](&g)
						faults[y](&g)
						have, want := call(name, ours, g), call(name, gonum.Implementation{}, g)
						if have != want {
							t.Errorf("%s %+v: panics with %v, gonum with %v", name, g, have, want)
						}
						seen[fmt.Sprint(have)] = true
					}
				}
			}
		}
	}
	if len(seen) != 14 { // every value, and none
		t.Errorf("%d different panics: %v", len(seen), seen)
	}
	// (rows-1)*ld wraps around.
	for _, name := range names {
		g := args{s: blas.Left, ul: blas.Lower, t: blas.NoTrans, d: blas.NonUnit, m: 5, n: 5, lda: math.MaxInt/4 + 1, ldb: 5, ldc: 5, lenA: 25, lenB: 25, lenC: 25, alpha: 1}
		if have := call(name, ours, g); have != "blas: insufficient length of a" {
			t.Errorf("%s with a huge lda: %v", name, have)
		}
	}
}

// BenchmarkShare reports what share of the product's rate each routine has on one core, in turns
// with it: what it does not compute is not counted.
func BenchmarkShare(b *testing.B) {
	cpu.SetThreads(1)
	defer cpu.SetThreads(0)
	r := rand.New(level.PCG(1, 2))
	for _, n := range []int{512, 1024} {
		x, y, z := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
		for i := range x {
			x[i], y[i] = r.Float64()/float64(n), r.Float64()
		}
		for i := range n {
			x[i*n+i] = 1
		}
		g := args{s: blas.Left, ul: blas.Lower, t: blas.NoTrans, d: blas.NonUnit, m: n, n: n, lda: n, ldb: n, ldc: n, alpha: 1}
		right := g
		right.s = blas.Right
		gemm := func() { ours.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n) }
		for _, tc := range []struct {
			name  string
			flops float64
			f     func()
		}{
			{"gemm", 2, gemm},
			{"symm", 2, func() { routine("symm", ours, g, x, y, z) }},
			{"symmRight", 2, func() { routine("symm", ours, right, x, y, z) }},
			{"syrk", 1, func() { routine("syrk", ours, g, x, y, z) }},
			{"syr2k", 2, func() { routine("syr2k", ours, g, x, y, z) }},
			{"trmm", 1, func() { routine("trmm", ours, g, x, y, z) }},
			{"trsm", 1, func() { routine("trsm", ours, g, x, y, z) }},
			{"trsmRight", 1, func() { routine("trsm", ours, right, x, y, z) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", tc.name, n), func(b *testing.B) {
				var product, routine time.Duration
				timed := func(sum *time.Duration, f func()) {
					start := time.Now()
					f()
					*sum += time.Since(start)
				}
				for b.Loop() {
					timed(&product, gemm)
					timed(&routine, tc.f)
				}
				cube := float64(n) * float64(n) * float64(n) * float64(b.N)
				b.ReportMetric(tc.flops*cube/routine.Seconds()/1e9, "GFLOP/s")
				b.ReportMetric(100*tc.flops/2*product.Seconds()/routine.Seconds(), "%gemm")
			})
		}
	}
}

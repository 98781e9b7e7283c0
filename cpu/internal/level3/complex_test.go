package level3_test

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmc128"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

var complexes cpu.CBLAS128

// TestComplexConformance is gonum's own suite.
func TestComplexConformance(t *testing.T) {
	t.Run("Zgemm", func(t *testing.T) { testblas.ZgemmTest(t, complexes) })
	t.Run("Zsymm", func(t *testing.T) { testblas.ZsymmTest(t, complexes) })
	t.Run("Zhemm", func(t *testing.T) { testblas.ZhemmTest(t, complexes) })
	t.Run("Zsyrk", func(t *testing.T) { testblas.ZsyrkTest(t, complexes) })
	t.Run("Zherk", func(t *testing.T) { testblas.ZherkTest(t, complexes) })
	t.Run("Zsyr2k", func(t *testing.T) { testblas.Zsyr2kTest(t, complexes) })
	t.Run("Zher2k", func(t *testing.T) { testblas.Zher2kTest(t, complexes) })
	t.Run("Ztrmm", func(t *testing.T) { testblas.ZtrmmTest(t, complexes) })
	t.Run("Ztrsm", func(t *testing.T) { testblas.ZtrsmTest(t, complexes) })
}

// cargs are the arguments of any routine.
type cargs struct {
	args
	tB          blas.Transpose
	alpha, beta complex128
}

// routineC calls one by its name. Real factors are the real parts.
func routineC(name string, b blas.Complex128, g cargs, x, y, z []complex128) {
	switch name {
	case "gemm":
		b.Zgemm(g.t, g.tB, g.m, g.n, g.m, g.alpha, x, g.lda, y, g.ldb, g.beta, z, g.ldc)
	case "symm":
		b.Zsymm(g.s, g.ul, g.m, g.n, g.alpha, x, g.lda, y, g.ldb, g.beta, z, g.ldc)
	case "hemm":
		b.Zhemm(g.s, g.ul, g.m, g.n, g.alpha, x, g.lda, y, g.ldb, g.beta, z, g.ldc)
	case "syrk":
		b.Zsyrk(g.ul, g.t, g.n, g.m, g.alpha, x, g.lda, g.beta, z, g.ldc)
	case "herk":
		b.Zherk(g.ul, g.t, g.n, g.m, real(g.alpha), x, g.lda, real(g.beta), z, g.ldc)
	case "syr2k":
		b.Zsyr2k(g.ul, g.t, g.n, g.m, g.alpha, x, g.lda, y, g.ldb, g.beta, z, g.ldc)
	case "her2k":
		b.Zher2k(g.ul, g.t, g.n, g.m, g.alpha, x, g.lda, y, g.ldb, real(g.beta), z, g.ldc)
	case "trmm":
		b.Ztrmm(g.s, g.ul, g.t, g.d, g.m, g.n, g.alpha, x, g.lda, y, g.ldb)
	case "trsm":
		b.Ztrsm(g.s, g.ul, g.t, g.d, g.m, g.n, g.alpha, x, g.lda, y, g.ldb)
	}
}

// single is CBLAS64 behind the arguments of CBLAS128, for numbers that it holds exactly.
type single struct{ blas.Complex128 }

func narrow(x []complex128) []complex64 {
	y := make([]complex64, len(x))
	for i, v := range x {
		y[i] = complex64(v)
	}
	return y
}

func widen(to []complex128, x []complex64) {
	for i, v := range x {
		to[i] = complex128(v)
	}
}

var ours64 cpu.CBLAS64

func (single) Zgemm(tA, tB blas.Transpose, m, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	z := narrow(c)
	ours64.Cgemm(tA, tB, m, n, k, complex64(alpha), narrow(a), lda, narrow(b), ldb, complex64(beta), z, ldc)
	widen(c, z)
}

func (single) Zsymm(s blas.Side, ul blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	z := narrow(c)
	ours64.Csymm(s, ul, m, n, complex64(alpha), narrow(a), lda, narrow(b), ldb, complex64(beta), z, ldc)
	widen(c, z)
}

func (single) Zhemm(s blas.Side, ul blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	z := narrow(c)
	ours64.Chemm(s, ul, m, n, complex64(alpha), narrow(a), lda, narrow(b), ldb, complex64(beta), z, ldc)
	widen(c, z)
}

func (single) Zsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, beta complex128, c []complex128, ldc int) {
	z := narrow(c)
	ours64.Csyrk(ul, t, n, k, complex64(alpha), narrow(a), lda, complex64(beta), z, ldc)
	widen(c, z)
}

func (single) Zherk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []complex128, lda int, beta float64, c []complex128, ldc int) {
	z := narrow(c)
	ours64.Cherk(ul, t, n, k, float32(alpha), narrow(a), lda, float32(beta), z, ldc)
	widen(c, z)
}

func (single) Zsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	z := narrow(c)
	ours64.Csyr2k(ul, t, n, k, complex64(alpha), narrow(a), lda, narrow(b), ldb, complex64(beta), z, ldc)
	widen(c, z)
}

func (single) Zher2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta float64, c []complex128, ldc int) {
	z := narrow(c)
	ours64.Cher2k(ul, t, n, k, complex64(alpha), narrow(a), lda, narrow(b), ldb, float32(beta), z, ldc)
	widen(c, z)
}

func (single) Ztrmm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int) {
	z := narrow(b)
	ours64.Ctrmm(s, ul, t, d, m, n, complex64(alpha), narrow(a), lda, z, ldb)
	widen(b, z)
}

func (single) Ztrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int) {
	z := narrow(b)
	ours64.Ctrsm(s, ul, t, d, m, n, complex64(alpha), narrow(a), lda, z, ldb)
	widen(b, z)
}

var complexNames = []string{"gemm", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm"}

// TestComplexAgainstGonum: all sides, triangles, transposes and diagonals of both types, in whole
// numbers of which every routine computes exact results. What is not read is NaN: other triangles,
// imaginary parts of Hermitian diagonals, results where beta is 0; between inaccessible pages.
func TestComplexAgainstGonum(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	var guards [3]*guard.Memory[complex128]
	for i := range guards {
		g, err := guard.New[complex128](1 << 14)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		guards[i] = g
	}
	sizes := [][2]int{{1, 1}, {5, 3}, {17, 29}, {64, 40}}
	for _, name := range complexNames {
		for at := range 4 * 2 * 2 * 3 * 2 {
			side := sizes[at%4]
			g := cargs{args: args{s: []blas.Side{blas.Left, blas.Right}[at/4%2], ul: []blas.Uplo{blas.Lower, blas.Upper}[at/8%2],
				t: []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}[at/16%3], d: []blas.Diag{blas.NonUnit, blas.Unit}[at/48], m: side[0], n: side[1]},
				tB: []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}[(at/16+at/4)%3], alpha: []complex128{1, complex(-2, 1), 0, 2i}[(at+at/16)%4], beta: []complex128{0, 1, complex(-1, 2), 2}[(at+at/8)%4]}
			switch {
			case (name == "syrk" || name == "syr2k") && g.t == blas.ConjTrans, (name == "herk" || name == "her2k") && g.t == blas.Trans:
				continue
			}
			ld := max(side[0], side[1]) + 2
			g.lda, g.ldb, g.ldc = ld, ld, ld
			var have, want, have64 [3][]complex128
			for i := range have {
				if have[i] = guards[i].Left(ld * ld); at%2 == 1 {
					have[i] = guards[i].Right(ld * ld)
				}
				for k := range have[i] {
					have[i][k] = complex(float64(r.IntN(5)-2), float64(r.IntN(5)-2))
				}
			}
			for i := range have[0] {
				row, col := i/ld, i%ld
				switch {
				case name == "gemm" || name[2:] == "rk" || name[2:] == "r2k":
				case g.ul == blas.Lower && col > row, g.ul == blas.Upper && col < row, name[0] == 't' && g.d == blas.Unit && row == col:
					have[0][i] = cmplx.NaN()
				case name == "hemm" && row == col:
					have[0][i] = complex(real(have[0][i]), real(cmplx.NaN()))
				case name == "trsm" && row == col: // solutions stay whole, since few of A's are not 0
					have[0][i] = []complex128{1, -1, 1i, -1i}[r.IntN(4)]
				case name == "trsm":
					if have[0][i] = 0; col == row+3 || row == col+2 {
						have[0][i] = []complex128{1, -1, 1i, 0}[i%4]
					}
				}
			}
			if real(g.beta) == 0 && (imag(g.beta) == 0 || name == "herk" || name == "her2k") && name[0] != 't' {
				for i := range have[2] {
					have[2][i] = cmplx.NaN()
				}
			}
			for i := range have {
				want[i], have64[i] = append(want[i], have[i]...), append(have64[i], have[i]...)
			}
			routineC(name, complexes, g, have[0], have[1], have[2])
			routineC(name, gonum.Implementation{}, g, want[0], want[1], want[2])
			routineC(name, single{}, g, have64[0], have64[1], have64[2])
			same := func(x, y complex128) bool { return x == y || cmplx.IsNaN(x) && cmplx.IsNaN(y) }
			for i := range have {
				for k, x := range want[i] {
					if !same(have[i][k], x) || cmplx.Abs(x) < 1<<20 && !same(have64[i][k], x) {
						t.Fatalf("%s %+v: place %d of operand %d is %v, in complex64 %v, want %v", name, g, k, i, have[i][k], have64[i][k], x)
					}
				}
			}
			for _, g := range guards {
				if err := g.Check(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	}
}

// TestComplexPanics compares what pairs of faults panic with, which shows the order of checks.
func TestComplexPanics(t *testing.T) {
	faults := []func(*cargs){
		func(g *cargs) {}, func(g *cargs) { g.s = 'x' }, func(g *cargs) { g.ul = 'x' }, func(g *cargs) { g.t = 'x' }, func(g *cargs) { g.d = 'x' }, func(g *cargs) { g.tB = 'x' },
		func(g *cargs) { g.m = -1 }, func(g *cargs) { g.n = -1 }, func(g *cargs) { g.m = 0 }, func(g *cargs) { g.n = 0 },
		func(g *cargs) { g.lda = 0 }, func(g *cargs) { g.ldb = 0 }, func(g *cargs) { g.ldc = 0 },
		func(g *cargs) { g.lda = 4 }, func(g *cargs) { g.ldb = 3 }, func(g *cargs) { g.ldc = 2 },
		func(g *cargs) { g.lenA = 3 }, func(g *cargs) { g.lenB = 3 }, func(g *cargs) { g.lenC = 3 },
		func(g *cargs) { g.alpha = 0 }, func(g *cargs) { g.beta = 1 },
	}
	call := func(name string, b blas.Complex128, g cargs) (got any) {
		defer func() { got = recover() }()
		routineC(name, b, g, make([]complex128, g.lenA), make([]complex128, g.lenB), make([]complex128, g.lenC))
		return nil
	}
	seen := map[string]bool{}
	for _, name := range complexNames {
		for _, s := range []blas.Side{blas.Left, blas.Right} {
			for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans} {
				for x := range faults {
					for y := range faults {
						g := cargs{args: args{s: s, ul: blas.Lower, t: tr, d: blas.NonUnit, m: 4, n: 5, lda: 5, ldb: 5, ldc: 5, lenA: 25, lenB: 25, lenC: 25}, tB: blas.NoTrans, alpha: 1}
						faults[x](&g)
						faults[y](&g)
						have, want := call(name, complexes, g), call(name, gonum.Implementation{}, g)
						if single := call(name, single{}, g); have != want || single != want {
							t.Errorf("%s %+v: panics with %v, in complex64 with %v, gonum with %v", name, g, have, single, want)
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
}

// TestComplexLarge: more than one block of k, several threads, and triangles that are cut; against gonum,
// within bounds, and with the bits of one thread.
func TestComplexLarge(t *testing.T) {
	defer cpu.SetThreads(0)
	r := rand.New(level.PCG(3, 4))
	random := func(n int) []complex128 {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		return x
	}
	for at, name := range complexNames {
		g := cargs{args: args{s: []blas.Side{blas.Left, blas.Right}[at%2], ul: []blas.Uplo{blas.Lower, blas.Upper}[at/2%2], t: blas.NoTrans, d: blas.NonUnit, m: 270, n: 290, lda: 300, ldb: 300, ldc: 300},
			tB: blas.ConjTrans, alpha: complex(1, -1), beta: 2}
		if name[0] == 't' || name == "gemm" || name[0] == 'h' && name != "hemm" {
			g.t = blas.ConjTrans
		}
		if name == "herk" {
			g.m = 1100 // more than a block of k
		}
		ld := max(g.m, g.lda)
		g.lda, g.ldb, g.ldc = ld, ld, ld
		x, y, z := random(ld*ld), random(ld*ld), random(ld*ld)
		if name == "trsm" {
			for i := range 300 {
				x[i*ld+i] += 40 // a solution does not grow
			}
		}
		var results [3][]complex128
		for threads := range results {
			cpu.SetThreads(threads)
			y, z := append([]complex128(nil), y...), append([]complex128(nil), z...)
			b := blas.Complex128(complexes)
			if threads == 0 {
				b = gonum.Implementation{}
			}
			routineC(name, b, g, x, y, z)
			if results[threads] = z; name[0] == 't' {
				results[threads] = y
			}
		}
		for i, want := range results[0] {
			if have := results[1][i]; cmplx.Abs(have-want) > 1e-9 || have != results[2][i] {
				t.Errorf("%s: element %d is %v, with two threads %v, want %v", name, i, have, results[2][i], want)
				break
			}
		}
	}
}

// TestComplexOptions: a packed b, batches and plans are as for real numbers, and what belongs to other
// numbers is refused.
func TestComplexOptions(t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	fill := func(m layout.Matrix[complex128]) layout.Matrix[complex128] {
		for i := range m.Data {
			m.Data[i] = complex(float64(r.IntN(5)-2), float64(r.IntN(5)-2))
		}
		return m
	}
	a, b := fill(layout.New[complex128](40, 70)), fill(layout.New[complex128](70, 50))
	want, have := layout.New[complex128](40, 50), layout.New[complex128](40, 50)
	opt := run.Options{Conj: run.ConjB, Scaling: run.ScaleComplex(2i, 0)}
	gemmc128.ZGEMMOpt(opt, want, a, b)
	opt.B = gemmc128.ZGEMMPack(b)
	gemmc128.ZGEMMOpt(opt, have, a, b)
	for i, x := range want.Data {
		if have.Data[i] != x {
			t.Fatalf("with b packed element %d is %v, want %v", i, have.Data[i], x)
		}
	}
	opt.B = nil
	const count = 3000
	many := func() layout.Matrix[complex128] { return fill(layout.New[complex128](8*count, 8)) }
	x3, y3, z3 := many(), many(), many()
	first := func(m layout.Matrix[complex128]) layout.Matrix[complex128] { m.Rows = 8; return m }
	gemmc128.ZGEMMBatched(opt, dense.Batch{Count: count, Out: 64, A: 64, B: 64}, first(z3), first(x3), first(y3))
	for z := 0; z < count; z += 7 {
		part := func(m layout.Matrix[complex128]) layout.Matrix[complex128] { return m.Slice(8*z, 8*z+8, 0, 8) }
		one := layout.New[complex128](8, 8)
		gemmc128.ZGEMMOpt(opt, one, part(x3), part(y3))
		for i, x := range one.Data {
			if part(z3).Data[i] != x {
				t.Fatalf("element %d of product %d of a batch is %v, want %v", i, z, part(z3).Data[i], x)
			}
		}
	}
	if p := gemmc128.ZGEMMSet().Plan(opt, want, a, b); p.M != 40 || p.Size != 16 {
		t.Errorf("the plan is of %d rows of %d bytes", p.M, p.Size)
	}
	refused := func(what string, f func()) {
		t.Helper()
		defer func() {
			if _, ok := recover().(run.OptionError); !ok {
				t.Errorf("%s is no OptionError", what)
			}
		}()
		f()
	}
	x := layout.New[float64](2, 2)
	refused("a complex factor of real numbers", func() {
		cpu.MatMulOpt(cpu.Options{Scaling: cpu.ScaleComplex(1i, 0)}, layout.New[float64](2, 2), x, x)
	})
}

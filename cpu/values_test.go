package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// TestValues holds products of types that no kernel has to the definition, to the bit.
func TestValues(t *testing.T) {
	productsOf(t, func(r *rand.Rand) complex64 { return complex(r.Float32()-0.5, r.Float32()-0.5) })
	productsOf(t, func(r *rand.Rand) complex128 { return complex(r.Float64()-0.5, r.Float64()-0.5) })
	productsOf(t, func(r *rand.Rand) int8 { return int8(r.Uint32()) })
	productsOf(t, func(r *rand.Rand) int16 { return int16(r.Uint32()) })
	productsOf(t, func(r *rand.Rand) int32 { return int32(r.Uint32()) })
	productsOf(t, func(r *rand.Rand) int64 { return int64(r.Uint64()) })
	productsOf(t, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
	productsOf(t, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) })
	productsOf(t, func(r *rand.Rand) uint32 { return r.Uint32() })
	productsOf(t, func(r *rand.Rand) uint64 { return r.Uint64() })
}

// randomValues has about so many entries, some places twice, some rows none.
func randomValues[T dtype.Value](r *rand.Rand, m, n, entries int, draw func(r *rand.Rand) T) sparse.Matrix[T] {
	b := sparse.NewBuilder[T](m, n)
	for range entries {
		b.Add(r.IntN(m), r.IntN(n), draw(r))
	}
	a, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	return a.Apply(func(_, _ int, v T) T { return short(v) })
}

// short returns v. Where Go's compiler fuses one of the two products that a part of a complex product has with
// their sum, which one depends on the place. There short rounds the parts of a complex128 to float32, so that
// products are exact, and only sums round.
func short[T dtype.Value](v T) T {
	c, wide := any(v).(complex128)
	if x := 1 + 0x1p-30; !wide || multiplySubtract(x, x, 1+0x1p-29) == 0 {
		return v
	}
	return any(complex(float64(float32(real(c))), float64(float32(imag(c))))).(T)
}

//go:noinline
func multiplySubtract(x, y, z float64) float64 { return x*y - z }

func productsOf[T dtype.Value](t *testing.T, draw func(r *rand.Rand) T) {
	t.Run(dtype.Name[T](), func(t *testing.T) {
		r := rand.New(level.PCG(3, 4))
		for _, s := range []struct{ m, k, n, z int }{{1, 1, 1, 1}, {7, 5, 3, 12}, {300, 70, 40, 900}, {60, 900, 2000, level.Of(200, 700, 3000)}, {4, 3, 2, 0}} {
			a, b := randomValues(r, s.m, s.k, s.z, draw), randomValues(r, s.k, s.n, s.z, draw)
			mask := randomValues(r, s.m, s.n, s.z/2+1, draw)
			for what, spec := range map[string]SpGEMMSpec[T]{
				"plain":      {},
				"or, and":    {Semiring: semiring.OrAnd[T]()},
				"pairs":      {Semiring: semiring.PlusPair[T](), Unsorted: true},
				"masked":     {Mask: &mask},
				"complement": {Mask: &mask, Complement: true, Semiring: semiring.PlusTimes[T]()},
			} {
				c, err := SpGEMMOpt(Options{}, spec, a, b)
				if err != nil {
					t.Fatal(err)
				}
				sameProduct(t, what, !spec.Unsorted, c, spgemmOracle(spec, a, b))
				if p, err := PlanSpGEMM(Options{}, spec, a, b); err != nil {
					t.Fatal(err)
				} else if d, err := p.Multiply(a, b); err != nil || !d.Equal(c) {
					t.Fatalf("%s, planned: %v, %v", what, d, err)
				}
			}
			for _, n := range []int{1, 3, level.Of(20, 70, 300)} {
				denseProductsOf(t, r, a, n, draw)
			}
		}
	})
}

// denseProductsOf compares a times a dense matrix of n columns, in some formats.
func denseProductsOf[T dtype.Value](t *testing.T, r *rand.Rand, a sparse.Matrix[T], n int, draw func(r *rand.Rand) T) {
	m, k := a.Dims()
	x := layout.New[T](k, n)
	for i := range x.Data {
		x.Data[i] = short(draw(r))
	}
	over := func(s semiring.Semiring[T]) layout.Matrix[T] {
		want := layout.New[T](m, n)
		for i := range want.Data {
			want.Data[i] = s.Zero
		}
		for e, v := range a.All() {
			for j := range n {
				want.Set(e.I, j, s.Plus(want.At(e.I, j), s.Times(v, x.At(e.J, j))))
			}
		}
		return want
	}
	equal := func(what string, have, want layout.Matrix[T]) {
		t.Helper()
		for i := range m {
			for j := range n {
				if have.At(i, j) != want.At(i, j) {
					t.Fatalf("%s, %v, %d columns: (%d, %d) is %v, want %v", what, a, n, i, j, have.At(i, j), want.At(i, j))
				}
			}
		}
	}
	want := over(semiring.PlusTimes[T]())
	have := layout.New[T](n, m).T()
	for i := range have.Data {
		have.Data[i] = draw(r)
	}
	SpMM(have, a, x)
	equal("csr", have, want)
	columns := layout.New[T](n, k).T()
	for i := range k {
		for j := range n {
			columns.Set(i, j, x.At(i, j))
		}
	}
	SpMMOpt(Options{Threads: 2}, have, a, columns)
	equal("csr, b by columns", have, want)
	for _, f := range []format.Format{format.CSC, format.ELL(64), format.SELL(4, 8), format.BSR(2)} {
		p, err := format.Pack(a, f)
		if err != nil {
			continue // a row that is too long
		}
		SpMM(have, p, x)
		equal(f.Name, have, spread(p, x))
	}
	sum, err := rule.Decompose(a, rule.Hyb(2, 1))
	if err != nil {
		t.Fatal(err)
	}
	SpMM(have, sum, x)
	if n == 1 {
		y := make([]T, m)
		SpMV(y, a, x.Data)
		equal("vector", layout.RowMajor(y, m, 1), want)
	}
	SpMMOver(Options{}, semiring.OrAnd[T](), have, a, x)
	equal("or, and", have, over(semiring.OrAnd[T]()))
	SpMMOver(Options{ISA: run.Portable}, semiring.PlusPair[T](), have, a, columns)
	equal("pairs", have, over(semiring.PlusPair[T]()))
}

// spread is the product in the order of slots.
func spread[T dtype.Value](p format.Packed[T], x layout.Matrix[T]) layout.Matrix[T] {
	want := layout.New[T](p.Rows(), x.Cols)
	for e, v := range p.All() {
		for j := range x.Cols {
			want.Set(e.I, j, want.At(e.I, j)+T(v*x.At(e.J, j)))
		}
	}
	return want
}

// TestSumOfValues: integers are exact in every order, so a sum of parts is the product.
func TestSumOfValues(t *testing.T) {
	r := rand.New(level.PCG(8, 8))
	draw := func(r *rand.Rand) int32 { return int32(r.Uint32()) }
	a := randomValues(r, 90, 80, 1000, draw)
	s, err := rule.Decompose(a, rule.Hyb(3, 2))
	if err != nil {
		t.Fatal(err)
	}
	x, y, z := make([]int32, 80), make([]int32, 90), make([]int32, 90)
	for i := range x {
		x[i] = draw(r)
	}
	SpMV(y, a, x)
	SpMV(z, s, x)
	if fmt.Sprint(y) != fmt.Sprint(z) {
		t.Errorf("%v and by parts %v", y, z)
	}
}

// TestValuesRefuse: what products of these types have not.
func TestValuesRefuse(t *testing.T) {
	a, _ := sparse.Identity[int64](3)
	x, y := layout.New[int64](3, 2), layout.New[int64](3, 2)
	for what, f := range map[string]func(){
		"alpha and beta are there for f32 and f64 without a semiring, this is i64": func() { SpMMOpt(Options{Scaling: run.Scale(2, 0)}, y, a, x) },
		"this has portable code only":           func() { SpMMOpt(Options{ISA: "avx2"}, y, a, x) },
		"out is 3 x 2, a is 3 x 3, b is 2 x 3":  func() { SpMM(y, a, layout.New[int64](2, 3)) },
		"out shares memory with b":              func() { SpMM(x, a, x) },
		"y has 2 elements, a is 3 x 3, x has 3": func() { SpMV(make([]int64, 2), a, make([]int64, 3)) },
		"the semiring \"half\" has only one of Plus and Times": func() {
			SpMMOver(Options{}, semiring.Semiring[int64]{Name: "half", Plus: semiring.Add[int64]}, y, a, x)
		},
	} {
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, what) {
					t.Errorf("%v, want %q", p, what)
				}
			}()
			f()
		}()
	}
}

// BenchmarkValues is the product with a vector and a product of sparse matrices, of each kind of type.
func BenchmarkValues(b *testing.B) {
	r := rand.New(level.PCG(1, 1))
	valuesBench(b, r, func(r *rand.Rand) float64 { return r.Float64() })
	valuesBench(b, r, func(r *rand.Rand) complex128 { return complex(r.Float64(), r.Float64()) })
	valuesBench(b, r, func(r *rand.Rand) int64 { return int64(r.Uint64()) })
	valuesBench(b, r, func(r *rand.Rand) int32 { return int32(r.Uint64()) })
}

func valuesBench[T dtype.Value](b *testing.B, r *rand.Rand, draw func(r *rand.Rand) T) {
	const n = 20000
	a := randomValues(r, n, n, 8*n, draw)
	x, y := make([]T, n), make([]T, n)
	b.Run("spmv/"+dtype.Name[T](), func(b *testing.B) {
		for b.Loop() {
			SpMVOpt(Options{Threads: 1}, y, a, x)
		}
	})
	b.Run("spgemm/"+dtype.Name[T](), func(b *testing.B) {
		for b.Loop() {
			if _, err := SpGEMMOpt(Options{Threads: 1}, SpGEMMSpec[T]{}, a, a); err != nil {
				b.Fatal(err)
			}
		}
	})
}

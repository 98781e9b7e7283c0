package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
)

// stagedMatrix is a matrix of m x k with so many entries, and long rows if asked for: some that are cut, and
// one that is laid out by itself.
func stagedMatrix[T dtype.Float](m, k, entries int, long bool) sparse.Matrix[T] {
	r := rand.New(level.PCG(uint64(m), uint64(k)))
	b := sparse.NewBuilder[T](m, k)
	for range entries {
		b.Add(r.IntN(m), r.IntN(k), T(r.NormFloat64()))
	}
	for j := 0; long && j < k; j++ {
		b.Add(m/3, j, T(r.NormFloat64()))
		if j%3 == 0 {
			b.Add(m-1, j, T(r.NormFloat64()))
		}
	}
	a, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	return a
}

type stagedShape struct {
	m, k, entries, n int
	long             bool
}

// stagedShapes are products that go each way: short and long rows, rows without entries, one column, tails, and a B of
// which rows are fetched early.
var stagedShapes = []stagedShape{{1, 1, 1, 1, false}, {7, 9, 0, 3, false}, {300, 40, 900, 1, false}, {50, 4000, 3000, 5, true}, {3000, 5000, 40000, 16, true}, {200, 70000, 2500, 17, true}, {60, 900, 5000, 140, true}}

// someShapes are stagedShapes, in a short run without the largest two.
func someShapes() []stagedShape {
	return slices.DeleteFunc(slices.Clone(stagedShapes), func(s stagedShape) bool { return level.Of(s.m*s.k > 10_000_000, false, false) })
}

// sameAs compares product, on each instruction set and by one thread and several, with that of the matrix it
// stands for, to the bit.
func sameAs[T dtype.Float](t *testing.T, what string, want sparse.Matrix[T], n int, product func(opt Options, out, b layout.Matrix[T])) {
	t.Helper()
	r := rand.New(level.PCG(8, 9))
	m, k := want.Dims()
	b := layout.New[T](k, n)
	for i := range b.Data {
		b.Data[i] = T(r.NormFloat64())
	}
	for _, isa := range []string{"", run.Portable} {
		for _, opt := range []Options{{ISA: isa, Threads: 1}, {ISA: isa, Threads: 3}, {ISA: isa, Scaling: run.Scale(2.5, -1)}, {ISA: isa, Scaling: run.Scale(math.Inf(1), 0)}} {
			have, wanted := layout.New[T](m, n), layout.New[T](m, n)
			for i := range have.Data {
				have.Data[i], wanted.Data[i] = T(i), T(i)
			}
			SpMMOpt(opt, wanted, want, b)
			product(opt, have, b)
			for i, x := range have.Data {
				if y := wanted.Data[i]; x != y && (x == x || y == y) {
					t.Fatalf("%s, %d x %d x %d, %q: element %d is %v, want %v", what, m, k, n, isa, i, x, y)
				}
			}
		}
	}
}

// TestSpMMPattern holds products with patterns to those with matrices of ones.
func TestSpMMPattern(t *testing.T) {
	for _, s := range someShapes() {
		p := stagedMatrix[float32](s.m, s.k, s.entries, s.long).Pattern()
		sameAs(t, "float32", sparse.Ones[float32](p), s.n, func(opt Options, out, b layout.Matrix[float32]) { SpMMOpt(opt, out, p, b) })
		sameAs(t, "float64", sparse.Ones[float64](p), s.n, func(opt Options, out, b layout.Matrix[float64]) { SpMMOpt(opt, out, p, b) })
		b, have, want := layout.New[int32](s.k, s.n), layout.New[int32](s.m, s.n), layout.New[int32](s.m, s.n)
		for i := range b.Data {
			b.Data[i] = int32(i * 7919)
		}
		SpMM(have, p, b)
		SpMM(want, sparse.Ones[int32](p), b)
		for i, x := range have.Data {
			if x != want.Data[i] {
				t.Fatalf("int32: element %d is %d, want %d", i, x, want.Data[i])
			}
		}
	}
}

// TestSpMMPatternMemory: a product makes no values.
func TestSpMMPatternMemory(t *testing.T) {
	p := stagedMatrix[float32](3000, 5000, 200_000, false).Pattern()
	x, y := make([]float64, 5000), make([]float64, 3000)
	product := func() { SpMVOpt(Options{Threads: 1}, y, p, x) }
	product()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	product()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<10 {
		t.Errorf("a product of %d entries allocates %d bytes", p.NNZ(), n)
	}
}

// TestSpGEMMPattern holds products of patterns, and of one with a matrix, to those of ones.
func TestSpGEMMPattern(t *testing.T) {
	r := rand.New(level.PCG(6, 7))
	draw := func(r *rand.Rand) int64 { return r.Int64N(100) - 50 }
	for _, s := range []struct{ m, k, n, za, zb, zm int }{{1, 1, 1, 1, 1, 1}, {40, 30, 50, 100, 200, 300}, {9, 300, 5000, 400, 3000, 900}, {30, 5000, 200000, 500, 20000, 2000}, {300, 400, 900, 3000, 8000, 20000}}[:level.Of(3, 5, 5)] {
		x, y, mask := randomValues(r, s.m, s.k, s.za, draw), randomValues(r, s.k, s.n, s.zb, draw), randomValues(r, s.m, s.n, s.zm, draw)
		a, b, in := x.Pattern(), y.Pattern(), mask.Pattern()
		for what, spec := range map[string]SpGEMMSpec[int64]{
			"plain":      {},
			"steps":      {Semiring: semiring.Semiring[int64]{Name: "minplus", Zero: 1 << 40, Plus: func(x, y int64) int64 { return min(x, y) }, Times: func(x, y int64) int64 { return x + y }}},
			"masked":     {MaskPattern: &in},
			"complement": {MaskPattern: &in, Complement: true},
		} {
			valued := spec
			if valued.MaskPattern != nil {
				valued.MaskPattern, valued.Mask = nil, &mask
			}
			ones := sparse.Ones[int64](a)
			both, err := SpGEMMOpt(Options{}, spec, a, b)
			if err != nil {
				t.Fatal(err)
			}
			sameProduct(t, fmt.Sprint(what, " of patterns ", s), true, both, spgemmOracle(valued, ones, sparse.Ones[int64](b)))
			first, err := SpGEMMOpt(Options{Threads: 3}, spec, a, y)
			if err != nil {
				t.Fatal(err)
			}
			sameProduct(t, fmt.Sprint(what, " of a pattern and a matrix ", s), true, first, spgemmOracle(valued, ones, y))
		}
	}
	in := sparse.Pattern{}
	zero := sparse.Matrix[int64]{}
	defer func() {
		if e, ok := recover().(run.OptionError); !ok || e.Why != "both a Mask and a MaskPattern; want one of them" {
			t.Errorf("panicked with %v", e)
		}
	}()
	_, _ = SpGEMMOpt(Options{}, SpGEMMSpec[int64]{Mask: &zero, MaskPattern: &in}, in, in)
}

// TestSDDMMPattern compares sampled products at a pattern, and at a triangle of it, with those of a matrix of ones.
func TestSDDMMPattern(t *testing.T) {
	r := rand.New(level.PCG(2, 9))
	p := stagedMatrix[float32](70, 90, 900, true).Pattern()
	for _, f := range []int{0, 1, 19, 64} {
		a, b := layout.New[float64](70, f), layout.New[float64](90, f)
		for i := range a.Data {
			a.Data[i] = r.NormFloat64()
		}
		for i := range b.Data {
			b.Data[i] = r.NormFloat64()
		}
		for _, isa := range []string{"", run.Portable} {
			lower := sparse.Ones[float64](p).Tril(2)
			values := make([]float64, lower.NNZ())
			SDDMMInto(SDDMMOptions{Options: Options{ISA: isa}}, values, lower, a, b)
			want, _ := lower.WithValues(values)
			if have := SDDMMPattern(Options{ISA: isa}, p.Tril(2), a, b); !have.Equal(want) {
				t.Errorf("%d features, %q: %v differs from %v", f, isa, have, want)
			}
		}
	}
}

package cpu

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// spgemmOracle is the product by the definition, in maps: element (i, j) is the sum over
// the entries of row i of a, in their order.
func spgemmOracle[T dtype.Value](s SpGEMMSpec[T], a, b sparse.Matrix[T]) map[[2]int]T {
	plus, times, zero := s.Semiring.Plus, s.Semiring.Times, s.Semiring.Zero
	if plus == nil {
		plus, times, zero = func(x, y T) T { return x + y }, func(x, y T) T { return T(x * y) }, 0
	}
	a, b = a.Canonical(), b.Canonical()
	in := func(i, j int) bool { return true }
	if s.Mask != nil {
		has := map[[2]int]bool{}
		for e := range s.Mask.All() {
			has[[2]int{e.I, e.J}] = true
		}
		in = func(i, j int) bool { return has[[2]int{i, j}] != s.Complement }
	}
	c := map[[2]int]T{}
	for e, x := range a.All() {
		for j, y := range b.Row(e.J) {
			at := [2]int{e.I, j}
			if !in(e.I, j) {
				continue
			}
			sum, ok := c[at]
			if !ok {
				sum = zero
			}
			c[at] = plus(sum, times(x, y))
		}
	}
	return c
}

// sameProduct compares a product with the oracle to the bit.
func sameProduct[T dtype.Value](t testing.TB, what string, sorted bool, have sparse.Matrix[T], want map[[2]int]T) {
	t.Helper()
	if have.NNZ() != len(want) {
		t.Fatalf("%s: %d entries, want %d", what, have.NNZ(), len(want))
	}
	last := sparse.Entry{I: -1}
	for e, v := range have.All() {
		w, ok := want[[2]int{e.I, e.J}]
		if !ok {
			t.Fatalf("%s: an entry at (%d, %d), want none", what, e.I, e.J)
		}
		if (v != w || v == 0 && fmt.Sprint(v) != fmt.Sprint(w)) && (v == v || w == w) { // zeros have signs
			t.Fatalf("%s: (%d, %d) is %v, want %v", what, e.I, e.J, v, w)
		}
		if sorted && e.I == last.I && e.J <= last.J {
			t.Fatalf("%s: row %d has column %d after %d", what, e.I, e.J, last.J)
		}
		last = e
	}
	if sorted && !have.Sorted() || have.HasDuplicates() {
		t.Fatalf("%s: it says sorted %v, duplicates %v", what, have.Sorted(), have.HasDuplicates())
	}
}

// spgemmPairs are operands of many shapes.
func spgemmPairs[T dtype.Float](t testing.TB) map[string][2]sparse.Matrix[T] {
	r := rand.New(level.PCG(5, 6))
	random := func(m, n, entries int) sparse.Matrix[T] {
		b := sparse.NewBuilder[T](m, n)
		for range entries {
			b.Add(r.IntN(m), r.IntN(n), T(r.NormFloat64()))
		}
		return sure(b.Matrix())
	}
	special := func(m, n, entries int) sparse.Matrix[T] {
		list := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e30, 1e-30}
		b := sparse.NewBuilder[T](m, n)
		for range entries {
			b.Add(r.IntN(m), r.IntN(n), T(list[r.IntN(len(list))]))
		}
		return sure(b.Matrix())
	}
	band := sample.Random(sure(sample.Banded[T](90, 7)), 1)
	rmat := sample.Random(sure(sample.RMAT[T](128, 900, .57, .19, .19, 1)), 2)
	messy := sure(sparse.FromCSR(3, 4, []int{0, 3, 3, 7}, []int{3, 0, 3, 1, 1, 2, 0}, []T{1, 2, 3, 4, 5, 6, 7}))
	big := 1 << 17
	wide := random(40, 200, 300)
	pairs := map[string][2]sparse.Matrix[T]{
		"random":   {random(50, 70, 300), random(70, 90, 500)},
		"special":  {special(30, 40, 200), special(40, 50, 300)},
		"band":     {band, band},
		"rmat":     {rmat, rmat},
		"messy":    {messy, sure(sparse.FromCSR(4, 3, []int{0, 2, 4, 5, 7}, []int{2, 0, 1, 1, 2, 2, 2}, []T{1, 2, 3, 4, 5, 6, 7}))},
		"0 x n":    {random(1, 5, 3).Transpose(), sure(sparse.FromCOO[T, int](1, 0, nil, nil, nil))},
		"n x 0":    {sure(sparse.FromCOO[T, int](4, 0, nil, nil, nil)), sure(sparse.FromCOO[T, int](0, 4, nil, nil, nil))},
		"zero":     {sparse.Matrix[T]{}, sparse.Matrix[T]{}},
		"no entry": {sure(sparse.FromCOO[T, int](4, 3, nil, nil, nil)), random(3, 5, 8)},
		"hashed":   {wide, random(200, big, 900)},
		"outer":    {random(60, 1, 40), random(1, 60, 40)},
		"inner":    {random(1, 60, 40), random(60, 1, 40)},
		"1 x 1":    {random(1, 1, 1), random(1, 1, 1)},
	}
	return pairs
}

func testSpGEMM[T dtype.Float](t *testing.T) {
	semirings := []semiring.Semiring[T]{{}, semiring.MinPlus[T](), semiring.MaxTimes[T](), semiring.OrAnd[T](), semiring.PlusTimes[T]()}
	for name, p := range spgemmPairs[T](t) {
		a, b := p[0], p[1]
		masks := map[string]*sparse.Matrix[T]{"": nil}
		plain := sure(SpGEMM(a, b))
		if a.Rows() > 0 && b.Cols() > 0 {
			r := rand.New(level.PCG(7, 8))
			some, few := sparse.NewBuilder[T](a.Rows(), b.Cols()), sparse.NewBuilder[T](a.Rows(), b.Cols())
			for e := range plain.All() {
				if r.IntN(3) == 0 {
					some.Add(e.I, e.J, 0)
				}
				if r.IntN(40) == 0 {
					few.Add(e.I, e.J, 1)
				}
				if r.IntN(3) == 0 {
					some.Add(r.IntN(a.Rows()), r.IntN(b.Cols()), 1)
				}
			}
			x, y := sure(some.Matrix()), sure(few.Matrix())
			masks["some"], masks["few"], masks["own"] = &x, &y, &plain
		}
		for mask, m := range masks {
			for at, g := range semirings {
				if (at+len(mask)+len(name))%5 > level.Of(0, 2, 5) {
					continue
				}
				// What is expected does not depend on order.
				var wants, twice [2]map[[2]int]T
				for bits := range 4 {
					s := SpGEMMSpec[T]{Semiring: g, Mask: m, Complement: bits&1 > 0, Unsorted: bits&2 > 0}
					if m == nil && s.Complement {
						continue
					}
					what := fmt.Sprintf("%s, mask %q, %s, complement %v, unsorted %v", name, mask, g.Name, s.Complement, s.Unsorted)
					have := sure(SpGEMMOpt(Options{Threads: 1}, s, a, b))
					again := a.Canonical().Scale(-2)
					if wants[bits&1] == nil {
						wants[bits&1], twice[bits&1] = spgemmOracle(s, a, b), spgemmOracle(s, again, b)
					}
					sameProduct(t, what, !s.Unsorted, have, wants[bits&1])
					plan := sure(PlanSpGEMM(Options{}, s, a, b))
					sameProduct(t, "plan of "+what, !s.Unsorted, sure(plan.Multiply(again, b)), twice[bits&1])
				}
			}
		}
	}
}

func TestSpGEMM(t *testing.T) {
	t.Run("f32", testSpGEMM[float32])
	t.Run("f64", testSpGEMM[float64])
}

// TestSpGEMMThreads: bits and order do not depend on threads, one or two phases.
func TestSpGEMMThreads(t *testing.T) {
	a := sample.Random(sure(sample.RMAT[float32](1<<11, level.Of(3_000, 12_000, 30_000), .57, .19, .19, 3)), 4)
	for _, s := range []SpGEMMSpec[float32]{{}, {Unsorted: true}, {Mask: &a}, {Mask: &a, Complement: true}, {Semiring: semiring.MaxPlus[float32]()}} {
		one := sure(SpGEMMOpt(Options{Threads: 1}, s, a, a))
		p, x, v := one.CSR()
		for _, threads := range level.Of([]int{3}, []int{2, 3, 8}, []int{2, 3, 8}) {
			q, y, w := sure(SpGEMMOpt(Options{Threads: threads}, s, a, a)).CSR()
			if !slices.Equal(p, q) || !slices.Equal(x, y) || !slices.Equal(v, w) {
				t.Errorf("%d threads give another matrix", threads)
			}
		}
		plan := sure(PlanSpGEMM(Options{Threads: 3}, s, a, a))
		if _, _, w := sure(plan.Multiply(a, a)).CSR(); !slices.Equal(v, w) {
			t.Errorf("a plan gives another matrix")
		}
	}
}

// TestSpGEMMRefuses: what does not fit is an error with the numbers.
func TestSpGEMMRefuses(t *testing.T) {
	n := 46_500
	b := sparse.NewBuilder[float64](n, n)
	for i := range n {
		b.Add(0, i, 1)
		b.Add(i, 0, 1)
		b.Add(i, i, 1)
	}
	arrow := sure(b.Matrix())
	_, err := SpGEMM(arrow, arrow)
	if want := "cpu.SpGEMM: the result, 46500 x 46500, has at least 2162250000 entries, which take 25947186004 bytes; at most " + fmt.Sprint(sparse.MaxSlots) + " fit"; !errors.Is(err, sparse.ErrSize) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
	small := sure(sample.Banded[float64](100, 1))
	c := sure(SpGEMM(small, small))
	bytes := int64(4*101 + 12*c.NNZ())
	for _, x := range []struct {
		s    SpGEMMSpec[float64]
		want string
	}{
		{SpGEMMSpec[float64]{MaxBytes: bytes}, ""},
		{SpGEMMSpec[float64]{MaxBytes: bytes - 1}, fmt.Sprintf("cpu.SpGEMMOpt: the result, 100 x 100, has %d entries, which take %d bytes; MaxBytes is %d", c.NNZ(), bytes, bytes-1)},
		{SpGEMMSpec[float64]{MaxBytes: 1000}, "has at least "},
		{SpGEMMSpec[float64]{MaxBytes: 1}, "has at least 0 entries, which take 404 bytes; MaxBytes is 1"},
		{SpGEMMSpec[float64]{Mask: &c, MaxBytes: bytes - 1}, "MaxBytes is"},
		{SpGEMMSpec[float64]{Mask: &arrow}, "cpu.SpGEMMOpt: the mask is 46500 x 46500, the product 100 x 100; they are the same"},
	} {
		_, err := SpGEMMOpt(Options{}, x.s, small, small)
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%v: want %s", err, x.want)
		}
	}
	if _, err := SpGEMM(small, arrow); !errors.Is(err, sparse.ErrShape) {
		t.Errorf("100 x 100 times 46500 x 46500: %v", err)
	}
	plan := sure(PlanSpGEMM(Options{}, SpGEMMSpec[float64]{}, small, small))
	if _, err := plan.Multiply(small, c); !errors.Is(err, sparse.ErrShape) {
		t.Errorf("a plan of another structure: %v", err)
	}
	for what, f := range map[string]func(){
		"alpha":      func() { SpGEMMOpt(Options{Scaling: run.Scale(2, 0)}, SpGEMMSpec[float64]{}, small, small) },
		"complement": func() { SpGEMMOpt(Options{}, SpGEMMSpec[float64]{Complement: true}, small, small) },
		"isa":        func() { SpGEMMOpt(Options{ISA: "avx2"}, SpGEMMSpec[float64]{}, small, small) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			f()
		}()
	}
}

func sure[X any](x X, err error) X {
	if err != nil {
		panic(err)
	}
	return x
}

// TestSpGEMMAllocations: a product allocates its result and little beside, a product by a
// plan the values and little beside.
func TestSpGEMMAllocations(t *testing.T) {
	m := sample.Random(sure(sample.Banded[float64](3000, 3)), 1)
	one := Options{Threads: 1}
	c := sure(SpGEMMOpt(one, SpGEMMSpec[float64]{}, m, m))
	plan := sure(PlanSpGEMM(one, SpGEMMSpec[float64]{}, m, m))
	result := 4*(m.Rows()+1) + 12*c.NNZ()
	for what, x := range map[string]struct {
		f     func()
		bytes int
	}{
		"product": {func() { SpGEMMOpt(one, SpGEMMSpec[float64]{}, m, m) }, result + 16*m.NNZ()},
		"plan":    {func() { plan.Multiply(m, m) }, 8*c.NNZ() + 4096},
	} {
		x.f()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		const times = 20
		for range times {
			x.f()
		}
		runtime.ReadMemStats(&after)
		// A size class is up to an eighth larger.
		if have := int(after.TotalAlloc-before.TotalAlloc) / times; have > x.bytes+x.bytes/8 {
			t.Errorf("%s: %d bytes a call, want about %d", what, have, x.bytes)
		}
		if n := (after.Mallocs - before.Mallocs) / times; n > 14 {
			t.Errorf("%s: %d allocations a call", what, n)
		}
	}
}

// TestSpGEMMMaskOfNothing: a mask has columns that no product reaches, in rows without any and
// in the last places of a result.
func TestSpGEMMMaskOfNothing(t *testing.T) {
	rng := rand.New(level.PCG(7, 8))
	for range 300 {
		rows, inner, cols := 1+rng.IntN(6), 1+rng.IntN(6), 1+rng.IntN(6)
		sample := func(rows, cols, oneOf int) sparse.Matrix[float64] {
			b := sparse.NewBuilder[float64](rows, cols)
			for i := range rows {
				for j := range cols {
					if rng.IntN(oneOf) == 0 {
						b.Add(i, j, float64(1+rng.IntN(5)))
					}
				}
			}
			m, err := b.Matrix()
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		a, b, mask := sample(rows, inner, 3), sample(inner, cols, 6), sample(rows, cols, 1)
		whole, err := SpGEMM(a, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, unsorted := range []bool{false, true} {
			have, err := SpGEMMOpt(Options{}, SpGEMMSpec[float64]{Mask: &mask, Unsorted: unsorted}, a, b)
			if err != nil || !have.Equal(whole) {
				t.Fatalf("under a mask that has all: %v, %v, want %v", have, err, whole)
			}
		}
	}
}

package cpu

import (
	"debug/elf"
	"debug/gosym"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// order is a way to lay out a matrix.
type order int

const (
	rowMajor order = iota
	colMajor
	strided
	allOrders
)

func (o order) String() string { return [...]string{"row", "col", "strided"}[o] }

// matrix returns a matrix in order o; what lies between its elements is NaN.
func matrix[T dtype.Float](o order, rows, cols int, next func() T) layout.Matrix[T] {
	m := layout.Matrix[T]{Rows: rows, Cols: cols, RowStride: cols, ColStride: 1}
	switch o {
	case colMajor:
		m.RowStride, m.ColStride = 1, rows
	case strided:
		m.RowStride, m.ColStride = 2*cols+3, 2
	}
	if rows > 0 && cols > 0 {
		m.Data = make([]T, (rows-1)*m.RowStride+(cols-1)*m.ColStride+1)
	}
	for i := range m.Data {
		m.Data[i] = T(math.NaN())
	}
	for i := range rows {
		for j := range cols {
			m.Set(i, j, next())
		}
	}
	return m
}

// product is the plain loop, for alpha and beta as Options have them.
func product[T dtype.Float](opt Options, out, a, b layout.Matrix[T]) layout.Matrix[T] {
	x, y := opt.Scaling.Factors()
	alpha, beta := T(x), T(y)
	want := layout.New[T](out.Rows, out.Cols)
	row := make([]T, out.Cols)
	for i := range out.Rows {
		clear(row)
		for p := 0; p < a.Cols && alpha != 0; p++ {
			x := a.At(i, p)
			for j := range row {
				row[j] += x * b.Data[p*b.RowStride+j*b.ColStride]
			}
		}
		for j, s := range row {
			s *= alpha
			if beta != 0 {
				s += beta * out.At(i, j)
			}
			want.Set(i, j, s)
		}
	}
	return want
}

// compare runs one call and compares it with the plain loop, which must be exact.
// Between out's elements all must stay as it was.
func compare[T dtype.Float](t *testing.T, opt Options, out, a, b layout.Matrix[T]) {
	t.Helper()
	where := func() string {
		return fmt.Sprintf("%T %d x %d x %d, a (%d, %d), b (%d, %d), out (%d, %d), %+v", out.Data, out.Rows, out.Cols, a.Cols,
			a.RowStride, a.ColStride, b.RowStride, b.ColStride, out.RowStride, out.ColStride, opt)
	}
	want := product(opt, out, a, b)
	if _, beta := opt.Scaling.Factors(); beta == 0 {
		for i := range out.Rows {
			for j := range out.Cols {
				out.Set(i, j, T(math.NaN()))
			}
		}
	}
	between := slices.Clone(out.Data)
	MatMulOpt(opt, out, a, b)
	for i := range out.Rows {
		for j := range out.Cols {
			have, want := out.At(i, j), want.At(i, j)
			if have != want && (have == have || want == want) {
				t.Fatalf("%s: out[%d,%d] = %v, want %v", where(), i, j, have, want)
			}
			between[i*out.RowStride+j*out.ColStride] = have
		}
	}
	for i, v := range out.Data {
		if w := between[i]; v != w && (v == v || w == w) {
			t.Fatalf("%s: %v written between the elements of out, at %d", where(), v, i)
		}
	}
}

// TestMatMul: every variant, layout and scale for shapes that take the different
// ways: read in place, packed, slabs of k, and through scratch tiles where no
// stride of out is 1.
func TestMatMul(t *testing.T) {
	t.Run("f32", testMatMul[float32])
	t.Run("f64", testMatMul[float64])
}

func testMatMul[T dtype.Float](t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	small := func() T { return T(r.IntN(3) - 1) }
	scales := []Options{{}, {Scaling: Scale(1, 0)}, {Scaling: Scale(-2, 1)}, {Scaling: Scale(3, -2)}, {Scaling: Scale(2, 0)}, {Scaling: Scale(0, 3)}}
	for _, isa := range SomeISAs() {
		for _, s := range [][3]int{{7, 9, 11}, {20, 49, 33}, {1, 70, 1030}, {70, 1, 1030}, {11, 50, 2050}, {5, 21, 8200}, {12, 4, 9300}, {61, 130, 101}} {
			m, n, k := s[0], s[1], s[2]
			a, b, c := [allOrders]layout.Matrix[T]{}, [allOrders]layout.Matrix[T]{}, [allOrders]layout.Matrix[T]{}
			for o := range allOrders {
				a[o], b[o], c[o] = matrix(o, m, k, small), matrix(o, k, n, small), matrix(o, m, n, small)
			}
			for at := range level.Of(1, 3, 9) { // any two layouts meet
				opt := scales[r.IntN(len(scales))]
				opt.ISA, opt.Threads = isa, at%3
				out := c[at%3]
				out.Data = slices.Clone(out.Data)
				compare(t, opt, out, a[at/3], b[(at+at/3)%3])
			}
		}
	}
}

// TestMatMulPanics: what does not fit together is a ShapeError that says so, and
// nothing is written.
func TestMatMulPanics(t *testing.T) {
	const huge = 1 << (strconvIntSize - 2)
	data := make([]float64, 64)
	at := func(off, rows, cols, rs, cs int) layout.Matrix[float64] {
		return layout.Matrix[float64]{Data: data[off:], Rows: rows, Cols: cols, RowStride: rs, ColStride: cs}
	}
	sq := func() layout.Matrix[float64] { return layout.New[float64](4, 4) }
	mat := func(n, rows, cols, rs, cs int) layout.Matrix[float64] {
		return layout.Matrix[float64]{Data: make([]float64, n), Rows: rows, Cols: cols, RowStride: rs, ColStride: cs}
	}
	for _, tc := range []struct {
		name      string
		out, a, b layout.Matrix[float64]
		want      string // "" is a valid call
	}{
		{"valid", sq(), sq(), sq(), ""},
		{"inner sizes", sq(), mat(20, 4, 5, 5, 1), sq(), "out is 4 x 4, a is 4 x 5, b is 4 x 4"},
		{"rows of out", mat(20, 5, 4, 4, 1), sq(), sq(), "out is 5 x 4"},
		{"columns of out", mat(20, 4, 5, 5, 1), sq(), sq(), "out is 4 x 5"},
		{"out transposed", mat(12, 3, 4, 4, 1), mat(12, 4, 3, 3, 1), mat(9, 3, 3, 3, 1), "want m x n, m x k, k x n"},
		{"empty out, other inner sizes", layout.New[float64](0, 4), layout.New[float64](0, 5), sq(), "out is 0 x 4"},
		{"short out", mat(15, 4, 4, 4, 1), sq(), sq(), "out: 15 elements do not hold 4 x 4"},
		{"short a", sq(), mat(15, 4, 4, 4, 1), sq(), "a: 15 elements"},
		{"short b", sq(), sq(), mat(30, 4, 4, 9, 1), "b: 30 elements"},
		{"just long enough", mat(31, 4, 4, 9, 1), mat(25, 4, 4, 7, 1), mat(31, 4, 4, 1, 9), ""},
		{"no data", sq(), sq(), layout.Matrix[float64]{Rows: 4, Cols: 4, RowStride: 4, ColStride: 1}, "b: 0 elements"},
		{"huge row stride of out", mat(16, 4, 4, huge, 1), sq(), sq(), "out: 16 elements"},
		{"huge row stride of a", sq(), mat(16, 4, 4, huge, 1), sq(), "a: 16 elements"},
		{"huge column stride of b", sq(), sq(), mat(16, 4, 4, 1, huge), "b: 16 elements"},
		{"strides that add up to 0 by overflow", sq(), mat(16, 4, 4, huge, huge), sq(), "a: 16 elements"},
		{"negative row stride of out", mat(16, 4, 4, -4, 1), sq(), sq(), "out: strides (-4, 1)"},
		{"negative column stride of a", sq(), mat(16, 4, 4, 4, -1), sq(), "a: strides (4, -1)"},
		{"negative strides of b", sq(), sq(), mat(16, 4, 4, math.MinInt, math.MinInt), "b: strides"},
		{"negative size", layout.Matrix[float64]{Rows: -1, Cols: 4}, layout.Matrix[float64]{Rows: -1, Cols: 4}, sq(), "size -1 x 4"},
		{"rows of out in one place", mat(16, 4, 4, 0, 1), sq(), sq(), "several elements"},
		{"rows of out that reach into the next", mat(16, 4, 4, 3, 1), sq(), sq(), "several elements"},
		{"repeated row of a", sq(), mat(4, 4, 4, 0, 1), sq(), ""},
		{"repeated element of b", sq(), sq(), mat(1, 4, 4, 0, 0), ""},
		{"out is a", at(0, 4, 4, 4, 1), at(0, 4, 4, 4, 1), sq(), "out shares memory"},
		{"out is b, transposed", at(0, 4, 4, 4, 1), sq(), at(0, 4, 4, 1, 4), "out shares memory"},
		{"out and a share one element", at(0, 4, 4, 4, 1), at(15, 4, 4, 4, 1), sq(), "out shares memory"},
		{"out beside a", at(0, 4, 4, 4, 1), at(16, 4, 4, 4, 1), sq(), ""},
		{"out left of b in one matrix", at(0, 4, 4, 8, 1), sq(), at(4, 4, 4, 8, 1), ""},
		{"out and b of one matrix share a column", at(0, 4, 4, 8, 1), sq(), at(3, 4, 4, 8, 1), "out shares memory"},
		{"a and b the same", sq(), at(0, 4, 4, 4, 1), at(0, 4, 4, 1, 4), ""},
	} {
		for _, isa := range run.PlainISAs() {
			for _, opt := range []Options{{ISA: isa}, {ISA: isa, Scaling: Scale(0, 2)}, {ISA: isa, Threads: 3, Scaling: Scale(1, 1)}} {
				for i := range tc.out.Data {
					tc.out.Data[i] = 7
				}
				value := func() (value any) {
					defer func() { value = recover() }()
					MatMulOpt(opt, tc.out, tc.a, tc.b)
					return nil
				}()
				if tc.want == "" {
					if value != nil {
						t.Errorf("%s, %+v: panic %v", tc.name, opt, value)
					}
					continue
				}
				err, ok := value.(error)
				var shape layout.ShapeError
				if !ok || !errors.As(err, &shape) || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "cpu.MatMulOpt: ") {
					t.Errorf("%s, %+v: panic %v, want a layout.ShapeError with %q", tc.name, opt, value, tc.want)
				}
				for i, have := range tc.out.Data {
					if have != 7 {
						t.Fatalf("%s, %+v: out.Data[%d] = %v was written before the panic", tc.name, opt, i, have)
					}
				}
			}
		}
	}
}

const strconvIntSize = 32 << (^uint(0) >> 63)

// TestMatMulZero: sizes and scales of 0.
func TestMatMulZero(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	fill := func(rows, cols int, v float64) layout.Matrix[float64] {
		return matrix(rowMajor, rows, cols, func() float64 { return v })
	}
	for _, tc := range []struct {
		name    string
		m, n, k int
		ab, old float64 // elements of a and b, and of out before
		opt     Options
		want    float64
	}{
		{"k = 0 clears", 3, 4, 0, 0, 5, Options{}, 0},
		{"k = 0 clears NaN", 3, 4, 0, 0, nan, Options{}, 0},
		{"k = 0, beta = 0 does not read", 3, 4, 0, 0, nan, Options{Scaling: Scale(1, 0)}, 0},
		{"k = 0, beta = 1 leaves it", 3, 4, 0, 0, 5, Options{Scaling: Scale(1, 1)}, 5},
		{"k = 0, beta scales", 3, 4, 0, 0, 5, Options{Scaling: Scale(nan, -2)}, -10},
		{"k = 0, beta is NaN", 3, 4, 0, 0, 5, Options{Scaling: Scale(1, nan)}, nan},
		{"alpha = 0 does not read a and b", 3, 4, 5, nan, 5, Options{Scaling: Scale(0, 3)}, 15},
		{"alpha = beta = 0", 3, 4, 5, nan, nan, Options{Scaling: Scale(0, 0)}, 0},
		{"alpha = 0 and NaN in out", 3, 4, 5, 1, nan, Options{Scaling: Scale(0, 1)}, nan},
		{"beta = 0 does not read", 3, 4, 5, 1, nan, Options{Scaling: Scale(2, 0)}, 10},
		{"beta = -0 does not read", 3, 4, 5, 1, nan, Options{Scaling: Scale(2, math.Copysign(0, -1))}, 10},
		{"no options do not read", 3, 4, 5, 1, nan, Options{}, 5},
		{"NaN in out", 3, 4, 5, 1, nan, Options{Scaling: Scale(1, 1)}, nan},
		{"NaN in a and b", 3, 4, 5, nan, 0, Options{}, nan},
		{"Inf", 3, 4, 5, inf, 0, Options{}, inf},
		{"alpha = NaN", 3, 4, 5, 1, 0, Options{Scaling: Scale(nan, 0)}, nan},
		{"beta = Inf, out = 0", 3, 4, 5, 1, 0, Options{Scaling: Scale(1, inf)}, nan},
		{"alpha = 1, beta = 0", 3, 4, 5, 1, 9, Options{Scaling: Scale(1, 0)}, 5},
		{"m = 0", 0, 4, 5, nan, nan, Options{}, 0},
		{"n = 0", 3, 0, 5, nan, nan, Options{Scaling: Scale(1, 1)}, 0},
		{"all 0", 0, 0, 0, nan, nan, Options{}, 0},
		{"a slab of k, NaN in out", 3, 4, 9001, 1, nan, Options{}, 9001},
		{"a slab of k, scaled", 3, 4, 9001, 1, 3, Options{Scaling: Scale(2, -3)}, 17993},
	} {
		for _, isa := range run.PlainISAs() {
			for o := range allOrders {
				opt := tc.opt
				opt.ISA = isa
				out := matrix(o, tc.m, tc.n, func() float64 { return tc.old })
				a, b := fill(tc.m, tc.k, tc.ab), fill(tc.k, tc.n, tc.ab)
				MatMulOpt(opt, out, a, b)
				for i := range out.Rows {
					for j := range out.Cols {
						if have := out.At(i, j); have != tc.want && (have == have || tc.want == tc.want) {
							t.Fatalf("%s, %s, out %v: out[%d,%d] = %v, want %v", tc.name, isa, o, i, j, have, tc.want)
						}
					}
				}
			}
		}
	}
	// Zero matrices are 0 x 0.
	MatMul(layout.Matrix[float32]{}, layout.Matrix[float32]{}, layout.Matrix[float32]{})
}

// TestMatMulStrides: strides that are never used may be anything, and large ones
// are not multiplied into wrong addresses.
func TestMatMulStrides(t *testing.T) {
	const huge = 1 << (strconvIntSize - 2)
	ints := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(i%5 - 2)
		}
		return s
	}
	for _, tc := range []struct {
		name      string
		out, a, b layout.Matrix[float32]
	}{
		{"one row", layout.Matrix[float32]{Data: ints(30), Rows: 1, Cols: 30, RowStride: huge, ColStride: 1},
			layout.Matrix[float32]{Data: ints(40), Rows: 1, Cols: 40, RowStride: huge + 1, ColStride: 1}, layout.RowMajor(ints(1200), 40, 30)},
		{"one column", layout.Matrix[float32]{Data: ints(30), Rows: 30, Cols: 1, RowStride: 1, ColStride: huge},
			layout.RowMajor(ints(1200), 30, 40), layout.Matrix[float32]{Data: ints(40), Rows: 40, Cols: 1, RowStride: 1, ColStride: math.MaxInt}},
		{"k = 1", layout.RowMajor(ints(600), 20, 30),
			layout.Matrix[float32]{Data: ints(20), Rows: 20, Cols: 1, RowStride: 1, ColStride: huge},
			layout.Matrix[float32]{Data: ints(30), Rows: 1, Cols: 30, RowStride: huge, ColStride: 1}},
		{"one element", layout.Matrix[float32]{Data: ints(1), Rows: 1, Cols: 1, RowStride: huge, ColStride: huge},
			layout.Matrix[float32]{Data: ints(1), Rows: 1, Cols: 1, RowStride: huge, ColStride: math.MaxInt},
			layout.Matrix[float32]{Data: ints(1), Rows: 1, Cols: 1, RowStride: math.MaxInt, ColStride: huge}},
		{"strides of 0", layout.RowMajor(ints(600), 20, 30),
			layout.Matrix[float32]{Data: ints(40), Rows: 20, Cols: 40, RowStride: 0, ColStride: 1},
			layout.Matrix[float32]{Data: ints(40), Rows: 40, Cols: 30, RowStride: 1, ColStride: 0}},
		{"a far stride", layout.Matrix[float32]{Data: ints(1_000_030), Rows: 2, Cols: 30, RowStride: 1_000_000, ColStride: 1},
			layout.Matrix[float32]{Data: ints(900_040), Rows: 2, Cols: 40, RowStride: 900_000, ColStride: 1},
			layout.Matrix[float32]{Data: ints(39*20_000 + 30), Rows: 40, Cols: 30, RowStride: 20_000, ColStride: 1}},
	} {
		for _, isa := range run.PlainISAs() {
			t.Run(tc.name+"/isa="+isa, func(t *testing.T) {
				compare(t, Options{ISA: isa, Scaling: Scale(2, -1)}, tc.out, tc.a, tc.b)
				compare(t, Options{ISA: isa}, tc.out, tc.a, tc.b)
			})
		}
	}
}

// TestMatMulConcurrent: many goroutines, many shapes, all variants.
func TestMatMulConcurrent(t *testing.T) {
	defer SetThreads(Threads())
	SetThreads(4)
	isas := ISAs()
	var wg sync.WaitGroup
	for g := range 32 {
		wg.Go(func() {
			r := rand.New(level.PCG(uint64(g), 3))
			small := func() float64 { return float64(r.IntN(5) - 2) }
			small32 := func() float32 { return float32(r.IntN(5) - 2) }
			for at := range 12 {
				m, n, k := 1+r.IntN(60), 1+r.IntN(60), 1+r.IntN(60)
				if at == 0 && g%4 == 0 {
					m, n, k = 150+g, 170, 180 // for several threads
				}
				opt := Options{ISA: isas[(g+at)%len(isas)], Threads: r.IntN(5)}
				oa, ob, oc := order(r.IntN(3)), order(r.IntN(3)), order(r.IntN(3))
				if g%2 == 0 {
					compare(t, opt, matrix(oc, m, n, small), matrix(oa, m, k, small), matrix(ob, k, n, small))
				} else {
					compare(t, opt, matrix(oc, m, n, small32), matrix(oa, m, k, small32), matrix(ob, k, n, small32))
				}
			}
		})
	}
	wg.Wait()
}

// TestMatMulAllocs: after the first call of its kind, a call allocates nothing.
func TestMatMulAllocs(t *testing.T) {
	t.Run("f32", testMatMulAllocs[float32])
	t.Run("f64", testMatMulAllocs[float64])
	x := matrix(rowMajor, 60, 60, func() float64 { return 1 }).Data
	y := make([]float64, 60*60)
	allocs(t, "Dgemm", func() {
		BLAS64{}.Dgemm(blas.NoTrans, blas.Trans, 60, 60, 60, 1, x, 60, x, 60, 1, y, 60)
	})
	x32 := matrix(rowMajor, 60, 60, func() float32 { return 1 }).Data
	y32 := make([]float32, 60*60)
	allocs(t, "Sgemm", func() {
		BLAS32{}.Sgemm(blas.Trans, blas.NoTrans, 60, 60, 60, 2, x32, 60, x32, 60, 0, y32, 60)
	})
}

func testMatMulAllocs[T dtype.Float](t *testing.T) {
	one := func() T { return 1 }
	for v, isa := range SomeISAs() {
		// In place, packed because of its size, several blocks of k, several threads.
		for _, s := range [][3]int{{8, 9, 10}, {40, 50, 60}, {200, 120, 180}, {10, 20, 1100}, {3, 5, 8200}} {
			m, n, k := s[0], s[1], s[2]
			if isa == run.Portable && k < 1000 {
				m, n = min(m, 60), min(n, 50) // enough for threads
			}
			for at := range 9 {
				if level.Of((at+v+m)%9 > 0, (at+v+m)%3 > 0, false) {
					continue
				}
				oa, ob := order(at%3), order(at/3)
				a, b, out := matrix(oa, m, k, one), matrix(ob, k, n, one), matrix(order(at*4%9/3), m, n, one)
				for _, threads := range []int{1, 2} {
					opt := Options{ISA: isa, Threads: threads, Scaling: Scale(1+0.5*float64(at%2), 0)}
					allocs(t, fmt.Sprintf("%v %+v, a %v, b %v", s, opt, oa, ob), func() { MatMulOpt(opt, out, a, b) })
				}
			}
		}
	}
	a, out := matrix(rowMajor, 30, 30, one), matrix(rowMajor, 30, 30, one)
	allocs(t, "MatMul", func() { MatMul(out, a, a) })
}

// allocs calls f often. The helpers' memory grows when they first get that much
// work, which may be at any call, so it tries again; what allocates in each call
// does so every time.
func allocs(t *testing.T, what string, f func()) {
	t.Helper()
	n := 0.0
	for range 20 {
		if n = testing.AllocsPerRun(4, f); n == 0 {
			return
		}
	}
	t.Fatalf("%s: %v allocations a call", what, n)
}

// TestSymbols: a profile names kernels by what they are.
func TestSymbols(t *testing.T) {
	if !slices.Contains(ISAs(), "avx512") {
		t.Skip("needs a machine with AVX-512 and the assembly") // kernels are linked, but ISAs tells builds apart
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Skip("the program is not an ELF file: ", err)
	}
	defer f.Close()
	// What the run time itself, and so pprof, takes names from; go test strips the
	// symbol table.
	lines, text := f.Section(".gopclntab"), f.Section(".text")
	if lines == nil || text == nil {
		t.Skip("no .gopclntab")
	}
	data, err := lines.Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		t.Fatal(err)
	}
	const path = "github.com/tilesmith/tilesmith/cpu/kern/"
	for _, name := range []string{
		"gemmf.sGEMM_avx512_9x48", "gemmf.sGEMM_avx512_1x16tail", "gemmf.sGEMM_avx2_6x16", "gemmf.sGEMM_avx512_packcols",
		"gemmf.dGEMM_avx512_9x24", "gemmf.dGEMM_avx2_6x8tail", "gemmf.dGEMM_avx2_packrows8",
	} {
		fn := table.LookupFunc(path + name)
		if fn == nil {
			t.Errorf("no function %s", path+name)
			continue
		}
		if file, line, _ := table.PCToLine(fn.Entry); line == 0 || file == "" {
			t.Errorf("%s has no source line", name)
		}
	}
}

// BenchmarkPortableVsGonum compares the portable code with gonum's on one thread,
// in one run. With -tags noasm gonum too is plain Go.
func BenchmarkPortableVsGonum(b *testing.B) {
	for _, n := range []int{16, 64, 256, 512} {
		for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			portableVsGonum(b, n, tB, BLAS32{}.gonumSgemm)
			portableVsGonum(b, n, tB, BLAS64{}.gonumDgemm)
		}
	}
}

func (BLAS32) gonumSgemm(tB blas.Transpose, n int, x, y, z []float32) {
	gonum.Implementation{}.Sgemm(blas.NoTrans, tB, n, n, n, 1, x, n, y, n, 0, z, n)
}

func (BLAS64) gonumDgemm(tB blas.Transpose, n int, x, y, z []float64) {
	gonum.Implementation{}.Dgemm(blas.NoTrans, tB, n, n, n, 1, x, n, y, n, 0, z, n)
}

func portableVsGonum[T dtype.Float](b *testing.B, n int, tB blas.Transpose, theirs func(tB blas.Transpose, n int, x, y, z []T)) {
	at := 0
	next := func() T { at++; return T(1 + at%7) } // no zeros, which gonum skips
	x, y, out := matrix(rowMajor, n, n, next), matrix(rowMajor, n, n, next), layout.New[T](n, n)
	my := y
	if tB != blas.NoTrans {
		my = y.T()
	}
	for _, impl := range []struct {
		name string
		f    func()
	}{
		{"portable", func() { MatMulOpt(Options{ISA: run.Portable, Threads: 1}, out, x, my) }},
		{"gonum", func() { theirs(tB, n, x.Data, y.Data, out.Data) }},
	} {
		b.Run(fmt.Sprintf("prec=%v/n=%d/tB=%c/impl=%s", dtype.Of[T](), n, tB, impl.name), func(b *testing.B) {
			for b.Loop() {
				impl.f()
			}
			b.ReportMetric(2*float64(n)*float64(n)*float64(n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}

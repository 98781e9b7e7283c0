package sparse_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/graph"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
	"github.com/tilesmith/tilesmith/sparse/internal/value"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// TestValues holds every type of values to what the definition says of dense matrices in it.
func TestValues(t *testing.T) {
	eachValue(t, func(r *rand.Rand) float32 { return float32(r.IntN(9) - 4) })
	eachValue(t, func(r *rand.Rand) float64 { return float64(r.IntN(9) - 4) })
	eachValue(t, func(r *rand.Rand) complex64 { return complex(float32(r.IntN(9)-4), float32(r.IntN(5)-2)) })
	eachValue(t, func(r *rand.Rand) complex128 { return complex(float64(r.IntN(9)-4), float64(r.IntN(5)-2)) })
	eachValue(t, func(r *rand.Rand) int8 { return int8(r.Uint32()) })
	eachValue(t, func(r *rand.Rand) int16 { return int16(r.Uint32()) })
	eachValue(t, func(r *rand.Rand) int32 { return int32(r.Uint32()) })
	eachValue(t, func(r *rand.Rand) int64 { return int64(r.Uint64()) })
	eachValue(t, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
	eachValue(t, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) })
	eachValue(t, func(r *rand.Rand) uint32 { return r.Uint32() })
	eachValue(t, func(r *rand.Rand) uint64 { return r.Uint64() >> 1 })
}

func eachValue[T dtype.Value](t *testing.T, draw func(r *rand.Rand) T) {
	r := rand.New(level.PCG(1, 2))
	random := func(rows, cols int) sparse.Matrix[T] {
		b := sparse.NewBuilder[T](rows, cols)
		for range rows * cols / 2 { // some places twice
			b.Add(r.IntN(rows), r.IntN(cols), draw(r))
		}
		return sparsetest.Must(b.Matrix())
	}
	a, b, p := random(7, 5), random(7, 5), random(3, 2)
	t.Run(dtype.Name[T](), func(t *testing.T) {
		check := func(what string, m sparse.Matrix[T], rows, cols int, want func(i, j int) T) {
			t.Helper()
			if m.Rows() != rows || m.Cols() != cols {
				t.Errorf("%s: %v, want %d x %d", what, m, rows, cols)
				return
			}
			d := m.ToDense()
			for i := range rows {
				for j := range cols {
					if m.At(i, j) != want(i, j) || d.At(i, j) != want(i, j) {
						t.Errorf("%s: (%d, %d) is %v and dense %v, want %v", what, i, j, m.At(i, j), d.At(i, j), want(i, j))
						return
					}
				}
			}
		}
		two := T(2)
		stored := map[[2]int]bool{} // by a, zeros among them
		for e := range a.All() {
			stored[[2]int{e.I, e.J}] = true
		}
		check("dense", sparsetest.Must(sparse.FromDense(a.ToDense())), 7, 5, a.At)
		check("add", sparsetest.Must(a.Add(b)), 7, 5, func(i, j int) T { return a.At(i, j) + b.At(i, j) })
		check("multiply", sparsetest.Must(a.Multiply(b)), 7, 5, func(i, j int) T { return a.At(i, j) * b.At(i, j) })
		check("union", sparsetest.Must(a.Union(b, func(x, y T) T { return x - y })), 7, 5, func(i, j int) T {
			if !stored[[2]int{i, j}] {
				return b.At(i, j)
			}
			return a.At(i, j) - b.At(i, j)
		})
		check("combine", sparsetest.Must(a.Combine(b, func(x, y T) T { return x - y })), 7, 5, func(i, j int) T { return a.At(i, j) - b.At(i, j) })
		check("scale", a.Scale(two), 7, 5, func(i, j int) T { return two * a.At(i, j) })
		check("rows", sparsetest.Must(a.ScaleRows(aggregate.RowMax(a))), 7, 5, func(i, j int) T { return aggregate.RowMax(a)[i] * a.At(i, j) })
		check("columns", sparsetest.Must(a.ScaleCols(aggregate.ColMin(a))), 7, 5, func(i, j int) T { return aggregate.ColMin(a)[j] * a.At(i, j) })
		check("transpose", a.Transpose(), 5, 7, func(i, j int) T { return a.At(j, i) })
		check("slice", a.Slice(1, 6, 2, 4), 5, 2, func(i, j int) T { return a.At(i+1, j+2) })
		check("take", sparsetest.Must(a.TakeRows([]int{3, 3, 0})), 3, 5, func(i, j int) T { return a.At([]int{3, 3, 0}[i], j) })
		check("stack", sparsetest.Must(sparse.HStack(a, b)), 7, 10, func(i, j int) T { return []sparse.Matrix[T]{a, b}[j/5].At(i, j%5) })
		check("kron", sparsetest.Must(sparse.Kron(p, a)), 21, 10, func(i, j int) T { return p.At(i/7, j/5) * a.At(i%7, j%5) })
		check("tril", a.Tril(-1), 7, 5, func(i, j int) T {
			if j >= i {
				return 0
			}
			return a.At(i, j)
		})
		check("identity", sparsetest.Must(sparse.Identity[T](4)), 4, 4, func(i, j int) T {
			if i == j {
				return 1
			}
			return 0
		})
		for _, f := range formats {
			if q, err := format.Pack(a, f); err == nil {
				check(f.Name, q.Matrix(), 7, 5, a.At)
			}
		}
		if s, err := rule.Decompose(a, rule.Hyb(2, 2)); err != nil || !s.Matrix().Equal(a) {
			t.Errorf("decomposed: %v, %v", s, err)
		}
		rows, cols := aggregate.RowSums(a), aggregate.ColSums(a)
		for e, v := range a.All() {
			rows[e.I] -= v
			cols[e.J] -= v
		}
		if slices.ContainsFunc(slices.Concat(rows, cols), func(x T) bool { return x != 0 }) {
			t.Errorf("sums are wrong by %v and %v", rows, cols)
		}
		k := value.Of[T]()
		for i := range a.Rows() {
			least, most := k.Most, k.Least
			for j := range a.Cols() {
				if v := a.At(i, j); k.Less(v, least) {
					least = v
				}
				if v := a.At(i, j); k.Less(most, v) {
					most = v
				}
			}
			if aggregate.RowMin(a)[i] != least || aggregate.RowMax(a)[i] != most || a.At(i, aggregate.RowArgMax(a)[i]) != most {
				t.Errorf("row %d is from %v to %v, want %v to %v", i, aggregate.RowMin(a)[i], aggregate.RowMax(a)[i], least, most)
			}
		}
		square := 0.0
		for _, v := range a.All() {
			x := real(k.Number(v))*real(k.Number(v)) + imag(k.Number(v))*imag(k.Number(v))
			square += x
		}
		if have := aggregate.NormFrobenius(a); math.Abs(have-math.Sqrt(square)) > 1e-12*have {
			t.Errorf("norm %v, want %v", have, math.Sqrt(square))
		}
		for name, write := range map[string]func(w *bytes.Buffer) error{
			"mtx": func(w *bytes.Buffer) error { return files.WriteMatrixMarket(w, a) },
			"npz": func(w *bytes.Buffer) error { return files.WriteNPZ(w, a) },
		} {
			var w bytes.Buffer
			if err := write(&w); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if m, err := files.Read[T](&w, mtx.Options{}); err != nil || !m.Equal(a) {
				t.Errorf("%s: %v, %v", name, m, err)
			}
		}
		if !strings.HasSuffix(a.String(), " "+dtype.Name[T]()) {
			t.Error(a)
		}
	})
}

// TestNamesOfValues: short names are those of kernels' types, and NumPy's.
func TestNamesOfValues(t *testing.T) {
	have := fmt.Sprint(dtype.Name[float32](), dtype.Name[dtype.F8E4M3](), dtype.Name[int8](), dtype.Name[uint64](), dtype.Name[complex64](), dtype.Name[dtype.BF16]())
	if have != "f32 e4m3 i8 u64 c64 bf16" && have != "f32e4m3i8u64c64bf16" {
		t.Error(have)
	}
}

// TestExtremesOfValues: rows without columns, and complex numbers, which NumPy orders by their real parts first.
func TestExtremesOfValues(t *testing.T) {
	if m := sparsetest.Must(sparse.FromCOO[int16, int](1, 0, nil, nil, nil)); aggregate.RowMax(m)[0] != math.MinInt16 || aggregate.RowMin(m)[0] != math.MaxInt16 {
		t.Errorf("of nothing: %v, %v", aggregate.RowMax(m), aggregate.RowMin(m))
	}
	m := sparsetest.Must(sparse.FromCOO(1, 4, []int{0, 0, 0}, []int{0, 1, 3}, []complex128{1 + 2i, 1 + 3i, -1i}))
	if aggregate.RowMax(m)[0] != 1+3i || aggregate.RowArgMax(m)[0] != 1 || aggregate.RowMin(m)[0] != -1i {
		t.Errorf("%v at %v, %v", aggregate.RowMax(m), aggregate.RowArgMax(m), aggregate.RowMin(m))
	}
	nan := sparsetest.Must(sparse.FromCOO(1, 2, []int{0, 0}, []int{0, 1}, []complex128{5, complex(0, math.NaN())}))
	if aggregate.RowArgMax(nan)[0] != 1 || aggregate.RowArgMin(nan)[0] != 1 || !math.IsNaN(aggregate.NormMax(nan)) {
		t.Errorf("NaN: %v, %v, %v", aggregate.RowArgMax(nan), aggregate.RowArgMin(nan), aggregate.NormMax(nan))
	}
}

// TestConvert: what the other type holds, and what it refuses by name.
func TestConvert(t *testing.T) {
	m := sparsetest.Must(sparse.FromCOO(1, 3, []int{0, 0, 0}, []int{0, 1, 2}, []int64{1<<53 + 1, -3, 7}))
	if c := sparsetest.Must(sparse.Convert[int64](sparsetest.Must(sparse.Convert[complex128](m)))); c.At(0, 0) != 1<<53 || c.At(0, 1) != -3 {
		t.Errorf("through complex128: %v", c.ToDense().Data)
	}
	if c := sparsetest.Must(sparse.Convert[int64](m)); !c.Equal(m) {
		t.Error("to itself it is another")
	}
	big := sparsetest.Must(sparse.FromCOO(1, 1, []int{0}, []int{0}, []uint64{math.MaxUint64}))
	if v := sparsetest.Must(sparse.Convert[float64](big)).At(0, 0); v != 1<<64 {
		t.Errorf("the largest u64 is %v", v)
	}
	if v := sparsetest.Must(sparse.Convert[float32](sparsetest.Must(sparse.FromCOO(1, 1, []int{0}, []int{0}, []float64{math.Copysign(0, -1)})))).At(0, 0); !math.Signbit(float64(v)) {
		t.Error("-0 became 0")
	}
	for what, err := range map[string]error{
		"-3, which u32 cannot hold":         errOf(sparse.Convert[uint32](sparsetest.Must(sparse.FromCOO(1, 1, []int{0}, []int{0}, []int8{-3})))),
		"200, which i8 cannot hold":         errOf(sparse.Convert[int8](sparsetest.Must(sparse.FromCOO(1, 1, []int{0}, []int{0}, []float64{200})))),
		"1.5, which i64 cannot hold":        errOf(sparse.Convert[int64](sparsetest.Must(sparse.FromCOO(1, 1, []int{0}, []int{0}, []float32{1.5})))),
		"NaN, which i64 cannot hold":        errOf(sparse.Convert[int64](sparsetest.Must(sparse.FromCOO(1, 1, []int{0}, []int{0}, []float64{math.NaN()})))),
		"(1+2i), which f64 cannot hold":     errOf(sparse.Convert[float64](sparsetest.Must(sparse.FromCOO(1, 1, []int{0}, []int{0}, []complex64{1 + 2i})))),
		"9.223372036854776e+18, which i64 ": errOf(sparse.Convert[int64](sparsetest.Must(sparse.FromCOO(1, 1, []int{0}, []int{0}, []float64{1 << 63})))),
	} {
		if !errors.Is(err, sparse.ErrValue) || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %q", err, what)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }

// TestFilesOfValues: files of other fields than the matrix has.
func TestFilesOfValues(t *testing.T) {
	const banner = "%%MatrixMarket matrix coordinate "
	if m, err := files.Read[complex64](strings.NewReader(banner+"complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 -2\n"), mtx.Options{}); err != nil || m.At(0, 1) != 1+2i || m.At(1, 0) != 1-2i {
		t.Errorf("hermitian: %v, %v", m, err)
	}
	if m, err := files.Read[int64](strings.NewReader(banner+"integer skew-symmetric\n2 2 1\n2 1 9007199254740993\n"), mtx.Options{}); err != nil || m.At(0, 1) != -9007199254740993 {
		t.Errorf("beyond 2^53: %v, %v", m, err)
	}
	if m, err := files.Read[int8](strings.NewReader(banner+"pattern symmetric\n2 2 1\n2 1\n"), mtx.Options{}); err != nil || m.At(0, 1) != 1 {
		t.Errorf("pattern: %v, %v", m, err)
	}
	if m, err := files.Read[uint8](strings.NewReader(banner+"real general\n2 2 1\n2 1 2.5e1\n"), mtx.Options{}); err != nil || m.At(1, 0) != 25 {
		t.Errorf("real: %v, %v", m, err)
	}
	for text, want := range map[string]error{
		"real general\n2 2 1\n2 1 2.5\n":       sparse.ErrValue,
		"integer general\n2 2 1\n2 1 256\n":    sparse.ErrValue,
		"integer general\n2 2 1\n2 1 -1\n":     sparse.ErrValue,
		"complex general\n2 2 1\n2 1 1 0\n":    mtx.ErrComplex,
		"real general\n2 2 1\n2 1 nan\n":       sparse.ErrValue,
		"real general\n2 2 1\n2 1 1.8e19\n":    sparse.ErrValue,
		"integer symmetric\n2 2 1\n2 1 1000\n": sparse.ErrValue,
	} {
		if _, err := files.Read[uint8](strings.NewReader(banner+text), mtx.Options{}); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if _, err := sparse.FromDoer[int32](sparsetest.Must(sparse.FromCOO(1, 1, []int{0}, []int{0}, []float64{0.5}))); !errors.Is(err, sparse.ErrValue) {
		t.Errorf("a Doer of fractions: %v", err)
	}
	if _, err := graph.Of(sparsetest.Must(sparse.Identity[complex64](2))); !errors.Is(err, sparse.ErrValue) {
		t.Errorf("a complex graph: %v", err)
	}
	if g, err := graph.Of(sparsetest.Must(sparse.Identity[int32](2))); err != nil {
		t.Error(err)
	} else if w, ok := g.Weight(1, 1); w != 1 || !ok {
		t.Errorf("an edge of %v, %v", w, ok)
	} else if m, _, err := graph.Adjacency[uint16](g); err != nil || m.At(1, 1) != 1 {
		t.Errorf("from a graph: %v, %v", m, err)
	}
	defer func() {
		if p := fmt.Sprint(recover()); !strings.Contains(p, "2 x 2 with 2 entries of c64; want real ones") {
			t.Error(p)
		}
	}()
	sparsetest.Must(sparse.Identity[complex64](2)).DoNonZero(func(int, int, float64) {})
}

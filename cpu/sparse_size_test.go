package cpu

import (
	"math"
	"runtime"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// allocated returns how many bytes f allocates in all, freed or not.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// scratch is what a call may allocate beside what goes with its operands: the buffers
// of workers and, in bytes of elements, what it keeps between calls.
const scratch = 256 << 20

// repeated is a matrix of which the columns are all one, and of the rows too if rows is
// false: a few elements are a matrix of any size.
func repeated[T dtype.Float](m, n int, rows bool) layout.Matrix[T] {
	x := layout.Matrix[T]{Data: []T{2}, Rows: m, Cols: n}
	if rows {
		x.Data, x.RowStride = make([]T, m), 1
		for i := range x.Data {
			x.Data[i] = 2
		}
	}
	return x
}

// corner is a matrix of m x k with an entry in each corner that it has.
func corner[T dtype.Float](t *testing.T, m, k int) sparse.Matrix[T] {
	t.Helper()
	a, err := sparse.FromCOO(m, k, []int{0, 0, m - 1, m - 1}, []int{0, k - 1, 0, k - 1}, []T{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestRepeatedOperands: products with matrices of a few elements and strides of 0 are
// right, and take memory that goes with what there is, not with what is repeated.
func TestRepeatedOperands(t *testing.T) {
	if testing.Short() {
		t.Skip("large matrices")
	}
	for i, isa := range run.PlainISAs() {
		t.Run(isa, func(t *testing.T) {
			if i%2 == 0 || level.Long() {
				testRepeated[float32](t, isa)
			}
			if i%2 == 1 || level.Long() {
				testRepeated[float64](t, isa)
			}
		})
	}
}

func testRepeated[T dtype.Float](t *testing.T, isa string) {
	opt := Options{ISA: isa, Threads: 1}
	for _, size := range [][2]int{{1 << 16, 1 << 16}, {1<<16 - 1, 1<<16 + 1}, {1 << 20, 1 << 10}} {
		k, n := size[0], size[1]
		if n%2 == 1 && !level.Long() {
			continue // beside a power of two
		}
		a := corner[T](t, 2, k)
		bsr, err := format.Pack(a, format.BSR(2))
		if err != nil {
			t.Fatal(err)
		}
		csc, err := format.Pack(a, format.CSC)
		if err != nil {
			t.Fatal(err)
		}
		pruned := Prune(a)
		for _, rows := range []bool{true, false} {
			b := repeated[T](k, n, rows)
			for what, f := range map[string]func(out layout.Matrix[T]){
				"rows":   func(out layout.Matrix[T]) { SpMMOpt(opt, out, a, b) },
				"bsr":    func(out layout.Matrix[T]) { SpMMOpt(opt, out, bsr, b) },
				"csc":    func(out layout.Matrix[T]) { SpMMOpt(opt, out, csc, b) },
				"pruned": func(out layout.Matrix[T]) { MulPruned(opt, out, pruned, b) },
			} {
				out := layout.New[T](2, n)
				if bytes := allocated(func() { f(out) }); bytes > scratch {
					t.Errorf("%s, %d x %d, rows %v: %d bytes", what, k, n, rows, bytes)
				}
				for i := range 2 {
					for j := range n {
						if want := T(2*(1+2) + 8*i); out.At(i, j) != want {
							t.Fatalf("%s, %d x %d, rows %v: (%d, %d) is %v, want %v", what, k, n, rows, i, j, out.At(i, j), want)
						}
					}
				}
			}
			x, y := repeated[T](2, n, true), repeated[T](k, n, rows)
			values := make([]T, a.NNZ())
			if bytes := allocated(func() { SDDMMInto(SDDMMOptions{Options: opt}, values, a, x, y) }); bytes > scratch {
				t.Errorf("SDDMM, %d x %d, rows %v: %d bytes", k, n, rows, bytes)
			}
			for e, v := range a.All() {
				if want := 4 * T(n) * v; values[e.K] != want {
					t.Errorf("SDDMM, %d x %d, rows %v: entry %d is %v, want %v", k, n, rows, e.K, values[e.K], want)
				}
			}
			out := layout.New[T](2, n)
			if bytes := allocated(func() { GraphAttention(AttentionOptions{Options: opt}, out, a, repeated[T](2, n, true), y, b) }); bytes > scratch {
				t.Errorf("attention, %d x %d, rows %v: %d bytes", k, n, rows, bytes)
			}
			for j := range n {
				if out.At(0, j) != 2 || out.At(1, j) != 2 {
					t.Fatalf("attention, %d x %d, rows %v: column %d is %v and %v, want 2", k, n, rows, j, out.At(0, j), out.At(1, j))
				}
			}
		}
	}
}

// TestRepeatedColumns: where a has more entries than b has rows, b is copied some columns
// at a time.
func TestRepeatedColumns(t *testing.T) {
	const k, n = 1 << 11, 1 << 13 // 64 MB and more
	for i, isa := range SomeISAs() {
		t.Run(isa, func(t *testing.T) {
			if level.Of(i == 0, true, true) {
				testRepeatedColumns[float32](t, isa, k, n)
			}
			if level.Of(i > 0, true, true) {
				testRepeatedColumns[float64](t, isa, k, n)
			}
		})
	}
}

func testRepeatedColumns[T dtype.Float](t *testing.T, isa string, k, n int) {
	var rows, cols []int
	var values []T
	for j := range k {
		rows, cols, values = append(rows, 0, 1), append(cols, j, j), append(values, 1, 3)
	}
	a, err := sparse.FromCOO(2, k, rows, cols, values)
	if err != nil {
		t.Fatal(err)
	}
	b, out := repeated[T](k, n, true), layout.New[T](2, n)
	for i := range out.Data {
		out.Data[i] = 5
	}
	SpMMOpt(Options{ISA: isa, Scaling: Scale(2, 1)}, out, a, b)
	for i := range 2 {
		for j := range n {
			if have, want := out.At(i, j), T(5+4*k*(1+2*i)); have != want {
				t.Fatalf("(%d, %d) is %v, want %v", i, j, have, want)
			}
		}
	}
}

// TestPrunedSizes: blocks take no more than entries and rows do, whatever the sizes.
func TestPrunedSizes(t *testing.T) {
	for _, s := range [][3]int{{1 << 16, 1 << 16, 4}, {3, 1 << 27, 5}, {1, 1 << 27, 1}, {1, 1 << 27, 1 << 16}, {1 << 20, 1 << 20, 16}, {1 << 21, 3, 5}}[:level.Of(3, 6, 6)] {
		m, k, nnz := s[0], s[1], s[2]
		b := sparse.NewBuilder[float32](m, k)
		for e := range nnz {
			b.Add(e%m, int(int64(e)*int64(k)/int64(nnz)), 1)
		}
		a, err := b.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		var p interface{ NNZ() int }
		limit := int64(32<<20) + 64*int64(m) + 1024*int64(nnz)
		if n := allocated(func() { p = Prune(a) }); n > limit || p.NNZ() != nnz {
			t.Errorf("%d x %d with %d entries: %d bytes, %d entries", m, k, nnz, n, p.NNZ())
		}
	}
}

// TestZeroSparse: zero values are 0 x 0, or refused, in every product.
func TestZeroSparse(t *testing.T) {
	var m sparse.Matrix[float64]
	var p format.Packed[float64]
	var s rule.Sum[float64]
	var d layout.Matrix[float64]
	for _, isa := range run.PlainISAs() {
		opt := Options{ISA: isa}
		SpMMOpt(opt, d, m, d)
		SpMMOpt(opt, d, p, d)
		SpMMOpt(opt, d, s, d)
		SpMVOpt(opt, d.Data, m, d.Data)
		SpMVOpt(opt, d.Data, p, d.Data)
		SpMVOpt(opt, d.Data, s, d.Data)
		SDDMMInto(SDDMMOptions{Options: opt}, nil, m, d, d)
		GraphAttention(AttentionOptions{Options: opt}, d, m, d, d, d)
		MulPruned(opt, d, Prune(m), d)
		opt.Scaling = Scale(math.Inf(1), 1)
		SpMMOpt(opt, d, m, d)
		SpMMOpt(opt, d, p, d)
		SpMMOpt(opt, d, s, d)
		opt = Options{ISA: isa}
		if !SDDMM(m, d, d).Equal(m) {
			t.Error("SDDMM of nothing is something")
		}
		one := layout.New[float64](1, 1)
		for what, f := range map[string]func(){
			"rows":    func() { SpMMOpt(opt, one, m, d) },
			"packed":  func() { SpMMOpt(opt, one, p, d) },
			"sum":     func() { SpMMOpt(opt, one, s, d) },
			"SpMV":    func() { SpMVOpt(opt, one.Data, m, d.Data) },
			"blocks":  func() { SpMMBlocks(opt, d, p, d) },
			"SDDMM":   func() { SDDMM(m, one, d) },
			"pruned":  func() { MulPruned(opt, one, Prune(m), d) },
			"nothing": func() { MulPruned(opt, d, nil, d) },
		} {
			if !refusedShape(f) {
				t.Errorf("%s: not refused", what)
			}
		}
	}
}

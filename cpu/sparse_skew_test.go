package cpu

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// digits fills a matrix with small integers, of which every sum is exact.
func digits(rng *rand.Rand, m layout.Matrix[float32]) layout.Matrix[float32] {
	for i := range m.Data {
		m.Data[i] = float32(rng.IntN(5) - 2)
	}
	return m
}

// A row, and a column, with most of the entries: long rows are several calls into
// assembly in every format, and short ones before and after them are met once.
func TestSpMMLongRow(t *testing.T) {
	if testing.Short() {
		t.Skip("a row of 70,000 entries")
	}
	rng := rand.New(level.PCG(1, 1))
	const m, k = 61, 70000
	b := sparse.NewBuilder[float32](m, k)
	for j := range k {
		b.Add(17, j, float32(rng.IntN(5)-2))
		b.Add(rng.IntN(m/3)*3, rng.IntN(k), 1)
		b.Add(rng.IntN(m/3)*3, 7, 1)
	}
	a, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	x, c := digits(rng, layout.New[float32](k, 40)), digits(rng, layout.New[float32](m, 40))
	want := layout.New[float32](m, 40)
	for i, v := range c.Data {
		want.Data[i] = 3 * v
	}
	for e, v := range a.All() {
		for j := range 40 {
			want.Data[e.I*40+j] += 2 * v * x.At(e.J, j)
		}
	}
	eachISA(t, func(t *testing.T, isa string) {
		for at, f := range []format.Format{format.CSR, format.CSC, format.COO, format.DCSR, format.DELL(8), format.SELL(4, 16), format.Ragged, format.SRBCRS(4, 8), format.BSR(4), format.DBSR(2)} {
			p, err := format.Pack(a, f)
			if err != nil {
				continue // ragged rows begin at column 0
			}
			for _, strided := range []bool{false, true} {
				if !level.Long() && strided != ((at+len(isa)/2)%2 == 0) {
					continue
				}
				out := layout.New[float32](m, 40)
				if strided {
					out = layout.ColMajor(make([]float32, m*40), m, 40)
				}
				for i := range m {
					for j := range 40 {
						out.Set(i, j, c.At(i, j))
					}
				}
				SpMMOpt(Options{ISA: isa, Threads: 3, Scaling: Scale(2, 3)}, out, p, x)
				for i := range m {
					for j := range 40 {
						if out.At(i, j) != want.At(i, j) {
							t.Fatalf("%s, strided %v: element (%d, %d) is %v, want %v", f, strided, i, j, out.At(i, j), want.At(i, j))
						}
					}
				}
			}
		}
	})
}

// Entries so many rows apart that no call passes all of the rows between them.
func TestSDDMMFarRows(t *testing.T) {
	rng := rand.New(level.PCG(1, 1))
	const m, n, f = 200000, 50, 20
	var i, j []int
	for row := 3; row < m; row += 1 + rng.IntN(4)*rng.IntN(9000) {
		for range 1 + rng.IntN(5) {
			i, j = append(i, row), append(j, rng.IntN(n))
		}
	}
	s, err := sparse.FromCOO(m, n, i, j, make([]float32, len(i)))
	if err != nil {
		t.Fatal(err)
	}
	a, b := digits(rng, layout.New[float32](m, f)), digits(rng, layout.New[float32](n, f))
	eachISA(t, func(t *testing.T, isa string) {
		out := make([]float32, s.NNZ())
		SDDMMInto(SDDMMOptions{Options: Options{ISA: isa}, Pattern: true}, out, s, a, b)
		for e := range s.All() {
			want := float32(0)
			for c := range f {
				want += a.At(e.I, c) * b.At(e.J, c)
			}
			if out[e.K] != want {
				t.Fatalf("entry %d at (%d, %d) is %v, want %v", e.K, e.I, e.J, out[e.K], want)
			}
		}
	})
}

// A mask of -Inf that covers a whole piece of a long row takes its entries out, and
// no others.
func TestGraphAttentionMaskedPiece(t *testing.T) {
	const n = 20000
	for _, masked := range []struct{ from, to int }{{0, 9000}, {8000, 20000}, {1, n}} {
		i, j, bias := make([]int, n), make([]int, n), make([]float32, n)
		for k := range n {
			if j[k] = k; k >= masked.from && k < masked.to {
				bias[k] = float32(math.Inf(-1))
			}
		}
		s, err := sparse.FromCOO(1, n, i, j, bias)
		if err != nil {
			t.Fatal(err)
		}
		q, v := layout.New[float32](1, 3), layout.New[float32](n, 2)
		for k := range n {
			v.Set(k, 0, 1)
			if bias[k] != 0 {
				v.Set(k, 1, 1)
			}
		}
		eachISA(t, func(t *testing.T, isa string) {
			out := layout.New[float32](1, 2)
			GraphAttention(AttentionOptions{Options: Options{ISA: isa}, Bias: true}, out, s, q, layout.New[float32](n, 3), v)
			if math.Abs(float64(out.At(0, 0)-1)) > 1e-4 || out.At(0, 1) != 0 {
				t.Errorf("masked %v: out is %v, want 1 and 0", masked, out.Data)
			}
		})
	}
}

// The blocks of a matrix that is nearly empty are few, however large it is.
func TestPruneNearlyEmpty(t *testing.T) {
	const m, k = 3000, 1 << 17
	corners := func(m, k int) sparse.Matrix[float32] {
		a, err := sparse.FromCOO(m, k, []int{0, m - 1, m - 1}, []int{5, 6, k - 1}, []float32{2, 3, 4})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	var before, after runtime.MemStats
	large := corners(1<<16, 1<<24)
	runtime.ReadMemStats(&before)
	Prune(large)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes for 3 entries of %v", n, large)
	}
	w, x := Prune(corners(m, k)), layout.New[float32](k, 1)
	x.Data[5], x.Data[6], x.Data[k-1] = 1, 10, 100
	eachISA(t, func(t *testing.T, isa string) {
		out := layout.New[float32](m, 1)
		MulPruned(Options{ISA: isa}, out, w, x)
		if out.Data[0] != 2 || out.Data[1] != 0 || out.Data[m-1] != 430 {
			t.Errorf("rows 0, 1 and %d are %v, %v, %v; want 2, 0, 430", m-1, out.Data[0], out.Data[1], out.Data[m-1])
		}
	})
}

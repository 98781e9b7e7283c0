package cpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// narrowed returns x rounded to a type, and what that is in float32.
func narrowed[B dtype.F16 | dtype.BF16](x layout.Matrix[float32], to func(x float32) B, back func(x B) float32) (b layout.Matrix[B], wide layout.Matrix[float32]) {
	b, wide = layout.New[B](x.Rows, x.Cols), layout.New[float32](x.Rows, x.Cols)
	for i, v := range x.Data {
		b.Data[i] = to(v)
		wide.Data[i] = back(b.Data[i])
	}
	return b, wide
}

// TestSpMMOf: features of bf16 and f16 are multiplied as the float32 that they are, in every
// format, at every width, with NaN, infinities and -0.
func TestSpMMOf(t *testing.T) {
	t.Run("bf16", func(t *testing.T) { testSpMMOf(t, dtype.ToBF16[float32], dtype.BF16.Float32) })
	t.Run("f16", func(t *testing.T) { testSpMMOf(t, dtype.ToF16[float32], dtype.F16.Float32) })
}

func testSpMMOf[B dtype.F16 | dtype.BF16](t *testing.T, to func(x float32) B, back func(x B) float32) {
	skew, err := sample.EmptyRows[float32](90, 70, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	long, err := sample.DenseRow[float32](40, 3000, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	none, _ := sparse.FromCOO[float32, int32](4, 5, nil, nil, nil)
	for _, isa := range SomeISAs() {
		for k, a := range []sparse.Matrix[float32]{sample.Integers(skew, 3, 1), sample.Integers(long, 3, 2), none} {
			for _, n := range level.Of([]int{1, 16, 31}, []int{0, 1, 7, 8, 16, 31, 100, 150}, []int{0, 1, 7, 8, 16, 31, 64, 100, 128, 150, 257}) {
				x := layout.New[float32](a.Cols(), n)
				for i := range x.Data {
					x.Data[i] = float32(i%17-8) / 4
				}
				for i, v := range []float32{float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1)), float32(math.Inf(-1))} {
					if len(x.Data) > 40 {
						x.Data[9*i] = v
					}
				}
				b, wide := narrowed(x, to, back)
				opt := Options{ISA: isa, Threads: 1 + n%3}
				if n%2 == 1 { // by columns
					c := layout.New[B](n, a.Cols()).T()
					for i := range c.Rows {
						for j := range n {
							c.Set(i, j, b.At(i, j))
						}
					}
					b = c
				}
				want, out := layout.New[float32](a.Rows(), n), layout.New[float32](a.Rows(), n)
				SpMMOpt(opt, want, a, wide)
				for i := range out.Data {
					out.Data[i] = float32(math.NaN())
				}
				SpMMOfOpt[float32](opt, out, a, b)
				if i := differs(out, want); i >= 0 {
					t.Fatalf("isa=%s matrix %d n=%d: element %d is %v, want %v", isa, k, n, i, out.Data[i], want.Data[i])
				}
				opt.Scaling = Scale(2, 1)
				SpMMOfOpt[float32](opt, out, a, b)
				SpMMOpt(opt, want, a, wide)
				if i := differs(out, want); i >= 0 {
					t.Fatalf("isa=%s matrix %d n=%d scaled: element %d is %v, want %v", isa, k, n, i, out.Data[i], want.Data[i])
				}
				opt.Scaling = run.Scaling{}
				p, err := format.Pack(a, format.SELL(4, 8))
				if err != nil {
					t.Fatal(err)
				}
				SpMMOpt(opt, want, p, wide)
				narrow := layout.New[B](a.Rows(), n)
				SpMMOfOpt[float32](opt, narrow, p, b)
				for i, v := range narrow.Data {
					if x, y := back(v), back(to(want.Data[i])); x != y && !(x != x && y != y) {
						t.Fatalf("isa=%s matrix %d n=%d: rounded element %d is %v, want %v", isa, k, n, i, x, y)
					}
				}
			}
		}
	}
}

// differs returns the first element that is not the same, -1 if there is none.
func differs(x, y layout.Matrix[float32]) int {
	for i, v := range x.Data {
		if w := y.Data[i]; v != w && !(v != v && w != w) {
			return i
		}
	}
	return -1
}

// TestSpMMOfTypes: integers and float32 under float64 are copied, and what is no product is refused.
func TestSpMMOfTypes(t *testing.T) {
	a, err := sparse.FromCOO[float64, int32](2, 2, []int32{0, 1}, []int32{1, 0}, []float64{2, 3})
	if err != nil {
		t.Fatal(err)
	}
	out := layout.New[float64](2, 1)
	SpMMOf[float64](out, a, layout.RowMajor([]int8{5, -7}, 2, 1))
	if out.Data[0] != -14 || out.Data[1] != 15 {
		t.Errorf("%v", out.Data)
	}
	single := layout.New[float32](2, 1)
	SpMMOf[float64](single, a, layout.RowMajor([]float32{.5, 1}, 2, 1))
	if single.Data[0] != 2 || single.Data[1] != 1.5 {
		t.Errorf("%v", single.Data)
	}
	defer func() {
		if _, ok := recover().(run.TypeError); !ok {
			t.Error("results of int32 are not refused")
		}
	}()
	SpMMOf[float64](layout.New[int32](2, 1), a, out)
}

// BenchmarkSpMMOf compares features of float32, bf16 and f16, on citation graphs and on one
// with a power law. Half the bytes are at most half the time, where rows of b come from
// beyond L1.
func BenchmarkSpMMOf(b *testing.B) {
	power, err := sample.RMAT[float32](1<<16, 1<<19, .57, .19, .19, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, g := range []struct {
		name string
		a    sparse.Matrix[float32]
	}{{"cora", readGraph[float32](b, "cora")}, {"pubmed", readGraph[float32](b, "pubmed")}, {"rmat16", power}} {
		for _, n := range []int{128, 512} {
			x, out := layout.New[float32](g.a.Cols(), n), layout.New[float32](g.a.Rows(), n)
			for i := range x.Data {
				x.Data[i] = float32(i%1021) / 512
			}
			bf, _ := narrowed(x, dtype.ToBF16[float32], dtype.BF16.Float32)
			half, _ := narrowed(x, dtype.ToF16[float32], dtype.F16.Float32)
			name := fmt.Sprintf("%s/%d/", g.name, n)
			b.Run(name+"f32", func(b *testing.B) { timeSpMM(b, g.a, n, func() { SpMMOf[float32](out, g.a, x) }) })
			b.Run(name+"bf16", func(b *testing.B) { timeSpMM(b, g.a, n, func() { SpMMOf[float32](out, g.a, bf) }) })
			b.Run(name+"f16", func(b *testing.B) { timeSpMM(b, g.a, n, func() { SpMMOf[float32](out, g.a, half) }) })
		}
	}
}

// BenchmarkSpMMStored compares matrices that store values of float32, bf16 and f16, with features of float32. A pattern stores
// none, and is multiplied as if its entries were 1.
func BenchmarkSpMMStored(b *testing.B) {
	power, err := sample.RMAT[float32](1<<16, 1<<19, .57, .19, .19, 1)
	if err != nil {
		b.Fatal(err)
	}
	pruned, err := sample.Uniform[float32](4096, 4096, 410, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, g := range []struct {
		name string
		a    sparse.Matrix[float32]
	}{{"cora", readGraph[float32](b, "cora")}, {"pubmed", readGraph[float32](b, "pubmed")}, {"rmat16", power}, {"pruned", pruned}} {
		bf, half := sparse.NarrowOf[dtype.BF16](g.a), sparse.NarrowOf[dtype.F16](g.a)
		for _, n := range []int{1, 16, 64, 128} {
			x, out := layout.New[float32](g.a.Cols(), n), layout.New[float32](g.a.Rows(), n)
			for i := range x.Data {
				x.Data[i] = float32(i%1021) / 512
			}
			opt := Options{Threads: 1}
			b.Run(fmt.Sprintf("%s/%d", g.name, n), func(b *testing.B) {
				var times [4][]float64
				for b.Loop() {
					for k, f := range []func(){
						func() { SpMMOpt(opt, out, g.a, x) },
						func() { SpMMOfOpt[float32](opt, out, bf, x) },
						func() { SpMMOfOpt[float32](opt, out, half, x) },
						func() { SpMMOpt(opt, out, g.a.Pattern(), x) },
					} {
						times[k] = append(times[k], timed(f))
					}
				}
				single := median(times[0])
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(single*1e6, "us")
				for k, name := range []string{"x-bf16", "x-f16", "x-pattern"} {
					b.ReportMetric(single/median(times[k+1]), name)
				}
			})
		}
	}
}

func timeSpMM(b *testing.B, a sparse.Matrix[float32], n int, f func()) {
	for b.Loop() {
		f()
	}
	b.ReportMetric(2*float64(a.NNZ())*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

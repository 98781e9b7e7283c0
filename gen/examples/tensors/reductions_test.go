package tensors

import (
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
)

// TestFirstOfEquals wants the first of equals, and the first NaN, wherever they are in a row.
func TestFirstOfEquals(t *testing.T) {
	nan := float32(math.NaN())
	for _, n := range []int{0, 1, 2, 15, 16, 17, 33, 64, 71, 200, 1031} {
		for first := 0; first < max(n, 1); first += 1 + n/23 {
			for _, odd := range []float32{7, -7, nan, float32(math.Inf(1)), float32(math.Inf(-1))} {
				x, rowMax, argMax, argMin, rows := layout.New[float32](3, n), make([]float32, 3), make([]int32, 3), make([]int32, 3), make([]int32, n)
				for i := range x.Data {
					x.Data[i] = float32(i * 5 % 3)
				}
				for j := first; j < n; j += 3 {
					x.Set(1, j, odd)
				}
				for _, isa := range append(run.PlainISAs(), run.Portable) {
					ArgMaxArgMinOpt(run.Options{ISA: isa}, argMax, argMin, rowMax, rows, x)
					for i := range 3 {
						wantHigh, wantLow := -1, -1
						for j := range n {
							v := x.At(i, j)
							better := func(at int, more bool) bool {
								if at < 0 {
									return true
								}
								old := x.At(i, at)
								return old == old && (v != v || more && v > old || !more && v < old)
							}
							if better(wantHigh, true) {
								wantHigh = j
							}
							if better(wantLow, false) {
								wantLow = j
							}
						}
						if int(argMax[i]) != wantHigh || int(argMin[i]) != wantLow {
							t.Fatalf("%s, %d columns, %v from %d on: row %d has %d and %d, want %d and %d", isa, n, odd, first, i, argMax[i], argMin[i], wantHigh, wantLow)
						}
					}
				}
			}
		}
	}
}

// TestFirstRow wants the first row of equals, and of NaN, wherever blocks of rows begin.
func TestFirstRow(t *testing.T) {
	for _, m := range []int{0, 1, 2, 63, 64, 65, 1000} {
		const n = 300
		x, rowMax, argMax, argMin, rows := layout.New[float32](m, n), make([]float32, m), make([]int32, m), make([]int32, m), make([]int32, n)
		want := make([]int32, n)
		for j := range n {
			for i := range m {
				x.Set(i, j, float32(i*i%7)) // 4 is the most, from row 2 on
			}
			switch first := j * 13 % max(m, 1); {
			case m == 0:
				want[j] = -1
			case j%3 == 0:
				want[j] = int32(min(2, m-1))
			default:
				odd := []float32{9, float32(math.NaN())}[j%2]
				for i := first; i < m; i += 5 {
					x.Set(i, j, odd)
				}
				want[j] = int32(first)
			}
		}
		for _, isa := range append(run.PlainISAs(), run.Portable) {
			for _, threads := range []int{1, 3} {
				ArgMaxArgMinOpt(run.Options{ISA: isa, Threads: threads}, argMax, argMin, rowMax, rows, x)
				if !slices.Equal(rows, want) {
					t.Fatalf("%s, %d rows, %d threads: %v, want %v", isa, m, threads, rows, want)
				}
			}
		}
	}
}

// TestPowersOfTwo multiplies powers of two, whose products are exact.
func TestPowersOfTwo(t *testing.T) {
	const m, n = 130, 301
	x, rows, cols, all := layout.New[float32](m, n), make([]float32, m), make([]float32, n), float32(0)
	for i := range x.Data {
		x.Data[i] = []float32{1, 2, -0.5, 1, 0.5, 2, 1}[(i+i/n)%7]
	}
	for _, isa := range append(run.PlainISAs(), run.Portable) {
		ProductsOpt(run.Options{ISA: isa, Threads: 3}, rows, cols, &all, x)
		total := 1.0
		for i := range m {
			want := 1.0
			for j := range n {
				want *= float64(x.At(i, j))
			}
			if total *= want; float64(rows[i]) != want {
				t.Fatalf("%s: row %d is %v, want %v", isa, i, rows[i], want)
			}
		}
		for j := range n {
			want := 1.0
			for i := range m {
				want *= float64(x.At(i, j))
			}
			if float64(cols[j]) != want {
				t.Fatalf("%s: column %d is %v, want %v", isa, j, cols[j], want)
			}
		}
		if float64(all) != total {
			t.Fatalf("%s: all are %v, want %v", isa, all, total)
		}
	}
}

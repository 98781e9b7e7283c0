package fused

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

// TestLogSumExp: numbers whose exponential overflows or vanishes, infinities, NaN, and a row
// of nothing.
func TestLogSumExp(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	many := make([]float32, 1000)
	for i := range many {
		many[i] = 500
	}
	for _, isa := range run.PlainISAs() {
		for _, c := range []struct {
			name string
			row  []float32
			want float64
		}{
			{"one", []float32{-3}, -3},
			{"large", []float32{1000, 1000}, 1000 + math.Ln2},
			{"small", []float32{-1000, -1000, -1000, -1000}, -1000 + 2*math.Ln2},
			{"far apart", []float32{-1e30, 7, -1e30}, 7},
			{"many", many, 500 + math.Log(1000)},
			{"rising", []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}, 17.458675},
			{"with -Inf", []float32{-inf, 2, -inf}, 2},
			{"of -Inf", []float32{-inf, -inf, -inf}, math.Inf(-1)},
			{"of one -Inf", []float32{-inf}, math.Inf(-1)},
			{"with Inf", append(slices.Clone(many), inf, -inf, 3), math.Inf(1)},
			{"with NaN", append([]float32{nan}, many...), math.NaN()},
			{"NaN last", append(slices.Clone(many), nan), math.NaN()},
			{"NaN and Inf", []float32{inf, nan, inf}, math.NaN()},
			{"none", nil, math.Inf(-1)},
		} {
			n := len(c.row)
			rows, cols := make([]float32, 20), make([]float32, n)
			ContrastiveLogSumExpOpt(run.Options{ISA: isa}, rows, cols, layout.New[float32](20, 0), layout.New[float32](0, n), c.row)
			// The value in a column is the same in all of its rows.
			for j, x := range c.row {
				if want := float64(x) + math.Log(20); !near(cols[j], want) {
					t.Errorf("%s %s: column %d: %v, want %v", isa, c.name, j, cols[j], want)
				}
			}
			for i := range rows {
				if !near(rows[i], c.want) {
					t.Fatalf("%s %s: row %d: %v, want %v", isa, c.name, i, rows[i], c.want)
				}
			}
		}
	}
}

func near(have float32, want float64) bool {
	h := float64(have)
	return h == want || h != h && want != want || math.Abs(h-want) <= 1e-6*math.Abs(want)+1e-6
}

// TestAssign: ties go to the lowest index, the value is that at the index, and the result
// has the same bits for any number of threads and either way that a and b lie.
func TestAssignTies(t *testing.T) {
	const points, centres, k = 333, 70, 5
	r := rand.New(level.PCG(5, 6))
	x, c := layout.New[float64](points, k), layout.New[float64](centres, k)
	for _, m := range []layout.Matrix[float64]{x, c} {
		for i := range m.Data {
			m.Data[i] = float64(r.IntN(3)) // few places: many ties, and no rounding
		}
	}
	norms := func(m layout.Matrix[float64]) []float64 {
		s := make([]float64, m.Rows)
		for i := range s {
			for j := range m.Cols {
				s[i] += m.At(i, j) * m.At(i, j)
			}
		}
		return s
	}
	x2, c2 := norms(x), norms(c)
	for _, isa := range run.PlainISAs() {
		for _, threads := range []int{1, 2, 5} {
			centre, distance := make([]int32, points), make([]float64, points)
			KMeansAssignOpt(run.Options{ISA: isa, Threads: threads}, centre, distance, x, c.T(), x2, c2)
			for i := range points {
				at, best := -1, math.Inf(1)
				for j := range centres {
					d := 0.0
					for p := range k {
						d += (x.At(i, p) - c.At(j, p)) * (x.At(i, p) - c.At(j, p))
					}
					if d < best {
						at, best = j, d
					}
				}
				if int(centre[i]) != at || distance[i] != best {
					t.Fatalf("%s, %d threads: point %d is %v from %d, want %v from %d", isa, threads, i, distance[i], centre[i], best, at)
				}
			}
		}
	}
}

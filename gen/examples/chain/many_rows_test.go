package chain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/philox"
)

// TestManyRows: random words, numbers of rows, results that a later phase needs of all rows, and reductions of columns of two steps of
// one phase, of one block, of some, and of more than there are partial results.
func TestManyRows(t *testing.T) {
	for _, m := range []int{100, 7001, 200_000} {
		r := rand.New(level.PCG(uint64(m), 1))
		const n0, n1, drop = 3, 5, 1 << 30
		x, up := random(r, m, n0), random(r, n0, n1)
		h := layout.New[float32](m, n1)
		cpu.MatMul(h, x, up)
		stream := equation.Stream{Seed: 3<<40 + 5, Number: 77, First: 1<<33 + 4}
		dropoutSum, colMax, argMax, colMin, sum := make([]float64, n1), make([]float32, n1), make([]int32, n1), make([]float32, n0), 0.0
		for j := range n1 {
			colMax[j] = float32(math.Inf(-1))
			for i := range m {
				if v := h.At(i, j); v > colMax[j] {
					colMax[j], argMax[j] = v, int32(i)
				}
				at := stream.First + uint64(i*8+j)
				w0, w1, w2, w3 := philox.Words(uint32(at/4), uint32(at/4>>32), uint32(stream.Number), 0, uint32(stream.Seed&math.MaxUint32), uint32(stream.Seed>>32))
				if [4]uint32{w0, w1, w2, w3}[at%4] >= drop {
					dropoutSum[j] += 2 * float64(h.At(i, j))
				}
			}
		}
		for j := range n0 {
			colMin[j] = float32(math.Inf(1))
			for i := range m {
				colMin[j] = min(colMin[j], x.At(i, j))
				sum += float64(x.At(i, j))
			}
		}
		for _, threads := range []int{1, 2, 300} {
			out, haveDropoutSum, haveArgMax, haveColMin, haveSum := layout.New[float32](m, n1), make([]float32, n1), make([]int32, n1), make([]float32, n0), float32(0)
			ColumnStatsOpt(run.Options{Threads: threads}, out, haveDropoutSum, haveArgMax, &haveSum, haveColMin, x, up, drop, 2, stream)
			near := func(what string, have float32, want float64) {
				if math.Abs(float64(have)-want) > 1e-3*math.Sqrt(float64(m)) {
					t.Errorf("%d rows, %d threads: %s is %v, want %v", m, threads, what, have, want)
				}
			}
			near("the total", haveSum, sum)
			for j := range n1 {
				near("a sum", haveDropoutSum[j], dropoutSum[j])
				if haveArgMax[j] != argMax[j] {
					t.Errorf("%d rows, %d threads: the best of column %d is in row %d, want %d", m, threads, j, haveArgMax[j], argMax[j])
				}
				for i := range m {
					if have, want := out.At(i, j), h.At(i, j)-colMax[j]; math.Abs(float64(have-want)) > 1e-4 {
						t.Fatalf("%d rows, %d threads: element (%d, %d) is %v, want %v", m, threads, i, j, have, want)
					}
				}
			}
			for j := range n0 {
				if haveColMin[j] != colMin[j] {
					t.Errorf("%d rows, %d threads: the least of column %d is %v, want %v", m, threads, j, haveColMin[j], colMin[j])
				}
			}
		}
	}
}

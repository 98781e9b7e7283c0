package cpu_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func ExampleMatMulBatch() {
	// Three products of 2 x 2; b is the same for all.
	a := []float32{1, 2, 3, 4 /**/, 5, 6, 7, 8 /**/, 9, 10, 11, 12}
	b := []float32{0, 1, 1, 0}
	out := make([]float32, len(a))
	cpu.MatMulBatch(cpu.Options{}, cpu.Batch{Count: 3, Out: 4, A: 4},
		layout.RowMajor(out, 2, 2), layout.RowMajor(a, 2, 2), layout.RowMajor(b, 2, 2))
	fmt.Println(out)
	// Output: [2 1 4 3 6 5 8 7 10 9 12 11]
}

// Every product of a batch has the bits of a call of its own.
func TestMatMulBatch(t *testing.T) {
	t.Run("f32", func(t *testing.T) { batches[float32](t) })
	t.Run("f64", func(t *testing.T) { batches[float64](t) })
}

func batches[T dtype.Float](t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	random := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = T(r.NormFloat64())
		}
		return x
	}
	for _, c := range []struct{ m, n, k, count int }{{3, 5, 4, 7}, {16, 16, 16, level.Of(20, 60, 1000)}, {3, 2, 5, level.Of(20, 1000, 1000)}, {1, 1, 1, 3}, {33, 50, 20, level.Of(3, 10, 40)}, {level.Of(20, 200, 200), 170, 150, level.Of(3, 2, 3)}, {4, 4, 4, 1}, {4, 4, 4, 0}, {2, 3, 0, 5}, {0, 3, 2, 5}} {
		for _, isa := range run.PlainISAs() {
			for _, threads := range []int{1, 3} {
				for _, scaling := range []run.Scaling{{}, run.Scale(2, 0.5)} {
					opt := cpu.Options{ISA: isa, Threads: threads, Scaling: scaling}
					n := cpu.Batch{Count: c.count, Out: c.m*c.n + 3, A: c.m*c.k + 1, B: c.k*c.n + 2}
					switch threads {
					case 3: // rows of the results interleaved, one b for all
						n.Out, n.B = c.n, 0
					}
					a, b := random(max(1, c.count)*(c.m*c.k+1)), random(max(1, c.count)*(c.k*c.n+2))
					out := layout.RowMajor(random(max(1, c.count)*(c.m*c.n+3)), c.m, c.n)
					if threads == 3 {
						out = layout.Matrix[T]{Data: random(max(1, c.count) * c.m * max(1, c.n)), Rows: c.m, Cols: c.n, RowStride: c.n * max(1, c.count), ColStride: 1}
					}
					want := append([]T(nil), out.Data...)
					ma, mb := layout.RowMajor(a[:], c.m, c.k), layout.ColMajor(b[:], c.k, c.n)
					for z := range c.count {
						if c.m == 0 {
							break
						}
						w := out
						w.Data = want[z*n.Out:]
						x, y := ma, mb
						x.Data, y.Data = a[z*n.A:], b[z*n.B:]
						cpu.MatMulOpt(opt, w, x, y)
					}
					cpu.MatMulBatch(opt, n, out, ma, mb)
					for i := range want {
						if out.Data[i] != want[i] {
							t.Fatalf("%+v %+v: element %d is %v, want %v", c, opt, i, out.Data[i], want[i])
						}
					}
				}
			}
		}
	}
}

func TestMatMulBatchRefuses(t *testing.T) {
	const big = int(^uint(0) >> 1)
	m := func(n int) layout.Matrix[float32] {
		return layout.Matrix[float32]{Data: make([]float32, n), Rows: 2, Cols: 2, RowStride: 2, ColStride: 1}
	}
	shared, many := make([]float32, 40), m(8)
	for name, c := range map[string]struct {
		n         cpu.Batch
		out, a, b layout.Matrix[float32]
		opt       cpu.Options
	}{
		"negative count":   {cpu.Batch{Count: -1}, m(4), m(4), m(4), cpu.Options{}},
		"negative stride":  {cpu.Batch{Count: 2, Out: 4, A: -4}, m(8), m(8), m(8), cpu.Options{}},
		"out too short":    {cpu.Batch{Count: 3, Out: 4}, m(11), m(4), m(4), cpu.Options{}},
		"a too short":      {cpu.Batch{Count: 3, Out: 4, A: 4}, m(12), m(11), m(4), cpu.Options{}},
		"b overflows":      {cpu.Batch{Count: big, Out: 4, B: big / 2}, m(12), m(4), m(4), cpu.Options{}},
		"results in place": {cpu.Batch{Count: 2, Out: 0}, m(12), m(4), m(4), cpu.Options{}},
		"results overlap":  {cpu.Batch{Count: 2, Out: 3}, m(12), m(4), m(4), cpu.Options{}},
		"out is a": {cpu.Batch{Count: 2, Out: 4, A: 4}, layout.Matrix[float32]{Data: shared, Rows: 2, Cols: 2, RowStride: 2, ColStride: 1},
			layout.Matrix[float32]{Data: shared[4:], Rows: 2, Cols: 2, RowStride: 2, ColStride: 1}, m(4), cpu.Options{}},
		"one packed b for many": {cpu.Batch{Count: 2, Out: 4, B: 4}, m(8), m(4), many, cpu.Options{B: cpu.Pack(many)}},
		"b packed from another, on two threads": {cpu.Batch{Count: 200, Out: 32 * 32}, layout.RowMajor(make([]float32, 200*32*32), 32, 32),
			layout.New[float32](32, 32), layout.New[float32](32, 32), cpu.Options{Threads: 2, B: cpu.Pack(layout.New[float32](32, 33))}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				err, _ := recover().(error)
				if e := (layout.ShapeError{}); !errors.As(err, &e) {
					t.Errorf("have %v, want a ShapeError", err)
				}
			}()
			cpu.MatMulBatch(c.opt, c.n, c.out, c.a, c.b)
		})
	}
}

func TestMatMulBatchAllocates(t *testing.T) {
	const side = 33
	count := 400
	if testing.Short() { // with the race detector a call of that many takes so long that helpers go home before the next
		count = 40
	}
	m := func() layout.Matrix[float64] {
		return layout.RowMajor(make([]float64, count*side*side), side, side)
	}
	out, a, b := m(), m(), m()
	for _, threads := range []int{1, 2} {
		n := 1.0
		for try := 0; try < 20 && n > 0; try++ { // a helper that starts anew costs some
			n = testing.AllocsPerRun(4, func() {
				cpu.MatMulBatch(cpu.Options{Threads: threads}, cpu.Batch{Count: count, Out: side * side, A: side * side, B: side * side}, out, a, b)
			})
		}
		if n > 0 {
			t.Errorf("%d threads: %v allocations a call", threads, n)
		}
	}
}

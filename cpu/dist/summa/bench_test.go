package summa_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/summa"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// BenchmarkGEMM is a product on two ranks of a thread each, against one call with two
// threads: rounds of both alternate, and the best of each count.
func BenchmarkGEMM(b *testing.B) {
	b.Run("float32", benchmarkGEMM[float32])
	b.Run("float64", benchmarkGEMM[float64])
}

func benchmarkGEMM[T dtype.Float](b *testing.B) {
	for _, n := range []int{1024, 2048} {
		for _, g := range []summa.Grid{{2, 1, 1}, {1, 2, 1}, {1, 1, 2}} {
			b.Run(fmt.Sprintf("n=%d/grid=%v", n, g), func(b *testing.B) {
				plan := summa.Plan{M: n, N: n, K: n, Type: dtype.Of[T](), Grid: g, Panel: 512}
				x, y := ranktest.Random[T](n, n, 1), ranktest.Random[T](n, n, 2)
				whole := layout.New[T](n, n)
				one, two := time.Hour, time.Hour
				err := comm.Run(2, func(c *comm.Comm) error {
					s, err := summa.New[T](c, plan)
					if err != nil {
						return err
					}
					blocks := [2]dist.Rect{plan.A(c.Rank()), plan.B(c.Rank())}
					mine := [2]layout.Matrix[T]{}
					for i, m := range []layout.Matrix[T]{x, y} {
						mine[i] = layout.New[T](blocks[i].Rows.Len(), blocks[i].Cols.Len())
						local.Copy(mine[i], ranktest.Part(m, blocks[i]))
					}
					out := layout.New[T](plan.C(c.Rank()).Rows.Len(), plan.C(c.Rank()).Cols.Len())
					for range max(5, b.N) {
						if c.Rank() == 0 {
							begin := time.Now()
							cpu.MatMulOpt(cpu.Options{Threads: 2}, whole, x, y)
							one = min(one, time.Since(begin))
						}
						if err := c.Barrier(); err != nil {
							return err
						}
						begin := time.Now()
						if err := s.Mul(summa.Options[T]{Local: cpu.Options{Threads: 1}}, out, mine[0], mine[1]); err != nil {
							return err
						}
						if err := c.Barrier(); err != nil {
							return err
						}
						if c.Rank() == 0 {
							two = min(two, time.Since(begin))
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				flops := 2 * float64(n) * float64(n) * float64(n)
				b.ReportMetric(flops/one.Seconds()/1e9, "threads-GFLOP/s")
				b.ReportMetric(flops/two.Seconds()/1e9, "ranks-GFLOP/s")
				b.ReportMetric(one.Seconds()/two.Seconds(), "of-threads")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

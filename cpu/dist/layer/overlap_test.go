package layer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/layer"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// BenchmarkRowOverlap is a Row's Forward on two ranks of a thread each whose messages take
// as long as its product: bandwidth is set so. It reports the time of all as a fraction of
// product + communication, each measured alone. Without overlap that is 1 and with n chunks
// at best (n + 1)/2n: the last chunk's sum has nothing left to hide behind.
func BenchmarkRowOverlap(b *testing.B) {
	const batch, inputs, outputs = 1024, 2048, 512
	rounds := max(20, b.N)
	product := fastest(b, comm.Local{}, rounds, func(c *comm.Comm) (func() error, error) {
		x, w, y := ranktest.Random[float32](batch, inputs/2, 1), ranktest.Random[float32](inputs/2, outputs, 2), layout.New[float32](batch, outputs)
		return func() error { cpu.MatMulOpt(cpu.Options{Threads: 1}, y, x, w); return nil }, nil
	})
	layer := func(inputs, chunks int) func(c *comm.Comm) (func() error, error) {
		return func(c *comm.Comm) (func() error, error) {
			l, err := layer.NewRow[float32](c, inputs, outputs, layer.Options[float32]{Chunks: chunks, Local: cpu.Options{Threads: 1}})
			if err != nil {
				return nil, err
			}
			x, y := ranktest.Random[float32](batch, l.Part().Rows.Len(), 1), layout.New[float32](batch, outputs)
			l.W = ranktest.Random[float32](l.W.Rows, l.W.Cols, 2)
			return func() error { return l.Forward(nil, y, x) }, nil
		}
	}
	link := comm.Local{Link: cost.Link{Bandwidth: 4 * batch * outputs / product.Seconds()}} // a rank sends 2(p-1)/p of y
	messages := fastest(b, link, rounds, layer(0, 1))
	for _, chunks := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("chunks=%d", chunks), func(b *testing.B) {
			took := fastest(b, link, rounds, layer(inputs, chunks))
			b.ReportMetric(took.Seconds()/(product+messages).Seconds(), "of-sum")
			b.ReportMetric(product.Seconds()*1e3, "product-ms")
			b.ReportMetric(messages.Seconds()*1e3, "messages-ms")
			b.ReportMetric(took.Seconds()*1e3, "all-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// fastest returns the least time of so many rounds on two ranks.
func fastest(b *testing.B, link comm.Local, rounds int, prepare func(c *comm.Comm) (func() error, error)) time.Duration {
	best := time.Hour
	err := link.Run(2, func(c *comm.Comm) error {
		f, err := prepare(c)
		for range rounds {
			if err != nil {
				return err
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			begin := time.Now()
			if err = f(); c.Rank() == 0 {
				best = min(best, time.Since(begin))
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return best
}

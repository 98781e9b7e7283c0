package dist_test

import (
	"math/bits"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/layer"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/cpu/dist/reshard"
	"github.com/tilesmith/tilesmith/cpu/dist/spmm"
	"github.com/tilesmith/tilesmith/cpu/dist/state"
	"github.com/tilesmith/tilesmith/cpu/dist/summa"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/mesh"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// TestManyRanks: what constructors of this package send grows with the ranks as p log p, and with
// neighbours, not with pairs of ranks. Most ranks have nothing here. (That a sum of much on all
// ranks takes 2(p-1) messages of each is by design: see layer.sums.)
func TestManyRanks(t *testing.T) {
	p := level.Of(50, 100, 1000)
	a := ranktest.Must[sparse.Matrix[float64]](t)(sample.Banded[float64](64, 2))
	rows := ranktest.InOrder(64, p)
	plan := summa.Plan{M: 64, N: 64, K: 64, Type: dtype.F64, Grid: summa.Grid{Rows: 10, Cols: p / 10, Layers: 1}}
	sharded := func(m mesh.Mesh, axes ...string) mesh.Sharding {
		dims := []mesh.Dim{{Size: 2000}, {Size: 3}}
		if len(axes) > 0 {
			dims[0].Axes = axes
		}
		return ranktest.Must[mesh.Sharding](t)(m.Shard(dims...))
	}
	line := ranktest.Must[mesh.Mesh](t)(mesh.New(mesh.Axis{Name: "x", Size: 10}, mesh.Axis{Name: "y", Size: p / 10}))
	resharding := ranktest.Must[*mesh.Plan](t)(mesh.Reshard(sharded(line, "x", "y"), sharded(line, "y", "x"), mesh.Options{}))
	dir := t.TempDir()
	sparseOf := func(c *comm.Comm, o spmm.Options) (*spmm.Matrix[float64], error) {
		part, err := parts.Divide(a, c.Rank(), p, rows, nil)
		if err != nil {
			return nil, err
		}
		return spmm.New(c, part, o)
	}
	for _, x := range []struct {
		name string
		most float64 // messages of all ranks, in p*log2(p): those of setting up, and of neighbours
		f    func(c *comm.Comm) error
	}{
		{"agree", 1, func(c *comm.Comm) error { return comm.Agree(c, nil) }},
		{"split", 0, func(c *comm.Comm) error { _, err := c.Split(0, c.Rank()); return err }},
		{"start", 4, func(c *comm.Comm) error { _, err := comm.Start(c, comm.Needs{}); return err }},
		{"divide", 0, func(c *comm.Comm) error { _, err := parts.Divide(a, c.Rank(), p, rows, nil); return err }},
		{"sparse", 8, func(c *comm.Comm) error { _, err := sparseOf(c, spmm.Options{}); return err }},
		{"cover", 8, func(c *comm.Comm) error { _, err := sparseOf(c, spmm.Options{Cover: true}); return err }},
		{"product", 10, func(c *comm.Comm) error {
			s, err := sparseOf(c, spmm.Options{Chunks: 3})
			if err != nil {
				return err
			}
			if s, err = s.T(); err != nil {
				return err
			}
			m, err := s.Product(4)
			if err != nil {
				return err
			}
			return m.Multiply(cpu.Options{Threads: 1}, layout.New[float64](len(s.Rows()), 4), layout.New[float64](len(s.Cols()), 4))
		}},
		{"lookup", 8, func(c *comm.Comm) error {
			at := layer.CyclicPlacement(p)
			own := at.Owned(64, c.Rank())
			l, err := layer.NewLookup[float64](c, 64, own, 4, at)
			if err != nil {
				return err
			}
			b, err := l.Batch([]int64{int64(c.Rank() % 64), int64((c.Rank() + 7) % 64)})
			if err != nil {
				return err
			}
			if err := b.Gather(layout.New[float64](2, 4), layout.New[float64](own, 4)); err != nil {
				return err
			}
			return b.Add(layout.New[float64](own, 4), layout.New[float64](2, 4))
		}},
		{"mlp", 2, func(c *comm.Comm) error {
			_, err := layer.NewMLP[float64](c, 8, 2*p, 8, layer.Options[float64]{})
			return err
		}},
		{"mlp forward", 10, func(c *comm.Comm) error {
			m, err := layer.NewMLP[float64](c, 8, 2*p, 8, layer.Options[float64]{Local: cpu.Options{Threads: 1}})
			if err != nil {
				return err
			}
			return m.Forward(nil, layout.New[float64](2, 8), layout.New[float64](2, 8), 2)
		}},
		{"gemm", 16, func(c *comm.Comm) error {
			part := func(r dist.Rect) layout.Matrix[float64] { return layout.New[float64](r.Rows.Len(), r.Cols.Len()) }
			return summa.Mul(c, plan, summa.Options[float64]{Local: cpu.Options{Threads: 1}}, part(plan.C(c.Rank())), part(plan.A(c.Rank())), part(plan.B(c.Rank())))
		}},
		{"reshard", 3, func(c *comm.Comm) error {
			r, err := reshard.New[float64](c, resharding)
			if err != nil {
				return err
			}
			size := func(s mesh.Sharding) int { n := s.Local(c.Rank()); return n[0] * n[1] }
			return r.Run(make([]float64, size(resharding.To)), make([]float64, size(resharding.From)))
		}},
		{"state", 8, func(c *comm.Comm) error {
			mine := dist.Upto(64).Part(c.Rank(), p)
			parts := []state.Part{state.Slice("x", 64, mine, make([]float64, mine.Len()))}
			if err := state.Save(c, dir, 1, nil, parts...); err != nil {
				return err
			}
			s, err := state.Open(c, dir)
			if err != nil {
				return err
			}
			return s.Load(parts...)
		}},
	} {
		var sent atomic.Int64
		start := time.Now()
		err := comm.Run(p, func(c *comm.Comm) error {
			err := x.f(c)
			sent.Add(c.Total().Sent)
			return err
		})
		if err != nil {
			t.Fatal(x.name, err)
		}
		logs := float64(p * bits.Len(uint(p-1)))
		t.Logf("%-12s %6.3f s, %7d messages, %.1f p log p", x.name, time.Since(start).Seconds(), sent.Load(), float64(sent.Load())/logs)
		if float64(sent.Load()) > x.most*logs {
			t.Errorf("%s on %d ranks sends %d messages; want %.0f at most", x.name, p, sent.Load(), x.most*logs)
		}
	}
}

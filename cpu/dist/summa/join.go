package summa

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/layout"
)

// join adds up what the layers have. Each rank gets its share of the rows from all layers
// at once, and adds them in the order of layers to beta*out.
func (s *Product[T]) join(beta float64, out layout.Matrix[T]) error {
	me, g := s.c.Rank(), s.plan.Grid
	l, i, j := g.place(me)
	first := s.plan.rowsC(0, i).Lo // of the rows that the layers share
	parts := make([]layout.Matrix[T], g.Layers)
	for x := range g.Layers {
		if x == l {
			mine := s.plan.rowsC(l, i)
			parts[x] = s.sum.Slice(mine.Lo-first, mine.Hi-first, 0, s.sum.Cols)
			continue
		}
		parts[x] = layout.New[T](out.Rows, out.Cols)
		if err := s.flight.Receive(x, g.rank(x, i, j), tagC, parts[x].Data); err != nil {
			return err
		}
	}
	for d := 1; d < g.Layers; d++ { // the next layer first, so that not all send to one
		x := (l + d) % g.Layers
		to := s.plan.rowsC(x, i)
		if err := s.flight.Send(x, g.rank(x, i, j), tagC, s.sum.Data[(to.Lo-first)*s.sum.Cols:(to.Hi-first)*s.sum.Cols]); err != nil {
			return err
		}
	}
	if err := s.flight.Wait(); err != nil {
		return err
	}
	for x := 1; x < g.Layers; x++ {
		local.Add(parts[0], parts[x])
	}
	if beta == 0 {
		local.Copy(out, parts[0])
		return nil
	}
	cpu.MatMulOpt(cpu.Options{Scaling: cpu.Scale(0, beta)}, out,
		layout.Matrix[T]{Rows: out.Rows}, layout.Matrix[T]{Cols: out.Cols}) // no k: out is scaled
	local.Add(out, parts[0])
	return nil
}

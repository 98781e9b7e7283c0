package summa

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
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
	requests := make([]comm.Request, 0, 2*(g.Layers-1))
	for x := range g.Layers {
		if x == l {
			mine := s.plan.rowsC(l, i)
			parts[x] = s.sum.Slice(mine.Lo-first, mine.Hi-first, 0, s.sum.Cols)
			continue
		}
		parts[x] = layout.New[T](out.Rows, out.Cols)
		if out.Rows*out.Cols == 0 {
			continue
		}
		r, err := comm.Irecv(s.c, g.rank(x, i, j), tagC, parts[x].Data)
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	received := len(requests)
	for d := 1; d < g.Layers; d++ { // the next layer first, so that not all send to one
		x := (l + d) % g.Layers
		to := s.plan.rowsC(x, i)
		if to.Len()*s.sum.Cols == 0 {
			continue
		}
		r, err := comm.Isend(s.c, g.rank(x, i, j), tagC, s.sum.Data[(to.Lo-first)*s.sum.RowStride:(to.Hi-first)*s.sum.RowStride])
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	if err := s.c.Wait(requests...); err != nil {
		return err
	}
	for _, r := range requests[:received] {
		if n, whole := comm.Len[T](statusOf(r)); n != out.Rows*out.Cols || !whole {
			return fmt.Errorf("rank %d sent %d elements of the sum; want %d", statusOf(r).Source, n, out.Rows*out.Cols)
		}
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

func statusOf(r comm.Request) comm.Status {
	s, _ := r.Status()
	return s
}

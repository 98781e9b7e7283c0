package dist

import (
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// join adds up what the layers have. Each rank gets its share of the rows from all layers
// at once, and adds them in the order of layers to beta*out.
func (s *SUMMA[T]) join(beta float64, out layout.Matrix[T]) error {
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
		r, err := comm.Irecv(s.c, g.rank(x, i, j), summaTagC, parts[x].Data)
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
		r, err := comm.Isend(s.c, g.rank(x, i, j), summaTagC, s.sum.Data[(to.Lo-first)*s.sum.RowStride:(to.Hi-first)*s.sum.RowStride])
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	if err := s.c.Wait(requests...); err != nil {
		return err
	}
	for _, r := range requests[:received] {
		if n, whole := comm.Len[T](summaStatus(r)); n != out.Rows*out.Cols || !whole {
			return fmt.Errorf("rank %d sent %d elements of the sum; want %d", summaStatus(r).Source, n, out.Rows*out.Cols)
		}
	}
	for x := 1; x < g.Layers; x++ {
		summaAdd(parts[0], parts[x])
	}
	if beta == 0 {
		summaCopy(out, parts[0])
		return nil
	}
	cpu.MatMulOpt(cpu.Options{Scaling: cpu.Scale(0, beta)}, out,
		layout.Matrix[T]{Rows: out.Rows}, layout.Matrix[T]{Cols: out.Cols}) // no k: out is scaled
	summaAdd(out, parts[0])
	return nil
}

func summaStatus(r comm.Request) comm.Status {
	s, _ := r.Status()
	return s
}

// summaAdd adds x to out, which is as large.
func summaAdd[T dtype.Float](out, x layout.Matrix[T]) {
	if x.Cols == 0 {
		return
	}
	for i := range out.Rows {
		if out.ColStride == 1 && x.ColStride == 1 {
			into, row := out.Data[i*out.RowStride:][:out.Cols], x.Data[i*x.RowStride:][:x.Cols]
			for j, v := range row {
				into[j] += v
			}
			continue
		}
		for j := range out.Cols {
			out.Data[i*out.RowStride+j*out.ColStride] += x.Data[i*x.RowStride+j*x.ColStride]
		}
	}
}

// summaTile is how many elements an epilogue gets at a time, about: they stay in L2.
const summaTile = 16 << 10

// summaEpilogue calls f for out, some rows at a time, on so many threads. A panic of f
// reaches the caller.
func summaEpilogue[T dtype.Float](threads int, out layout.Matrix[T], row, col int, f func(tile layout.Matrix[T], row, col int)) {
	if out.Rows == 0 || out.Cols == 0 {
		return
	}
	if threads == 0 {
		threads = cpu.Threads()
	}
	size := max(1, summaTile/out.Cols)
	tiles := (out.Rows-1)/size + 1
	threads = max(1, min(threads, tiles))
	var all sync.WaitGroup
	panics := make([]any, threads)
	for t := range threads {
		part := Span{0, tiles}.Part(t, threads)
		work := func() {
			defer func() { panics[t] = recover() }()
			for i := part.Lo * size; i < min(part.Hi*size, out.Rows); i += size {
				f(out.Slice(i, min(i+size, out.Rows), 0, out.Cols), row+i, col)
			}
		}
		if t == threads-1 {
			work()
		} else {
			all.Go(work)
		}
	}
	all.Wait()
	for _, x := range panics {
		if x != nil {
			panic(x)
		}
	}
}

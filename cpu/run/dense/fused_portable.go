package dense

import (
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// fusedPart is a fused product in plain Go, cut into blocks of rows.
type fusedPart[Acc dtype.AnySum] struct {
	f    *epi.Fusion
	s    Structure
	a, b plain.Operand[Acc]
	m, n int
	rows int            // summed before their epilogue runs
	next atomic.Uintptr // an Int64 would keep the part off the stack where pointers have 32 bits
}

// portableRows is how many rows are summed before their epilogue runs: 48, or fewer if
// they are very long.
func portableRows(m, n, size int) int {
	return max(1, min(48, m, budget.Kept/mem.Volume(n, size)))
}

// portableFused computes blocks of rows with the portable product and hands them to
// the epilogue in Go.
func portableFused[Acc dtype.AnySum](j *job, threads int, s Structure, a, b plain.Operand[Acc]) {
	m, n, f := a.Rows, b.Cols, &j.fused
	rows := portableRows(m, n, j.size)
	tiles := mem.Ceil(m, rows)
	f.Prepare(&j.partial, m, n, 1, tiles, 1)
	if threads == 1 || float64(a.Cols)*float64(m)*float64(n) < work.Threaded/32 {
		p := fusedPart[Acc]{f: f, s: s, a: a, b: b, m: m, n: n, rows: rows} // on the stack
		p.work(&j.self)
	} else {
		j.do = &fusedPart[Acc]{f: f, s: s, a: a, b: b, m: m, n: n, rows: rows}
		j.run(threads)
	}
	f.Combine(m, n, 1, tiles, nil)
}

func (p *fusedPart[Acc]) work(w *worker) {
	w.sums.Grow(p.rows * p.n * int(unsafe.Sizeof(Acc(0))))
	for {
		i := (int(p.next.Add(1)) - 1) * p.rows
		if i >= p.m {
			break
		}
		rows := min(p.rows, p.m-i)
		sums := layout.RowMajor(unsafe.Slice((*Acc)(w.sums.P), rows*p.n), rows, p.n)
		if p.s != (Structure{}) {
			p.structured(w, sums, i)
			finishExisting(p.f, &w.epi, p.s.Out, mem.OperandOf(sums), i, 0, rows, p.n, 0)
			continue
		}
		plain.Multiply(1, p.a.Slice(i, i+rows, 0, p.a.Cols), p.b, 0, sums, plain.BufOf[Acc](&w.bufs))
		p.f.Run(&w.epi, mem.OperandOf(sums), i, 0, rows, p.n, 0, i/p.rows)
	}
	w.epi.Forget()
}

package dense

import (
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// fusedPart is a fused product in plain Go, cut into blocks of rows.
type fusedPart[A, B dtype.Elem, Acc dtype.Float] struct {
	f    *epi.Fusion
	a    layout.Matrix[A]
	b    layout.Matrix[B]
	wide layout.Matrix[Acc] // b; empty if it is widened piece by piece
	m, n int
	rows int // summed before their epilogue runs
	kc   int // depth of a k-block
	next atomic.Int64
}

// portableRows is how many rows are summed before their epilogue runs: 48, or fewer if
// they are very long.
func portableRows(m, n, size int) int {
	return max(1, min(48, m, mem.Kept/mem.Volume(n, size)))
}

// portableFused computes blocks of rows with the portable product and hands them to
// the epilogue in Go. Narrow operands are widened first: b once for all, or if it is
// large a k-block at a time by each worker.
func portableFused[A, B dtype.Elem, Acc dtype.Float](j *job, threads, rows int, a layout.Matrix[A], b layout.Matrix[B], m, n int) {
	p := &fusedPart[A, B, Acc]{f: &j.fused, a: a, b: b, m: m, n: n, rows: rows, kc: max(1, a.Cols)}
	_, wideA := any(a).(layout.Matrix[Acc])
	wide, wideB := any(b).(layout.Matrix[Acc])
	if !wideA || !wideB {
		p.kc = min(p.kc, max(1, mem.Kept/4/mem.Volume(max(n, rows), j.size)))
	}
	switch {
	case wideB:
		p.wide = wide
	case p.kc >= a.Cols:
		p.wide = widen[Acc](&j.bbuf, b)
	}
	if threads == 1 || float64(a.Cols)*float64(m)*float64(n) < work.Threaded/32 {
		p.work(&j.self)
		return
	}
	j.do = p
	j.run(threads)
}

func (p *fusedPart[A, B, Acc]) work(w *worker) {
	size := int(unsafe.Sizeof(Acc(0)))
	w.sums.Grow(p.rows * p.n * size)
	for {
		i := (int(p.next.Add(1)) - 1) * p.rows
		if i >= p.m {
			break
		}
		rows := min(p.rows, p.m-i)
		sums := layout.RowMajor(unsafe.Slice((*Acc)(w.sums.P), rows*p.n), rows, p.n)
		if p.a.Cols == 0 {
			clear(sums.Data)
		}
		beta := Acc(0)
		for k := 0; k < p.a.Cols; k += p.kc {
			end := min(k+p.kc, p.a.Cols)
			b := p.wide
			if b.Rows == 0 {
				b = widen[Acc](&w.bbuf, p.b.Slice(k, end, 0, p.n))
			} else {
				b = b.Slice(k, end, 0, p.n)
			}
			generic(1, widen[Acc](&w.abuf, p.a.Slice(i, i+rows, k, end)), b, beta, sums, bufOf[Acc](w))
			beta = 1
		}
		p.f.Run(&w.epi, mem.OperandOf(sums), i, 0, rows, p.n, 0, i/p.rows)
	}
	w.epi.Forget()
}

// widen returns m with elements of type Acc: itself, or a copy in buf.
func widen[Acc dtype.Float, T dtype.Elem](buf *mem.Buffer, m layout.Matrix[T]) layout.Matrix[Acc] {
	if same, ok := any(m).(layout.Matrix[Acc]); ok {
		return same
	}
	n := m.Rows * m.Cols
	buf.Grow(n * int(unsafe.Sizeof(Acc(0))))
	out := layout.RowMajor(unsafe.Slice((*Acc)(buf.P), n), m.Rows, m.Cols)
	switch data := any(m.Data).(type) {
	case []dtype.BF16:
		each(out, m.RowStride, m.ColStride, func(i int) Acc { return Acc(data[i].Float32()) })
	case []dtype.F16:
		each(out, m.RowStride, m.ColStride, func(i int) Acc { return Acc(data[i].Float32()) })
	}
	return out
}

// each sets every element of out to at of the offset that strides give it.
func each[Acc dtype.Float](out layout.Matrix[Acc], rs, cs int, at func(int) Acc) {
	for i := range out.Rows {
		for j := range out.Cols {
			out.Data[i*out.Cols+j] = at(i*rs + j*cs)
		}
	}
}

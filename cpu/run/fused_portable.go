package run

import (
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// fusedPart is a fused product in plain Go, cut into blocks of rows.
type fusedPart[A, B dtype.Elem, Acc dtype.Float] struct {
	f    *fusion
	a    layout.Matrix[A]
	b    layout.Matrix[Acc]
	m, n int
	next atomic.Int64
}

// portableRows is how many rows are summed before their epilogue runs.
const portableRows = 48

// portableFused computes blocks of rows with the portable product and hands them to
// the epilogue in Go. Narrow operands are widened first.
func portableFused[A, B dtype.Elem, Acc dtype.Float](j *job, threads int, a layout.Matrix[A], b layout.Matrix[B], m, n int) {
	p := &fusedPart[A, B, Acc]{f: &j.fused, a: a, b: widen[Acc](b), m: m, n: n}
	if threads == 1 || float64(a.Cols)*float64(m)*float64(n) < threadedWork/32 {
		p.work(&j.self)
		return
	}
	j.do = p
	j.run(threads)
}

func (p *fusedPart[A, B, Acc]) work(w *worker) {
	size := int(unsafe.Sizeof(Acc(0)))
	w.sums.grow(min(portableRows, p.m) * p.n * size)
	for {
		i := (int(p.next.Add(1)) - 1) * portableRows
		if i >= p.m {
			break
		}
		rows := min(portableRows, p.m-i)
		sums := layout.RowMajor(unsafe.Slice((*Acc)(w.sums.p), rows*p.n), rows, p.n)
		if p.a.Cols == 0 {
			clear(sums.Data)
		} else {
			generic(1, widen[Acc](p.a.Slice(i, i+rows, 0, p.a.Cols)), p.b, 0, sums, bufOf[Acc](w))
		}
		p.f.run(&w.epi, operandOf(sums), i, 0, rows, p.n, 0, i/portableRows)
	}
	w.epi = EpiArgs{}
}

// widen returns m with elements of type Acc: itself, or a copy.
func widen[Acc dtype.Float, T dtype.Elem](m layout.Matrix[T]) layout.Matrix[Acc] {
	if same, ok := any(m).(layout.Matrix[Acc]); ok {
		return same
	}
	out := layout.New[Acc](m.Rows, m.Cols)
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

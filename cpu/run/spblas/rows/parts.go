package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// parts are the summands of a matrix: the loops of a format, or those of a sum.
type parts[T dtype.Value] struct {
	packed *format.Packed[T]
	sum    *rule.Sum[T]
}

// multiplyParts is multiply of parts that were checked.
func (s *SpMM[T]) multiplyParts(opt run.Options, out layout.Matrix[T], e *epilogue.Epilogue, a parts[T], b layout.Matrix[T]) {
	switch {
	case e != nil:
		if !call.Empty(e) {
			s.fuseParts(opt, e, a, b)
		}
	case a.sum != nil && call.CopyColumns(b) < b.Cols:
		call.BySlabs(out, b, func(out, b layout.Matrix[T]) { s.storeParts(opt, out, a, b) })
	default:
		s.storeParts(opt, out, a, b)
	}
}

// storeParts is multiplyParts whose rows are stored.
func (s *SpMM[T]) storeParts(opt run.Options, out layout.Matrix[T], a parts[T], b layout.Matrix[T]) {
	none, byRows := a.nnz() == 0 && s.Semiring == nil, s.Mean || a.sum != nil
	if !byRows && out.ColStride != 1 { // kernels store rows, and what is in Go anything
		kern, _, _ := s.nestKernels(&opt, *a.packed, b)
		byRows = kern != nil
	}
	alpha, beta, mode, done := call.Begin(opt, out, none, byRows, func(opt run.Options, out layout.Matrix[T]) { s.storeParts(opt, out, a, b) })
	if done {
		return
	}
	mem.Normalize(&out)
	var f *nestEnd
	if s.Mean {
		f = nestEnds.Get()
		f.begin(nil, false, mem.OperandOf(out), out.Rows, out.Cols, dtype.Of[T]().Size())
		f.counts = a.rowCounts()
	}
	s.addParts(opt, nestCall[T]{alpha: alpha, beta: beta, mode: mode}, f, out, a, b)
	if s.Mean {
		f.release()
	}
}

// fuseParts is multiplyParts with an epilogue. Sums are made where the result will lie if it has room for them, else in a matrix of their own. Each block
// of rows gets its epilogue as soon as it is complete, while it is in L1. If that is known only
// when all entries were met, the epilogue follows the last of them.
func (s *SpMM[T]) fuseParts(opt run.Options, e *epilogue.Epilogue, a parts[T], b layout.Matrix[T]) {
	if a.sum != nil && a.sum.Len() == 1 {
		part := a.sum.Part(0).Packed
		if r, ok := rawRows(&part); ok {
			fuse(s, opt, e, &Rows[T]{raw: r}, b)
			return
		}
	}
	if a.sum != nil && a.sum.Len() != 1 {
		call.CheckCopy(e.Name, "b", b)
	}
	m := a.rows()
	f, sums := s.fuseInto(opt, e, m, b.Cols)
	if s.Mean {
		f.counts = a.rowCounts()
	}
	s.addParts(opt, nestCall[T]{alpha: 1}, f, sums, a, b)
	f.finish()
}

// addParts computes the sums of all parts into out, the rows of which are contiguous unless
// there is one part, and hands rows to f, if any, when they are complete.
func (s *SpMM[T]) addParts(opt run.Options, c nestCall[T], f *nestEnd, out layout.Matrix[T], a parts[T], b layout.Matrix[T]) {
	if a.packed != nil {
		c.ends = f
		s.nest(opt, c, out, *a.packed, b)
		return
	}
	if a.sum.Len() == 0 {
		fillMatrix(out, s.operator().Zero)
	}
	for i := range a.sum.Len() {
		part := a.sum.Part(i).Packed
		if r, ok := rawRows(&part); ok {
			rowsInto(s, opt, s.pickRows(&opt), c, out, &Rows[T]{raw: r}, b)
		} else {
			if a.sum.Len() == 1 {
				c.ends, f = f, nil
			}
			s.nest(opt, c, out, part, b)
		}
		c.add = true
	}
	if f != nil {
		f.all(opt)
	}
}

// rows returns how many rows there are.
func (a parts[T]) rows() int {
	if a.packed != nil {
		m, _ := a.packed.Dims()
		return m
	}
	m, _ := a.sum.Dims()
	return m
}

// nnz returns how many entries the parts have.
func (a parts[T]) nnz() int {
	if a.packed != nil {
		return a.packed.NNZ()
	}
	return a.sum.NNZ()
}

// rowCounts returns how many entries each row has.
func (a parts[T]) rowCounts() []int32 {
	if a.packed != nil {
		return a.packed.RowCounts()
	}
	n := make([]int32, a.rows())
	for i := range a.sum.Len() {
		for r, count := range a.sum.Part(i).RowCounts() {
			n[r] += count
		}
	}
	return n
}

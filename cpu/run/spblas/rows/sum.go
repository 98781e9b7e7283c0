package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// MultiplySum is [SpMM.MultiplyPacked] of a decomposed matrix. It adds the parts in their
// order, each by the kernels for its format, or in plain Go if there are none for its loops.
// A semiring joins them by its Plus. For means, the sum of a row's parts is divided by the
// number of all its entries.
func (s *SpMM[T]) MultiplySum(opt run.Options, out layout.Matrix[T], a sparse.Sum[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	name := opt.Name(s.Name)
	call.CheckSparse(name, opt, &out, m, k, &b)
	s.checkCall(name, opt, b.Cols)
	opt.Caller = name
	if call.CopyColumns(b) < b.Cols {
		call.BySlabs(out, b, func(out, b layout.Matrix[T]) { s.multiplySum(opt, out, a, b) })
		return
	}
	s.multiplySum(opt, out, a, b)
}

// multiplySum is MultiplySum of what was checked.
func (s *SpMM[T]) multiplySum(opt run.Options, out layout.Matrix[T], a sparse.Sum[T], b layout.Matrix[T]) {
	none := a.NNZ() == 0 && s.Semiring == nil
	alpha, beta, mode, done := call.Begin(opt, out, none, func(opt run.Options, out layout.Matrix[T]) { s.multiplySum(opt, out, a, b) })
	if done {
		return
	}
	mem.Normalize(&out)
	c, sums := nestCall[T]{alpha: alpha, beta: beta, mode: mode}, out
	if out.ColStride != 1 {
		sums = layout.New[T](out.Rows, out.Cols)
		c.beta = 0
	}
	s.addParts(opt, c, sums, a, b)
	if s.Mean {
		f := nestEnds.Get()
		f.begin(nil, false, mem.OperandOf(sums), out.Rows, out.Cols, dtype.Of[T]().Size())
		f.counts = rowCounts(a)
		f.all(opt)
		f.release()
	}
	if out.ColStride == 1 {
		return
	}
	for i := range out.Rows {
		for j := range out.Cols {
			mem.Store(1, sums.Data[i*sums.RowStride+j], beta, &out.Data[i*out.RowStride+j*out.ColStride])
		}
	}
}

// FuseSum is [SpMM.FusePacked] of a decomposed matrix. A row is complete when the last part
// was added. Epilogues therefore follow then, for a block of rows that stay in L1 at a time.
// For a single part they are fused with it.
func (s *SpMM[T]) FuseSum(opt run.Options, e *run.Epilogue, a sparse.Sum[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	call.CheckFuse(e, opt, s.Vector, m, k, &b)
	s.checkCall(e.Name, opt, b.Cols)
	if call.Empty(e) {
		return
	}
	if a.Len() == 1 {
		s.fusePacked(opt, e, a.Part(0).Packed, b)
		return
	}
	call.CheckCopy(e.Name, "b", b)
	opt.Caller = e.Name
	f, sums := s.fuseInto(opt, e, m, b.Cols)
	s.addParts(opt, nestCall[T]{alpha: 1}, sums, a, b)
	if s.Mean {
		f.counts = rowCounts(a)
	}
	f.all(opt)
	f.finish()
}

// addParts computes the sums of all parts into out, the rows of which are contiguous.
func (s *SpMM[T]) addParts(opt run.Options, c nestCall[T], out layout.Matrix[T], a sparse.Sum[T], b layout.Matrix[T]) {
	if a.Len() == 0 {
		fillMatrix(out, s.zero())
	}
	for i := range a.Len() {
		part := a.Part(i).Packed
		if r, ok := rawRows(part); ok {
			rowsInto(s, opt, s.pickRows(&opt), c, out, r, b)
		} else {
			s.nest(opt, c, out, part, b)
		}
		c.add = true
	}
}

// rowCounts returns how many entries each row of a has.
func rowCounts[T dtype.Float](a sparse.Sum[T]) []int32 {
	m, _ := a.Dims()
	n := make([]int32, m)
	for i := range a.Len() {
		for r, count := range a.Part(i).RowCounts() {
			n[r] += count
		}
	}
	return n
}

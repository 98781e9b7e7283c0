package rows

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// MultiplySegments sets row s of out to the sum of rows offsets[s] to offsets[s+1]-1 of x, or to what else
// this product makes of a row. It is [SpMM.Multiply] by a pattern whose row s has an entry for each of them.
// The pattern takes at most 4 bytes for each row of x. It panics with a [layout.ShapeError] before any
// element is read if shapes do not agree or out shares memory with x. It also panics unless offsets begin
// with 0, never descend, and end with x's rows.
func (s *SpMM[T]) MultiplySegments(opt run.Options, out layout.Matrix[T], offsets []int, x layout.Matrix[T]) {
	name := opt.Name(s.Name)
	call.CheckOptions(name, &opt)
	caller := refuser(name)
	if len(offsets) != out.Rows+1 || x.Cols != out.Cols {
		caller.fail("out is %d x %d, x is %d x %d, there are %d offsets; want m x h, n x h, m+1", out.Rows, out.Cols, x.Rows, x.Cols, len(offsets))
	}
	checkOffsets(caller, offsets, x.Rows)
	err := out.CheckOut("out")
	if err == nil {
		err = x.Check("x")
	}
	if err != nil {
		caller.fail("%v", err)
	}
	call.RefuseShared(name, "out", out, 0, "x", x, 0, 1)
	s.checkSegments(name, opt, x.Cols)
	if out.Rows == 0 || out.Cols == 0 { // of which x may have any number of rows
		return
	}
	r := segmentLists.Get()
	s.multiply(opt, out, Rows[T]{raw: r.raw(offsets)}, x)
	r.release()
}

// FuseSegments computes what [SpMM.MultiplySegments] does and hands every row to the epilogue
// once, whether its segment has rows or not.
func (s *SpMM[T]) FuseSegments(opt run.Options, e *run.Epilogue, offsets []int, x layout.Matrix[T]) {
	call.CheckOptions(e.Name, &opt)
	caller := refuser(e.Name)
	if len(offsets) != e.Rows+1 || x.Cols != e.Cols {
		caller.fail("out is %d x %d, x is %d x %d, there are %d offsets; want m x h, n x h, m+1", e.Rows, e.Cols, x.Rows, x.Cols, len(offsets))
	}
	checkOffsets(caller, offsets, x.Rows)
	if err := x.Check("x"); err != nil {
		caller.fail("%v", err)
	}
	if mem.Volume(e.Rows, e.Cols, 8*mem.Line) == math.MaxInt { // outputs may be reductions, which do not bound it
		caller.fail("a result of %d x %d is too large; want fewer rows or columns", e.Rows, e.Cols)
	}
	e.CheckOverlap(epi.Memory{}, epi.MemoryOf("x", x))
	s.checkSegments(e.Name, opt, x.Cols)
	if call.Empty(e) {
		return
	}
	r := segmentLists.Get()
	fuse(s, opt, e, r.raw(offsets), x)
	r.release()
}

// checkSegments is checkCall for a matrix that is called x.
func (s *SpMM[T]) checkSegments(name string, opt run.Options, h int) {
	if s.Features != 0 && h != s.Features {
		refuser(name).fail("x has %d columns, the kernel is generated for %d; leave Features 0 for any number", h, s.Features)
	}
	s.checkCall(name, opt, h)
}

// SegmentCount returns how many segments offsets are of.
func SegmentCount(offsets []int) int { return max(len(offsets), 1) - 1 }

// segmentList is the structure of a pattern: the offsets, and the numbers of all rows of x, which
// stay from call to call.
type segmentList struct {
	pointers, indices mem.Buffer
	known             int
}

var segmentLists mem.Pool[segmentList]

const offsetBytes = 4

// raw returns the pattern for offsets, which were checked.
func (l *segmentList) raw(offsets []int) sparse.Raw {
	m := len(offsets) - 1
	n := offsets[m]
	l.pointers.Grow(len(offsets) * offsetBytes)
	for i, at := range offsets {
		*call.Element[int32](l.pointers.P, i) = int32(at)
	}
	if n > l.known {
		l.known = mem.Ceil(n, 1024) * 1024
		l.indices.Grow(l.known * offsetBytes)
		for k := range l.known {
			*call.Element[int32](l.indices.P, k) = int32(k)
		}
	}
	return sparse.Raw{Rows: m, Cols: n, NNZ: n, Pointers: l.pointers.P, Indices: l.indices.P}
}

func (l *segmentList) release() {
	l.pointers.Trim()
	if l.indices.Trim(); l.indices.P == nil {
		l.known = 0
	}
	segmentLists.Put(l)
}

package rows

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// checkOffsetsOf refuses offsets and operands that do not fit.
func checkOffsetsOf[T dtype.Float, B dtype.Elem](s *SpMM[T], opt *run.Options, out *layout.Matrix[T], e *epilogue.Epilogue, offsets []int, x *layout.Matrix[B]) {
	call.CheckOptions(opt.Caller, opt)
	caller, m, h := refuser(opt.Caller), out.Rows, out.Cols
	if e != nil {
		m, h = e.Rows, e.Cols
	}
	if len(offsets) != m+1 || x.Cols != h {
		caller.fail("out is %d x %d, x is %d x %d, there are %d offsets; want m x h, n x h, m+1", m, h, x.Rows, x.Cols, len(offsets))
	}
	checkOffsets(caller, offsets, x.Rows)
	var err error
	if e == nil {
		err = out.CheckOut("out")
	}
	if err == nil {
		err = x.Check("x")
	}
	switch {
	case err != nil:
		caller.fail("%v", err)
	case e == nil:
		if mem.Touch(out.Data, x.Data) && mem.Overlaps(*out, *x) {
			caller.fail("out shares memory with x; copy it first")
		}
	case mem.Volume(m, h, 8*mem.Line) == math.MaxInt: // outputs may be reductions, which do not bound it
		caller.fail("a result of %d x %d is too large; want fewer rows or columns", m, h)
	default:
		e.CheckOverlap(epi.Memory{}, epi.MemoryOf("x", *x))
	}
	s.checkCall(opt, "x", x.Cols)
}

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

package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// checkOffsetsOf refuses offsets and operands that do not fit.
func checkOffsetsOf[T dtype.Float, B dtype.Elem](s *SpMM[T], opt *run.Options, out *layout.Matrix[T], e *epilogue.Epilogue, offsets []int, x *layout.Matrix[B]) {
	caller, m, h := check.Call(opt.Caller), out.Rows, out.Cols
	call.CheckOptions(caller, opt, "")
	if e != nil {
		m, h = e.Rows, e.Cols
	}
	if len(offsets) != m+1 || x.Cols != h {
		caller.Refuse("out is %d x %d, x is %d x %d, there are %d offsets; want m x h, n x h, m+1", m, h, x.Rows, x.Cols, len(offsets))
	}
	checkOffsets(caller, offsets, x.Rows)
	if e == nil {
		check.Written(caller, "out", out)
		check.Beside(caller, "out", out, "x", x)
	} else {
		check.Read(caller, "x", x)
		call.CheckEnd(e, 0, epi.Memory{}, epi.MemoryOf("x", *x))
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

package rows

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// SegmentMax sets row s of out to the maximum of rows offsets[s] to offsets[s+1]-1 of x, column by column. It
// sets arg, row after row of out, to the row of x of each maximum. That is the first if several are as great,
// and the first NaN if there is one. A segment without rows is -Inf, and its arg -1. It panics with a
// [layout.ShapeError] before any element is read if shapes do not agree or out shares memory with x. It also
// panics unless offsets begin with 0, never descend, and end with x's rows.
func SegmentMax[T dtype.Float](opt run.Options, out layout.Matrix[T], arg []int32, offsets []int, x layout.Matrix[T]) {
	name := opt.Name("cpu.SegmentMax")
	caller := refuserOf(name, &opt)
	if len(offsets) != out.Rows+1 || x.Cols != out.Cols {
		caller.fail("out is %d x %d, x is %d x %d, there are %d offsets; want m x h, n x h, m+1", out.Rows, out.Cols, x.Rows, x.Cols, len(offsets))
	}
	checkOffsets(caller, offsets, x.Rows)
	checkSegments(name, "out", &out, "x", &x, arg, out.Rows, out.Cols)
	if out.Rows == 0 || out.Cols == 0 {
		return
	}
	c := &segmentCall[T]{offsets: offsets, arg: arg, out: out, x: x}
	c.tasks.Begin(mem.Ceil(out.Rows, segmentRows))
	work.Run(c, call.ThreadsFor(opt, float64(x.Rows)*float64(x.Cols)))
}

// SegmentMaxBack sets dx, n x h, to the gradient of [SegmentMax] from dout, m x h, and what that left
// in arg. Each element goes to where the greatest came from, and the rest is 0. It panics as
// SegmentMax does, and if arg has a row that dx has not.
func SegmentMaxBack[T dtype.Float](opt run.Options, dx layout.Matrix[T], arg []int32, dout layout.Matrix[T]) {
	name := opt.Name("cpu.SegmentMaxBack")
	caller := refuserOf(name, &opt)
	if dx.Cols != dout.Cols {
		caller.fail("dx is %d x %d, dout is %d x %d; want n x h, m x h", dx.Rows, dx.Cols, dout.Rows, dout.Cols)
	}
	checkSegments(name, "dx", &dx, "dout", &dout, arg, dout.Rows, dout.Cols)
	for k, i := range arg {
		if i < -1 || int(i) >= dx.Rows {
			caller.fail("row %d at place %d of arg; want rows from 0 to %d, or -1 for none", i, k, dx.Rows-1)
		}
	}
	mem.Scale(dx, 0)
	if dout.Cols == 0 { // of which there may be any number of rows
		return
	}
	for s := range dout.Rows {
		for j := range dout.Cols {
			if i := arg[s*dout.Cols+j]; i >= 0 {
				dx.Data[int(i)*dx.RowStride+j*dx.ColStride] += dout.Data[s*dout.RowStride+j*dout.ColStride]
			}
		}
	}
}

// refuserOf checks options and returns what refuses shapes.
func refuserOf(name string, opt *run.Options) refuser {
	call.CheckOptions(name, opt)
	if opt.Scaling.On() {
		panic(run.OptionError{What: name, Why: "a maximum has no alpha and no beta; leave Options.Scaling unset"})
	}
	return refuser(name)
}

// A refuser is the call that refuses its operands' shapes. It is a name and not a closure over one: a call that
// is right allocates nothing.
type refuser string

func (name refuser) fail(format string, args ...any) {
	panic(layout.ShapeError{What: string(name), Why: fmt.Sprintf(format, args...)})
}

// checkOffsets refuses offsets that do not cut n rows into segments.
func checkOffsets(caller refuser, offsets []int, n int) {
	if n > math.MaxInt32 {
		caller.fail("x has %d rows; %d is the most", n, math.MaxInt32)
	}
	if len(offsets) == 0 {
		caller.fail("there are no offsets; want one more than segments, the first 0")
	}
	for s, at := range offsets {
		if s == 0 && at != 0 || s > 0 && at < offsets[s-1] || s == len(offsets)-1 && at != n {
			caller.fail("offset %d is %d; want 0 first, %d last, and none less than the one before", s, at, n)
		}
	}
}

func checkSegments[T dtype.Float](name, to string, out *layout.Matrix[T], from string, x *layout.Matrix[T], arg []int32, m, h int) {
	err := out.CheckOut(to)
	if err == nil {
		err = x.Check(from)
	}
	if err == nil && len(arg) != mem.Volume(m, h) {
		err = fmt.Errorf("arg has %d elements; want one for each of %d x %d", len(arg), m, h)
	}
	if err != nil {
		panic(layout.ShapeError{What: name, Why: err.Error()})
	}
	call.RefuseShared(name, to, *out, 0, from, *x, 0, 1)
}

const segmentRows = 256 // taken at once

// segmentCall is one call.
type segmentCall[T dtype.Float] struct {
	offsets []int
	arg     []int32
	out, x  layout.Matrix[T]
	tasks   call.Tasks
}

func (c *segmentCall[T]) Work(bool) {
	best := make([]T, c.out.Cols)
	for t := range c.tasks.Each {
		for s := t * segmentRows; s < min((t+1)*segmentRows, c.out.Rows); s++ {
			arg := c.arg[s*c.out.Cols:][:c.out.Cols]
			for j := range arg {
				best[j], arg[j] = T(math.Inf(-1)), -1
			}
			for k := c.offsets[s]; k < c.offsets[s+1]; k++ {
				row := c.x.Data[k*c.x.RowStride:]
				for j := range arg {
					x := row[j*c.x.ColStride]
					if x > best[j] || arg[j] < 0 || x != x && best[j] == best[j] {
						best[j], arg[j] = x, int32(k)
					}
				}
			}
			for j, x := range best {
				c.out.Data[s*c.out.RowStride+j*c.out.ColStride] = x
			}
		}
	}
}

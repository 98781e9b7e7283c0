package rows

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
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
	c := check.Call(name)
	call.CheckOptions(c, &opt, noFactors)
	if len(offsets) != out.Rows+1 || x.Cols != out.Cols {
		c.Refuse("out is %d x %d, x is %d x %d, there are %d offsets; want m x h, n x h, m+1", out.Rows, out.Cols, x.Rows, x.Cols, len(offsets))
	}
	checkOffsets(c, offsets, x.Rows)
	checkSegments(c, "out", &out, "x", &x, arg, out.Rows, out.Cols)
	if out.Rows == 0 || out.Cols == 0 {
		return
	}
	p := &segmentCall[T]{offsets: offsets, arg: arg, out: out, x: x}
	p.job.Run(p, call.ThreadsFor(opt, float64(x.Rows)*float64(x.Cols)), call.PlainStep, mem.Ceil(out.Rows, segmentRows))
}

// SegmentMaxBack sets dx, n x h, to the gradient of [SegmentMax] from dout, m x h, and what that left
// in arg. Each element goes to where the greatest came from, and the rest is 0. It panics as
// SegmentMax does, and if arg has a row that dx has not.
func SegmentMaxBack[T dtype.Float](opt run.Options, dx layout.Matrix[T], arg []int32, dout layout.Matrix[T]) {
	name := opt.Name("cpu.SegmentMaxBack")
	c := check.Call(name)
	call.CheckOptions(c, &opt, noFactors)
	if dx.Cols != dout.Cols {
		c.Refuse("dx is %d x %d, dout is %d x %d; want n x h, m x h", dx.Rows, dx.Cols, dout.Rows, dout.Cols)
	}
	checkSegments(c, "dx", &dx, "dout", &dout, arg, dout.Rows, dout.Cols)
	for k, i := range arg {
		if i < -1 || int(i) >= dx.Rows {
			c.Refuse("row %d at place %d of arg; want rows from 0 to %d, or -1 for none", i, k, dx.Rows-1)
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

const noFactors = "a maximum has no alpha and no beta; leave Options.Scaling unset"

// checkOffsets refuses offsets that do not cut n rows into segments.
func checkOffsets(c check.Call, offsets []int, n int) {
	if n > math.MaxInt32 {
		c.Refuse("x has %d rows; %d is the most", n, math.MaxInt32)
	}
	if len(offsets) == 0 {
		c.Refuse("there are no offsets; want one more than segments, the first 0")
	}
	for s, at := range offsets {
		if s == 0 && at != 0 || s > 0 && at < offsets[s-1] || s == len(offsets)-1 && at != n {
			c.Refuse("offset %d is %d; want 0 first, %d last, and none less than the one before", s, at, n)
		}
	}
}

func checkSegments[T dtype.Float](c check.Call, to string, out *layout.Matrix[T], from string, x *layout.Matrix[T], arg []int32, m, h int) {
	check.Written(c, to, out)
	check.Read(c, from, x)
	if len(arg) != mem.Volume(m, h) {
		c.Refuse("arg has %d elements; want one for each of %d x %d", len(arg), m, h)
	}
	check.Apart(c, to, out, from, x)
}

const segmentRows = 256 // taken at once

// segmentCall is one call.
type segmentCall[T dtype.Float] struct {
	offsets []int
	arg     []int32
	out, x  layout.Matrix[T]
	job     call.Job
}

// Task does some segments.
func (c *segmentCall[T]) Task(w *call.Scratch, t int) {
	w.Sums.Grow(c.out.Cols * call.SizeOf[T]())
	best := call.SliceOf((*T)(w.Sums.P), c.out.Cols)
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

package triangle

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// triangleCall is one call. Right sides are cut into panels, which know nothing of each
// other; if there is only one, goroutines share its steps.
type triangleCall[T dtype.Float] struct {
	t       *Triangle[T]
	rows    *triangleRows[T]
	x, b    layout.Matrix[T]
	found   []T  // x by places
	stride  int  // of its rows
	inPlace bool // it is x itself

	panels call.Panels
	tasks  work.Tasks
	steps  []levelStep  // that are the tasks, if one panel is shared; nil: panels are
	done   atomic.Int64 // steps
	crew   work.Crew
	buf    mem.Buffer
}

// triangleWorker is memory that assembly reads.
type triangleWorker struct {
	args  kernel.SparseArgs
	piece [2]int32
}

var triangleWorkers mem.Pool[triangleWorker]

// solve does what was checked.
func (c *triangleCall[T]) solve(t *Triangle[T], opt run.Options, x, b layout.Matrix[T]) {
	mem.Normalize(&x)
	mem.Normalize(&b)
	c.t, c.rows, c.x, c.b, c.steps, c.panels = t, &t.rows, x, b, nil, call.PanelsOf(x.Cols, t.kern.VL, t.kern.NV)
	n, count := 0, c.panels.Count
	if count > 1 {
		n = min(call.ThreadsFor(opt, t.total()*float64(x.Cols)), count)
	} else if n = t.threads(work.Allowed(opt.Threads), c.panels.Size); n > 1 {
		l := t.plan()
		c.rows, c.steps, count = &l.rows, l.steps, len(l.steps)
	} else if x.Cols == 1 && t.sort() {
		c.rows = &t.plan().rows
	}
	// Which kernel does a call must not depend on strides.
	if c.inPlace = c.rows.order == nil && x.ColStride == 1 && (x.Cols > 1 || x.RowStride == 1 || x.Rows == 1); c.inPlace {
		c.found, c.stride = x.Data, x.RowStride
	} else {
		c.buf.Grow(mem.Volume(x.Rows, x.Cols, dtype.Of[T]().Size()))
		c.found, c.stride = call.SliceOf((*T)(c.buf.P), x.Rows*x.Cols), x.Cols
	}
	c.done.Store(0)
	c.tasks.Begin(count)
	c.crew.Run(c, n)
	c.x, c.b, c.found = layout.Matrix[T]{}, layout.Matrix[T]{}, nil // do not keep the caller's memory alive
	c.buf.Trim()
}

// Work is the share of one goroutine.
func (c *triangleCall[T]) Work(bool) {
	w := triangleWorkers.Get()
	for task, ok := c.tasks.Next(); ok; task, ok = c.tasks.Next() {
		if c.steps == nil {
			c.solveRows(w, task, 0, c.t.n)
			continue
		}
		s := c.steps[task]
		c.await(s.before)
		c.solveRows(w, 0, int(s.from), int(s.to))
		c.done.Add(1)
	}
	w.args = kernel.SparseArgs{}
	triangleWorkers.Put(w)
}

// await returns when so many steps are done. Steps are claimed in order, and none of a
// level is done before all of earlier ones are, so that these are the first.
func (c *triangleCall[T]) await(steps int32) {
	for spins := 1; c.done.Load() < int64(steps); spins++ {
		if spins%64 == 0 {
			if c.crew.Failed() {
				panic(work.GivingUp{})
			}
			runtime.Gosched()
		}
	}
}

// Rows are loaded and solved for a few at a time, so that they stay in L1 meanwhile.
// Calls are short, since assembly cannot be preempted.
const (
	rowsAtOnce    = 64
	entriesAtOnce = 1 << 15
)

// solveRows solves for the positions from to to-1 of panel q.
func (c *triangleCall[T]) solveRows(w *triangleWorker, q, from, to int) {
	if c.x.Cols == 1 {
		c.solveVector(from, to)
		return
	}
	col, cols := c.panels.Columns(q)
	t := c.rows
	c.begin(w, q)
	for from < to {
		first, end := int(t.pointers[from]), from+1
		if t.divisors == nil { // a row is divided before the next is begun
			for end < min(to, from+rowsAtOnce) && int(t.pointers[end+1])-first <= entriesAtOnce {
				end++
			}
		}
		c.load(from, end, col, cols)
		if last := int(t.pointers[end]); last-first <= entriesAtOnce {
			c.subtract(w, q, &t.pointers[from], from, end-from)
		} else { // one row
			for k := first; k < last; k += entriesAtOnce {
				w.piece = [2]int32{int32(k), int32(min(k+entriesAtOnce, last))}
				c.subtract(w, q, &w.piece[0], from, 1)
			}
		}
		if t.divisors != nil {
			row := c.found[t.place(from)*c.stride+col:][:cols]
			for j := range row {
				row[j] /= t.divisors[from]
			}
		}
		if !c.inPlace {
			c.store(from, end, col, cols)
		}
		from = end
	}
}

// load copies rows of b to their places, times their scale.
func (c *triangleCall[T]) load(from, to, col, cols int) {
	t := c.rows
	if c.inPlace && t.scale == nil && samePlace(c.x, c.b) {
		return
	}
	for p := from; p < to; p++ {
		factor := T(1)
		if t.scale != nil {
			factor = t.scale[p]
		}
		at, src := t.place(p)*c.stride+col, t.row(p)*c.b.RowStride+col*c.b.ColStride
		dst := c.found[at : at+cols]
		if c.b.ColStride != 1 {
			for j := range dst {
				dst[j] = factor * c.b.Data[src+j*c.b.ColStride]
			}
			continue
		}
		row := c.b.Data[src : src+cols]
		for len(dst) >= 4 && len(row) >= 4 { // fewer branches than elements
			dst[0], dst[1], dst[2], dst[3] = factor*row[0], factor*row[1], factor*row[2], factor*row[3]
			dst, row = dst[4:], row[4:]
		}
		for j := range row {
			dst[j] = factor * row[j]
		}
	}
}

// store copies what was found to x.
func (c *triangleCall[T]) store(from, to, col, cols int) {
	t := c.rows
	for p := from; p < to; p++ {
		at, dst := t.place(p)*c.stride+col, t.row(p)*c.x.RowStride+col*c.x.ColStride
		for j, v := range c.found[at : at+cols] {
			c.x.Data[dst+j*c.x.ColStride] = v
		}
	}
}

// begin sets what the calls of a panel have in common.
func (c *triangleCall[T]) begin(w *triangleWorker, q int) {
	args, size := &w.args, int64(dtype.Of[T]().Size())
	col, _, last := c.panels.Panel(q)
	args.Indices, args.Values = unsafe.Pointer(unsafe.SliceData(c.rows.indices)), unsafe.Pointer(unsafe.SliceData(c.rows.values))
	args.B, args.LdB = unsafe.Pointer(&c.found[col]), int64(c.stride)*size
	if args.LdC = args.LdB; c.rows.down {
		args.LdC = -args.LdB
	}
	args.N, args.Ahead = int64(last), 0
	args.Mode, args.Alpha, args.Beta = kernel.ModeUpdate, mem.BitsOf(T(-1)), mem.BitsOf(T(1))
}

// subtract takes the products of the entries of rows from position at on from their
// results. It does each row when those before it are done.
func (c *triangleCall[T]) subtract(w *triangleWorker, q int, pointers *int32, at, rows int) {
	kern, args := c.t.kern, &w.args
	col, nv, last := c.panels.Panel(q)
	args.Pointers, args.Rows = unsafe.Pointer(pointers), int64(rows)
	args.C = unsafe.Pointer(&c.found[c.rows.place(at)*c.stride+col])
	form := kernel.Panel
	if last < kern.VL {
		form = kernel.Tail
	}
	kern.Tile(form, 1, nv)(args)
}

package epi

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A reduction is one value a row or a column of a fused product's result. Kernels
// leave partial results, one for each panel of columns (rows) or each tile of rows
// (columns). combine joins them in the order of their positions, so that the number of
// threads never shows.
type reduction struct {
	op   reduce.Op
	col  bool
	wide bool // float64
	slot int
	best int            // if not 0, the slot of the reduction to an index that finds the value too
	dst  unsafe.Pointer // []T or, for an index, []int32
	off  int            // of its partial results in the job's buffer
}

// second is the bytes that a reduction keeps besides a value: an index, or the sum of a
// log-sum-exp.
func (r *reduction) second() int {
	switch {
	case r.op.Arg():
		return 4
	case r.op == reduce.LogSumExp:
		return r.size()
	}
	return 0
}

func (r *reduction) size() int {
	if r.wide {
		return 8
	}
	return 4
}

// AddArg adds the index of the largest or smallest result of each row; package run says
// more.
func AddArg[T dtype.Float](e *Epilogue, name string, dst []int32, op reduce.Op) {
	AddReduce(e, name, dst, op, false)
	e.reduces[e.Reduced-1].wide = dtype.Of[T]() == dtype.F64
	e.Add(kernel.Slot{}, Memory{})
	e.Add(kernel.Slot{P: unsafe.Pointer(&lanes[0])}, Memory{})
}

// AddBest adds a reduction of rows whose values the one to an index at a slot finds.
func AddBest[T dtype.Float](e *Epilogue, name string, dst []T, slot int) {
	AddReduce(e, name, dst, reduce.Max, false)
	e.reduces[e.Reduced-1].best = slot
}

// lanes are the numbers of the lanes, for kernels that reduce to an index.
var lanes = func() (x [64]int32) {
	for i := range x {
		x[i] = int32(i)
	}
	return x
}()

// AddReduce adds a reduction of the result to an element for each row or column.
func AddReduce[T dtype.Elem](e *Epilogue, name string, dst []T, op reduce.Op, col bool) {
	want, what := e.Rows, "rows"
	if col {
		want, what = e.Cols, "columns"
	}
	if len(dst) != want {
		e.refuseLength(name, len(dst), want, what)
	}
	p := unsafe.Pointer(unsafe.SliceData(dst))
	e.reducers = &joins
	e.reduces[e.Reduced] = reduction{op: op, col: col, wide: dtype.Of[T]() == dtype.F64, slot: e.N, dst: p}
	e.Reduced++
	u := Memory{Name: name, written: true}
	if want > 0 {
		u.P, u.Size = p, uintptr(want)*unsafe.Sizeof(dst[0])
	}
	e.Add(kernel.Slot{}, u)
	if op == reduce.LogSumExp {
		e.Add(kernel.Slot{}, Memory{})
	}
}

// ByColumn reports whether some reduction is of columns. Then the epilogue runs for a fixed
// number of tiles at a time, which have partial results of their own.
func (f *Fusion) ByColumn() bool {
	for i := range f.Reduced {
		if f.reduces[i].col {
			return true
		}
	}
	return false
}

// reducers has what only an epilogue with reductions needs. Only what adds a reduction names them, so a program
// without reductions does not link them.
type reducers struct {
	prepare func(f *Fusion, buf *mem.Buffer, m, n, panels, tiles, lanes int)
	combine func(f *Fusion, m, n, panels, tiles int, columns Columns)
}

var joins = reducers{prepare, combineAll}

// Prepare makes room for partial results of the given numbers of panels and tiles, for
// calls of a kernel with vectors of so many lanes.
func (f *Fusion) Prepare(buf *mem.Buffer, m, n, panels, tiles, lanes int) {
	f.m, f.Cols, f.lanes, f.rowBytes = m, n, lanes, 0
	if f.reducers != nil {
		f.reducers.prepare(f, buf, m, n, panels, tiles, lanes)
	}
}

func prepare(f *Fusion, buf *mem.Buffer, m, n, panels, tiles, lanes int) {
	total := 0
	for i := range f.Reduced {
		r := &f.reduces[i]
		if r.best > 0 {
			continue
		}
		r.off = total
		total += r.partials(m, n, panels, tiles) * r.each()
		if !r.col {
			f.rowBytes += lanes * r.each()
		}
	}
	buf.Grow(total)
	for i := range f.Reduced {
		r := &f.reduces[i]
		if r.best > 0 {
			continue
		}
		count := r.partials(m, n, panels, tiles)
		p := unsafe.Add(buf.P, r.off)
		s := &f.Slots[r.slot]
		*s = kernel.Slot{P: p}
		if !r.col {
			s.Rs = int64(r.size())
		}
		if r.wide {
			fillWith(unsafe.Slice((*float64)(p), count), r.op)
		} else {
			fillWith(unsafe.Slice((*float32)(p), count), r.op)
		}
		if second := r.second(); second > 0 {
			p = unsafe.Add(p, count*r.size())
			f.Slots[r.slot+1] = kernel.Slot{P: p}
			if !r.col {
				f.Slots[r.slot+1].Rs = int64(second)
			}
			clear(unsafe.Slice((*byte)(p), count*second))
		}
	}
}

// partials is how many partial results there are.
func (r *reduction) partials(m, n, panels, tiles int) int {
	if r.col {
		return tiles * n
	}
	return panels * m
}

// each is the bytes of a partial result.
func (r *reduction) each() int { return r.size() + r.second() }

// fillWith sets all of x to the identity, in copies that double.
func fillWith[T dtype.Float](x []T, op reduce.Op) {
	if op.Adds() {
		clear(x)
		return
	}
	if len(x) > 0 {
		x[0] = T(op.Identity())
	}
	for n := 1; n < len(x); n *= 2 {
		copy(x[n:], x[:n])
	}
}

// setReductions sets the slots of reductions for a call that begins at row i and column j
// and belongs to one panel and tile.
func (f *Fusion) setReductions(args *kernel.EpiArgs, i, j, panel, tile int) {
	for x := range f.Reduced {
		r := &f.reduces[x]
		if r.best > 0 {
			continue
		}
		at := panel*f.m + i
		if r.col {
			at = tile*f.Cols + j
		}
		s := f.Slots[r.slot]
		s.P = unsafe.Add(s.P, at*r.size())
		args.Slots[r.slot] = s
		if second := r.second(); second > 0 {
			q := f.Slots[r.slot+1]
			q.P = unsafe.Add(q.P, at*second)
			args.Slots[r.slot+1] = q
		}
		if r.op.Arg() {
			args.Slots[r.slot+2] = f.Slots[r.slot+2]
		}
	}
}

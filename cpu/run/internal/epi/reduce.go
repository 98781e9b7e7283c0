package epi

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A reduction is one value a row or a column of a fused product's result. Kernels
// leave partial results, one for each panel of columns (rows) or each tile of rows
// (columns); combine joins them in the order of their positions, so that the number
// of threads never shows.
type reduction struct {
	op   ReduceOp
	col  bool
	wide bool // float64
	slot int
	dst  unsafe.Pointer // []T or, for an index, []int32
	off  int            // of its partial results in the job's buffer
}

// ReduceOp is what a reduction does with two values.
type ReduceOp uint8

// The reductions.
const (
	ReduceSum ReduceOp = iota
	ReduceMax
	ReduceArgMax
	ReduceArgMin
	ReduceMin
	ReduceSumSquares
)

// sums reports whether partial results are added.
func (op ReduceOp) sums() bool { return op == ReduceSum || op == ReduceSumSquares }

func (r *reduction) arg() bool { return r.op == ReduceArgMax || r.op == ReduceArgMin }

func (r *reduction) size() int {
	if r.wide {
		return 8
	}
	return 4
}

// AddArg adds the index of the largest or smallest result of each row; package run says
// more.
func AddArg[T dtype.Float](e *Epilogue, name string, dst []int32, op ReduceOp) {
	AddReduce(e, name, dst, op, false)
	e.reduces[e.Reduced-1].wide = dtype.Of[T]() == dtype.F64
	e.Add(kernel.Slot{}, Memory{})
	e.Add(kernel.Slot{P: unsafe.Pointer(&lanes[0])}, Memory{})
}

// lanes are the numbers of the lanes, for kernels that reduce to an index.
var lanes = func() (x [64]int32) {
	for i := range x {
		x[i] = int32(i)
	}
	return x
}()

// AddReduce adds a reduction of the result to an element for each row or column.
func AddReduce[T dtype.Elem](e *Epilogue, name string, dst []T, op ReduceOp, col bool) {
	want, what := e.Rows, "rows"
	if col {
		want, what = e.Cols, "columns"
	}
	if len(dst) != want {
		panic(layout.ShapeError{What: e.Name, Why: fmt.Sprintf("%s has %d elements, the product has %d %s", name, len(dst), want, what)})
	}
	p := unsafe.Pointer(unsafe.SliceData(dst))
	e.reduces[e.Reduced] = reduction{op: op, col: col, wide: dtype.Of[T]() == dtype.F64, slot: e.N, dst: p}
	e.Reduced++
	u := Memory{Name: name, written: true}
	if want > 0 {
		u.P, u.Size = p, uintptr(want)*unsafe.Sizeof(dst[0])
	}
	e.Add(kernel.Slot{}, u)
}

// ByColumn reports whether some reduction is of columns: then the epilogue runs for a fixed
// number of tiles at a time, which have partial results of their own.
func (f *Fusion) ByColumn() bool {
	for i := range f.Reduced {
		if f.reduces[i].col {
			return true
		}
	}
	return false
}

// Prepare makes room for partial results: of the given numbers of panels and tiles, and
// of calls of a kernel with vectors of so many lanes.
func (f *Fusion) Prepare(buf *mem.Buffer, m, n, panels, tiles, lanes int) {
	f.m, f.Cols, f.lanes, f.rowBytes = m, n, lanes, 0
	total := 0
	for i := range f.Reduced {
		r := &f.reduces[i]
		r.off = total
		total += r.partials(m, n, panels, tiles) * r.each()
		if !r.col {
			f.rowBytes += lanes * r.each()
		}
	}
	buf.Grow(total)
	for i := range f.Reduced {
		r := &f.reduces[i]
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
		if r.arg() {
			p = unsafe.Add(p, count*r.size())
			f.Slots[r.slot+1] = kernel.Slot{P: p, Rs: 4}
			clear(unsafe.Slice((*int32)(p), count))
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
func (r *reduction) each() int {
	if r.arg() {
		return r.size() + 4
	}
	return r.size()
}

// fillWith sets all of x to the identity, in copies that double.
func fillWith[T dtype.Float](x []T, op ReduceOp) {
	if op.sums() {
		clear(x)
		return
	}
	if len(x) > 0 {
		x[0] = identity[T](op)
	}
	for n := 1; n < len(x); n *= 2 {
		copy(x[n:], x[:n])
	}
}

func identity[T dtype.Float](op ReduceOp) T {
	switch op {
	case ReduceMax, ReduceArgMax:
		return T(math.Inf(-1))
	case ReduceMin, ReduceArgMin:
		return T(math.Inf(1))
	}
	return 0
}

// setReductions sets the slots of reductions for a call that begins at row i and column j
// and belongs to one panel and tile.
func (f *Fusion) setReductions(args *kernel.EpiArgs, i, j, panel, tile int) {
	for x := range f.Reduced {
		r := &f.reduces[x]
		s := f.Slots[r.slot]
		if r.col {
			s.P = unsafe.Add(s.P, (tile*f.Cols+j)*r.size())
		} else {
			s.P = unsafe.Add(s.P, (panel*f.m+i)*int(s.Rs))
		}
		args.Slots[r.slot] = s
		if r.arg() {
			q := f.Slots[r.slot+1]
			q.P = unsafe.Add(q.P, (panel*f.m+i)*int(q.Rs))
			args.Slots[r.slot+1] = q
			args.Slots[r.slot+2] = f.Slots[r.slot+2]
		}
	}
}

// Combine joins the partial results; at gives the first column of each panel.
func (f *Fusion) Combine(m, n, panels, tiles int, at func(panel int) int) {
	for x := range f.Reduced {
		r := &f.reduces[x]
		if r.wide {
			combine[float64](f, r, m, n, panels, tiles, at)
		} else {
			combine[float32](f, r, m, n, panels, tiles, at)
		}
	}
}

func combine[T dtype.Float](f *Fusion, r *reduction, m, n, panels, tiles int, at func(panel int) int) {
	if r.arg() {
		combineIndex[T](f, r, m, panels, at)
		return
	}
	length, count := m, panels
	if r.col {
		length, count = n, tiles
	}
	dst := unsafe.Slice((*T)(r.dst), length)
	fillWith(dst, r.op)
	part := unsafe.Slice((*T)(f.Slots[r.slot].P), count*length)
	for ; len(part) > 0; part = part[length:] {
		join(r.op, dst, part[:length])
	}
	if !r.op.sums() {
		for i := range dst {
			dst[i] += 0 // of zeros +0
		}
	}
}

func combineIndex[T dtype.Float](f *Fusion, r *reduction, m, panels int, at func(panel int) int) {
	part := unsafe.Slice((*T)(f.Slots[r.slot].P), panels*m)
	index := unsafe.Slice((*int32)(f.Slots[r.slot+1].P), panels*m)
	dst := unsafe.Slice((*int32)(r.dst), m)
	for i := range dst {
		dst[i] = -1
	}
	if panels == 0 {
		return
	}
	best := part[:m] // of the first panel, and then of those so far
	for p := range panels {
		first, end := at(p), at(p+1)
		values, index := part[p*m:][:len(best)], index[p*m:][:len(best)]
		for i, x := range values {
			if c := first + int(index[i]); c < end && (dst[i] < 0 || Better(r.op, x, best[i], c < int(dst[i]))) {
				best[i], dst[i] = x, int32(c)
			}
		}
	}
}

// join takes partial results into dst.
func join[T dtype.Float](op ReduceOp, dst, part []T) {
	part = part[:len(dst)]
	switch {
	case op.sums():
		for i := range dst {
			dst[i] += part[i]
		}
	case op == ReduceMin:
		for i, x := range part {
			if y := dst[i]; x < y || x != x {
				dst[i] = x
			}
		}
	default:
		for i, x := range part {
			if y := dst[i]; x > y || x != x {
				dst[i] = x
			}
		}
	}
}

// Better reports whether x goes before best; among equals, and among NaN, which go
// before all else, that of the lower column does.
func Better[T dtype.Float](op ReduceOp, x, best T, lower bool) bool {
	switch nan, was := x != x, best != best; {
	case nan || was:
		return nan && (!was || lower)
	case x == best:
		return lower
	case op == ReduceArgMin:
		return x < best
	}
	return x > best
}

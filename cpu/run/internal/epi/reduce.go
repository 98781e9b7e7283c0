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
)

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

// ByColumn reports whether some reduction is of columns: then the epilogue runs tile
// by tile, since each has partial results of its own.
func (f *Fusion) ByColumn() bool {
	for i := range f.Reduced {
		if f.reduces[i].col {
			return true
		}
	}
	return false
}

// Prepare makes room for partial results: of the given numbers of panels and tiles,
// for a kernel that leaves vectors of width values for a row.
func (f *Fusion) Prepare(buf *mem.Buffer, m, n, panels, tiles, width int) {
	f.width, f.m, f.Cols = width, m, n
	total := 0
	for i := range f.Reduced {
		r := &f.reduces[i]
		r.off = total
		count := panels * m * width
		if r.col {
			count = tiles * n
		}
		total += count * r.size()
		if r.arg() {
			total += count * 4
		}
	}
	buf.Grow(total)
	for i := range f.Reduced {
		r := &f.reduces[i]
		count := panels * m * width
		if r.col {
			count = tiles * n
		}
		p := unsafe.Add(buf.P, r.off)
		s := &f.Slots[r.slot]
		*s = kernel.Slot{P: p}
		if !r.col {
			s.Rs = int64(width * r.size())
		}
		if r.wide {
			fillWith(unsafe.Slice((*float64)(p), count), r.op)
		} else {
			fillWith(unsafe.Slice((*float32)(p), count), r.op)
		}
		if r.arg() {
			p = unsafe.Add(p, count*r.size())
			f.Slots[r.slot+1] = kernel.Slot{P: p, Rs: int64(width * 4)}
			clear(unsafe.Slice((*int32)(p), count))
		}
	}
}

func fillWith[T dtype.Float](x []T, op ReduceOp) {
	for i := range x {
		x[i] = identity[T](op)
	}
}

func identity[T dtype.Float](op ReduceOp) T {
	switch op {
	case ReduceMax, ReduceArgMax:
		return T(math.Inf(-1))
	case ReduceArgMin:
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
	width := f.width
	if r.col {
		part := unsafe.Slice((*T)(f.Slots[r.slot].P), tiles*n)
		dst := unsafe.Slice((*T)(r.dst), n)
		fillWith(dst, r.op)
		for t := range tiles {
			for j, x := range part[t*n : (t+1)*n] {
				dst[j] = join(r.op, dst[j], x)
			}
		}
		return
	}
	part := unsafe.Slice((*T)(f.Slots[r.slot].P), panels*m*width)
	if r.arg() {
		index := unsafe.Slice((*int32)(f.Slots[r.slot+1].P), panels*m*width)
		dst := unsafe.Slice((*int32)(r.dst), m)
		for i := range m {
			best, col := identity[T](r.op), -1
			for p := range panels {
				first, end := at(p), at(p+1)
				for l := range width {
					k := (p*m+i)*width + l
					c := first + int(index[k])
					if c < end && (col < 0 || Better(r.op, part[k], best, c < col)) {
						best, col = part[k], c
					}
				}
			}
			dst[i] = int32(col)
		}
		return
	}
	dst := unsafe.Slice((*T)(r.dst), m)
	for i := range m {
		sum := identity[T](r.op)
		for p := range panels {
			for _, x := range part[(p*m+i)*width : (p*m+i+1)*width] {
				sum = join(r.op, sum, x)
			}
		}
		dst[i] = sum
	}
}

func join[T dtype.Float](op ReduceOp, x, y T) T {
	if op == ReduceSum {
		return x + y
	}
	return max(x, y)
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

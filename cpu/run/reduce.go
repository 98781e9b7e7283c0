package run

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A reduction is one value a row or a column of a fused product's result. Kernels
// leave partial results, one for each panel of columns (rows) or each tile of rows
// (columns); combine joins them in the order of their places, so that the number
// of threads never shows.
type reduction struct {
	op   reduceOp
	col  bool
	wide bool // float64
	slot int
	dst  unsafe.Pointer // []T or, for an index, []int32
	off  int            // of its partial results in the job's buffer
}

type reduceOp uint8

const (
	reduceSum reduceOp = iota
	reduceMax
	reduceArgMax
	reduceArgMin
)

func (r *reduction) arg() bool { return r.op == reduceArgMax || r.op == reduceArgMin }

func (r *reduction) size() int {
	if r.wide {
		return 8
	}
	return 4
}

// RowSum, RowMax, ColSum and ColMax add a reduction of the result: dst has an element
// for each row or column. Of no elements the sum is 0 and the maximum -Inf.
func RowSum[T dtype.Float](e *Epilogue, name string, dst []T) {
	addReduce(e, name, dst, reduceSum, false)
}

// RowMax is described with [RowSum].
func RowMax[T dtype.Float](e *Epilogue, name string, dst []T) {
	addReduce(e, name, dst, reduceMax, false)
}

// ColSum is described with [RowSum].
func ColSum[T dtype.Float](e *Epilogue, name string, dst []T) {
	addReduce(e, name, dst, reduceSum, true)
}

// ColMax is described with [RowSum].
func ColMax[T dtype.Float](e *Epilogue, name string, dst []T) {
	addReduce(e, name, dst, reduceMax, true)
}

// RowArgMax and RowArgMin add the column of each row's largest or smallest result,
// which are of type T; -1 if there are no columns.
func RowArgMax[T dtype.Float](e *Epilogue, name string, dst []int32) {
	addArg[T](e, name, dst, reduceArgMax)
}

// RowArgMin is described with [RowArgMax].
func RowArgMin[T dtype.Float](e *Epilogue, name string, dst []int32) {
	addArg[T](e, name, dst, reduceArgMin)
}

func addArg[T dtype.Float](e *Epilogue, name string, dst []int32, op reduceOp) {
	addReduce(e, name, dst, op, false)
	e.reduces[e.reduced-1].wide = dtype.Of[T]() == dtype.F64
	e.add(kernel.Slot{}, memory{})
	e.add(kernel.Slot{P: unsafe.Pointer(&lanes[0])}, memory{})
}

// lanes are the numbers of the lanes, for kernels that reduce to an index.
var lanes = func() (x [64]int32) {
	for i := range x {
		x[i] = int32(i)
	}
	return x
}()

func addReduce[T dtype.Elem](e *Epilogue, name string, dst []T, op reduceOp, col bool) {
	want, what := e.rows, "rows"
	if col {
		want, what = e.cols, "columns"
	}
	if len(dst) != want {
		panic(layout.ShapeError{What: e.name, Why: fmt.Sprintf("%s has %d elements, the product has %d %s", name, len(dst), want, what)})
	}
	p := unsafe.Pointer(unsafe.SliceData(dst))
	e.reduces[e.reduced] = reduction{op: op, col: col, wide: dtype.Of[T]() == dtype.F64, slot: e.n, dst: p}
	e.reduced++
	u := memory{name: name, written: true}
	if want > 0 {
		u.p, u.size = p, uintptr(want)*unsafe.Sizeof(dst[0])
	}
	e.add(kernel.Slot{}, u)
}

// byColumn reports whether some reduction is of columns: then the epilogue runs tile
// by tile, since each has partial results of its own.
func (f *fusion) byColumn() bool {
	for i := range f.reduced {
		if f.reduces[i].col {
			return true
		}
	}
	return false
}

// prepare makes room for partial results: of the given numbers of panels and tiles,
// for a kernel that leaves vectors of width values for a row.
func (f *fusion) prepare(buf *buffer, m, n, panels, tiles, width int) {
	f.width, f.m, f.cols = width, m, n
	total := 0
	for i := range f.reduced {
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
	buf.grow(total)
	for i := range f.reduced {
		r := &f.reduces[i]
		count := panels * m * width
		if r.col {
			count = tiles * n
		}
		p := unsafe.Add(buf.p, r.off)
		s := &f.slots[r.slot]
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
			f.slots[r.slot+1] = kernel.Slot{P: p, Rs: int64(width * 4)}
			clear(unsafe.Slice((*int32)(p), count))
		}
	}
}

func fillWith[T dtype.Float](x []T, op reduceOp) {
	for i := range x {
		x[i] = identity[T](op)
	}
}

func identity[T dtype.Float](op reduceOp) T {
	switch op {
	case reduceMax, reduceArgMax:
		return T(math.Inf(-1))
	case reduceArgMin:
		return T(math.Inf(1))
	}
	return 0
}

// place sets the slots of reductions for a call that begins at row i and column j
// and belongs to one panel and tile.
func (f *fusion) place(args *kernel.EpiArgs, i, j, panel, tile int) {
	for x := range f.reduced {
		r := &f.reduces[x]
		s := f.slots[r.slot]
		if r.col {
			s.P = unsafe.Add(s.P, (tile*f.cols+j)*r.size())
		} else {
			s.P = unsafe.Add(s.P, (panel*f.m+i)*int(s.Rs))
		}
		args.Slots[r.slot] = s
		if r.arg() {
			q := f.slots[r.slot+1]
			q.P = unsafe.Add(q.P, (panel*f.m+i)*int(q.Rs))
			args.Slots[r.slot+1] = q
			args.Slots[r.slot+2] = f.slots[r.slot+2]
		}
	}
}

// combine joins the partial results; at gives the first column of each panel.
func (f *fusion) combine(m, n, panels, tiles int, at func(panel int) int) {
	for x := range f.reduced {
		r := &f.reduces[x]
		if r.wide {
			combine[float64](f, r, m, n, panels, tiles, at)
		} else {
			combine[float32](f, r, m, n, panels, tiles, at)
		}
	}
}

func combine[T dtype.Float](f *fusion, r *reduction, m, n, panels, tiles int, at func(panel int) int) {
	width := f.width
	if r.col {
		part := unsafe.Slice((*T)(f.slots[r.slot].P), tiles*n)
		dst := unsafe.Slice((*T)(r.dst), n)
		fillWith(dst, r.op)
		for t := range tiles {
			for j, x := range part[t*n : (t+1)*n] {
				dst[j] = join(r.op, dst[j], x)
			}
		}
		return
	}
	part := unsafe.Slice((*T)(f.slots[r.slot].P), panels*m*width)
	if r.arg() {
		index := unsafe.Slice((*int32)(f.slots[r.slot+1].P), panels*m*width)
		dst := unsafe.Slice((*int32)(r.dst), m)
		for i := range m {
			best, col := identity[T](r.op), -1
			for p := range panels {
				first, end := at(p), at(p+1)
				for l := range width {
					k := (p*m+i)*width + l
					c := first + int(index[k])
					if c < end && (col < 0 || better(r.op, part[k], best, c < col)) {
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

func join[T dtype.Float](op reduceOp, x, y T) T {
	if op == reduceSum {
		return x + y
	}
	return max(x, y)
}

// better reports whether x goes before best; among equals, and among NaN, which go
// before all else, that of the lower column does.
func better[T dtype.Float](op reduceOp, x, best T, lower bool) bool {
	switch nan, was := x != x, best != best; {
	case nan || was:
		return nan && (!was || lower)
	case x == best:
		return lower
	case op == reduceArgMin:
		return x < best
	}
	return x > best
}

// SumRow and its like take one result into a partial result: what generated Go
// epilogues do.
func SumRow[T dtype.Float](e *EpiArgs, slot, i int, x T) { *rowOf[T](e, slot, i) += x }

// MaxRow is described with [SumRow].
func MaxRow[T dtype.Float](e *EpiArgs, slot, i int, x T) {
	p := rowOf[T](e, slot, i)
	*p = max(*p, x)
}

// SumCol is described with [SumRow].
func SumCol[T dtype.Float](e *EpiArgs, slot, j int, x T) { *colOf[T](e, slot, j) += x }

// MaxCol is described with [SumRow].
func MaxCol[T dtype.Float](e *EpiArgs, slot, j int, x T) {
	p := colOf[T](e, slot, j)
	*p = max(*p, x)
}

// ArgMaxRow is described with [SumRow].
func ArgMaxRow[T dtype.Float](e *EpiArgs, slot, i, j int, x T) {
	argRow(e, slot, i, j, x, reduceArgMax)
}

// ArgMinRow is described with [SumRow].
func ArgMinRow[T dtype.Float](e *EpiArgs, slot, i, j int, x T) {
	argRow(e, slot, i, j, x, reduceArgMin)
}

func argRow[T dtype.Float](e *EpiArgs, slot, i, j int, x T, op reduceOp) {
	p, at := rowOf[T](e, slot, i), rowOf[int32](e, slot+1, i)
	if better(op, x, *p, false) {
		*p, *at = x, int32(j)
	}
}

func rowOf[T dtype.Elem](e *EpiArgs, slot, i int) *T {
	s := &e.Slots[slot]
	return (*T)(unsafe.Add(s.P, i*int(s.Rs)))
}

func colOf[T dtype.Elem](e *EpiArgs, slot, j int) *T {
	var z T
	return (*T)(unsafe.Add(e.Slots[slot].P, j*int(unsafe.Sizeof(z))))
}

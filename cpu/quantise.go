package cpu

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu/kern/narrowf32"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/quant"
)

// Quantise sets every element of dst to the integer that stands for that of src, as
// [quant.Quantise] does. That is src/scale, rounded to nearest, halves to even, plus zero,
// saturated. A NaN becomes the least number. It panics with a [QuantError] if q does not fit
// dst. It panics with a [layout.ShapeError] if the shapes differ, a slice is too short, or
// two elements of dst share a place. dst and src must not share memory.
func Quantise[T quant.Int](dst layout.Matrix[T], src layout.Matrix[float32], q Quant) {
	const name = "cpu.Quantise"
	checkPair(name, dst.Rows, dst.Cols, src.Rows, src.Cols, dst.CheckOut("dst"), src.Check("src"))
	q.check(name, "", dtype.Of[T](), dst.Rows, dst.Cols)
	if dst.Cols == 0 {
		return
	}
	if !quantisedByRows(dst, src, &q) && !quantisedByRows(dst.T(), src.T(), q.transposed()) {
		quantisedInGo(dst, src, &q)
	}
}

// quantisedByRows is Quantise by kernels, where there are any and both matrices lie by rows; it reports
// whether it did anything.
func quantisedByRows[T quant.Int](dst layout.Matrix[T], src layout.Matrix[float32], q *Quant) bool {
	if src.ColStride != 1 || dst.ColStride != 1 {
		return false
	}
	switch dst := any(dst).(type) {
	case layout.Matrix[int8]:
		quantisedBy(pick(q, &narrowf32.I8sByRow, &narrowf32.I8sByColumn), dst, src, q)
	case layout.Matrix[uint8]:
		quantisedBy(pick(q, &narrowf32.U8sByRow, &narrowf32.U8sByColumn), dst, src, q)
	default:
		return false
	}
	return true
}

// pick returns the kernels for the axis; one scale for all elements is one for each row.
func pick(q *Quant, byRow, byColumn *dense.Each) *dense.Each {
	if q.Axis == QuantPerColumn {
		return byColumn
	}
	return byRow
}

func quantisedBy[T int8 | uint8](each *dense.Each, dst layout.Matrix[T], src layout.Matrix[float32], q *Quant) {
	zero := make([]T, len(q.Scale))
	for i, z := range q.Zero {
		zero[i] = T(z)
	}
	dense.Map2(each, dst, src, q.Scale, zero, q.Axis.steps())
}

// steps is how far on the scale of the next row is, and of the next column.
func (x QuantAxis) steps() (steps [2]int) {
	switch x {
	case QuantPerRow:
		steps[0] = 1
	case QuantPerColumn:
		steps[1] = 1
	}
	return steps
}

// transposed is the Quant of the transposed matrix.
func (q *Quant) transposed() *Quant {
	t := *q
	switch q.Axis {
	case QuantPerRow:
		t.Axis = QuantPerColumn
	case QuantPerColumn:
		t.Axis = QuantPerRow
	}
	return &t
}

// quantisedInGo is Quantise for any strides.
func quantisedInGo[T quant.Int](dst layout.Matrix[T], src layout.Matrix[float32], q *Quant) {
	gs, steps := q.groups(dtype.Of[T]()), q.Axis.steps()
	for i := range dst.Rows {
		d, s, at := i*dst.RowStride, i*src.RowStride, i*steps[0]
		for range dst.Cols {
			g := &gs[at]
			x := src.Data[s] / g.scale
			if !(x > g.lo) { // a NaN, too
				x = g.lo
			}
			if !(x < g.hi) {
				x = g.hi
			}
			// In the sum a unit of the last place is 1, so that it rounds as is wanted.
			n := int32(math.Float32bits(x+ones)) - int32(math.Float32bits(ones))
			dst.Data[d] = T(n + g.zero)
			d, s, at = d+dst.ColStride, s+src.ColStride, at+steps[1]
		}
	}
}

// ones is a float32 around which the numbers are the integers, for 1<<22 of them on each side.
const ones float32 = 3 << 22

// Dequantise sets every element of dst to what that of src stands for, scale*(src-zero), rounded
// once. It panics as [Quantise] does, where q is one of src.
func Dequantise[T quant.Int](dst layout.Matrix[float32], src layout.Matrix[T], q Quant) {
	const name = "cpu.Dequantise"
	checkPair(name, dst.Rows, dst.Cols, src.Rows, src.Cols, dst.CheckOut("dst"), src.Check("src"))
	q.check(name, "", dtype.Of[T](), src.Rows, src.Cols)
	if dst.Cols == 0 {
		return
	}
	gs, steps := q.groups(dtype.Of[T]()), q.Axis.steps()
	for i := range dst.Rows {
		if steps[1] == 0 && dst.Cols > 0 && dst.ColStride == 1 && src.ColStride == 1 {
			g, row := &gs[i*steps[0]], dst.Data[i*dst.RowStride:][:dst.Cols]
			for j, x := range src.Data[i*src.RowStride:][:len(row)] {
				row[j] = float32(int32(x)-g.zero) * g.scale
			}
			continue
		}
		d, s, at := i*dst.RowStride, i*src.RowStride, i*steps[0]
		for range dst.Cols {
			g := &gs[at]
			dst.Data[d] = float32(int32(src.Data[s])-g.zero) * g.scale
			d, s, at = d+dst.ColStride, s+src.ColStride, at+steps[1]
		}
	}
}

// checkPair refuses matrices that do not fit each other, or their slices.
func checkPair(name string, rows, cols, srcRows, srcCols int, errs ...error) {
	if rows != srcRows || cols != srcCols {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("dst is %d x %d, src is %d x %d; want two of one shape", rows, cols, srcRows, srcCols)})
	}
	for _, err := range errs {
		if err != nil {
			panic(layout.ShapeError{What: name, Why: err.Error()})
		}
	}
}

// quantGroup is a scale and a zero point, and the ends of what has a place with it, in
// steps of the scale.
type quantGroup struct {
	scale, lo, hi float32
	zero          int32
}

// groups are those of a matrix of t.
func (q *Quant) groups(t dtype.Type) (gs []quantGroup) {
	least, greatest := limits(t)
	for i, s := range q.Scale {
		g := quantGroup{scale: s}
		if len(q.Zero) > 0 {
			g.zero = q.Zero[i]
		}
		g.lo, g.hi = float32(least-g.zero), float32(greatest-g.zero)
		gs = append(gs, g)
	}
	return gs
}

// Calibrate returns a Quant of T whose range holds all elements of src: one for the whole
// matrix, for each row or for each column. For int8 and int16 it is symmetric, without zero
// points, and the largest magnitude becomes the greatest number of the type. For uint8 the
// range from the least to the largest element, extended to 0, uses all numbers of the type,
// and one of them stands for 0 exactly. Every element becomes a finite number: in a range that
// ends near the largest float32 it may be a step from the end. Calibrate panics with a
// [QuantError] if an element is NaN or infinite, or if src has no elements for several scales.
// It panics with a [layout.ShapeError] if the slice is too short.
func Calibrate[T quant.Int](src layout.Matrix[float32], axis QuantAxis) Quant {
	const name = "cpu.Calibrate"
	if err := src.Check("src"); err != nil {
		panic(layout.ShapeError{What: name, Why: err.Error()})
	}
	groups, group := 1, func(i, j int) int { return 0 }
	switch axis {
	case QuantPerTensor:
	case QuantPerRow:
		groups, group = src.Rows, func(i, _ int) int { return i }
	case QuantPerColumn:
		groups, group = src.Cols, func(_, j int) int { return j }
	default:
		panic(QuantError{name, "axis", fmt.Sprintf("is %v; want QuantPerTensor, QuantPerRow or QuantPerColumn", axis)})
	}
	if src.Cols == 0 || src.Rows == 0 { // the other of which may be any number
		if groups > 1 {
			panic(QuantError{name, "src", fmt.Sprintf("is %d x %d, without elements to calibrate %d scales by; want some, or QuantPerTensor", src.Rows, src.Cols, groups)})
		}
		src.Rows = 0
	}
	lo, hi := make([]float32, groups), make([]float32, groups)
	for i := range src.Rows {
		for j := range src.Cols {
			x := src.Data[i*src.RowStride+j*src.ColStride]
			if x-x != 0 {
				panic(QuantError{name, fmt.Sprintf("src[%d,%d]", i, j), fmt.Sprintf("is %v; want finite numbers", x)})
			}
			g := group(i, j)
			lo[g], hi[g] = min(lo[g], x), max(hi[g], x)
		}
	}
	q := Quant{Scale: make([]float32, groups), Axis: axis}
	least, greatest := quant.Limits[T]()
	if least == 0 {
		q.Zero = make([]int32, groups)
	}
	for g := range groups {
		if least < 0 {
			q.Scale[g] = restorable(scaleOf(float64(max(hi[g], -lo[g])), greatest), greatest)
			continue
		}
		q.Scale[g] = scaleOf(float64(hi[g])-float64(lo[g]), greatest)
		q.Zero[g] = min(greatest, int32(math.RoundToEven(-float64(lo[g])/float64(q.Scale[g]))))
		q.Scale[g] = restorable(q.Scale[g], max(q.Zero[g], greatest-q.Zero[g]))
	}
	return q
}

// restorable is a scale, or a lesser one with which n steps do not overflow a float32. The ends of
// a range as wide as all of them are then a step off, and not infinite.
func restorable(s float32, n int32) float32 {
	for !(float32(n)*s <= math.MaxFloat32) {
		s = min(float32(math.MaxFloat32/float64(n)), math.Nextafter32(s, 0))
	}
	return s
}

// scaleOf is the scale with which a length is n steps. It is rounded up, so that n is
// enough, and is not so small that it is denormal. For a length of 0 it is 1.
func scaleOf(length float64, n int32) float32 {
	if length == 0 {
		return 1
	}
	s := float32(length / float64(n))
	if float64(s)*float64(n) < length {
		s = math.Nextafter32(s, math.MaxFloat32)
	}
	return max(s, 0x1p-126)
}

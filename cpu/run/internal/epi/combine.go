package epi

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// Columns says which column of the result is the first of a panel.
type Columns interface{ FirstColumn(panel int) int }

// Combine joins the partial results. Columns may be nil if there is one panel at most. A Fusion on a caller's stack would
// move to the heap, since what is called through a pointer might keep it; so would a closure in place of columns.
func (f *Fusion) Combine(m, n, panels, tiles int, columns Columns) {
	if f.reducers != nil {
		f.reducers.combine(f, m, n, panels, tiles, columns)
	}
}

// Empty is Combine of a result without elements.
func (e *Epilogue) Empty() {
	if e.reducers != nil {
		f := e.Fusion
		f.Combine(e.Rows, e.Cols, 0, 0, nil)
	}
}

func combineAll(f *Fusion, m, n, panels, tiles int, columns Columns) {
	for x := range f.Reduced {
		r := &f.reduces[x]
		if r.wide {
			combine[float64](f, r, m, n, panels, tiles, columns)
		} else {
			combine[float32](f, r, m, n, panels, tiles, columns)
		}
	}
	for x := range f.Reduced { // when those to an index have left what is best in their first panel
		if r := &f.reduces[x]; r.best > 0 {
			if r.wide {
				copyBest[float64](f, r, m, panels)
			} else {
				copyBest[float32](f, r, m, panels)
			}
		}
	}
}

func combine[T dtype.Float](f *Fusion, r *reduction, m, n, panels, tiles int, columns Columns) {
	switch {
	case r.best > 0:
		return
	case r.op.Arg():
		combineIndex[T](f, r, m, panels, columns)
		return
	}
	length, count := m, panels
	if r.col {
		length, count = n, tiles
	}
	dst := unsafe.Slice((*T)(r.dst), length)
	part := unsafe.Slice((*T)(f.Slots[r.slot].P), count*length)
	if r.op == reduce.LogSumExp {
		combineLogSumExp(dst, part, unsafe.Slice((*T)(f.Slots[r.slot+1].P), count*length))
		return
	}
	fillWith(dst, r.op)
	for ; len(part) > 0; part = part[length:] {
		join(r.op, dst, part[:length])
	}
	if !r.op.Adds() {
		for i := range dst {
			dst[i] += 0 // of zeros +0
		}
	}
}

// copyBest takes over what the reduction to an index found.
func copyBest[T dtype.Float](f *Fusion, r *reduction, m, panels int) {
	dst := unsafe.Slice((*T)(r.dst), m)
	op := reduce.ArgMax
	for x := range f.Reduced {
		if f.reduces[x].slot == r.best {
			op = f.reduces[x].op
		}
	}
	if panels == 0 {
		fillWith(dst, op)
		return
	}
	for i, x := range unsafe.Slice((*T)(f.Slots[r.best].P), m) {
		dst[i] = x + 0 // of zeros +0
	}
}

// combineLogSumExp joins the largest numbers and the sums of e^(x-largest) of all parts.
func combineLogSumExp[T dtype.Float](dst, largest, sums []T) {
	for i := range dst {
		m, s := math.Inf(-1), 0.0
		for k := i; k < len(largest); k += len(dst) {
			m, s = LogSumExp(m, s, float64(largest[k]), float64(sums[k]))
		}
		dst[i] = T(m + math.Log(s))
	}
}

// LogSumExp joins two sums s and t of e^(x-m) and of e^(x-n).
func LogSumExp(m, s, n, t float64) (largest, sum float64) {
	switch {
	case m < n:
		s *= math.Exp(m - n)
	case m > n:
		t *= math.Exp(n - m)
	}
	return max(m, n), s + t
}

// combineIndex joins panel after panel. Later panels have a higher index, so the earlier
// result stays among equals.
func combineIndex[T dtype.Float](f *Fusion, r *reduction, m, panels int, columns Columns) {
	part := unsafe.Slice((*T)(f.Slots[r.slot].P), panels*m)
	index := unsafe.Slice((*int32)(f.Slots[r.slot+1].P), panels*m)
	dst := unsafe.Slice((*int32)(r.dst), m)
	if panels == 0 {
		for i := range dst {
			dst[i] = -1
		}
		return
	}
	best := part[:m] // of the first panel, and then of those so far
	copy(dst, index)
	for p := 1; p < panels; p++ {
		first := int32(columns.FirstColumn(p))
		values, index := part[p*m:][:len(best)], index[p*m:][:len(best)]
		for i, x := range values {
			if Better(r.op, x, best[i]) {
				best[i], dst[i] = x, first+index[i]
			}
		}
	}
}

// join takes partial results into dst.
func join[T dtype.Float](op reduce.Op, dst, part []T) {
	part = part[:len(dst)]
	switch {
	case op.Adds():
		for i := range dst {
			dst[i] += part[i]
		}
	case op == reduce.Min:
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

// Better reports whether x goes before best, which NaN does before all else. Among equals
// best stays.
func Better[T dtype.Float](op reduce.Op, x, best T) bool {
	if x != x {
		return best == best
	}
	if op == reduce.ArgMin {
		return x < best
	}
	return x > best
}

package format

import (
	"iter"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// walk yields what the loops reach that is not padding. A format that says nonsense
// may yield entries outside the matrix.
func (w *nest) walk() iter.Seq[sparse.Entry] {
	return func(yield func(sparse.Entry) bool) {
		if len(w.loops) > 0 {
			w.loop(0, make([]int, len(w.loops)), 0, 0, 0, yield)
		}
	}
}

// walkBy is the Walk of a format of this package, which its axes say. It panics if a is of another format.
func walkBy(axes []Axis, m int, a Arrays) iter.Seq[sparse.Entry] {
	w, err := Format{Axes: axes}.meaning(m, sparse.MaxDim, a)
	if err != nil {
		panic(err)
	}
	return w.walk()
}

// loop runs axis k at the positions at of the axes before, with the row, column and
// slot that those have made.
func (w *nest) loop(k int, at []int, row, col, slot int, yield func(sparse.Entry) bool) bool {
	l := &w.loops[k]
	from, to, base := l.span(at, slot)
	if k == len(w.loops)-1 {
		return w.slots(l, from, to, base, row, col, yield)
	}
	for x := from; x < to; x++ {
		c := x - from
		if l.Sparse {
			if c = int(l.level.Indices[x]); c == -1 && l.Name != "d" {
				continue
			}
		}
		at[k] = x
		if !w.loop(k+1, at, row+c*l.row, col+c*l.col, base+x-from, yield) {
			return false
		}
	}
	return true
}

// slots is loop for the last axis.
func (w *nest) slots(l *loop, from, to, base, row, col int, yield func(sparse.Entry) bool) bool {
	mask, indices, i, j := w.a.Mask, l.level.Indices, l.row, l.col
	for x := from; x < to; x++ {
		slot := base + x - from
		if !runs.Has(mask, slot) {
			continue
		}
		c := x - from
		if l.Sparse {
			if c = int(indices[x]); c == -1 && l.Name != "d" {
				continue
			}
		}
		if !yield(w.entry(row+c*i, col+c*j, slot)) {
			return false
		}
	}
	return true
}

func (w *nest) entry(row, col, slot int) sparse.Entry {
	if w.a.Order != nil {
		row = int(w.a.Order[row])
	}
	if w.diag {
		col += row
	}
	return sparse.Entry{I: row, J: col, K: slot}
}

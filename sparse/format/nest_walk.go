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

// loop runs axis k at the positions at of the axes before, with the row, column and
// slot that those have made.
func (w *nest) loop(k int, at []int, row, col, slot int, yield func(sparse.Entry) bool) bool {
	l := &w.loops[k]
	p := 0
	if l.parent >= 0 {
		p = at[l.parent]
	}
	size := l.level.Size
	from, to, base := p*size, p*size+size, slot*size
	if l.Variable {
		from, to = int(l.level.Pointers[p]), int(l.level.Pointers[p+1])
		base = from
	}
	last := k == len(w.loops)-1
	for x := from; x < to; x++ {
		slot := base + x - from
		if last && !runs.Has(w.a.Mask, slot) {
			continue
		}
		c := x - from
		if l.Sparse {
			if c = int(l.level.Indices[x]); c == -1 && l.Name != "d" {
				continue
			}
		}
		at[k] = x
		more := true
		if i, j := row+c*l.row, col+c*l.col; last {
			more = yield(w.entry(i, j, slot))
		} else {
			more = w.loop(k+1, at, i, j, slot, yield)
		}
		if !more {
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

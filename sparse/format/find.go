package format

import (
	"slices"
	"sort"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Find returns the slot of element (i, j), and false if it is not stored: the
// format's index map f. It looks through the indices of each sparse axis on the way,
// which may take as long as a column or as all rows.
func (m stored) Find(i, j int) (slot int, ok bool) {
	p := m.s.some()
	if uint(i) >= uint(p.rows) || uint(j) >= uint(p.cols) {
		return 0, false
	}
	w, err := p.nest()
	if err != nil {
		return 0, false // the zero Packed
	}
	if w.diag {
		j -= i
	}
	if p.arrays.Order != nil {
		i = slices.Index(p.arrays.Order, int32(i))
	}
	return w.find(0, make([]int, len(w.loops)), i, j, 0)
}

// nest is what the axes by which p was checked mean.
func (p *storage) nest() (*nest, error) {
	return Format{Name: p.format.Name, Axes: p.axes}.meaning(p.rows, p.cols, p.arrays)
}

// find looks for what is left of a row and a column, from axis k on.
func (w *nest) find(k int, at []int, row, col, slot int) (int, bool) {
	if k == len(w.loops) {
		return slot, runs.Has(w.a.Mask, slot)
	}
	l := &w.loops[k]
	from, to, base := l.span(at, slot)
	coordinate := -1
	switch {
	case l.row > 0:
		coordinate = row / l.row
		row %= l.row
	case l.col > 0 && l.Name == "d":
		coordinate, col = col, 0
	case l.col > 0:
		coordinate = col / l.col
		col %= l.col
	default: // it only counts: any may lead there
		for x := from; x < to; x++ {
			at[k] = x
			if s, ok := w.find(k+1, at, row, col, base+x-from); ok {
				return s, true
			}
		}
		return 0, false
	}
	if !l.Sparse {
		if at[k] = from + coordinate; at[k] >= to {
			return 0, false
		}
		return w.find(k+1, at, row, col, base+coordinate)
	}
	for x := from; x < to; x++ {
		if int(l.level.Indices[x]) != coordinate {
			continue
		}
		at[k] = x
		if s, ok := w.find(k+1, at, row, col, base+x-from); ok {
			return s, true
		}
	}
	return 0, false
}

// span returns the positions of l at those of the axes before, and the slot of the
// first.
func (l *loop) span(at []int, slot int) (from, to, base int) {
	p := 0
	if l.parent >= 0 {
		p = at[l.parent]
	}
	if l.Variable {
		from, to = int(l.level.Pointers[p]), int(l.level.Pointers[p+1])
		return from, to, from
	}
	size := l.level.Size
	return p * size, p*size + size, slot * size
}

// Entry returns which element a slot holds, K being the slot, and false if it is
// padding or not a slot: the inverse of Find.
func (m stored) Entry(slot int) (e sparse.Entry, ok bool) {
	p := m.s.some()
	if uint(slot) >= uint(p.arrays.Slots) || !runs.Has(p.arrays.Mask, slot) {
		return sparse.Entry{}, false
	}
	w, err := p.nest()
	if err != nil {
		return sparse.Entry{}, false
	}
	at := make([]int, len(w.loops)) // first where within its parent, then the position
	x := slot
	for k := len(w.loops) - 1; k >= 0; k-- {
		l := &w.loops[k]
		if !l.Variable {
			at[k], x = x%l.level.Size, x/l.level.Size
			continue
		}
		pointers := l.level.Pointers
		parent := sort.Search(len(pointers), func(q int) bool { return int(pointers[q]) > x }) - 1
		at[k], x = x-int(pointers[parent]), parent
	}
	row, col := 0, 0
	for k := range w.loops {
		l := &w.loops[k]
		c := at[k]
		from, _, _ := l.span(at, 0)
		at[k] = from + c
		if l.Sparse {
			if c = int(l.level.Indices[at[k]]); c == -1 && l.Name != "d" {
				return sparse.Entry{}, false
			}
		}
		row, col = row+c*l.row, col+c*l.col
	}
	return w.entry(row, col, slot), true
}

// Repeats reports whether a row may come again after it was left, or has several
// positions of its own. That holds for a row that [DELL] or a rule's [DCSR] cut, and for
// any row of [COO] with two entries. A kernel that stores a row at the end of a position
// has to add then.
func (m stored) Repeats() bool {
	p := m.s.some()
	for k, ax := range p.axes {
		if (ax.Name == "i" || ax.Name == "io") && ax.Sparse {
			rows := p.arrays.Levels[k].Indices
			for x := 1; x < len(rows); x++ {
				if rows[x] >= 0 && rows[x] <= rows[x-1] {
					return true
				}
			}
		}
	}
	return false
}

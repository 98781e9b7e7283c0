package format

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// nest is what a format's axes mean for one matrix, found without Build and Walk. This
// is what a kernel sees, so Pack trusts it.
type nest struct {
	where string
	m, n  int
	a     Arrays
	loops []loop
	diag  bool // a coordinate is a diagonal: the column counts from the row
}

// loop is one axis with its place in the nest.
type loop struct {
	Axis
	level    Level
	parent   int // in loops; -1: the whole matrix
	row, col int // what one unit of the coordinate adds to them
	extent   int // of the coordinate; 0: it only counts
}

// nest checks that the arrays are what the axes say, and returns the loops. So no
// position made from them lies outside a slice or a matrix.
func (f Format) nest(m, n int, a Arrays) (*nest, error) {
	w, err := f.meaning(m, n, a)
	if err != nil {
		return nil, err
	}
	counts := make([]int, 0, len(f.Axes)) // positions of each axis
	total, chained := 1, true             // slots so far; every parent so far is the axis before
	for k := range w.loops {
		l := &w.loops[k]
		chained = chained && l.parent == k-1
		of := 1
		if l.parent >= 0 {
			of = counts[l.parent]
		}
		count, err := w.positions(l, of, l.extent, chained)
		if err != nil {
			return nil, err
		}
		if err := w.indices(*l, count, l.extent); err != nil {
			return nil, err
		}
		if l.Variable {
			total = count
		} else if total, err = runs.Slots(f.Name, total, l.level.Size); err != nil {
			return nil, err
		}
		counts = append(counts, count)
	}
	if a.Slots != total {
		return nil, w.fail("", "%d slots where the axes have %d", a.Slots, total)
	}
	if a.Mask != nil && len(a.Mask) != total/64+min(total%64, 1) {
		return nil, w.fail("", "a mask of %d words for %d slots", len(a.Mask), total)
	}
	return w, w.order()
}

// meaning returns the loops, and does not look at what the arrays hold.
func (f Format) meaning(m, n int, a Arrays) (*nest, error) {
	w := &nest{where: f.Name, m: m, n: n, a: a}
	if len(a.Levels) != len(f.Axes) {
		return nil, w.fail("one an axis", "%d levels for %d axes", len(a.Levels), len(f.Axes))
	}
	within := func(name string) int {
		k := slices.IndexFunc(f.Axes, func(ax Axis) bool { return ax.Name == name })
		if k < 0 {
			return 1
		}
		return max(f.Axes[k].Size, a.Levels[k].Size, 1)
	}
	for k, ax := range f.Axes {
		l := loop{Axis: ax, level: a.Levels[k], parent: k - 1}
		if ax.Parent != "" {
			l.parent = slices.IndexFunc(f.Axes[:k], func(p Axis) bool { return p.Name == ax.Parent })
			if l.parent < 0 {
				return nil, w.fail("a parent stands before its axes", "axis %s has the parent %s", ax.Name, ax.Parent)
			}
		}
		switch ax.Name {
		case "i":
			l.row, l.extent = 1, m
		case "j":
			l.col, l.extent = 1, n
		case "io":
			l.row, l.extent = within("ii"), runs.CeilDiv(m, within("ii"))
		case "jo":
			l.col, l.extent = within("ji"), runs.CeilDiv(n, within("ji"))
		case "ii":
			l.row = 1
		case "ji":
			l.col = 1
		case "d":
			l.col, w.diag = 1, true
		}
		w.loops = append(w.loops, l)
	}
	return w, nil
}

func (w *nest) fail(right, what string, args ...any) error {
	return sparse.Errorf(sparse.ErrFormat, w.where, right, what, args...)
}

// positions returns how many positions l has if its parent has of.
func (w *nest) positions(l *loop, of, extent int, chained bool) (int, error) {
	p := l.level.Pointers
	switch {
	case !l.Variable && p != nil:
		return 0, w.fail("", "axis %s is not variable and has pointers", l.Name)
	case !l.Variable:
		size := l.level.Size
		if size < 0 || l.Size > 0 && size != l.Size {
			return 0, w.fail(fmt.Sprintf("it is %d", l.Size), "axis %s has size %d", l.Name, size)
		}
		if !l.Sparse && extent > 0 && size != extent {
			return 0, w.fail("", "axis %s has size %d for %d coordinates", l.Name, size, extent)
		}
		return runs.Slots(w.where, of, size)
	case !chained:
		return 0, w.fail("its parent is the axis before", "axis %s is variable", l.Name)
	case len(p) != of+1 || p[0] != 0:
		return 0, w.fail("", "axis %s has %d pointers for %d positions, or the first is not 0", l.Name, len(p), of)
	}
	for k := range of {
		d := p[k+1] - p[k]
		if p[k+1] < p[k] || !l.Sparse && extent > 0 && int(d) > extent {
			return 0, w.fail("", "axis %s goes from %d to %d at position %d", l.Name, p[k], p[k+1], k)
		}
	}
	return int(p[of]), nil
}

// indices checks what a sparse axis owns. -1 is nothing; a variable axis needs none.
func (w *nest) indices(l loop, count, extent int) error {
	idx := l.level.Indices
	if !l.Sparse {
		if idx != nil {
			return w.fail("", "axis %s is not sparse and has indices", l.Name)
		}
		return nil
	}
	if len(idx) != count {
		return w.fail("", "axis %s has %d indices for %d positions", l.Name, len(idx), count)
	}
	low, high := -1, extent
	switch {
	case l.Name == "d":
		low, high = 1-w.m, w.n
	case l.row+l.col == 0:
		return w.fail("sparse ones name a coordinate", "axis %s is sparse", l.Name)
	case extent == 0: // ii, ji
		high = sparse.MaxDim
	}
	if l.Variable && l.Name != "d" {
		low = 0
	}
	for k, c := range idx {
		if int(c) < low || int(c) >= max(high, 0) {
			return w.fail(fmt.Sprintf("from %d to %d", low, high-1), "axis %s has index %d at position %d", l.Name, c, k)
		}
	}
	return nil
}

// order checks that the rows' order has every row once.
func (w *nest) order() error {
	if w.a.Order == nil {
		return nil
	}
	positions := 1
	for _, l := range w.loops {
		if l.row > 0 {
			if l.Sparse || l.Variable {
				return w.fail("", "an order of rows needs a position for each, and axis %s has not", l.Name)
			}
			positions *= l.level.Size // a factor of the slots, or ends at 0
		}
	}
	seen, found := make([]uint64, w.m/64+1), 0
	for _, i := range w.a.Order {
		if i < -1 || int(i) >= w.m || i >= 0 && runs.Has(seen, int(i)) {
			return w.fail("", "the order of rows has %d, outside %d rows or twice", i, w.m)
		}
		if i >= 0 {
			runs.SetBit(seen, int(i))
			found++
		}
	}
	if len(w.a.Order) != positions || found != w.m {
		return w.fail("", "the order of rows has %d positions and %d rows of %d and %d", len(w.a.Order), found, positions, w.m)
	}
	return nil
}

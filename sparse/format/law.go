package format

import (
	"slices"

	"github.com/tilesmith/tilesmith/sparse"
)

// Check tests a new format. It returns nil if the law of formats holds for these entries,
// in ascending order:
//
//   - Build accepts them, and its arrays are what the axes say.
//   - Walk and the loops that the axes describe yield exactly these entries, with the same
//     slots.
//   - A mask and an order of rows exist only if the format says so.
//
// Build may rightly refuse entries; Check returns its error unchanged. A format without
// Axes, Build or Walk is an error.
func (f Format) Check(rows, cols int, in []sparse.Entry) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := ordered(f.Name, rows, cols, in); err != nil {
		return err
	}
	a, err := f.Build(rows, cols, in)
	if err != nil {
		return err
	}
	w, err := f.nest(rows, cols, a)
	if err != nil {
		return err
	}
	wrong := func(what string, args ...any) error {
		return sparse.Errorf(sparse.ErrFormat, f.Name, "Walk(Build(x)) is x", what, args...)
	}
	order := newCursor(rows, in)
	var meant []sparse.Entry
	for e := range w.walk() {
		if k := order.next(e); k < 0 {
			return wrong("the axes yield (%d, %d), which is not the next entry of a row", e.I, e.J)
		}
		meant = append(meant, e)
	}
	if len(meant) != len(in) {
		return wrong("the axes yield %d of %d entries", len(meant), len(in))
	}
	if err := f.walks(rows, a, meant); err != nil {
		return err
	}
	if err := f.declares(rows, a); err != nil {
		return err
	}
	for range f.Walk(rows, a) {
		break // a Walk that goes on after this panics
	}
	return nil
}

// walks returns an error unless Walk yields what the axes mean.
func (f Format) walks(m int, a Arrays, meant []sparse.Entry) (err error) {
	wrong := func(what string, args ...any) bool {
		err = sparse.Errorf(sparse.ErrFormat, f.Name, "Walk(Build(x)) is x", what, args...)
		return false
	}
	at := 0
	f.Walk(m, a)(func(e sparse.Entry) bool { // no range, which panics if Walk goes on after false
		switch {
		case err != nil:
			return false
		case at == len(meant):
			return wrong("Walk yields (%d, %d) after all %d entries", e.I, e.J, at)
		case e != meant[at]:
			return wrong("Walk yields (%d, %d) in slot %d where the axes yield (%d, %d) in slot %d", e.I, e.J, e.K, meant[at].I, meant[at].J, meant[at].K)
		}
		at++
		return true
	})
	if err == nil && at != len(meant) {
		wrong("Walk yields %d of %d entries", at, len(meant))
	}
	return err
}

// cursor follows entries through a matrix in any order that takes each row's
// columns in turn.
type cursor struct {
	at       []int32 // the next entry of each row
	pointers []int32
	columns  []int32
}

func newCursor(m int, in []sparse.Entry) *cursor {
	p := starts(m, in)
	return &cursor{slices.Clone(p), p, columns(in)}
}

// next returns the position of e in its row-major order, or -1 if e is not the next
// one of its row.
func (c *cursor) next(e sparse.Entry) int {
	if uint(e.I) >= uint(len(c.pointers)-1) {
		return -1
	}
	k := c.at[e.I]
	if k == c.pointers[e.I+1] || int(c.columns[k]) != e.J {
		return -1
	}
	c.at[e.I]++
	return int(k)
}

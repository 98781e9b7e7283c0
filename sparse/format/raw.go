package format

import "unsafe"

// Raw is where the arrays of a matrix in some format lie, on the same terms
// as [sparse.Raw]; [Packed.RawLevel] has those of its axes.
type Raw struct {
	Rows, Cols, NNZ int
	Slots, Levels   int
	Values          unsafe.Pointer // Slots values, 0 in padding; nil if there are none
	Mask            unsafe.Pointer // a bit a slot, in words of 64; nil: all set
	Order           unsafe.Pointer // see Arrays.Order, Positions int32; nil: position i is row i
	Positions       int
}

// RawLevel is where the arrays of one axis lie. Size is that of this matrix, and
// Positions how many it has in all.
type RawLevel struct {
	Axis
	Size      int
	Positions int
	Pointers  unsafe.Pointer // int32, one more than the parent has positions; nil: not variable
	Indices   unsafe.Pointer // int32, one a position, -1 where nothing is stored; nil: not sparse
}

// Raw returns where the arrays lie. It copies nothing.
func (p Packed[T]) Raw() Raw {
	r := p.s.some().raw()
	r.Values = data(p.values)
	return r
}

func (p *storage) raw() Raw {
	return Raw{Rows: p.rows, Cols: p.cols, NNZ: p.nnz, Slots: p.arrays.Slots, Levels: len(p.arrays.Levels),
		Mask: data(p.arrays.Mask), Order: data(p.arrays.Order), Positions: len(p.arrays.Order)}
}

// RawLevel returns where the arrays of axis k of the format lie.
func (m stored) RawLevel(k int) RawLevel { return m.s.level(k) }

func (p *storage) level(k int) RawLevel {
	l := p.arrays.Levels[k]
	r := RawLevel{Axis: p.axes[k], Size: l.Size, Pointers: data(l.Pointers), Indices: data(l.Indices)}
	switch {
	case r.Variable:
		r.Positions = int(l.Pointers[len(l.Pointers)-1])
	case r.Sparse:
		r.Positions = len(l.Indices)
	default:
		r.Positions = l.Size * p.parentPositions(k)
	}
	return r
}

// parentPositions returns how many positions the parent of axis k has.
func (p *storage) parentPositions(k int) int {
	axes := p.axes
	if name := axes[k].Parent; name != "" {
		for q := range k {
			if axes[q].Name == name {
				return p.level(q).Positions
			}
		}
	}
	if k == 0 {
		return 1
	}
	return p.level(k - 1).Positions
}

// data returns where a slice lies, nil if it is empty.
func data[E any](s []E) unsafe.Pointer {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(s))
}

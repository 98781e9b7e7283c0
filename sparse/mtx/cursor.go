package mtx

// A cursor goes through the coordinates of an array in the order of the file. It goes
// down the columns, from the top or, in a symmetric file, from the diagonal or below
// it.
//
//	general     symmetric   skew-symmetric
//	0 3 6       0
//	1 4 7       1 3         0
//	2 5 8       2 4 5       1 2
type cursor struct{ i, j int }

// newCursor returns the first coordinates.
func newCursor(h Header) cursor {
	if h.Symmetry == Skew {
		return cursor{1, 0}
	}
	return cursor{}
}

// step moves on to the next coordinates.
func (c *cursor) step(h *Header) {
	if c.i++; c.i < h.Rows {
		return
	}
	c.j++
	switch h.Symmetry {
	case General:
		c.i = 0
	case Skew:
		c.i = c.j + 1
	default:
		c.i = c.j
	}
}

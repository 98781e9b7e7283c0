package plain

import (
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// packA copies the at most MR rows of a into one panel, missing rows as 0. What
// these add lands in sums that are never stored.
func packA[T dtype.AnySum](panel [][mr]T, a layout.Matrix[T]) {
	k, rs, cs := a.Cols, a.RowStride, a.ColStride
	panel = panel[:k]
	switch {
	case a.Rows < mr:
		clear(panel)
		for i := range a.Rows {
			for p := range panel {
				panel[p][i] = a.Data[i*rs+p*cs]
			}
		}
	case cs == 1:
		r0, r1, r2, r3 := a.Data[:k], a.Data[rs:][:k], a.Data[2*rs:][:k], a.Data[3*rs:][:k]
		for p := range panel {
			x := &panel[p]
			x[0], x[1], x[2], x[3] = r0[p], r1[p], r2[p], r3[p]
		}
	case rs == 1:
		for p := range panel {
			panel[p] = [mr]T(a.Data[p*cs:])
		}
	default:
		for p := range panel {
			x, y := &panel[p], a.Data[p*cs:]
			x[0], x[1], x[2], x[3] = y[0], y[rs], y[2*rs], y[3*rs]
		}
	}
}

// packB copies b into panels of NR columns, missing columns as 0.
func packB[T dtype.AnySum](panels [][nr]T, b layout.Matrix[T]) {
	k, rs, cs := b.Rows, b.RowStride, b.ColStride
	j := 0
	if cs == 1 { // eight columns at a time, to use whole cache lines
		for ; j+4*nr <= b.Cols; j += 4 * nr {
			p0, p1, p2, p3 := panels[:k], panels[k:][:k], panels[2*k:][:k], panels[3*k:][:k]
			for p := range p0 {
				y := (*[4 * nr]T)(b.Data[p*rs+j:])
				p0[p][0], p0[p][1] = y[0], y[1]
				p1[p][0], p1[p][1] = y[2], y[3]
				p2[p][0], p2[p][1] = y[4], y[5]
				p3[p][0], p3[p][1] = y[6], y[7]
			}
			panels = panels[4*k:]
		}
	}
	for ; j+nr <= b.Cols; j += nr {
		panel := panels[:k]
		if rs == 1 {
			c0, c1 := b.Data[j*cs:][:k], b.Data[(j+1)*cs:][:k]
			for p := range panel {
				panel[p][0], panel[p][1] = c0[p], c1[p]
			}
		} else {
			for p := range panel {
				panel[p][0], panel[p][1] = b.Data[p*rs+j*cs], b.Data[p*rs+(j+1)*cs]
			}
		}
		panels = panels[k:]
	}
	if j < b.Cols {
		for p := range k {
			panels[p][0], panels[p][1] = b.Data[p*rs+j*cs], 0
		}
	}
}

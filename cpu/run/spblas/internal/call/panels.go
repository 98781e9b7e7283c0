package call

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Panels are the columns of a dense operand as kernels take them, in vectors. Some
// vectors make a panel, and the last vector may not be full.
type Panels struct {
	mem.Split     // of the vectors
	vl, N     int // lanes and columns
}

// PanelsOf cuts n columns into panels of at most so many vectors of vl lanes.
func PanelsOf(n, vl, most int) Panels { return Panels{mem.SplitUp(mem.Ceil(n, vl), most), vl, n} }

// Panel returns the first column of panel q, how many vectors it has and how many
// columns are in the last of them.
func (p *Panels) Panel(q int) (col, nv, last int) {
	v0, v1 := p.At(q), p.At(q+1)
	return v0 * p.vl, v1 - v0, min(v1*p.vl, p.N) - (v1-1)*p.vl
}

// Columns returns the first column of panel q and how many there are.
func (p *Panels) Columns(q int) (col, n int) {
	col, nv, last := p.Panel(q)
	return col, (nv-1)*p.vl + last
}

// Width is how many columns the widest panel has.
func (p *Panels) Width() int { return min(p.N, p.Size*p.vl) }

// FetchDistance returns how many entries before its use a row of so many bytes is fetched, if all rows take total.
func FetchDistance(bytes int, total int64) int {
	return min(max(mem.Ceil(tiling.FetchAhead(machine.This(), total), max(bytes, 1)), 2), 64)
}

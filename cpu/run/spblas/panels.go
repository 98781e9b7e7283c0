package spblas

import (
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// panels are the columns of a dense operand as kernels take them, in vectors. Some
// vectors make a panel, and the last vector may not be full.
type panels struct {
	mem.Split     // of the vectors
	vl, n     int // lanes and columns
}

// panelsOf cuts n columns into panels of at most so many vectors of vl lanes.
func panelsOf(n, vl, most int) panels { return panels{mem.SplitUp(mem.Ceil(n, vl), most), vl, n} }

// panel returns the first column of panel q, how many vectors it has and how many
// columns are in the last of them.
func (p *panels) panel(q int) (col, nv, last int) {
	v0, v1 := p.At(q), p.At(q+1)
	return v0 * p.vl, v1 - v0, min(v1*p.vl, p.n) - (v1-1)*p.vl
}

// columns returns the first column of panel q and how many there are.
func (p *panels) columns(q int) (col, n int) {
	col, nv, last := p.panel(q)
	return col, (nv-1)*p.vl + last
}

// width is how many columns the widest panel has.
func (p *panels) width() int { return min(p.n, p.Size*p.vl) }

// fetchDistance returns how many entries before its use a row of so many bytes is fetched, if all rows take total.
func fetchDistance(bytes int, total int64) int {
	return min(max(mem.Ceil(tiling.FetchAhead(machine.This(), total), max(bytes, 1)), 2), 64)
}

// tasks are numbers that any number of workers take, one after another.
type tasks struct {
	count int
	next  atomic.Int64
}

func (t *tasks) begin(count int) {
	t.count = count
	t.next.Store(0)
}

// each yields tasks until none is left.
func (t *tasks) each(yield func(int) bool) {
	for {
		if i := int(t.next.Add(1)) - 1; i >= t.count || !yield(i) {
			return
		}
	}
}

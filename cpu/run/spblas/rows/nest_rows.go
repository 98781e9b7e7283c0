package rows

import (
	"sort"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// rowsOfPosition returns how many rows a position of the outermost loop is, 0 if they are not
// neighbours.
func rowsOfPosition[T dtype.Float](a format.Packed[T], outer int) int {
	switch a.RawLevel(outer).Name {
	case "i":
		return 1
	case "io":
		for k := range a.Raw().Levels {
			if l := a.RawLevel(k); l.Name == "ii" && !l.Variable && !l.Sparse {
				return l.Size
			}
		}
	}
	return 0
}

// cutRows makes every piece of the outermost loop a range of rows, complete when the piece is,
// and reports whether the loops allow that:
//
//	rows one after another (ELL, DIA, blocks)  a position is so many rows
//	some rows, ascending (DCSR, COO, DELL)     those between them, which have no entries, too
//	moved rows (SELL)                          by windows of positions that hold rows without a gap
//	anything else (CSC)                        no
//
// If windows are fewer than pieces, waiting for them would keep processors from working, so
// the answer is no as well.
func cutRows[T dtype.Float](p *nestProduct, a format.Packed[T], outer, traversal int) bool {
	r := a.Raw()
	p.per, p.windows, p.rowStarts = rowsOfPosition(a, outer), p.windows[:0], p.rowStarts[:0]
	if p.per == 0 || p.inOrder {
		return false
	}
	if r.Order != nil {
		if traversal != nestRows || !p.findWindows(unsafe.Slice((*int32)(r.Order), r.Positions)) {
			return false
		}
		for i, x := range p.starts {
			p.starts[i] = p.windows[p.window(x)].position
		}
	}
	count := p.starts[p.pieces]
	for i, x := range p.starts {
		switch {
		case i == 0:
			x = 0
		case i == p.pieces || x == count:
			x = r.Rows
		case len(p.windows) > 0:
			x = p.windows[p.window(x)].row
		case p.some != nil:
			x = int(p.some[x]) * p.per
		default:
			x = min(x*p.per, r.Rows)
		}
		p.rowStarts = append(p.rowStarts, x)
	}
	return true
}

// findWindows finds the positions of the outermost loop before which no row is missing, and
// reports whether there are enough.
func (p *nestProduct) findWindows(order []int32) bool {
	seen, most := 0, int32(-1)
	for x, i := range order {
		if x%p.per == 0 && int(most) == seen-1 {
			p.windows = append(p.windows, window{x / p.per, seen})
		}
		if i >= 0 {
			most = max(most, i)
			seen++
		}
	}
	p.windows = append(p.windows, window{len(order) / p.per, seen})
	return len(p.windows) > p.pieces
}

// window is a position of the outermost loop before which rows 0 to row-1 are, and no others.
type window struct{ position, row int }

// window returns which one is the first at position x or behind it.
func (p *nestProduct) window(x int) int {
	return min(sort.Search(len(p.windows), func(i int) bool { return p.windows[i].position >= x }), len(p.windows)-1)
}

// prepareEnds makes room for what the pieces leave.
func (p *nestProduct) prepareEnds() {
	if !p.ends.vector {
		p.ends.prepare(p.panels.Count, p.pieces, &p.panels)
		return
	}
	p.chunks = append(p.chunks[:0], 0)
	for i := range p.pieces {
		p.chunks = append(p.chunks, p.chunks[i]+mem.Ceil(p.rowStarts[i+1]-p.rowStarts[i], p.ends.block))
	}
	p.ends.prepare(p.chunks[p.pieces], 1, nil)
}

// rowsPiece does one piece of panel q, as many rows at once as stay in L1, and ends them. A
// vector is in L1 or not far, and its rows end with the piece.
func (p *nestProduct) rowsPiece(w *call.Scratch, q, piece int) {
	col, n := p.panels.Columns(q)
	x, to := p.starts[piece], p.starts[piece+1]
	row, last := p.rowStarts[piece], p.rowStarts[piece+1]
	for row < last {
		end, next := to, last
		if !p.ends.vector {
			end, next = p.block(x, to, row, last)
		}
		if p.some != nil {
			p.fillBlock(col, n, x, end, row, next)
		}
		p.piece(w, q, x, end)
		if p.ends.vector {
			p.ends.end(&w.Epi, row, next, 0, 1, p.chunks[piece], 0)
		} else {
			p.ends.end(&w.Epi, row, next, col, n, q, piece)
		}
		x, row = end, next
	}
}

// block returns where a block ends that begins at position x and row, and the next row.
func (p *nestProduct) block(x, to, row, last int) (end, next int) {
	switch {
	case p.some != nil:
		want := row + p.ends.block
		end = x + sort.Search(to-x, func(k int) bool { return int(p.some[x+k])*p.per >= want })
	case len(p.windows) > 0:
		w := p.windows[p.window(x+max(1, p.ends.block/p.per))]
		if end = min(to, w.position); end < to {
			return end, w.row
		}
	default:
		end = min(to, x+max(1, p.ends.block/p.per))
	}
	switch {
	case end == to:
		return end, last
	case p.some != nil:
		return end, int(p.some[end]) * p.per
	}
	return end, end * p.per
}

// fillBlock makes the sums of rows from row to next-1 those of nothing, but for rows that
// positions x to end-1 store.
func (p *nestProduct) fillBlock(col, n, x, end, row, next int) {
	fill := func(to int) {
		if row < to { // else there may be no such row, and its address be that of something else
			p.fill(p.c.At(row, col), to-row, n)
		}
	}
	if p.once {
		for _, i := range p.some[x:end] {
			fill(int(i))
			row = int(i) + 1
		}
	}
	fill(next)
}

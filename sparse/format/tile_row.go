package format

import (
	"math"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// tileRow goes through the tiles of h rows, each w columns wide, from left to right,
// by merging the rows. Its time is that of the entries and of one step for each row of
// each tile.
//
//	for t.start(io); t.next(); {
//		for t.row() {
//			// columns t.first to t.last-1 of row t.ii of tile t.jo
//		}
//	}
type tileRow struct {
	s           runs.Set // merged
	h, w        int
	at, end     []int32 // the next entry of each row, and the end of the row
	ahead       int32   // the least column of those
	ii          int     // the row within the tile, which has
	first, last int32   // these entries, in
	jo          int     // this tile
}

// nothing is more than any column.
const nothing = math.MaxInt32

func newTileRow(s runs.Set, h, w int) *tileRow {
	return &tileRow{s: s, h: h, w: w, at: make([]int32, 0, min(h, s.M))}
}

// start goes to row io of tiles.
func (t *tileRow) start(io int) {
	i0 := io * t.h
	i1 := i0 + min(t.h, t.s.M-i0)
	t.at, t.end, t.ahead = append(t.at[:0], t.s.First[i0:i1]...), t.s.Last[i0:i1], nothing
	for ii, k := range t.at {
		if k < t.end[ii] {
			t.ahead = min(t.ahead, t.s.Columns[k])
		}
	}
}

// next goes to the next tile that has entries, once row has gone through the last.
func (t *tileRow) next() bool {
	if t.ahead == nothing {
		return false
	}
	t.jo, t.ii, t.ahead = int(uint32(t.ahead)/uint32(min(t.w, sparse.MaxDim))), -1, nothing
	return true
}

// row goes to the next row of the tile that has entries.
func (t *tileRow) row() bool {
	stop := int32(min((t.jo+1)*t.w, nothing-1)) // beyond the tile
	columns := t.s.Columns
	for ii := t.ii + 1; ii < len(t.at); ii++ {
		k, end := t.at[ii], t.end[ii]
		if k == end {
			continue
		}
		j := columns[k]
		if j >= stop {
			t.ahead = min(t.ahead, j)
			continue
		}
		t.ii, t.first = ii, k
		for k++; k < end; k++ {
			if j = columns[k]; j >= stop {
				t.ahead = min(t.ahead, j)
				break
			}
		}
		t.last, t.at[ii] = k, k
		return true
	}
	return false
}

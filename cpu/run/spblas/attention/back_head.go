package attention

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
)

// If there are several heads, and none takes long, each is the work of one goroutine. It computes weights
// once, a few columns of them for all rows, and adds their contributions to rows of dq as well. Goroutines
// with some columns each could not do that in an order of their own. That is five products in place of seven.

const (
	headsAtLeast = 4
	headAtMost   = 1 << 20 // weights: a few milliseconds
)

// small reports whether heads are done so, which depends on their shape alone, as results do.
func (b *blockHead[T]) small() bool {
	return b.heads.Count >= headsAtLeast && mem.Volume(b.mask.Rows(), b.mask.Cols()) <= headAtMost
}

// whole computes the gradients of head h.
func (b *blockHead[T]) whole(w *tileScratch, h int) {
	own := *b // with a head of its own, packed in memory of its own
	own.head, own.packed = h, w.head
	own.packed.Grow(own.total)
	for t := range max(own.panels, mem.Ceil(own.mask.Rows(), blockRowsAtOnce)) {
		own.pack(w, t)
	}
	rows := own.mask.Rows()
	w.dq.Grow(rows * own.deep)
	clear(call.SliceOf((*byte)(w.dq.P), rows*own.deep))
	for t := range own.turned.Rows * own.columns.Count {
		own.columnTile(w, t)
	}
	call.UnpackRows(w.dq.P, own.deep, head(own.dq, h, own.heads.Q), 0, rows)
	own.packed.Trim()
	w.dq.Trim()
	w.head = own.packed
}

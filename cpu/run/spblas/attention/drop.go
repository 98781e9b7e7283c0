package attention

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/masks"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// weightDrop drops weights of attention, or gradients by them, which are dropped where these are. nil drops nothing.
type weightDrop[T dtype.Float] struct {
	masks.Dropper[T]
	rows, width uint64 // of a head, and numbers of the stream that a row has
}

func dropOf[T dtype.Float](set *masks.Set, name string, opt *Options, mask sparse.BlockMask) *weightDrop[T] {
	if opt.Drop == 0 {
		return nil
	}
	return &weightDrop[T]{masks.NewDropper[T](set, name, opt.ISA, opt.Stream, opt.Drop), uint64(mask.Rows()), uint64((mask.Cols() + 3) &^ 3)}
}

// row drops some of a row of head h, the first of which is column col.
func (d *weightDrop[T]) row(w *tileScratch, x []T, h, i, col int) {
	d.Drop(&w.masks, x, x, (uint64(h)*d.rows+uint64(i))*d.width+uint64(col))
}

// tile drops those of rows i0 to i1-1, ld bytes apart, in the columns that each yields.
func (d *weightDrop[T]) tile(w *tileScratch, p unsafe.Pointer, ld, h, i0, i1 int, each []segment) {
	if d == nil {
		return
	}
	for i := i0; i < i1; i++ {
		for _, s := range each {
			at := (i-i0)*ld + s.at*int(unsafe.Sizeof(*new(T)))
			d.row(w, call.SliceOf((*T)(unsafe.Add(p, at)), s.n), h, i, s.col)
		}
	}
}

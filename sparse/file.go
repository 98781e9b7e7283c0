package sparse

import (
	"io"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// ReadMatrixMarket reads a Matrix Market file, plain or gzip: coordinate or array;
// real, integer or pattern (whose entries are 1); any symmetry, expanded. Entries in
// one place are summed in the order of the file. o bounds what is read; its zero
// value suits files of unknown origin, and its Expand is taken as set. Errors have
// the line and column, see [mtx.Error]; entries that T has no number for become
// infinite, as a conversion makes them.
func ReadMatrixMarket[T dtype.Float](r io.Reader, o mtx.Options) (Matrix[T], error) {
	o.Expand = true
	in, err := mtx.NewReader(r, o)
	if err != nil {
		return Matrix[T]{}, err
	}
	h := in.Header()
	b := NewBuilder[T](h.Rows, h.Cols)
	if err := in.Visit(func(i, j int, v float64) error {
		b.Add(i, j, T(v))
		return b.Err()
	}); err != nil {
		return Matrix[T]{}, err
	}
	return b.Matrix()
}

// WriteMatrixMarket writes m as a general real matrix in coordinates, row by row. The
// numbers read back as they were.
func WriteMatrixMarket[T dtype.Float](w io.Writer, m Matrix[T]) error {
	rows, cols := m.Dims()
	out, err := mtx.NewWriter(w, mtx.Header{Rows: rows, Cols: cols, Entries: m.NNZ()})
	if err != nil {
		return err
	}
	for at, v := range m.All() {
		if err := out.Entry(at.I, at.J, float64(v)); err != nil {
			return err
		}
	}
	return out.Close()
}

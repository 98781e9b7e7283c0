package sparse

import (
	"io"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// ReadMatrixMarket reads a Matrix Market file, plain or gzip: coordinate or array;
// real, integer or pattern (whose entries are 1); any symmetry, expanded. Entries with
// the same coordinates are summed in the order of the file. o bounds what is read, and
// its Expand is taken as set. Errors have the line and column, see [mtx.Error]; entries that T has
// no number for become infinite, as a conversion makes them. It is an error, [ErrNil],
// if there is no reader.
//
// The zero value of o suits files of unknown origin: what is allocated in all, freed or
// not, is at most 18 MiB, and 80 bytes for each byte of text. Gzip may hold 1 MiB of
// text, or 200 bytes for each of its own where that is more, see [mtx.Options.MaxRatio].
// Sizes are then at most 1<<22, or 4 times the entries in the file; an emptier matrix
// needs [mtx.Options.MaxDim], at 4 bytes a row, and what is beyond is refused with
// [mtx.ErrLimit].
func ReadMatrixMarket[T dtype.Float](r io.Reader, o mtx.Options) (Matrix[T], error) {
	if r == nil {
		return Matrix[T]{}, fail(ErrNil, "sparse.ReadMatrixMarket", "want an io.Reader", "the reader is nil")
	}
	o.Expand = true
	in, err := mtx.NewReader(r, o)
	if err != nil {
		return Matrix[T]{}, err
	}
	h := in.Header()
	b := NewBuilder[T](h.Rows, h.Cols)
	most := min(h.Entries, MaxSlots)
	if h.Symmetry != mtx.General {
		most *= 2
	}
	if err := in.Visit(func(i, j int, v float64) error {
		b.room(most)
		b.Add(i, j, T(v))
		return b.Err()
	}); err != nil {
		return Matrix[T]{}, err
	}
	return b.Matrix()
}

// WriteMatrixMarket writes m as a general real matrix in coordinates, row by row. The
// numbers read back as they were, here and in SciPy: infinity is inf. It is an error,
// [ErrNil], if there is no writer.
func WriteMatrixMarket[T dtype.Float](w io.Writer, m Matrix[T]) error {
	if w == nil {
		return fail(ErrNil, "sparse.WriteMatrixMarket", "want an io.Writer", "the writer is nil")
	}
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

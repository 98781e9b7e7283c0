package sparse

import (
	"io"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// ReadMatrixMarket reads a Matrix Market file, plain or gzip: coordinate or array;
// real, integer or pattern (whose entries are 1); any symmetry, expanded. Entries with
// the same coordinates are summed in the order of the file. o bounds what is read, and
// its Expand counts as set. Errors have the line and column, see [mtx.Error].
//
// Entries that are too large for T become infinite, as in a conversion. If T is integer,
// they are refused with [ErrValue], and so are fractions. A complex file is refused with
// [mtx.ErrComplex] unless T is complex. Without a reader the error is [ErrNil].
//
// The zero value of o suits files of unknown origin. It allocates in all, freed or not, at
// most 18 MiB and 80 bytes for each byte of text, 120 if T is complex128. Gzip may hold
// 1 MiB of text, or 200 bytes for each of its own where that is more; see
// [mtx.Options.MaxRatio]. It is unpacked once. Sizes are then at most 1<<22, or 4 times the
// entries in the file. An emptier matrix needs [mtx.Options.MaxDim], at 4 bytes a row;
// without it, it is refused with [mtx.ErrLimit].
func ReadMatrixMarket[T dtype.Value](r io.Reader, o mtx.Options) (Matrix[T], error) {
	if r == nil {
		return Matrix[T]{}, fail(ErrNil, "sparse.ReadMatrixMarket", "want an io.Reader", "the reader is nil")
	}
	o.Expand = true
	in, err := mtx.NewReader(r, o)
	if err != nil {
		return Matrix[T]{}, err
	}
	return build[T](in)
}

// WriteMatrixMarket writes m row by row as a general matrix in coordinates: real, integer or
// complex, or SciPy's unsigned-integer if there are integers beyond int64. The numbers read
// back unchanged, here and in SciPy: infinity is inf. Without a writer the error is [ErrNil].
func WriteMatrixMarket[T dtype.Value](w io.Writer, m Matrix[T]) error {
	if w == nil {
		return fail(ErrNil, "sparse.WriteMatrixMarket", "want an io.Writer", "the writer is nil")
	}
	rows, cols := m.Dims()
	k, h := kindOf[T](), mtx.Header{Rows: rows, Cols: cols, Entries: m.NNZ()}
	switch {
	case k.complex:
		h.Field = mtx.Complex
	case k.integer && slices.ContainsFunc(m.values, func(v T) bool { negative, size, _ := k.whole(v); return !negative && size > math.MaxInt64 }):
		h.Field = mtx.Unsigned
	case k.integer:
		h.Field = mtx.Integer
	}
	out, err := mtx.NewWriter(w, h)
	if err != nil {
		return err
	}
	for at, v := range m.All() {
		switch {
		case k.complex:
			err = out.Complex(at.I, at.J, k.number(v))
		case k.integer:
			negative, size, _ := k.whole(v)
			err = out.Integer(at.I, at.J, negative, size)
		default:
			err = out.Entry(at.I, at.J, real(k.number(v)))
		}
		if err != nil {
			return err
		}
	}
	return out.Close()
}

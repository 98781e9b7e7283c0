package files

import (
	"io"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/value"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// ReadMatrixMarket reads a Matrix Market file, plain or gzip: coordinate or array;
// real, integer or pattern (whose entries are 1); any symmetry, expanded. Entries with
// the same coordinates are summed in the order of the file. o bounds what is read, and
// its Expand counts as set. Errors have the line and column, see [mtx.Error].
//
// Entries that are too large for T become infinite, as in a conversion. If T is integer,
// they are refused with [sparse.ErrValue], and so are fractions. A complex file is refused with
// [mtx.ErrComplex] unless T is complex. Without a reader the error is [sparse.ErrNil].
//
// The zero value of o suits files of unknown origin. It allocates in all, freed or not, at
// most 18 MiB and 80 bytes for each byte of text, 120 if T is complex128. Gzip may hold
// 1 MiB of text, or 200 bytes for each of its own where that is more; see
// [mtx.Options.MaxRatio]. It is unpacked once. Sizes are then at most 1<<22, or 4 times the
// entries in the file. An emptier matrix needs [mtx.Options.MaxDim], at 4 bytes a row;
// without it, it is refused with [mtx.ErrLimit].
func ReadMatrixMarket[T dtype.Value](r io.Reader, o mtx.Options) (sparse.Matrix[T], error) {
	if r == nil {
		return sparse.Matrix[T]{}, sparse.Errorf(sparse.ErrNil, "files.ReadMatrixMarket", "want an io.Reader", "the reader is nil")
	}
	o.Expand = true
	in, err := mtx.NewReader(r, o)
	if err != nil {
		return sparse.Matrix[T]{}, err
	}
	return build[T](in)
}

// WriteMatrixMarket writes m row by row as a general matrix in coordinates: real, integer or
// complex, or SciPy's unsigned-integer if there are integers beyond int64. The numbers read
// back unchanged, here and in SciPy: infinity is inf. Without a writer the error is [sparse.ErrNil].
func WriteMatrixMarket[T dtype.Value](w io.Writer, m sparse.Matrix[T]) error {
	if w == nil {
		return sparse.Errorf(sparse.ErrNil, "files.WriteMatrixMarket", "want an io.Writer", "the writer is nil")
	}
	rows, cols := m.Dims()
	k, h := value.Of[T](), mtx.Header{Rows: rows, Cols: cols, Entries: m.NNZ()}
	switch {
	case k.Complex:
		h.Field = mtx.Complex
	case k.Integer && beyondInt64(m, k.Whole):
		h.Field = mtx.Unsigned
	case k.Integer:
		h.Field = mtx.Integer
	}
	out, err := mtx.NewWriter(w, h)
	if err != nil {
		return err
	}
	for at, v := range m.All() {
		switch {
		case k.Complex:
			err = out.Complex(at.I, at.J, k.Number(v))
		case k.Integer:
			negative, size, _ := k.Whole(v)
			err = out.Integer(at.I, at.J, negative, size)
		default:
			err = out.Entry(at.I, at.J, real(k.Number(v)))
		}
		if err != nil {
			return err
		}
	}
	return out.Close()
}

// beyondInt64 reports whether a value is an integer that is larger than those of int64.
func beyondInt64[T dtype.Value](m sparse.Matrix[T], whole func(v T) (negative bool, size uint64, ok bool)) bool {
	for _, v := range m.All() {
		if negative, size, _ := whole(v); !negative && size > math.MaxInt64 {
			return true
		}
	}
	return false
}

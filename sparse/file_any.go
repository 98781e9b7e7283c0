package sparse

import (
	"io"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// Read reads a matrix from a file of one of these kinds, which it recognises by the first
// bytes: Matrix Market (see [ReadMatrixMarket], whose rules hold), Harwell-Boeing and
// Rutherford-Boeing, all plain or gzip, and the .npz of scipy.sparse.save_npz. The bytes of
// the file bound what it allocates; see package mtx.
//
// Symmetric matrices are expanded. Entries with the same coordinates are summed; booleans
// are 1 if one of them is. Complex files are refused with [mtx.ErrComplex] unless T is
// complex. If T is integer, values that it cannot hold are refused with [ErrValue].
func Read[T dtype.Value](r io.Reader, o mtx.Options) (Matrix[T], error) {
	if r == nil {
		return Matrix[T]{}, fail(ErrNil, "sparse.Read", "want an io.Reader", "the reader is nil")
	}
	o.Expand = true
	in, err := mtx.Open(r, o)
	if err != nil {
		return Matrix[T]{}, err
	}
	return build[T](in)
}

// ReadNPZ reads what scipy.sparse.save_npz wrote, of so many bytes, without a copy of the
// file in memory; [Read] does it from a stream.
func ReadNPZ[T dtype.Value](r io.ReaderAt, size int64, o mtx.Options) (Matrix[T], error) {
	if r == nil {
		return Matrix[T]{}, fail(ErrNil, "sparse.ReadNPZ", "want an io.ReaderAt", "the reader is nil")
	}
	in, err := mtx.NewNPZ(r, size, o)
	if err != nil {
		return Matrix[T]{}, err
	}
	return build[T](in)
}

// WriteNPZ writes m for scipy.sparse.load_npz: csr, with the entries in their order. The
// same matrix gives the same bytes. It is an error, [ErrNil], if there is no writer.
func WriteNPZ[T dtype.Value](w io.Writer, m Matrix[T]) error {
	if w == nil {
		return fail(ErrNil, "sparse.WriteNPZ", "want an io.Writer", "the writer is nil")
	}
	s := m.some()
	return mtx.WriteNPZ(w, s.rows, s.cols, s.pointers, s.indices, m.values)
}

// build makes a matrix of the entries of a file, which are expanded.
func build[T dtype.Value](in mtx.Entries) (Matrix[T], error) {
	h := in.Header()
	b, k := newBuilder[T]("sparse.Builder", h.Rows, h.Cols), kindOf[T]()
	most := mostOf(h)
	add := func(i, j int, v complex128) error {
		b.room(most)
		b.addNumber(&k, i, j, v)
		return b.Err()
	}
	var err error
	switch {
	case k.complex:
		err = in.VisitComplex(add)
	case k.integer && h.Field != mtx.Real && h.Field != mtx.Complex:
		err = in.VisitWhole(func(i, j int, negative bool, size uint64) error {
			b.room(most)
			b.addWhole(&k, i, j, negative, size)
			return b.Err()
		})
	default:
		err = in.Visit(func(i, j int, v float64) error { return add(i, j, complex(v, 0)) })
	}
	if err != nil {
		return Matrix[T]{}, err
	}
	if z, ok := in.(*mtx.NPZ); ok && z.Boolean() && b.err == nil {
		return joined(b.rows, b.cols, b.i, b.j, b.values, func(any *T, v T) {
			if v != 0 {
				*any = v
			}
		}), nil
	}
	return b.Matrix()
}

// mostOf returns how many entries a file has at most, expanded.
func mostOf(h mtx.Header) int {
	most := min(h.Entries, MaxSlots)
	if h.Symmetry != mtx.General {
		most *= 2
	}
	return most
}

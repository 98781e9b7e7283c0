// Package files reads and writes sparse matrices: Matrix Market, Harwell-Boeing and Rutherford-Boeing files, plain or
// gzip, and the .npz of SciPy. Package mtx reads their entries one by one.
package files

import (
	"io"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/sparse/internal/value"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// Read reads a matrix from a file of one of these kinds, which it recognises by the first
// bytes: Matrix Market (see [ReadMatrixMarket], whose rules hold), Harwell-Boeing and
// Rutherford-Boeing, all plain or gzip, and the .npz of scipy.sparse.save_npz. The bytes of
// the file bound what it allocates; see package mtx.
//
// Symmetric matrices are expanded. Entries with the same coordinates are summed; booleans
// are 1 if one of them is. Complex files are refused with [mtx.ErrComplex] unless T is
// complex. If T is integer, values that it cannot hold are refused with [sparse.ErrValue].
func Read[T dtype.Value](r io.Reader, o mtx.Options) (sparse.Matrix[T], error) {
	if r == nil {
		return sparse.Matrix[T]{}, sparse.Errorf(sparse.ErrNil, "files.Read", "want an io.Reader", "the reader is nil")
	}
	o.Expand = true
	in, err := mtx.Open(r, o)
	if err != nil {
		return sparse.Matrix[T]{}, err
	}
	return build[T](in)
}

// ReadNPZ reads what scipy.sparse.save_npz wrote, of so many bytes, without a copy of the
// file in memory; [Read] does it from a stream.
func ReadNPZ[T dtype.Value](r io.ReaderAt, size int64, o mtx.Options) (sparse.Matrix[T], error) {
	if r == nil {
		return sparse.Matrix[T]{}, sparse.Errorf(sparse.ErrNil, "files.ReadNPZ", "want an io.ReaderAt", "the reader is nil")
	}
	in, err := mtx.NewNPZ(r, size, o)
	if err != nil {
		return sparse.Matrix[T]{}, err
	}
	return build[T](in)
}

// WriteNPZ writes m for scipy.sparse.load_npz: csr, with the entries in their order. The
// same matrix gives the same bytes. It is an error, [sparse.ErrNil], if there is no writer.
func WriteNPZ[T dtype.Value](w io.Writer, m sparse.Matrix[T]) error {
	if w == nil {
		return sparse.Errorf(sparse.ErrNil, "files.WriteNPZ", "want an io.Writer", "the writer is nil")
	}
	r := m.Raw()
	pointers, indices, values := runs.Arrays[T](r)
	return mtx.WriteNPZ(w, r.Rows, r.Cols, pointers, indices, values)
}

// build makes a matrix of the entries of a file, which are expanded.
func build[T dtype.Value](in mtx.Entries) (m sparse.Matrix[T], err error) {
	h := in.Header()
	b, k, most := sparse.NewBuilder[T](h.Rows, h.Cols), value.Of[T](), mostOf(h)
	add := func(i, j int, v complex128) error {
		b.Grow(most)
		b.AddNumber(i, j, v)
		return b.Err()
	}
	switch {
	case k.Complex:
		err = in.VisitComplex(add)
	case k.Integer && h.Field != mtx.Real && h.Field != mtx.Complex:
		err = in.VisitWhole(func(i, j int, negative bool, size uint64) error {
			b.Grow(most)
			b.AddWhole(i, j, negative, size)
			return b.Err()
		})
	default:
		err = in.Visit(func(i, j int, v float64) error { return add(i, j, complex(v, 0)) })
	}
	if err != nil {
		return m, err
	}
	if z, ok := in.(*mtx.NPZ); ok && z.Boolean() {
		return b.Join(func(x, y T) T {
			if y != 0 {
				return y
			}
			return x
		})
	}
	return b.Matrix()
}

// mostOf returns how many entries a file has at most, expanded.
func mostOf(h mtx.Header) int {
	most := min(h.Entries, sparse.MaxSlots)
	if h.Symmetry != mtx.General {
		most *= 2
	}
	return most
}

package cuda

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/sparse24"
)

// Sparse24 is a [sparse24.Matrix] in the memory of a device, or several of one shape for
// the products of a batch. It is made of one that was checked, and only so: its metadata
// is right unless a program writes to [Sparse24.Meta]. It is a small value: pass it as one.
type Sparse24[T sparse24.Elem] struct {
	rows, cols, count int
	values            Slice[T]
	meta              Slice[int32]
}

// UploadSparse24 allocates on the device of s what matrices take and queues their copy.
// They have one shape, or it fails with a [layout.ShapeError].
func UploadSparse24[T sparse24.Elem](s Stream, ms ...*sparse24.Matrix[T]) (x Sparse24[T], err error) {
	if len(ms) == 0 {
		return x, layout.ShapeError{What: "cuda.UploadSparse24", Why: "no matrix; want one, or one for each product of a batch"}
	}
	var values, meta int
	for _, m := range ms {
		values, meta = values+len(m.Values()), meta+len(m.Meta())
	}
	v, err := Make[T](s.Device(), values)
	if err != nil {
		return x, err
	}
	w, err := Make[int32](s.Device(), meta)
	if err == nil {
		x, err = PlaceSparse24(s, v, w, ms...)
	}
	if err != nil {
		v.Free()
		w.Free()
	}
	return x, err
}

// PlaceSparse24 is [UploadSparse24] to memory of the caller's, of exactly as many elements as
// all Values and all Meta have. Kernels want both aligned to 16 bytes.
func PlaceSparse24[T sparse24.Elem](s Stream, values Slice[T], meta Slice[int32], ms ...*sparse24.Matrix[T]) (x Sparse24[T], err error) {
	refuse := func(format string, args ...any) (Sparse24[T], error) {
		return Sparse24[T]{}, layout.ShapeError{What: "cuda.PlaceSparse24", Why: fmt.Sprintf(format, args...)}
	}
	if len(ms) == 0 {
		return refuse("no matrix; want one, or one for each product of a batch")
	}
	x = Sparse24[T]{ms[0].Rows(), ms[0].Cols(), len(ms), values, meta}
	var atV, atM int
	for i, m := range ms {
		if m.Rows() != x.rows || m.Cols() != x.cols {
			return refuse("matrix %d is %d x %d, the first is %d x %d; a batch has one shape", i, m.Rows(), m.Cols(), x.rows, x.cols)
		}
		v, w := m.Values(), m.Meta()
		if len(v) > values.Len()-atV || len(w) > meta.Len()-atM {
			return refuse("memory for %d values and %d words of metadata; want %d and %d", values.Len(), meta.Len(), len(v)*len(ms), len(w)*len(ms))
		}
		if err := values.Slice(atV, atV+len(v)).Write(s, v); err != nil {
			return Sparse24[T]{}, err
		}
		if err := meta.Slice(atM, atM+len(w)).Write(s, w); err != nil {
			return Sparse24[T]{}, err
		}
		atV, atM = atV+len(v), atM+len(w)
	}
	if atV != values.Len() || atM != meta.Len() {
		return refuse("memory for %d values and %d words of metadata; want %d and %d", values.Len(), meta.Len(), atV, atM)
	}
	return x, nil
}

// Rows, Cols and Count are the shape, without padding, and how many matrices there are.
func (x Sparse24[T]) Rows() int { return x.rows }

// Cols is described with [Sparse24.Rows].
func (x Sparse24[T]) Cols() int { return x.cols }

// Count is described with [Sparse24.Rows].
func (x Sparse24[T]) Count() int { return x.count }

// Values is what is stored, one matrix after the other.
func (x Sparse24[T]) Values() Slice[T] { return x.values }

// Meta is the metadata, one matrix's after the other's.
func (x Sparse24[T]) Meta() Slice[int32] { return x.meta }

// Free gives back all of the memory that x is part of.
func (x Sparse24[T]) Free() error {
	err := x.values.Free()
	if e := x.meta.Free(); err == nil {
		err = e
	}
	return err
}

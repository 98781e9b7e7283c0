package plain

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Operand is a matrix as the portable code reads it. It has elements of type T, or others that become T as
// they are copied to where sums are made. Complex ones may become their conjugates. It knows these by a
// pointer and a value, so the code exists once for each type of sums and not for each pair.
//
// It has the fields of a [layout.Matrix] and not one of that type, with which the linker would keep the methods
// that print it: reflection finds the types of fields.
type Operand[T dtype.AnySum] struct {
	Data                 []T // nil if p is set
	Rows, Cols           int
	RowStride, ColStride int

	p unsafe.Pointer // the first element
	t dtype.Type     // of the elements at p
}

// Of returns m as an operand.
func Of[T dtype.AnySum](m layout.Matrix[T]) Operand[T] {
	return Operand[T]{Data: m.Data, Rows: m.Rows, Cols: m.Cols, RowStride: m.RowStride, ColStride: m.ColStride}
}

// Converted returns a matrix of that shape and those strides as an operand of elements of type t at p.
func Converted[T dtype.AnySum](v layout.View, p unsafe.Pointer, t dtype.Type) Operand[T] {
	return Operand[T]{Rows: v.Rows, Cols: v.Cols, RowStride: v.RowStride, ColStride: v.ColStride, p: p, t: t}
}

// Matrix returns an operand that is not narrow as the matrix that it is.
func (o *Operand[T]) Matrix() layout.Matrix[T] {
	return layout.Matrix[T]{Data: o.Data, Rows: o.Rows, Cols: o.Cols, RowStride: o.RowStride, ColStride: o.ColStride}
}

// Value is element (i, j) of an operand that is not narrow.
func (o *Operand[T]) Value(i, j int) T { return o.Data[i*o.RowStride+j*o.ColStride] }

// Normalize is [mem.Normalize].
func (o *Operand[T]) Normalize() {
	m := o.Matrix()
	mem.Normalize(&m)
	o.RowStride, o.ColStride = m.RowStride, m.ColStride
}

// Narrow reports whether elements have to be converted.
func (o *Operand[T]) Narrow() bool { return o.p != nil }

// As returns m, which passed its check, as an operand of sums of T. It names no matrix of T, so that a product of floats that
// might have had zero points links nothing of matrices of int32.
func As[T dtype.AnySum, E dtype.Elem](m layout.Matrix[E]) Operand[T] {
	o := Operand[T]{Rows: m.Rows, Cols: m.Cols, RowStride: m.RowStride, ColStride: m.ColStride}
	if dtype.Of[T]() == dtype.Of[E]() {
		o.Data = *(*[]T)(unsafe.Pointer(&m.Data))
	} else {
		o.p, o.t = unsafe.Pointer(unsafe.SliceData(m.Data)), dtype.Of[E]()
	}
	return o
}

// Conjugated returns the operand as it is, or, if conj is not 0, the conjugates of its elements.
func (o Operand[T]) Conjugated(conj run.Conjugates) Operand[T] {
	if conj != 0 && dtype.Of[T]().Complex() && o.Rows > 0 && o.Cols > 0 {
		o.p, o.t, o.Data = unsafe.Pointer(unsafe.SliceData(o.Data)), dtype.Of[T](), nil
	}
	return o
}

// Elem is the type of the elements in memory.
func (o *Operand[T]) Elem() dtype.Type {
	if o.Narrow() {
		return o.t
	}
	return dtype.Of[T]()
}

// Place is the operand, which is not empty, without its type.
func (o *Operand[T]) Place() mem.Operand {
	p, size := o.p, o.Elem().Size()
	if !o.Narrow() {
		p = unsafe.Pointer(unsafe.SliceData(o.Data))
	}
	return mem.Operand{P: p, RS: o.RowStride * size, CS: o.ColStride * size}
}

// T returns the transposed view.
func (o Operand[T]) T() Operand[T] {
	o.Rows, o.Cols, o.RowStride, o.ColStride = o.Cols, o.Rows, o.ColStride, o.RowStride
	return o
}

// Slice returns the part of rows i0 <= i < i1 and columns j0 <= j < j1.
func (o Operand[T]) Slice(i0, i1, j0, j1 int) Operand[T] {
	if !o.Narrow() {
		return Of(o.Matrix().Slice(i0, i1, j0, j1))
	}
	o.Rows, o.Cols = i1-i0, j1-j0
	if o.Rows > 0 && o.Cols > 0 {
		o.p = o.at(i0, j0)
	}
	return o
}

// From returns an operand that begins off elements later.
func (o Operand[T]) From(off int) Operand[T] {
	if !o.Narrow() {
		o.Data = o.Data[max(0, min(off, len(o.Data))):]
	} else if o.Rows > 0 && o.Cols > 0 {
		o.p = unsafe.Add(o.p, off*o.t.Size())
	}
	return o
}

// at is the address of an element that is converted.
func (o *Operand[T]) at(i, j int) unsafe.Pointer {
	return unsafe.Add(o.p, (i*o.RowStride+j*o.ColStride)*o.t.Size())
}

// wide returns a part as a matrix of T: in place, or a copy in buf, which keeps columns
// together if they are so.
func (o *Operand[T]) wide(buf *[]T, i0, i1, j0, j1 int) layout.Matrix[T] {
	switch {
	case !o.Narrow():
		return o.Matrix().Slice(i0, i1, j0, j1)
	case o.ColStride != 1 && o.RowStride == 1:
		t := o.T()
		return t.rows(buf, j0, j1, i0, i1).T()
	}
	return o.rows(buf, i0, i1, j0, j1)
}

// rows is wide with contiguous rows, whatever the strides are.
func (o *Operand[T]) rows(buf *[]T, i0, i1, j0, j1 int) layout.Matrix[T] {
	m, n := i1-i0, j1-j0
	if !o.Narrow() && o.ColStride == 1 {
		return o.Matrix().Slice(i0, i1, j0, j1)
	}
	*buf = grow(*buf, m*n)
	out := layout.RowMajor((*buf)[:m*n], m, n)
	for i := range m {
		row := out.Data[i*n:][:n]
		if o.Narrow() {
			widenRow(row, o.at(i0+i, j0), o.ColStride*o.t.Size(), o.t)
		} else {
			gather(row, o.Data[(i0+i)*o.RowStride+j0*o.ColStride:], n, o.ColStride)
		}
	}
	return out
}

// widenRow converts elements of type t that lie stride bytes apart.
func widenRow[T dtype.AnySum](dst []T, src unsafe.Pointer, stride int, t dtype.Type) {
	switch dst := any(dst).(type) {
	case []float32:
		mem.Widen(dst, src, stride, t)
	case []float64:
		mem.Widen(dst, src, stride, t)
	case []int32:
		mem.Widen(dst, src, stride, t)
	case []complex64:
		for i := range dst {
			x := *(*complex64)(unsafe.Add(src, i*stride))
			dst[i] = complex(real(x), -imag(x))
		}
	case []complex128:
		for i := range dst {
			x := *(*complex128)(unsafe.Add(src, i*stride))
			dst[i] = complex(real(x), -imag(x))
		}
	}
}

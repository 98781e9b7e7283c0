package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// operand is a matrix as the portable code reads it. It has elements of type T, or others that become T as
// they are copied to where sums are made. Complex ones may become their conjugates. It knows these by a
// pointer and a value, so the code exists once for each type of sums and not for each pair.
//
// It has the fields of a [layout.Matrix] and not one of that type, with which the linker would keep the methods
// that print it: reflection finds the types of fields.
type operand[T dtype.AnySum] struct {
	Data                 []T // nil if p is set
	Rows, Cols           int
	RowStride, ColStride int

	p unsafe.Pointer // the first element
	t dtype.Type     // of the elements at p
}

// unconverted returns m as an operand.
func unconverted[T dtype.AnySum](m layout.Matrix[T]) operand[T] {
	return operand[T]{Data: m.Data, Rows: m.Rows, Cols: m.Cols, RowStride: m.RowStride, ColStride: m.ColStride}
}

// converted returns a matrix of that shape and those strides as an operand of elements of type t at p.
func converted[T dtype.AnySum](v layout.View, p unsafe.Pointer, t dtype.Type) operand[T] {
	return operand[T]{Rows: v.Rows, Cols: v.Cols, RowStride: v.RowStride, ColStride: v.ColStride, p: p, t: t}
}

// matrix returns an operand that is not narrow as the matrix that it is.
func (o *operand[T]) matrix() layout.Matrix[T] {
	return layout.Matrix[T]{Data: o.Data, Rows: o.Rows, Cols: o.Cols, RowStride: o.RowStride, ColStride: o.ColStride}
}

// value is element (i, j) of an operand that is not narrow.
func (o *operand[T]) value(i, j int) T { return o.Data[i*o.RowStride+j*o.ColStride] }

// normalize is [mem.Normalize].
func (o *operand[T]) normalize() {
	m := o.matrix()
	mem.Normalize(&m)
	o.RowStride, o.ColStride = m.RowStride, m.ColStride
}

// narrow reports whether elements have to be converted.
func (o *operand[T]) narrow() bool { return o.p != nil }

// operandOf returns m, which passed its check, as an operand of sums of T. It names no matrix of T, so that a product of floats that
// might have had zero points links nothing of matrices of int32.
func operandOf[T dtype.AnySum, E dtype.Elem](m layout.Matrix[E]) operand[T] {
	o := operand[T]{Rows: m.Rows, Cols: m.Cols, RowStride: m.RowStride, ColStride: m.ColStride}
	if dtype.Of[T]() == dtype.Of[E]() {
		o.Data = *(*[]T)(unsafe.Pointer(&m.Data))
	} else {
		o.p, o.t = unsafe.Pointer(unsafe.SliceData(m.Data)), dtype.Of[E]()
	}
	return o
}

// conjugated returns the operand as it is, or, if conj is not 0, the conjugates of its elements.
func (o operand[T]) conjugated(conj run.Conjugates) operand[T] {
	if conj != 0 && dtype.Of[T]().Complex() && o.Rows > 0 && o.Cols > 0 {
		o.p, o.t, o.Data = unsafe.Pointer(unsafe.SliceData(o.Data)), dtype.Of[T](), nil
	}
	return o
}

// elem is the type of the elements in memory.
func (o *operand[T]) elem() dtype.Type {
	if o.narrow() {
		return o.t
	}
	return dtype.Of[T]()
}

// place is the operand, which is not empty, without its type.
func (o *operand[T]) place() mem.Operand {
	p, size := o.p, o.elem().Size()
	if !o.narrow() {
		p = unsafe.Pointer(unsafe.SliceData(o.Data))
	}
	return mem.Operand{P: p, RS: o.RowStride * size, CS: o.ColStride * size}
}

// T returns the transposed view.
func (o operand[T]) T() operand[T] {
	o.Rows, o.Cols, o.RowStride, o.ColStride = o.Cols, o.Rows, o.ColStride, o.RowStride
	return o
}

// Slice returns the part of rows i0 <= i < i1 and columns j0 <= j < j1.
func (o operand[T]) Slice(i0, i1, j0, j1 int) operand[T] {
	if !o.narrow() {
		return unconverted(o.matrix().Slice(i0, i1, j0, j1))
	}
	o.Rows, o.Cols = i1-i0, j1-j0
	if o.Rows > 0 && o.Cols > 0 {
		o.p = o.at(i0, j0)
	}
	return o
}

// from returns an operand that begins off elements later.
func (o operand[T]) from(off int) operand[T] {
	if !o.narrow() {
		return unconverted(from(o.matrix(), off))
	} else if o.Rows > 0 && o.Cols > 0 {
		o.p = unsafe.Add(o.p, off*o.t.Size())
	}
	return o
}

// at is the address of an element that is converted.
func (o *operand[T]) at(i, j int) unsafe.Pointer {
	return unsafe.Add(o.p, (i*o.RowStride+j*o.ColStride)*o.t.Size())
}

// wide returns a part as a matrix of T: in place, or a copy in buf, which keeps columns
// together if they are so.
func (o *operand[T]) wide(buf *[]T, i0, i1, j0, j1 int) layout.Matrix[T] {
	switch {
	case !o.narrow():
		return o.matrix().Slice(i0, i1, j0, j1)
	case o.ColStride != 1 && o.RowStride == 1:
		t := o.T()
		return t.rows(buf, j0, j1, i0, i1).T()
	}
	return o.rows(buf, i0, i1, j0, j1)
}

// rows is wide with contiguous rows, whatever the strides are.
func (o *operand[T]) rows(buf *[]T, i0, i1, j0, j1 int) layout.Matrix[T] {
	m, n := i1-i0, j1-j0
	if !o.narrow() && o.ColStride == 1 {
		return o.matrix().Slice(i0, i1, j0, j1)
	}
	*buf = genericGrow(*buf, m*n)
	out := layout.RowMajor((*buf)[:m*n], m, n)
	for i := range m {
		row := out.Data[i*n:][:n]
		if o.narrow() {
			widenRow(row, o.at(i0+i, j0), o.ColStride*o.t.Size(), o.t)
		} else {
			genericGather(row, o.Data[(i0+i)*o.RowStride+j0*o.ColStride:], n, o.ColStride)
		}
	}
	return out
}

// widenRow converts elements of type t that lie stride bytes apart.
func widenRow[T dtype.AnySum](dst []T, src unsafe.Pointer, stride int, t dtype.Type) {
	switch dst := any(dst).(type) {
	case []float32:
		widenReals(dst, src, stride, t)
	case []float64:
		widenReals(dst, src, stride, t)
	case []int32:
		widenReals(dst, src, stride, t)
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

func widenReals[T dtype.Sum](dst []T, src unsafe.Pointer, stride int, t dtype.Type) {
	switch t {
	case dtype.F32:
		convertRow[float32](dst, src, stride)
	case dtype.F64:
		convertRow[float64](dst, src, stride)
	case dtype.I8:
		convertRow[int8](dst, src, stride)
	case dtype.U8:
		convertRow[uint8](dst, src, stride)
	case dtype.I16:
		convertRow[int16](dst, src, stride)
	case dtype.TypeBF16:
		for i := range dst {
			dst[i] = T((*dtype.BF16)(unsafe.Add(src, i*stride)).Float32())
		}
	case dtype.TypeF16:
		for i := range dst {
			dst[i] = T((*dtype.F16)(unsafe.Add(src, i*stride)).Float32())
		}
	}
}

func convertRow[E float32 | float64 | int8 | uint8 | int16, T dtype.Sum](dst []T, src unsafe.Pointer, stride int) {
	for i := range dst {
		dst[i] = T(*(*E)(unsafe.Add(src, i*stride)))
	}
}

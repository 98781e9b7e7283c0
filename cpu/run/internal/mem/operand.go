package mem

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Operand is a matrix without its element type: kernels count in bytes.
type Operand struct {
	P      unsafe.Pointer
	RS, CS int // bytes
}

// OperandOf returns a matrix that is not empty without its type.
func OperandOf[T dtype.Any](m layout.Matrix[T]) Operand {
	size := int(unsafe.Sizeof(m.Data[0]))
	return Operand{unsafe.Pointer(unsafe.SliceData(m.Data)), m.RowStride * size, m.ColStride * size}
}

// At returns the address of element (i, j).
func (o Operand) At(i, j int) unsafe.Pointer { return unsafe.Add(o.P, i*o.RS+j*o.CS) }

// BitsOf returns the bits of a scalar, low bytes first: of a complex one, those of its real part.
// Its kernels have their factors elsewhere.
func BitsOf[T dtype.AnySum](x T) uint64 {
	if unsafe.Sizeof(x) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&x)))
	}
	return *(*uint64)(unsafe.Pointer(&x))
}

// Normalize gives a dimension of one element the stride 1, since its stride
// means nothing: kernels look for unit strides.
func Normalize[T dtype.Any](m *layout.Matrix[T]) {
	if m.Cols == 1 {
		m.ColStride = 1
	}
	if m.Rows == 1 && m.ColStride != 1 {
		m.RowStride = 1
	}
}

// Store finishes one element: c = alpha*sum + beta*c, which reads c only if beta is not 0.
func Store[T dtype.AnySum](alpha, sum, beta T, c *T) {
	if beta == 0 {
		*c = Times(alpha, sum)
	} else {
		*c = Times(alpha, sum) + Times(beta, *c)
	}
}

// Times returns f*x, rounded. A complex f without an imaginary part scales both parts of x.
func Times[T dtype.AnySum](f, x T) T {
	if f == 1 {
		return x
	}
	switch f := any(&f).(type) {
	case *complex64:
		if imag(*f) == 0 {
			x := any(&x).(*complex64)
			*x = complex(real(*f)*real(*x), real(*f)*imag(*x))
			return *any(x).(*T)
		}
	case *complex128:
		if imag(*f) == 0 {
			x := any(&x).(*complex128)
			*x = complex(real(*f)*real(*x), real(*f)*imag(*x))
			return *any(x).(*T)
		}
	}
	return f * x
}

// Scatter is [ScatterBy] where beta holds the bits of a T, which is not complex.
func Scatter[T dtype.Sum](c Operand, i0, j0, rows, cols int, src Operand, betaBits uint64) {
	ScatterBy(c, i0, j0, rows, cols, src, *(*T)(unsafe.Pointer(&betaBits)))
}

// ScatterBy stores c = src + beta*c for rows x cols elements of c from (i0, j0) on.
func ScatterBy[T dtype.AnySum](c Operand, i0, j0, rows, cols int, src Operand, beta T) {
	for i := range rows {
		for j := range cols { // an address beyond the last element would not be one
			from, to := src.At(i, j), c.At(i0+i, j0+j)
			x := *(*T)(from)
			if beta != 0 {
				x += Times(beta, *(*T)(to))
			}
			*(*T)(to) = x
		}
	}
}

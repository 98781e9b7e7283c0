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

// BitsOf returns the bits of a scalar, low bytes first.
func BitsOf[T dtype.Sum](x T) uint64 {
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
func Store[T dtype.Sum](alpha, sum, beta T, c *T) {
	if beta == 0 {
		*c = alpha * sum
	} else {
		*c = T(alpha*sum) + T(beta**c)
	}
}

// Scatter stores c = src + beta*c for rows x cols elements of c from (i0, j0) on;
// beta holds the bits of a T.
func Scatter[T dtype.Sum](c Operand, i0, j0, rows, cols int, src Operand, betaBits uint64) {
	beta := *(*T)(unsafe.Pointer(&betaBits))
	for i := range rows {
		for j := range cols { // an address beyond the last element would not be one
			from, to := src.At(i, j), c.At(i0+i, j0+j)
			x := *(*T)(from)
			if beta != 0 {
				x += beta * *(*T)(to)
			}
			*(*T)(to) = x
		}
	}
}

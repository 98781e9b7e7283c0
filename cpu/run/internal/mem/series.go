package mem

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Series is what count matrices span that begin stride elements apart.
func Series[T dtype.Any](m *layout.Matrix[T], stride, count int) []T {
	if m.Rows == 0 || m.Cols == 0 {
		return nil
	}
	return m.Data[:(count-1)*stride+(m.Rows-1)*m.RowStride+(m.Cols-1)*m.ColStride+1]
}

// Onward moves p by n strides unless nothing is left there: a pointer must not leave its
// memory.
func Onward(p unsafe.Pointer, stride, n, left int64) unsafe.Pointer {
	if left <= 0 {
		return p
	}
	return unsafe.Add(p, int(stride*n))
}

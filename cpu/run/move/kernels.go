package move

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/moves"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/vectors"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// variant is that of all kernels: all sizes have the same.
var variant = vectors.Variant{Name: "move", ISAs: func() (names []string) {
	for _, k := range moves.Bytes4 {
		names = append(names, k.ISA)
	}
	return names
}}

// kernels are those for elements of T, and their number for a call of one; nil if there are none.
func kernels[T dtype.Any]() (k *run.MoveKernels, number int) {
	n := int(variant.Number()) - 1
	var z T
	if list := map4(unsafe.Sizeof(z), moves.Bytes1, moves.Bytes2, moves.Bytes4, moves.Bytes8); n >= 0 && list != nil {
		return list[n], n
	}
	return nil, 0
}

// map4 is what belongs to a size of elements.
func map4[X any](size uintptr, x1, x2, x4, x8 []X) []X {
	switch size {
	case 1:
		return x1
	case 2:
		return x2
	case 4:
		return x4
	case 8:
		return x8
	}
	return nil
}

// transposeSquares calls the kernel for elements of so many bytes. It is no function value, through which
// arguments would escape.
func transposeSquares(size uintptr, number int, a *run.MoveArgs) {
	switch size {
	case 1:
		moves.Bytes1Transpose(number, a)
	case 2:
		moves.Bytes2Transpose(number, a)
	case 4:
		moves.Bytes4Transpose(number, a)
	case 8:
		moves.Bytes8Transpose(number, a)
	}
}

// What is transposed before the next: as many rows of x as a line of out has elements, and of these two lines each. So each
// line of out is written at once, and a second line of a row of x is what the hardware fetches with the first.
const rowBytes, colBytes = 64, 128

// bySquares transposes by a kernel. Where the last square of a side would reach over the edge it begins sooner: what it has in common
// with the one before it is written twice.
func bySquares[T dtype.Any](out, x layout.Matrix[T], k *run.MoveKernels, number int) {
	var z T
	size := unsafe.Sizeof(z)
	rows, cols := rowBytes/int(size), colBytes/int(size)
	a := run.MoveArgs{LdX: int64(uintptr(x.RowStride) * size), LdOut: int64(uintptr(out.RowStride) * size)}
	for j := 0; j < x.Cols; {
		n := min(cols, (x.Cols-j)/k.Side*k.Side)
		if n == 0 {
			j, n = x.Cols-k.Side, k.Side
		}
		for i := 0; i < x.Rows; {
			m := min(rows, (x.Rows-i)/k.Side*k.Side)
			if m == 0 {
				i, m = x.Rows-k.Side, k.Side
			}
			a.X, a.Out = unsafe.Pointer(&x.Data[i*x.RowStride+j]), unsafe.Pointer(&out.Data[j*out.RowStride+i])
			a.M, a.N = int64(m), int64(n)
			transposeSquares(size, number, &a)
			i += m
		}
		j += n
	}
}

package comm

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Fixed are the types of a message's elements: numbers of one size on every machine.
type Fixed interface {
	Number | ~complex64 | ~complex128 | dtype.BF16 | dtype.F16
}

// Number are the types that reductions add and compare.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func sizeOf[T Fixed]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// bytesOf returns the memory of x.
func bytesOf[T Fixed](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*sizeOf[T]())
}

// scratch returns n elements of the memory that the group keeps for the collective that
// runs, with anything in them.
func scratch[T Fixed](c *Comm, n int) []T {
	if n == 0 {
		return nil
	}
	if words := (n*sizeOf[T]() + 7) / 8; len(c.scratch) < words {
		c.scratch = make([]uint64, words)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(c.scratch))), n)
}

// Len returns how many elements of type T a message has, and whether that is all of it.
func Len[T Fixed](s Status) (n int, whole bool) {
	return s.Bytes / sizeOf[T](), s.Bytes%sizeOf[T]() == 0
}

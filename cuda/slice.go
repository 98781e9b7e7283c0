package cuda

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Slice is what []T is to a program, in the memory of a device: a vector, or the
// elements of a [Matrix]. It cannot be made to reach outside its memory. The zero
// Slice has no elements. It is a small value: pass it as one.
type Slice[T dtype.Elem] struct {
	mem Memory
	off int64 // of the first element in mem, in bytes
	n   int
}

// Make allocates n elements on d, aligned to 256 bytes. Their contents are undefined.
// It fails with a [layout.ShapeError] if n is negative or no device could hold as many,
// and with [ErrMemory] if d cannot.
func Make[T dtype.Elem](d Device, n int) (Slice[T], error) {
	size := elemSize[T]()
	if n < 0 || int64(n) > math.MaxInt64/size {
		return Slice[T]{}, layout.ShapeError{What: "cuda.Make", Why: fmt.Sprintf("a buffer cannot have %d elements of %d bytes", n, size)}
	}
	mem, err := d.Alloc(int64(n) * size)
	if err != nil {
		return Slice[T]{}, err
	}
	return Slice[T]{mem, 0, n}, nil
}

// Upload allocates len(src) elements on the device of s and queues their copy.
// src may be changed once Upload has returned.
func Upload[T dtype.Elem](s Stream, src []T) (Slice[T], error) {
	x, err := Make[T](s.Device(), len(src))
	if err != nil {
		return x, err
	}
	if err := x.Write(s, src); err != nil {
		x.Free()
		return Slice[T]{}, err
	}
	return x, nil
}

// View is the n elements of mem that start at byte off. It fails with [ErrRange]
// if they are not all inside mem. It fails with a [layout.ShapeError] if off is not a
// multiple of the size of an element.
func View[T dtype.Elem](mem Memory, off int64, n int) (Slice[T], error) {
	size := elemSize[T]()
	if off%size != 0 {
		return Slice[T]{}, layout.ShapeError{What: "cuda.View", Why: fmt.Sprintf("offset %d is not a multiple of %d bytes, the size of an element", off, size)}
	}
	if n < 0 || off < 0 || off > mem.Bytes() || int64(n) > (mem.Bytes()-off)/size {
		return Slice[T]{}, fmt.Errorf("cuda: view of %d elements of %d bytes at offset %d: %w of %d bytes", n, size, off, ErrRange, mem.Bytes())
	}
	return Slice[T]{mem, off, n}, nil
}

// Len returns the number of elements.
func (x Slice[T]) Len() int { return x.n }

// Memory returns what x is part of, nil for the zero Slice.
func (x Slice[T]) Memory() Memory { return x.mem }

// Offset returns where x starts in its memory, in bytes.
func (x Slice[T]) Offset() int64 { return x.off }

// Address returns where kernels find element 0; 0 for the zero Slice.
func (x Slice[T]) Address() uint64 {
	if x.mem == nil {
		return 0
	}
	return x.mem.Address() + uint64(x.off)
}

// Slice returns elements i to j-1. It panics with a [layout.ShapeError] if they are
// not all in x.
func (x Slice[T]) Slice(i, j int) Slice[T] {
	if i < 0 || j < i || j > x.n {
		panic(layout.ShapeError{What: "cuda.Slice", Why: fmt.Sprintf("elements [%d:%d) of %d", i, j, x.n)})
	}
	x.off += int64(i) * elemSize[T]()
	x.n = j - i
	return x
}

// Write queues the copy of src to x, which have the same length. src may be
// changed once Write has returned.
func (x Slice[T]) Write(s Stream, src []T) error {
	if err := x.sameLen("Write", len(src)); err != nil || x.n == 0 {
		return err
	}
	return s.Write(x.mem, x.off, bytesOf(src))
}

// Read waits for what is queued on s and copies x to dst, which have the same
// length.
func (x Slice[T]) Read(s Stream, dst []T) error {
	if err := x.sameLen("Read", len(dst)); err != nil || x.n == 0 {
		return err
	}
	return s.Read(bytesOf(dst), x.mem, x.off)
}

// Download waits for what is queued on s and returns the elements of x.
func (x Slice[T]) Download(s Stream) ([]T, error) {
	dst := make([]T, x.n)
	return dst, x.Read(s, dst)
}

// Copy queues the copy of src to x, which have the same length and do not overlap.
func (x Slice[T]) Copy(s Stream, src Slice[T]) error {
	if err := x.sameLen("Copy", src.n); err != nil || x.n == 0 {
		return err
	}
	return s.Copy(x.mem, x.off, src.mem, src.off, int64(x.n)*elemSize[T]())
}

// Zero queues setting every element to 0.
func (x Slice[T]) Zero(s Stream) error {
	if x.n == 0 {
		return nil
	}
	return s.Fill(x.mem, x.off, 0, int64(x.n)*elemSize[T]())
}

// Free gives back all of the memory that x is part of.
func (x Slice[T]) Free() error {
	if x.mem == nil {
		return nil
	}
	return x.mem.Free()
}

func (x Slice[T]) sameLen(what string, n int) error {
	if n != x.n {
		return layout.ShapeError{What: "cuda.Slice." + what, Why: fmt.Sprintf("%d elements on the device, %d on the other side", x.n, n)}
	}
	return nil
}

func elemSize[T dtype.Elem]() int64 {
	var z T
	return int64(unsafe.Sizeof(z))
}

// bytesOf is the memory of x. Elements have no padding, and every machine that
// drives a GPU is little-endian, as the GPU is.
func bytesOf[T dtype.Elem](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(elemSize[T]()))
}

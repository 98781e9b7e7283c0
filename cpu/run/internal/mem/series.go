package mem

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout"
)

// Overlap is what is wrong where a result shares memory with an operand.
const Overlap = "out shares memory with an operand; copy the operand first"

// Refuse panics with a [layout.ShapeError].
func Refuse(name, why string) { panic(layout.ShapeError{What: name, Why: why}) }

// Fits refuses count matrices of size elements, stride apart, that do not lie in so many
// elements; the arithmetic cannot overflow.
func Fits(name, what string, have, size, stride, count int) {
	switch {
	case count < 0:
		Refuse(name, fmt.Sprintf("a batch of %d products; want 0 or more", count))
	case stride < 0:
		Refuse(name, fmt.Sprintf("%s has the stride %d; matrices of a batch go upwards", what, stride))
	case count == 0:
	case have < size || count > 1 && stride > 0 && (have-size)/stride < count-1:
		Refuse(name, fmt.Sprintf("%s has %d elements, too few for %d matrices of %d elements, %d apart", what, have, count, size, stride))
	}
}

// Onward moves p by n strides unless nothing is left there: a pointer must not leave its
// memory.
func Onward(p unsafe.Pointer, stride, n, left int64) unsafe.Pointer {
	if left <= 0 {
		return p
	}
	return unsafe.Add(p, int(stride*n))
}

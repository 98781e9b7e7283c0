package cpu

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmc128"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmc64"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// pairs reports whether T is complex. Where there are kernels, compilers can tell a complex64 from
// a float64 by its alignment. There it costs nothing, and no program links what it does not call.
func pairs[T dtype.Number]() bool {
	var zero T
	switch unsafe.Sizeof(zero) {
	case 4:
		return false
	case 16:
		return true
	}
	if unsafe.Alignof(zero) == 8 {
		return false
	}
	_, ok := any(zero).(complex64)
	return ok
}

// complexProduct is MatMulOpt of complex numbers.
func complexProduct[T dtype.Number](name string, opt *Options, out, a, b *layout.Matrix[T]) {
	if unsafe.Sizeof(*new(T)) == 16 {
		gemmc128.ZGEMMSet().Ref(name, opt, as[complex128](unsafe.Pointer(out)), as[complex128](unsafe.Pointer(a)), as[complex128](unsafe.Pointer(b)))
	} else {
		gemmc64.CGEMMSet().Ref(name, opt, as[complex64](unsafe.Pointer(out)), as[complex64](unsafe.Pointer(a)), as[complex64](unsafe.Pointer(b)))
	}
}

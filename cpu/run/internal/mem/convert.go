package mem

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Gather sets dst to elements that lie stride bytes apart from src on.
func Gather[E any](dst []E, src unsafe.Pointer, stride int) {
	for i := range dst {
		dst[i] = *(*E)(unsafe.Add(src, i*stride))
	}
}

// Widen is [Gather] of real elements of type t, which become those of T.
func Widen[T dtype.Sum](dst []T, src unsafe.Pointer, stride int, t dtype.Type) {
	switch t {
	case dtype.F32:
		widen[float32](dst, src, stride)
	case dtype.F64:
		widen[float64](dst, src, stride)
	case dtype.I8:
		widen[int8](dst, src, stride)
	case dtype.U8:
		widen[uint8](dst, src, stride)
	case dtype.I16:
		widen[int16](dst, src, stride)
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

func widen[E float32 | float64 | int8 | uint8 | int16, T dtype.Sum](dst []T, src unsafe.Pointer, stride int) {
	for i := range dst {
		dst[i] = T(*(*E)(unsafe.Add(src, i*stride)))
	}
}

// Columns has kernels that transpose make rows of n columns of args.K elements. The columns begin apart bytes
// apart at src, the rows lie ld bytes apart at dst. They have elements of so many bytes, and are filled up to a
// whole number of vectors of vl.
func Columns(f kernel.Func[kernel.Args], args *kernel.Args, vl, size int, src unsafe.Pointer, apart int, dst unsafe.Pointer, ld, n int) {
	args.LdB, args.LdC = int64(apart), int64(ld)
	for c := 0; c < n; c += vl {
		args.B, args.C, args.N = unsafe.Add(src, c*apart), unsafe.Add(dst, c*size), int64(min(vl, n-c))
		f(args)
	}
}

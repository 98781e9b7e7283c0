package level12

import (
	"math"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/vector"

	"github.com/tilesmith/tilesmith/cpu/run/vectors"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// variant is that of all kernels: both types have the same.
var variant = vectors.Variant{Name: "cpu.BLAS64", ISAs: isas}

func isas() (names []string) {
	for _, k := range vector.F64 {
		names = append(names, k.ISA)
	}
	return names
}

// Ready reports whether there are kernels for this machine. Without, all is gonum's.
func Ready() bool { return variant.Number() > 0 }

func number() int { return int(variant.Number()) - 1 }

// isWide reports whether T is float64.
func isWide[T dtype.Float]() bool {
	var z T
	return unsafe.Sizeof(z) == 8
}

func addr[T any](x []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }

// bytes is the size of so many elements.
func bytes[T dtype.Float](n int) int64 {
	var z T
	return int64(n) * int64(unsafe.Sizeof(z))
}

// sums is where kernels leave sums of T: of as many rows as a tile has, and slack.
type sums[T dtype.Float] [kernel.VectorRows + kernel.OutSlack/4]T

// one calls a kernel of one row for x and y, which have the same length, y perhaps none. It returns what the kernel
// sums up, which for sumSq and dotWide is in float64: see inFloat64.
func one[T dtype.Float](k oneRow, x, y []T, s, t T) T {
	out := call1(k, x, y, s, t)
	return *(*T)(unsafe.Pointer(&out))
}

// inFloat64 is one for a kernel whose sum is in float64.
func inFloat64[T dtype.Float](k oneRow, x, y []T) float64 {
	return math.Float64frombits(call1(k, x, y, 0, 0))
}

// oneRow is a kernel of one row. It is not a function value, through which the arguments
// would escape to the heap.
type oneRow uint8

const (
	dot oneRow = iota
	dotWide
	axpy
	scal
	swap
	rot
	asum
	sumSq
	amax
)

// call1 returns the bits of what a kernel of one row sums up.
func call1[T dtype.Float](k oneRow, x, y []T, s, t T) uint64 {
	var out [kernel.OutSlack / 8]uint64
	var a kernel.VectorArgs // a literal is built elsewhere and copied, in other units than it is written: the CPU waits for that
	a.A, a.Y, a.S, a.T, a.Out, a.N = addr(x), addr(y), unsafe.Pointer(&s), unsafe.Pointer(&t), unsafe.Pointer(&out), int64(len(x))
	n := number()
	if isWide[T]() {
		switch k {
		case dot:
			vector.F64Dot(n, &a)
		case axpy:
			vector.F64Axpy(n, &a)
		case scal:
			vector.F64Scal(n, &a)
		case swap:
			vector.F64Swap(n, &a)
		case rot:
			vector.F64Rot(n, &a)
		case asum:
			vector.F64Asum(n, &a)
		case sumSq:
			vector.F64SumSq(n, &a)
		case amax:
			vector.F64Amax(n, &a)
		}
	} else {
		switch k {
		case dot:
			vector.F32Dot(n, &a)
		case dotWide:
			vector.F32DotW(n, &a)
		case axpy:
			vector.F32Axpy(n, &a)
		case scal:
			vector.F32Scal(n, &a)
		case swap:
			vector.F32Swap(n, &a)
		case rot:
			vector.F32Rot(n, &a)
		case asum:
			vector.F32Asum(n, &a)
		case sumSq:
			vector.F32SumSq(n, &a)
		case amax:
			vector.F32Amax(n, &a)
		}
	}
	return out[0]
}

// rows is a kernel of several rows.
type rows uint8

const (
	gemv rows = iota
	gemvT
	ger
	symv
	syr2
)

// do calls the kernel.
func do[T dtype.Float](k rows, a *kernel.VectorArgs) {
	n := number()
	if isWide[T]() {
		switch k {
		case gemv:
			vector.F64Gemv(n, a)
		case gemvT:
			vector.F64GemvT(n, a)
		case ger:
			vector.F64Ger(n, a)
		case symv:
			vector.F64Symv(n, a)
		case syr2:
			vector.F64Syr2(n, a)
		}
		return
	}
	switch k {
	case gemv:
		vector.F32Gemv(n, a)
	case gemvT:
		vector.F32GemvT(n, a)
	case ger:
		vector.F32Ger(n, a)
	case symv:
		vector.F32Symv(n, a)
	case syr2:
		vector.F32Syr2(n, a)
	}
}

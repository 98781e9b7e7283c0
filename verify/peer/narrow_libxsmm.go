package peer

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// narrowLIBXSMM makes a kernel for a product of narrow types. A of its column-major product
// is our b, which it wants with the elements of a step of k adjacent.
func narrowLIBXSMM(lib uintptr) func(p narrowProduct) (func(times int64) error, error) {
	return func(p narrowProduct) (func(times int64) error, error) {
		const betaZero, vnniA = 4, 256 // of LIBXSMM_GEMM_FLAG
		numbers := map[dtype.Type]int32{dtype.F32: 1, dtype.TypeBF16: 2, dtype.TypeF16: 3, dtype.I32: 8, dtype.I16: 10, dtype.I8: 12, dtype.U8: 13}
		var of [3]int32
		for i, t := range p.types {
			n, ok := numbers[t]
			if !ok {
				return nil, fmt.Errorf("it has no %v", t)
			}
			of[i] = n
		}
		sum := numbers[dtype.F32]
		if p.types[2] == dtype.I32 {
			sum = numbers[dtype.I32]
		}
		step := 4 / p.types[1].Size()
		if p.k%step != 0 {
			return nil, fmt.Errorf("k is %d; want a multiple of %d", p.k, step)
		}
		var dispatch func(shape xsmmShape, flags, prefetch uint32) uintptr
		if err := Bind(lib, "libxsmm_dispatch_gemm", &dispatch); err != nil {
			return nil, err
		}
		shape := xsmmShape{int32(p.n), int32(p.m), int32(p.k), int32(p.n), int32(p.k), int32(p.n), of[1], of[0], of[2], sum}
		function := dispatch(shape, betaZero|vnniA, 0)
		if function == 0 {
			return nil, errors.New("it generates no kernel for that")
		}
		packed := interleaved(p, step)
		b := unsafe.Pointer(&packed[0])
		return func(times int64) error {
			pinned(func() {
				p.loop.xsmm(&narrowCall{function, int64(p.m), int64(p.n), int64(p.k), p.a, b, p.c}, times)
			}, b)
			return nil
		}, nil
	}
}

// interleaved is b with step elements of a column side by side.
func interleaved(p narrowProduct, step int) []byte {
	size := p.types[1].Size()
	b := unsafe.Slice((*byte)(p.b), p.k*p.n*size)
	out := aligned(len(b))
	for l := range p.k {
		for j := range p.n {
			to := (l/step*p.n+j)*step + l%step
			copy(out[to*size:][:size], b[(l*p.n+j)*size:])
		}
	}
	return out
}

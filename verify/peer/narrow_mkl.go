package peer

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// mklNarrow are MKL's products of narrow types, by that of b.
var mklNarrow = map[[3]dtype.Type]string{
	{dtype.TypeBF16, dtype.TypeBF16, dtype.F32}: "cblas_gemm_bf16bf16f32",
	{dtype.TypeF16, dtype.TypeF16, dtype.F32}:   "cblas_gemm_f16f16f32",
	{dtype.U8, dtype.I8, dtype.I32}:             "cblas_gemm_s8u8s32", // of matrices by rows the first has no sign
	{dtype.I16, dtype.I16, dtype.I32}:           "cblas_gemm_s16s16s32",
}

// narrowCall is struct narrow of narrow.c.
type narrowCall struct {
	function uintptr
	m, n, k  int64
	a, b, c  unsafe.Pointer
}

// narrowMKL packs b once and multiplies by it.
func narrowMKL(lib uintptr) func(p narrowProduct) (func(times int64) error, error) {
	return func(p narrowProduct) (func(times int64) error, error) {
		const noTrans, bMatrix = 111, 162 // CblasNoTrans, CblasBMatrix
		name, ok := mklNarrow[p.types]
		if !ok {
			return nil, errors.New("it has bf16.bf16->f32, f16.f16->f32, u8.i8->i32 and i16.i16->i32")
		}
		var (
			size func(identifier, m, n, k int32) uint
			pack func(order, identifier, trans, m, n, k int32, src unsafe.Pointer, ld int32, dest unsafe.Pointer)
		)
		if err := errors.Join(Bind(lib, name+"_pack_get_size", &size), Bind(lib, name+"_pack", &pack)); err != nil {
			return nil, err
		}
		function, err := symbol(lib, name+"_compute")
		if err != nil {
			return nil, err
		}
		bytes := size(bMatrix, int32(p.m), int32(p.n), int32(p.k))
		if bytes == 0 {
			return nil, fmt.Errorf("%s_pack_get_size is 0", name)
		}
		packed := aligned(int(bytes))
		dest := unsafe.Pointer(&packed[0])
		pinned(func() {
			pack(cblasRowMajor, bMatrix, noTrans, int32(p.m), int32(p.n), int32(p.k), p.b, int32(p.n), dest)
		}, p.b, dest)
		run := p.loop.float16
		switch p.types[1] {
		case dtype.I8:
			run = p.loop.int8
		case dtype.I16:
			run = p.loop.int16
		}
		return func(times int64) error {
			pinned(func() { run(&narrowCall{function, int64(p.m), int64(p.n), int64(p.k), p.a, dest, p.c}, times) }, dest)
			return nil
		}, nil
	}
}

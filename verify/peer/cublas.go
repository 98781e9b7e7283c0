package peer

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/driver"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// CuBLAS is NVIDIA's library of products on one GPU and stream, found as libcublas.so.13, .12 or .11 where the linker looks or
// where TILESMITH_CUBLAS says. It is not among [Available], whose peers take memory of the host.
type CuBLAS struct {
	Version, Path string

	do     func(func() error) error
	handle uintptr
	gemm   func(handle uintptr, opA, opB, m, n, k int32, alpha *float32, a uint64, typeA, lda int32, b uint64, typeB, ldb int32,
		beta *float32, c uint64, typeC, ldc int32, compute, algo int32) int32 `c:"cublasGemmEx"`
	destroy func(handle uintptr) int32 `c:"cublasDestroy_v2"`
}

var cuBLASLibs = []string{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "/usr/local/cuda/lib64/libcublas.so"}

// OpenCuBLAS loads cuBLAS for a stream of cuda/driver. The error says what was tried.
func OpenCuBLAS(d cuda.Device, s cuda.Stream) (*CuBLAS, error) {
	stream, err := driver.Handle(s)
	if err != nil {
		return nil, err
	}
	return Library[CuBLAS, *CuBLAS]{Name: "cublas", Libs: cuBLASLibs, Install: "NVIDIA's libcublas (as in the Python package nvidia-cublas-cu12)",
		Open: func(lib uintptr) (*CuBLAS, error) {
			c := &CuBLAS{do: func(f func() error) error { return driver.Do(d, f) }}
			return c, c.open(lib, stream)
		}}.Load()
}

func (c *CuBLAS) found(_, file string) {
	if c.Path == "" {
		c.Path = file
	}
}

// open finds the functions and makes a handle for the stream.
func (c *CuBLAS) open(lib, stream uintptr) error {
	var f struct {
		create    func(handle *uintptr) int32          `c:"cublasCreate_v2"`
		setStream func(handle, stream uintptr) int32   `c:"cublasSetStream_v2"`
		version   func(handle uintptr, v *int32) int32 `c:"cublasGetVersion_v2"`
	}
	if err := errors.Join(bindAll(lib, &f), bindAll(lib, c)); err != nil {
		return err
	}
	c.Path = fileOf(lib, "cublasGemmEx")
	return c.do(func() error {
		if err := cuBLASError("cublasCreate", f.create(&c.handle)); err != nil {
			return err
		}
		var v int32
		if err := cuBLASError("cublasGetVersion", f.version(c.handle, &v)); err != nil {
			return err
		}
		c.Version = fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100) // from 11 on; 120800 is 12.8.0
		return cuBLASError("cublasSetStream", f.setStream(c.handle, stream))
	})
}

// Gemm queues out = op(a)*op(b) for dense row-major matrices at addresses of the device; out is m x n. Elements are of type t,
// which is bf16, f16 or f32, sums of f32. A transposed factor lies as its transpose.
func (c *CuBLAS) Gemm(t dtype.Type, transA, transB bool, m, n, k int, a, b, out uint64) error {
	const (
		r32f, r16f, r16bf     = 0, 2, 14 // cudaDataType
		compute32f, byDefault = 68, -1   // cublasComputeType_t, cublasGemmAlgo_t
	)
	types := map[dtype.Type]int32{dtype.F32: r32f, dtype.TypeF16: r16f, dtype.TypeBF16: r16bf}
	typ, ok := types[t]
	if !ok {
		return fmt.Errorf("peer: cublas: no products of %v here; there are bf16, f16 and f32", t)
	}
	for _, x := range []int{m, n, k} {
		if x < 1 || x > 1<<30 {
			return fmt.Errorf("peer: cublas: a size is %d, want 1 to 2^30", x)
		}
	}
	op := func(trans bool) int32 {
		if trans {
			return 1
		}
		return 0
	}
	ld := func(trans bool, rows, cols int) int32 {
		if trans {
			return int32(rows)
		}
		return int32(cols)
	}
	alpha, beta := float32(1), float32(0)
	// cuBLAS is column-major: the transpose of out is that of b times that of a.
	err := c.do(func() error {
		return cuBLASError("cublasGemmEx", c.gemm(c.handle, op(transB), op(transA), int32(n), int32(m), int32(k), &alpha,
			b, typ, ld(transB, k, n), a, typ, ld(transA, m, k), &beta, out, typ, int32(n), compute32f, byDefault))
	})
	runtime.KeepAlive(&alpha)
	return err
}

// Close gives the handle back.
func (c *CuBLAS) Close() error {
	return c.do(func() error { return cuBLASError("cublasDestroy", c.destroy(c.handle)) })
}

// cuBLASError turns a cublasStatus_t into an error.
func cuBLASError(call string, status int32) error {
	if status == 0 {
		return nil
	}
	name := map[int32]string{1: "not initialised", 3: "out of memory", 7: "invalid value", 8: "the GPU is too old", 11: "mapping", 13: "execution failed",
		14: "internal error", 15: "not supported"}[status]
	return fmt.Errorf("peer: cublas: %s: status %d (%s)", call, status, name)
}

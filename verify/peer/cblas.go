package peer

import (
	"errors"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// CBLAS opens any library that has cblas_sgemm and cblas_dgemm with 32-bit integers. It leaves Version empty and SetThreads
// without effect, for the caller to improve on.
func CBLAS(lib uintptr) (*Gemm, error) {
	f32, err := cblasGemm[float32](lib, "cblas_sgemm")
	if err != nil {
		return nil, err
	}
	f64, err := cblasGemm[float64](lib, "cblas_dgemm")
	if err != nil {
		return nil, err
	}
	sgemm, err := symbol(lib, "cblas_sgemm")
	if err != nil {
		return nil, err
	}
	dgemm, err := symbol(lib, "cblas_dgemm")
	if err != nil {
		return nil, err
	}
	entry := func(p product) (uintptr, convention) {
		if p.typ == dtype.F64 {
			return dgemm, callCBLAS
		}
		return sgemm, callCBLAS
	}
	return &Gemm{Path: fileOf(lib, "cblas_sgemm"), F32: f32, F64: f64, SetThreads: func(int) {}, entry: entry}, nil
}

// bindAll points each field of a struct that has a tag, as in `c:"cblas_sgemm"`, at the C function of that name.
func bindAll(lib uintptr, functions any) error {
	var errs []error
	v := reflect.ValueOf(functions).Elem()
	for i := range v.NumField() {
		if name, ok := v.Type().Field(i).Tag.Lookup("c"); ok {
			field := reflect.NewAt(v.Field(i).Type(), unsafe.Pointer(v.Field(i).UnsafeAddr()))
			errs = append(errs, Bind(lib, name, field.Interface()))
		}
	}
	return errors.Join(errs...)
}

// The values of CBLAS_ORDER and CBLAS_TRANSPOSE.
const (
	cblasRowMajor = 101
	cblasNoTrans  = 111
	cblasTrans    = 112
)

func cblasTranspose(t bool) int32 {
	if t {
		return cblasTrans
	}
	return cblasNoTrans
}

func cblasGemm[T float32 | float64](lib uintptr, name string) (func(transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int), error) {
	var gemm func(order, transA, transB, m, n, k int32, alpha T, a *T, lda int32, b *T, ldb int32, beta T, c *T, ldc int32)
	if err := Bind(lib, name, &gemm); err != nil {
		return nil, err
	}
	return func(transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
		check(transA, transB, m, n, k, a, lda, b, ldb, c, ldc)
		if m == 0 || n == 0 {
			return
		}
		gemm(cblasRowMajor, cblasTranspose(transA), cblasTranspose(transB), int32(m), int32(n), int32(k),
			alpha, unsafe.SliceData(a), int32(lda), unsafe.SliceData(b), int32(ldb), beta, unsafe.SliceData(c), int32(ldc))
	}, nil
}

// setPerCall gives g a SetThreads for a library that keeps the number per OS thread. set runs again before
// each product, on the thread that runs it.
func (g *Gemm) setPerCall(set func(n int)) {
	g.SetThreads = func(n int) {
		n = threads(n)
		g.perCall = func() { set(n) }
	}
	f32, f64 := g.F32, g.F64
	g.F32 = func(transA, transB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
		g.onThread(func() { f32(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) })
	}
	g.F64 = func(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
		g.onThread(func() { f64(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) })
	}
}

// onThread calls run on one OS thread, which was told first how many others it may use.
func (g *Gemm) onThread(run func()) {
	if g.perCall != nil {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		g.perCall()
	}
	run()
}

// debian is the folder Debian and Ubuntu keep this architecture's libraries in.
func debian() string {
	if runtime.GOARCH == "arm64" {
		return "/usr/lib/aarch64-linux-gnu/"
	}
	return "/usr/lib/x86_64-linux-gnu/"
}

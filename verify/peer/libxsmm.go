package peer

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// LIBXSMM, https://github.com/libxsmm/libxsmm, generates a kernel for each shape when it is first asked for. We call that kernel
// and nothing else of it, on one thread.
//
// There are kernels for alpha 1, beta 0 or 1 and sizes of 1 or more, as in the kernel generator itself.
// Release 1.17 has none for a transposed B. Those of 2.0 copy it to the stack, so more than a quarter of a
// megabyte is refused.
//
// Debian has the library for static linking only; what makes a shared one of it is
//
//	gcc -shared -o libxsmm.so -Wl,--whole-archive -l:libxsmm.a -l:libxsmmnoblas.a -Wl,--no-whole-archive -lm -lpthread -ldl
//
// and from the sources, make STATIC=0 BLAS=0 FORTRAN=0.
var LIBXSMM = declare(Peer{
	Name: "libxsmm",
	Libs: []string{
		"$CONDA_PREFIX/lib/libxsmm.so",
		"libxsmm.so",
		"libxsmm.so.2",
		"libxsmm.so.1",
	},
	Install: "libxsmm-dev (Debian, Ubuntu; only static, see peer.LIBXSMM for the command that makes a shared library of it) or its sources",
	Open:    openLIBXSMM,
})

// mostStack is how much of a transposed B we let a kernel put on the stack of a thread, which has half a
// megabyte on macOS.
const mostStack = 1 << 18

// xsmm makes kernels and keeps them.
type xsmm struct {
	make func(p product) xsmmKernel // a column-major one, so of B and A

	mu      sync.Mutex
	kernels map[product]xsmmKernel
}

// xsmmKernel is a kernel for one product. The address 0 is that of none.
type xsmmKernel struct {
	addr uintptr
	run  func(a, b, c unsafe.Pointer)
}

func openLIBXSMM(lib uintptr) (*Gemm, error) {
	var arch func() string
	if err := Bind(lib, "libxsmm_get_target_arch", &arch); err != nil {
		return nil, err
	}
	x := &xsmm{kernels: map[product]xsmmKernel{}}
	release, how := "2.x", callXSMM2
	err := x.open2(lib)
	if err != nil {
		release, how = "1.x", callXSMM1
		if err1 := x.open1(lib); err1 != nil {
			return nil, errors.Join(err, err1)
		}
	}
	g := &Gemm{SetThreads: func(int) {}, Path: fileOf(lib, "libxsmm_get_target_arch"), Version: fmt.Sprintf("libxsmm %s, kernels for %s", release, arch()), ISA: isaOf(arch())}
	g.can = x.can
	if how == callXSMM2 {
		g.narrow, g.blocks = narrowLIBXSMM(lib), blocksLIBXSMM(lib)
	}
	g.entry = func(p product) (uintptr, convention) { return x.kernel(p).addr, how }
	g.F32 = func(transA, transB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
		p := product{dtype.F32, transA, transB, m, n, k, lda, ldb, ldc, float64(alpha), float64(beta)}
		if g.start(p, len(a), len(b), len(c)) {
			x.kernel(p).run(unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(c)))
		}
	}
	g.F64 = func(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
		p := product{dtype.F64, transA, transB, m, n, k, lda, ldb, ldc, alpha, beta}
		if g.start(p, len(a), len(b), len(c)) {
			x.kernel(p).run(unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(c)))
		}
	}
	return g, nil
}

func (x *xsmm) can(p product) string {
	switch {
	case p.alpha != 1:
		return "its kernels are for an alpha of 1"
	case p.beta != 0 && p.beta != 1:
		return "its kernels are for a beta of 0 or 1"
	case p.m < 1 || p.n < 1 || p.k < 1:
		return "its kernels are for sizes of 1 or more"
	case max(p.m, p.n, p.k) > math.MaxInt32:
		return "its sizes have 32 bits"
	case p.transB && int64(p.k)*int64(p.n) > mostStack/int64(p.typ.Size()):
		return "its kernel would put all of the transposed B on the stack, more than a quarter of a megabyte"
	case x.kernel(p).addr == 0:
		return "it generates no kernel for that"
	}
	return ""
}

// kernel returns the kernel for p, made when first asked for.
func (x *xsmm) kernel(p product) xsmmKernel {
	x.mu.Lock()
	defer x.mu.Unlock()
	k, ok := x.kernels[p]
	if !ok {
		k = x.make(p)
		x.kernels[p] = k
	}
	return k
}

// open1 finds what release 1 makes kernels with. A kernel takes its three matrices.
func (x *xsmm) open1(lib uintptr) error {
	var (
		smm func(m, n, k int32, lda, ldb, ldc *int32, alpha, beta *float32, flags, prefetch *int32) uintptr
		dmm func(m, n, k int32, lda, ldb, ldc *int32, alpha, beta *float64, flags, prefetch *int32) uintptr
	)
	if err := errors.Join(Bind(lib, "libxsmm_smmdispatch", &smm), Bind(lib, "libxsmm_dmmdispatch", &dmm)); err != nil {
		return err
	}
	x.make = func(p product) xsmmKernel {
		m, n, k, lda, ldb, ldc := int32(p.n), int32(p.m), int32(p.k), int32(p.ldb), int32(p.lda), int32(p.ldc)
		flags, prefetch := int32(xsmmFlags(p)), int32(0)
		var addr uintptr
		if p.typ == dtype.F64 {
			addr = dmm(m, n, k, &lda, &ldb, &ldc, &p.alpha, &p.beta, &flags, &prefetch)
		} else {
			alpha, beta := float32(p.alpha), float32(p.beta)
			addr = smm(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch)
		}
		if addr == 0 {
			return xsmmKernel{}
		}
		var call func(a, b, c unsafe.Pointer)
		bindAt(addr, &call)
		return xsmmKernel{addr, func(a, b, c unsafe.Pointer) { call(b, a, c) }}
	}
	return nil
}

// xsmmShape is libxsmm_gemm_shape of release 2, built for 32-bit integers as it is by default.
type xsmmShape struct {
	m, n, k, lda, ldb, ldc int32
	a, b, c, compute       int32
}

// xsmmParam is libxsmm_gemm_param, the argument of a kernel of release 2: of each matrix the address, and more for kernels that
// are not for us.
type xsmmParam struct {
	op      [4]unsafe.Pointer
	a, b, c [6]unsafe.Pointer
}

// open2 finds what release 2 makes kernels with.
func (x *xsmm) open2(lib uintptr) error {
	var dispatch func(shape xsmmShape, flags, prefetch uint32) uintptr
	if err := Bind(lib, "libxsmm_dispatch_gemm", &dispatch); err != nil {
		return err
	}
	x.make = func(p product) xsmmKernel {
		const f64, f32, betaZero = 0, 1, 4 // LIBXSMM_DATATYPE_F64 and _F32, LIBXSMM_GEMM_FLAG_BETA_0
		typ := map[dtype.Type]int32{dtype.F64: f64, dtype.F32: f32}[p.typ]
		flags := xsmmFlags(p)
		if p.beta == 0 {
			flags |= betaZero
		}
		addr := dispatch(xsmmShape{int32(p.n), int32(p.m), int32(p.k), int32(p.ldb), int32(p.lda), int32(p.ldc), typ, typ, typ, typ}, flags, 0)
		if addr == 0 {
			return xsmmKernel{}
		}
		var call func(*xsmmParam)
		bindAt(addr, &call)
		return xsmmKernel{addr, func(a, b, c unsafe.Pointer) {
			var pins runtime.Pinner // C finds the matrices in memory of Go's
			defer pins.Unpin()
			for _, x := range []unsafe.Pointer{a, b, c} {
				pins.Pin(x)
			}
			call(&xsmmParam{a: [6]unsafe.Pointer{b}, b: [6]unsafe.Pointer{a}, c: [6]unsafe.Pointer{c}})
		}}
	}
	return nil
}

// xsmmFlags are LIBXSMM_GEMM_FLAG_TRANS_A and _TRANS_B of the column-major product, whose A is our B.
func xsmmFlags(p product) uint32 { return uint32(word(p.transB) | word(p.transA)<<1) }

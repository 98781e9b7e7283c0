package peer

import (
	"runtime"
	"runtime/debug"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Gonum is the BLAS in Go of https://www.gonum.org, called directly: blas32 and blas64 may be us.
//
// It takes as many threads as GOMAXPROCS allows. So after SetThreads each product large enough to be divided sets
// GOMAXPROCS and restores it, which stops the program for some ten microseconds.
var Gonum = declare(Peer{Name: "gonum", Open: openGonum})

func openGonum(uintptr) (*Gemm, error) {
	var impl gonum.Implementation
	want := 0
	onThreads := func(m, n int, run func()) {
		const block, divided = 64, 4 // gonum's own: a product of fewer blocks of C runs on one thread
		if blocks := (int64(m) + block - 1) / block * ((int64(n) + block - 1) / block); want > 0 && blocks >= divided {
			if old := runtime.GOMAXPROCS(0); old != want {
				runtime.GOMAXPROCS(want)
				defer runtime.GOMAXPROCS(old)
			}
		}
		run()
	}
	return &Gemm{
		Version:    "gonum " + moduleVersion("gonum.org/v1/gonum"),
		ISA:        gonumISA(),
		Path:       "gonum.org/v1/gonum/blas/gonum",
		Threaded:   runtime.GOARCH != "wasm",
		SetThreads: func(n int) { want = threads(n) },
		F32: func(transA, transB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
			check(transA, transB, m, n, k, a, lda, b, ldb, c, ldc)
			onThreads(m, n, func() {
				impl.Sgemm(gonumTranspose(transA), gonumTranspose(transB), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
			})
		},
		F64: func(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
			check(transA, transB, m, n, k, a, lda, b, ldb, c, ldc)
			onThreads(m, n, func() {
				impl.Dgemm(gonumTranspose(transA), gonumTranspose(transB), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
			})
		},
	}, nil
}

// gonumISA is what gonum's assembly is written in, or, without any, what Go compiles to.
func gonumISA() string {
	if runtime.GOARCH == "amd64" {
		return "sse2"
	}
	return "go"
}

func gonumTranspose(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}

// moduleVersion is the version of a module this binary was built with.
func moduleVersion(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path != path {
				continue
			}
			if m.Replace != nil {
				m = m.Replace
			}
			return m.Version
		}
	}
	return "(version unknown)"
}

package peer

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// OneDNN, https://github.com/uxlfoundation/oneDNN, whose dnnl_sgemm is row-major like ours. It has no product of f64, and with
// k = 0 leaves C as it was, so that is refused too.
var OneDNN = declare(Peer{
	Name: "onednn",
	Libs: []string{
		"$VIRTUAL_ENV/lib/libdnnl.so.3",
		"$CONDA_PREFIX/lib/libdnnl.so.3",
		"libdnnl.so.3",
		"libdnnl.so.2",
		"/opt/homebrew/opt/onednn/lib/libdnnl.3.dylib",
		"/usr/local/opt/onednn/lib/libdnnl.3.dylib",
	},
	Install: "libdnnl-dev (Debian, Ubuntu), onednn (Fedora) or onednn (conda-forge, Homebrew)",
	Open:    openOneDNN,
})

// dnnlVersion is dnnl_version_t.
type dnnlVersion struct {
	major, minor, patch int32
	hash                *byte
	cpuRuntime          uint32
}

func openOneDNN(lib uintptr) (*Gemm, error) {
	var f struct {
		version func() *dnnlVersion                                                                                                                              `c:"dnnl_version"`
		isa     func() uint32                                                                                                                                    `c:"dnnl_get_effective_cpu_isa"`
		gemm    func(transA, transB int8, m, n, k int64, alpha float32, a *float32, lda int64, b *float32, ldb int64, beta float32, c *float32, ldc int64) int32 `c:"dnnl_sgemm"`
	}
	err := bindAll(lib, &f)
	if err != nil {
		return nil, err
	}
	sgemm, err := symbol(lib, "dnnl_sgemm")
	if err != nil {
		return nil, err
	}
	v := f.version()
	g := &Gemm{Path: fileOf(lib, "dnnl_sgemm"), ISA: dnnlISA(f.isa()), Version: fmt.Sprintf("oneDNN %d.%d.%d, ISA mask %#x", v.major, v.minor, v.patch, f.isa()), SetThreads: func(int) {}}
	g.narrow = narrowOneDNN(lib)
	g.convolve = convolveOneDNN(lib)
	g.can = func(p product) string {
		switch {
		case p.typ != dtype.F32:
			return "it has products of f32 only"
		case p.k == 0:
			return "it does nothing when k is 0"
		}
		return ""
	}
	g.entry = func(product) (uintptr, convention) { return sgemm, callDNNL }
	g.F32 = func(transA, transB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
		if g.start(product{dtype.F32, transA, transB, m, n, k, lda, ldb, ldc, float64(alpha), float64(beta)}, len(a), len(b), len(c)) {
			status := f.gemm(dnnlTranspose(transA), dnnlTranspose(transB), int64(m), int64(n), int64(k), alpha, unsafe.SliceData(a), int64(lda),
				unsafe.SliceData(b), int64(ldb), beta, unsafe.SliceData(c), int64(ldc))
			if status != 0 {
				panic(fmt.Sprintf("peer: onednn: dnnl_sgemm returned %d, want 0", status))
			}
		}
	}
	g.F64 = func(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
		g.start(product{dtype.F64, transA, transB, m, n, k, lda, ldb, ldc, alpha, beta}, len(a), len(b), len(c))
	}
	const openmp = 2 // dnnl_runtime: DNNL_RUNTIME_OMP, which keeps the number per calling thread
	var set func(n int32)
	if v.cpuRuntime == openmp && Bind(lib, "omp_set_num_threads", &set) == nil {
		g.Threaded = true
		g.setPerCall(func(n int) { set(int32(n)) })
	}
	return g, nil
}

// dnnlISA reads a mask of dnnl_cpu_isa_t, in which each instruction set has a bit and those of all before it.
func dnnlISA(mask uint32) string {
	switch {
	case mask&(1<<5) != 0: // dnnl_cpu_isa_avx512_core is 0x27
		return "avx512"
	case mask&(1<<2) != 0: // dnnl_cpu_isa_avx2 is 0x7
		return "avx2"
	case mask&(1<<1) != 0: // dnnl_cpu_isa_avx is 0x3
		return "avx"
	case mask&1 != 0:
		return "sse4.1"
	}
	return ""
}

func dnnlTranspose(t bool) int8 {
	if t {
		return 'T'
	}
	return 'N'
}

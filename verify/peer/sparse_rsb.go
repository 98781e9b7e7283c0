package peer

import (
	"bytes"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/tilesmith/tilesmith/sparse"
)

// LibRSB, https://librsb.sourceforge.net, stores a matrix as a tree of blocks. It tunes
// the tree to the product for at most half a second.
var LibRSB = declareSparse(SparsePeer{
	Name:    "librsb",
	Libs:    []string{debian() + "librsb.so.0", "librsb.so.0", "librsb.so"},
	Install: "librsb0 (Debian, Ubuntu)",
	Open:    openRSB,
})

// The values of rsb.h and rsb_types.h.
const (
	rsbFloat    = 'S'  // RSB_NUMERICAL_TYPE_FLOAT
	rsbNoTrans  = 0x4E // RSB_TRANSPOSITION_N
	rsbRowMajor = 0    // RSB_FLAG_WANT_ROW_MAJOR_ORDER
	rsbThreads  = 9    // RSB_IO_WANT_EXECUTING_THREADS
	rsbTuneTime = 0.5  // seconds
)

func openRSB(lib uintptr) (*Sparse, error) {
	var f struct {
		start   func(options uintptr) int32                                                                                                                                                                                  `c:"rsb_lib_init"`
		set     func(option int32, value *int32) int32                                                                                                                                                                       `c:"rsb_lib_set_opt"`
		message func(code int32, buf *byte, size uint64) int32                                                                                                                                                               `c:"rsb_strerror_r"`
		alloc   func(values *float32, pointers, indices *int32, nnz int32, kind int8, rows, cols, blockRows, blockCols, flags int32, code *int32) uintptr                                                                    `c:"rsb_mtx_alloc_from_csr_const"`
		tune    func(a *uintptr, gain *float64, threads *int32, rounds int32, seconds float64, trans int32, alpha *float32, none uintptr, n, order int32, b *float32, ldb int32, beta *float32, c *float32, ldc int32) int32 `c:"rsb_tune_spmm"`
		spmm    func(trans int32, alpha *float32, a uintptr, n, order int32, b *float32, ldb int32, beta *float32, c *float32, ldc int32) int32                                                                              `c:"rsb_spmm"`
		free    func(a uintptr) uintptr                                                                                                                                                                                      `c:"rsb_mtx_free"`
		openMP  func(threads int32)                                                                                                                                                                                          `c:"omp_set_num_threads"`
	}
	if err := bindAll(lib, &f); err != nil {
		return nil, err
	}
	fail := func(what string, code int32) error {
		buf := make([]byte, 256)
		f.message(code, &buf[0], uint64(len(buf)))
		text, _, _ := bytes.Cut(buf, []byte{0})
		return fmt.Errorf("%s returned %#x: %s", what, uint32(code), text)
	}
	if code := f.start(0); code != 0 {
		return nil, fail("rsb_lib_init", code)
	}
	one := int32(1)
	if code := f.set(rsbThreads, &one); code != 0 {
		return nil, fail("rsb_lib_set_opt", code)
	}

	prepare := func(c []float32, m sparse.Matrix[float32], b []float32, n int) (*Product, error) {
		runtime.LockOSThread() // OpenMP keeps the number of threads for each
		defer runtime.UnlockOSThread()
		f.openMP(1)
		pointers, indices, values := m.CSR() // it copies them
		var code int32
		a := f.alloc(&values[0], &pointers[0], &indices[0], int32(m.NNZ()), rsbFloat, int32(m.Rows()), int32(m.Cols()), 1, 1, 0, &code)
		if a == 0 {
			return nil, fail("rsb_mtx_alloc_from_csr_const", code)
		}
		alpha, beta, gain := float32(1), float32(0), 0.0
		code = f.tune(&a, &gain, nil, 1, rsbTuneTime, rsbNoTrans, &alpha, 0, int32(n), rsbRowMajor,
			unsafe.SliceData(b), int32(n), &beta, unsafe.SliceData(c), int32(n))
		if code != 0 {
			return nil, fail("rsb_tune_spmm", code)
		}
		run := func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			f.openMP(1)
			code := f.spmm(rsbNoTrans, &alpha, a, int32(n), rsbRowMajor, unsafe.SliceData(b), int32(n), &beta, unsafe.SliceData(c), int32(n))
			if code != 0 {
				panic("peer: " + fail("rsb_spmm", code).Error())
			}
		}
		return &Product{Run: run, Fetch: nothing, Free: func() { f.free(a) }}, nil
	}
	return &Sparse{Version: "librsb.so.0, tuned", F32: prepare}, nil
}

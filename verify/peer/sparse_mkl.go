package peer

import (
	"bytes"
	"fmt"
	"os"
	"unsafe"

	"github.com/tilesmith/tilesmith/sparse"
)

// SparseMKL is MKL's inspector-executor interface (oneMKL reference, "Inspector-executor
// Sparse BLAS Routines"), on amd64. You tell it the product that will be called, and it
// optimizes the matrix for it.
var SparseMKL = declareSparse(SparsePeer{Name: MKL.Name, Libs: MKL.Libs, Install: MKL.Install, Open: openSparseMKL})

// The values of mkl_spblas.h.
const (
	mklNonTranspose = 10  // SPARSE_OPERATION_NON_TRANSPOSE
	mklGeneral      = 20  // SPARSE_MATRIX_TYPE_GENERAL
	mklLower        = 40  // SPARSE_FILL_MODE_LOWER, without meaning for a general matrix
	mklNonUnit      = 50  // SPARSE_DIAG_NON_UNIT, likewise
	mklRowMajor     = 101 // SPARSE_LAYOUT_ROW_MAJOR

	// mklDescr is struct matrix_descr, three ints, as the two registers that the System V
	// ABI passes it in.
	mklDescr0 = mklGeneral | mklLower<<32
	mklDescr1 = mklNonUnit
)

// mklCalls is how many products MKL is told to expect, so how much analysis pays.
const mklCalls = 1000

func openSparseMKL(lib uintptr) (*Sparse, error) {
	var f struct {
		version   func(buf *byte, size int32)                                                                                                                        `c:"MKL_Get_Version_String"`
		layer     func(layer int32) int32                                                                                                                            `c:"MKL_Set_Interface_Layer"`
		threading func(layer int32) int32                                                                                                                            `c:"MKL_Set_Threading_Layer"`
		set       func(n int32)                                                                                                                                      `c:"MKL_Set_Num_Threads"`
		create    func(a *uintptr, base, rows, cols int32, starts, ends, indices *int32, values *float32) int32                                                      `c:"mkl_sparse_s_create_csr"`
		hint      func(a uintptr, op int32, descr0, descr1 uint64, layout, n, calls int32) int32                                                                     `c:"mkl_sparse_set_mm_hint"`
		optimize  func(a uintptr) int32                                                                                                                              `c:"mkl_sparse_optimize"`
		mm        func(op int32, alpha float32, a uintptr, descr0, descr1 uint64, layout int32, b *float32, n, ldb int32, beta float32, c *float32, ldc int32) int32 `c:"mkl_sparse_s_mm"`
		destroy   func(a uintptr) int32                                                                                                                              `c:"mkl_sparse_destroy"`
		aligned   func(bytes uint64, align int32) unsafe.Pointer                                                                                                     `c:"MKL_malloc"`
		free      func(p unsafe.Pointer)                                                                                                                             `c:"MKL_free"`
	}
	if err := bindAll(lib, &f); err != nil {
		return nil, err
	}
	const lp64, sequential = 0, 1
	if got := f.layer(lp64); got != lp64 {
		return nil, fmt.Errorf("its interface layer is %d already; want LP64, which is %d", got, lp64)
	}
	if os.Getenv("MKL_THREADING_LAYER") == "" {
		f.threading(sequential)
	}
	f.set(1)
	buf := make([]byte, 256)
	f.version(&buf[0], int32(len(buf)))
	text, _, _ := bytes.Cut(buf, []byte{0})

	malloc := func(bytes uint64) unsafe.Pointer { return f.aligned(bytes, 64) }

	prepare := func(c []float32, m sparse.Matrix[float32], b []float32, n int) (product *Product, err error) {
		var held []unsafe.Pointer // MKL keeps the arrays of a matrix, so they cannot be Go's
		var a uintptr
		release := func() {
			if a != 0 {
				f.destroy(a)
			}
			for _, p := range held {
				f.free(p)
			}
		}
		hold := func(p unsafe.Pointer, _ uint64) unsafe.Pointer {
			held = append(held, p)
			return p
		}
		defer func() {
			if err != nil {
				release()
			}
		}()
		defer refused(&err)
		pointers, indices, values := m.CSR()
		starts := hold(allocate(malloc, pointers))
		columns, elements := hold(allocate(malloc, indices)), hold(allocate(malloc, values))
		must("mkl_sparse_s_create_csr", f.create(&a, 0, int32(m.Rows()), int32(m.Cols()), (*int32)(starts), (*int32)(unsafe.Add(starts, 4)), (*int32)(columns), (*float32)(elements)))
		must("mkl_sparse_set_mm_hint", f.hint(a, mklNonTranspose, mklDescr0, mklDescr1, mklRowMajor, int32(n), mklCalls))
		must("mkl_sparse_optimize", f.optimize(a))
		run := func() {
			code := f.mm(mklNonTranspose, 1, a, mklDescr0, mklDescr1, mklRowMajor, unsafe.SliceData(b), int32(n), int32(n), 0, unsafe.SliceData(c), int32(n))
			if code != 0 {
				panic(fmt.Sprintf("peer: mkl_sparse_s_mm returned %d", code))
			}
		}
		return &Product{Run: run, Fetch: nothing, Free: release}, nil
	}
	return &Sparse{Version: string(bytes.TrimSpace(text)) + ", sequential, hint and optimize", F32: prepare}, nil
}

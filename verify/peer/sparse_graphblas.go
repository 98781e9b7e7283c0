package peer

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/sparse"
)

// GraphBLAS is SuiteSparse:GraphBLAS, https://github.com/DrTimothyAldenDavis/GraphBLAS,
// version 7. Its fastest form of the product is C += A*B on full matrices, so Run does
// that, which saves clearing C. C is 0 before the first Run.
var GraphBLAS = declareSparse(SparsePeer{
	Name:    "graphblas",
	Libs:    []string{debian() + "libgraphblas.so.7", "libgraphblas.so.7"},
	Install: "libgraphblas7 (Debian, Ubuntu)",
	Open:    openGraphBLAS,
})

// The values of GraphBLAS.h.
const (
	grbBlocking = 1  // GrB_BLOCKING
	grbAgain    = -3 // GrB_INVALID_VALUE, which GrB_init returns when it ran before
	gxbThreads  = 5  // GxB_GLOBAL_NTHREADS
	gxbVersion  = 9  // GxB_LIBRARY_VERSION
)

// graphBLAS is what is used of the library. Arrays that it takes were allocated by C.
type graphBLAS struct {
	start      func(mode int32) int32                                                                                                                         `c:"GrB_init"`
	set        func(option, value int32) int32                                                                                                                `c:"GxB_Global_Option_set_INT32"`
	get        func(option int32, value *[3]int32) int32                                                                                                      `c:"GxB_Global_Option_get_INT32"`
	newMatrix  func(a *uintptr, kind uintptr, rows, cols uint64) int32                                                                                        `c:"GrB_Matrix_new"`
	packCSR    func(a uintptr, pointers, indices, values *unsafe.Pointer, pointerBytes, indexBytes, valueBytes uint64, iso, jumbled bool, desc uintptr) int32 `c:"GxB_Matrix_pack_CSR"`
	packFull   func(a uintptr, values *unsafe.Pointer, bytes uint64, iso bool, desc uintptr) int32                                                            `c:"GxB_Matrix_pack_FullR"`
	unpackFull func(a uintptr, values *unsafe.Pointer, bytes *uint64, iso *bool, desc uintptr) int32                                                          `c:"GxB_Matrix_unpack_FullR"`
	mxm        func(c, mask, accum, semiring, a, b, desc uintptr) int32                                                                                       `c:"GrB_mxm"`
	freeMatrix func(a *uintptr) int32                                                                                                                         `c:"GrB_Matrix_free"`
	malloc     func(bytes uint64) unsafe.Pointer                                                                                                              `c:"malloc"`
	symbol     func(lib uintptr, name string) *uintptr                                                                                                        `c:"dlsym"`

	float32, plus, plusTimes uintptr // GrB_Type, GrB_BinaryOp, GrB_Semiring
}

func openGraphBLAS(lib uintptr) (s *Sparse, err error) {
	defer refused(&err)
	g := new(graphBLAS)
	if err := bindAll(lib, g); err != nil {
		return nil, err
	}
	for name, object := range map[string]*uintptr{"GrB_FP32": &g.float32, "GrB_PLUS_FP32": &g.plus, "GrB_PLUS_TIMES_SEMIRING_FP32": &g.plusTimes} {
		p := g.symbol(lib, name) // a variable that holds the object
		if p == nil {
			return nil, fmt.Errorf("it has no %s", name)
		}
		*object = *p
	}
	if code := g.start(grbBlocking); code != grbAgain {
		must("GrB_init", code)
	}
	must("GxB_Global_Option_set", g.set(gxbThreads, 1))
	var v [3]int32
	must("GxB_Global_Option_get", g.get(gxbVersion, &v))
	return &Sparse{Version: fmt.Sprintf("SuiteSparse:GraphBLAS %d.%d.%d, C += A*B", v[0], v[1], v[2]), F32: g.prepare}, nil
}

// allocate returns a copy of x in memory of C, and its bytes.
func allocate[T any](malloc func(bytes uint64) unsafe.Pointer, x []T) (unsafe.Pointer, uint64) {
	bytes := uint64(len(x)) * uint64(unsafe.Sizeof(x[0]))
	p := malloc(bytes)
	if p == nil {
		refuse("no memory for %d bytes", bytes)
	}
	copy(unsafe.Slice((*T)(p), len(x)), x)
	return p, bytes
}

// full returns a row-major matrix with the elements x.
func (g *graphBLAS) full(rows, cols int, x []float32) (a uintptr) {
	p, bytes := allocate(g.malloc, x)
	must("GrB_Matrix_new", g.newMatrix(&a, g.float32, uint64(rows), uint64(cols)))
	must("GxB_Matrix_pack_FullR", g.packFull(a, &p, bytes, false, 0))
	return a
}

// csr returns a copy of m.
func (g *graphBLAS) csr(m sparse.Matrix[float32]) (a uintptr) {
	m = m.Canonical() // it wants each row sorted
	narrowPointers, narrowIndices, x := m.CSR()
	pointers, pointerBytes := allocate(g.malloc, widen(narrowPointers))
	indices, indexBytes := allocate(g.malloc, widen(narrowIndices))
	values, valueBytes := allocate(g.malloc, x)
	must("GrB_Matrix_new", g.newMatrix(&a, g.float32, uint64(m.Rows()), uint64(m.Cols())))
	must("GxB_Matrix_pack_CSR", g.packCSR(a, &pointers, &indices, &values, pointerBytes, indexBytes, valueBytes, false, false, 0))
	return a
}

func widen(x []int32) []uint64 {
	wide := make([]uint64, len(x))
	for i, v := range x {
		wide[i] = uint64(v)
	}
	return wide
}

func (g *graphBLAS) prepare(out []float32, m sparse.Matrix[float32], x []float32, n int) (p *Product, err error) {
	defer refused(&err)
	a := g.csr(m)
	b, c := g.full(m.Cols(), n, x), g.full(m.Rows(), n, make([]float32, len(out)))
	run := func() {
		if code := g.mxm(c, 0, g.plus, g.plusTimes, a, b, 0); code != 0 {
			panic(fmt.Sprintf("peer: GrB_mxm returned %d", code))
		}
	}
	fetch := func() (err error) {
		defer refused(&err)
		var p unsafe.Pointer
		var bytes uint64
		var iso bool
		must("GxB_Matrix_unpack_FullR", g.unpackFull(c, &p, &bytes, &iso, 0))
		if iso {
			return errors.New("it returned one value for all of C")
		}
		copy(out, unsafe.Slice((*float32)(p), len(out)))
		must("GxB_Matrix_pack_FullR", g.packFull(c, &p, bytes, false, 0))
		return nil
	}
	free := func() {
		for _, x := range []*uintptr{&a, &b, &c} {
			g.freeMatrix(x)
		}
	}
	return &Product{Run: run, Fetch: fetch, Free: free}, nil
}

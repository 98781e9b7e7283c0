package peer

import (
	"errors"
	"unsafe"

	"github.com/tilesmith/tilesmith/sparse"
)

// Shim opens a library that somebody compiled around a loop or a library of headers.
// It has two C functions:
//
//	const char *peer_version(void);
//	void peer_spmm(int m, int k, int nnz, const int *pointers, const int *indices,
//	               const float *values, int n, const float *b, float *c);
func Shim(lib uintptr) (*Sparse, error) {
	var (
		version func() string
		spmm    func(m, k, nnz int32, pointers, indices *int32, values *float32, n int32, b, c *float32)
	)
	if err := errors.Join(Bind(lib, "peer_version", &version), Bind(lib, "peer_spmm", &spmm)); err != nil {
		return nil, err
	}
	return &Sparse{Version: version(), F32: func(c []float32, a sparse.Matrix[float32], b []float32, n int) (*Product, error) {
		pointers, indices, values := a.CSR()
		return &Product{Fetch: nothing, Free: func() {}, Run: func() {
			spmm(int32(a.Rows()), int32(a.Cols()), int32(a.NNZ()), unsafe.SliceData(pointers), unsafe.SliceData(indices),
				unsafe.SliceData(values), int32(n), unsafe.SliceData(b), unsafe.SliceData(c))
		}}, nil
	}}, nil
}

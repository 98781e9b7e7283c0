package peer

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// product is all of one product but the matrices.
type product struct {
	typ            dtype.Type
	transA, transB bool
	m, n, k        int
	lda, ldb, ldc  int
	alpha, beta    float64
}

func (p product) String() string {
	return fmt.Sprintf("%v %dx%dx%d, transA %v, transB %v, alpha %v, beta %v", p.typ, p.m, p.n, p.k, p.transA, p.transB, p.alpha, p.beta)
}

// Can says why the library has no such product, and is nil when it has one. F32 and F64 panic with the same
// error. A library that has kernels for some shapes or one type only never does the others in a slower way
// that looks like its own.
//
// OpenBLAS, BLIS, MKL and gonum can do all of them; see [LIBXSMM] and [OneDNN]. Products of no elements there are everywhere.
func (g *Gemm) Can(t dtype.Type, transA, transB bool, m, n, k int, alpha, beta float64) error {
	if t != dtype.F32 && t != dtype.F64 {
		return fmt.Errorf("peer: %s: no products of %v here; there are f32 and f64", g.Name, t)
	}
	p := product{t, transA, transB, m, n, k, max(1, k), max(1, n), max(1, n), alpha, beta}
	if transA {
		p.lda = max(1, m)
	}
	if transB {
		p.ldb = max(1, k)
	}
	return g.refusal(p)
}

func (g *Gemm) refusal(p product) error {
	if g.can == nil || p.m == 0 || p.n == 0 {
		return nil
	}
	if why := g.can(p); why != "" {
		return fmt.Errorf("peer: %s: no product of %v: %s", g.Name, p, why)
	}
	return nil
}

// start checks a product before a library sees it, panics where F32 and F64 say they do, and reports whether there is anything to
// compute.
func (g *Gemm) start(p product, lenA, lenB, lenC int) bool {
	checkLengths(p.transA, p.transB, p.m, p.n, p.k, lenA, p.lda, lenB, p.ldb, lenC, p.ldc)
	if err := g.refusal(p); err != nil {
		panic(err)
	}
	return p.m > 0 && p.n > 0
}

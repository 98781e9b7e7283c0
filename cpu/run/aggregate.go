package run

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// EpiVariant is the epilogue of a generated sparse product for one ISA.
type EpiVariant struct {
	ISA    string
	Kernel kernel.EpiKernel
	Lanes  int // columns done at once
}

// Aggregate is all variants of one generated sparse product. Like a [RowSet] it is a
// package-level variable of generated code.
type Aggregate[T dtype.Float] struct {
	Name     string
	Variants []*RowKernels // best first; none without assembly
	Format   string        // of a sparse.Packed; "" of a sparse.Matrix
	Algebra  Algebra[T]
	Mean     bool // sums are divided by the number of entries
	Pattern  bool // values are not read
	Features int  // columns of b; 0: any
	Vector   bool // b is a vector, and epilogues see the result as one row
	// Epilogue is the epilogue in Go, nil if there is none, and Epis its kernels.
	Epilogue kernel.EpiKernel
	Epis     []*EpiVariant
}

// Multiply computes out = a ⊗ b, a sparse, b and out dense with any strides; with the
// ordinary sums of products also opt's alpha*a*b + beta*out. The rules of
// [RowSet.Multiply] hold for order, rounding, NaN and errors; in a semiring, what an
// empty row is, is the algebra's Zero.
func (s *Aggregate[T]) Multiply(opt Options, out layout.Matrix[T], a sparse.Matrix[T], b layout.Matrix[T]) {
	checkSparse(s.Name, opt, &out, a.Rows(), a.Cols(), &b)
	s.checkCall(opt, b.Cols)
	s.multiply(opt, out, a.Raw(), b)
}

// MultiplyPacked is Multiply of a matrix in a format whose loops are those of
// compressed rows. It panics with a [layout.ShapeError] if a is in another format.
func (s *Aggregate[T]) MultiplyPacked(opt Options, out layout.Matrix[T], a sparse.Packed[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	checkSparse(s.Name, opt, &out, m, k, &b)
	s.checkCall(opt, b.Cols)
	s.multiply(opt, out, s.rows(a), b)
}

// rows returns a as compressed rows.
func (s *Aggregate[T]) rows(a sparse.Packed[T]) sparse.Raw {
	checkFormat(s.Name, s.Format, a)
	r, ok := rawRows(a)
	if !ok {
		panic(layout.ShapeError{What: s.Name, Why: fmt.Sprintf("a in %s has the loops %q, the kernel is for those of compressed rows; generate again with this format",
			a.Format(), a.Loops())})
	}
	return r
}

// checkFormat refuses a matrix in another format than a kernel is generated for.
func checkFormat[T dtype.Float](name, want string, a sparse.Packed[T]) {
	if have := a.Format().Name; have != want {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("a is in the format %q, the kernel is for %q; convert it with Matrix().To", have, want)})
	}
}

// multiply is Multiply of what was checked.
func (s *Aggregate[T]) multiply(opt Options, out layout.Matrix[T], a sparse.Raw, b layout.Matrix[T]) {
	alpha, beta := opt.scales()
	switch {
	case out.Rows == 0 || out.Cols == 0:
		return
	case !finite(T(alpha)):
		unusual(opt, out, func(opt Options, out layout.Matrix[T]) { s.multiply(opt, out, a, b) })
		return
	case T(alpha) == 0:
		scale(out, T(beta))
		return
	case copyColumns(b) < b.Cols:
		bySlabs(out, b, func(out, b layout.Matrix[T]) { s.multiply(opt, out, a, b) })
		return
	}
	p := rowProducts.get()
	kern := s.pick(opt.ISA)
	p.init(kern, dtype.Of[T]().Size(), a, out.Cols)
	p.alpha, p.beta, p.mode = bitsOf(T(alpha)), bitsOf(T(beta)), s.mode(storeMode(T(alpha), T(beta)))
	p.b = rowsOf(&p.bcopy, b)
	normalize(&out)
	strided := out.ColStride != 1
	if p.c = operandOf(out); strided {
		p.c = p.ccopy.rows(out.Rows, out.Cols, p.size)
		p.mode = s.mode(kernel.ModeScale)
	}
	p.decide()
	p.vec = s.oneColumn(p)
	p.run(opt.threads())
	joinPieces(p, s.join())
	if strided {
		scatter[T](operandOf(out), 0, 0, out.Rows, out.Cols, operand{p.c.p, p.c.rs, p.size}, p.beta)
	}
	p.release()
	rowProducts.put(p)
}

// oneColumn reports whether the kernel for one column can do a call whose operands
// are set up.
func (s *Aggregate[T]) oneColumn(p *rowProduct) bool {
	return p.n == 1 && (p.b.rs == p.size || p.a.NNZ == 0) && len(p.kern.Vec) > 0 && !s.Mean
}

// mode is how kernels store a row that mode would store if it were a sum.
func (s *Aggregate[T]) mode(mode int64) int64 {
	if s.Mean {
		return kernel.ModeMean
	}
	return mode
}

// checkCall refuses what this product is not generated for.
func (s *Aggregate[T]) checkCall(opt Options, n int) {
	switch {
	case s.Features != 0 && n != s.Features:
		panic(layout.ShapeError{What: s.Name, Why: fmt.Sprintf("b has %d columns, the kernel is generated for %d; leave Features 0 for any number", n, s.Features)})
	case opt.Scaled && s.Epilogue != nil:
		panic(layout.ShapeError{What: s.Name, Why: "alpha and beta belong to products without an epilogue; make them operands of the function"})
	case opt.Scaled && (s.Mean || s.Algebra.Plus != nil):
		panic(layout.ShapeError{What: s.Name, Why: "alpha and beta belong to sums of products"})
	}
}

// pick returns the kernels for a call: those of the ISA, or the portable ones.
func (s *Aggregate[T]) pick(isa string) *RowKernels {
	if k := pickVariant(s.Name, s.Variants, func(k *RowKernels) string { return k.ISA }, isa); k != nil {
		return k
	}
	k := s.Algebra.rowsInGo(s.Pattern)
	return &k
}

// join returns how sums that were made apart become one.
func (s *Aggregate[T]) join() func(dst, src *T, n int) {
	plus := s.Algebra.Plus
	if plus == nil {
		return joinSums[T]
	}
	return func(dst, src *T, n int) {
		x, y := sliceOf(dst, n), sliceOf(src, n)
		for j := range x {
			x[j] = plus(x[j], y[j])
		}
	}
}

// meanRow divides the sum of row r by the number of its entries if p is of means.
func meanRow[T dtype.Float](p *rowProduct, r int, sum []T) {
	if p.mode != kernel.ModeMean {
		return
	}
	factor := 1 / T(max(p.at(r+1)-p.at(r), 1))
	for j := range sum {
		sum[j] *= factor
	}
}

// Column returns a vector as a matrix of one column, Row as one of one row.
func Column[T dtype.Elem](x []T) layout.Matrix[T] {
	return layout.Matrix[T]{Data: x, Rows: len(x), Cols: 1, RowStride: 1, ColStride: 1}
}

// Row is described with [Column].
func Row[T dtype.Elem](x []T) layout.Matrix[T] { return layout.RowMajor(x, 1, len(x)) }

// PerElement adds an operand with an element for each of a result that is a vector.
func PerElement[T dtype.Elem](e *Epilogue, name string, x []T) {
	if len(x) != e.cols {
		panic(layout.ShapeError{What: e.name, Why: fmt.Sprintf("%s has %d elements, the result has %d", name, len(x), e.cols)})
	}
	PerColumn(e, name, x)
}

package spblas

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Aggregate is all variants of one generated sparse product. Like a [RowSet] it is a
// package-level variable of generated code.
type Aggregate[T dtype.Float] struct {
	Name     string
	Variants []*run.RowKernels // best first; none without assembly
	Format   string            // of a sparse.Packed; "" of a sparse.Matrix
	// Semiring is what sums and products are; nil: ordinary ones. It is a function since a
	// variable that holds an infinite Zero would take code that runs before main.
	Semiring func() semiring.Semiring[T]
	Mean     bool // sums are divided by the number of entries
	Pattern  bool // values are not read
	Features int  // columns of b; 0: any
	Vector   bool // b is a vector, and epilogues see the result as one row
	// Epilogue is the epilogue in Go, nil if there is none, and Epis its kernels.
	Epilogue kernel.EpiKernel
	Epis     []*run.EpiVariant

	choice, epi choose.Choice
}

// Multiply computes out = a ⊗ b, a sparse, b and out dense with any strides; with the
// ordinary sums of products also opt's alpha*a*b + beta*out. The rules of
// [RowSet.Multiply] hold for order, rounding, NaN and errors; in a semiring, what an
// empty row is, is the semiring's Zero.
func (s *Aggregate[T]) Multiply(opt run.Options, out layout.Matrix[T], a sparse.Matrix[T], b layout.Matrix[T]) {
	checkSparse(s.Name, opt, &out, a.Rows(), a.Cols(), &b)
	s.checkCall(opt, b.Cols)
	s.multiply(opt, out, a.Raw(), b)
}

// MultiplyPacked is Multiply of a matrix in a format whose loops are those of
// compressed rows. It panics with a [layout.ShapeError] if a is in another format.
func (s *Aggregate[T]) MultiplyPacked(opt run.Options, out layout.Matrix[T], a sparse.Packed[T], b layout.Matrix[T]) {
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
func (s *Aggregate[T]) multiply(opt run.Options, out layout.Matrix[T], a sparse.Raw, b layout.Matrix[T]) {
	alpha, beta := scalesOf(opt)
	switch {
	case out.Rows == 0 || out.Cols == 0:
		return
	case !finite(T(alpha)):
		unusual(opt, out, func(opt run.Options, out layout.Matrix[T]) { s.multiply(opt, out, a, b) })
		return
	case T(alpha) == 0:
		mem.Scale(out, T(beta))
		return
	case copyColumns(b) < b.Cols:
		bySlabs(out, b, func(out, b layout.Matrix[T]) { s.multiply(opt, out, a, b) })
		return
	}
	p := rowProducts.Get()
	kern := s.pick(opt.ISA)
	p.init(kern, dtype.Of[T]().Size(), a, out.Cols)
	p.alpha, p.beta, p.mode = mem.BitsOf(T(alpha)), mem.BitsOf(T(beta)), s.mode(storeMode(T(alpha), T(beta)))
	p.b = rowsOf(&p.bcopy, b)
	mem.Normalize(&out)
	strided := out.ColStride != 1
	if p.c = mem.OperandOf(out); strided {
		p.c = p.ccopy.Rows(out.Rows, out.Cols, p.size)
		p.mode = s.mode(kernel.ModeScale)
	}
	p.decide()
	p.vec = s.oneColumn(p)
	p.run(work.Allowed(opt.Threads))
	joinPieces(p, s.join())
	if strided {
		mem.Scatter[T](mem.OperandOf(out), 0, 0, out.Rows, out.Cols, mem.Operand{P: p.c.P, RS: p.c.RS, CS: p.size}, p.beta)
	}
	p.release()
	rowProducts.Put(p)
}

// oneColumn reports whether the kernel for one column can do a call whose operands
// are set up.
func (s *Aggregate[T]) oneColumn(p *rowProduct) bool {
	return p.n == 1 && (p.b.RS == p.size || p.a.NNZ == 0) && len(p.kern.Vec) > 0 && !s.Mean
}

// mode is how kernels store a row that mode would store if it were a sum.
func (s *Aggregate[T]) mode(mode int64) int64 {
	if s.Mean {
		return kernel.ModeMean
	}
	return mode
}

// checkCall refuses what this product is not generated for.
func (s *Aggregate[T]) checkCall(opt run.Options, n int) {
	switch {
	case s.Features != 0 && n != s.Features:
		panic(layout.ShapeError{What: s.Name, Why: fmt.Sprintf("b has %d columns, the kernel is generated for %d; leave Features 0 for any number", n, s.Features)})
	case opt.Scaled && s.Epilogue != nil:
		panic(layout.ShapeError{What: s.Name, Why: "alpha and beta belong to products without an epilogue; make them operands of the function"})
	case opt.Scaled && (s.Mean || s.Semiring != nil):
		panic(layout.ShapeError{What: s.Name, Why: "alpha and beta belong to sums of products"})
	}
}

// pick returns the kernels for a call: those of the ISA, or the portable ones.
func (s *Aggregate[T]) pick(isa string) *run.RowKernels {
	if k := pickRows(&s.choice, s.Name, s.Variants, isa); k != nil {
		return k
	}
	k := semiringRows(semiringOf(s.Semiring), s.Pattern)
	return &k
}

// join returns how sums that were made apart become one.
func (s *Aggregate[T]) join() func(dst, src *T, n int) {
	if s.Semiring == nil {
		return joinSums[T]
	}
	plus := s.Semiring().Plus
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
func PerElement[T dtype.Elem](e *run.Epilogue, name string, x []T) {
	if len(x) != e.Cols {
		panic(layout.ShapeError{What: e.Name, Why: fmt.Sprintf("%s has %d elements, the result has %d", name, len(x), e.Cols)})
	}
	run.PerColumn(e, name, x)
}

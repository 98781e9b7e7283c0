package rows

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// checkFormat refuses a matrix in another format than a kernel is generated for.
func checkFormat[T dtype.Float](name, want string, a sparse.Packed[T]) {
	if have := a.Format().Name; have != want {
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("a is in the format %q, the kernel is for %q; convert it with Matrix().To", have, want)})
	}
}

// SpMM is all variants of the product of a sparse matrix with a dense one. It has
// kernels for compressed rows, kernels by the loops that other formats have, and
// portable code for all else. A package-level variable holds one for each element type,
// and generated code one for each spec.
type SpMM[T dtype.Float] struct {
	Name  string
	Rows  []*run.RowKernels  // best first; none without assembly
	Nests []*run.NestKernels // likewise
	// Format is the name of the only format that a [sparse.Packed] may have; "": any.
	Format string
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

	rows, nests, epi choose.Choice
}

// Multiply computes out = a*b, or by opt alpha*a*b + beta*out. a is m x k, b is k x n
// and out is m x n. b and out have any strides.
//
// The order in which entries of a row are added depends on the structure of a, on n and
// on the variant. It depends neither on the machine nor on the number of threads. Every
// stored entry counts, so a stored 0 times Inf is NaN. Only stored elements are
// multiplied, so the sum of a row without entries is 0 whatever b contains. If alpha is
// 0, nothing is multiplied. Alpha multiplies that sum as any other: if it is Inf or NaN,
// the row is NaN. Assembly fuses each product with its addition, the portable code rounds
// it first. In a semiring a row without entries is its Zero. Semirings and means have
// neither alpha nor beta.
//
// Copies of b, which it needs if rows are not contiguous, take no more memory than b or
// 64 MB. It panics with a [layout.ShapeError] before any element is read, in these cases:
// shapes do not agree, a slice is too short, two elements of out share a place, or out
// visibly shares memory with b.
func (s *SpMM[T]) Multiply(opt run.Options, out layout.Matrix[T], a sparse.Matrix[T], b layout.Matrix[T]) {
	name := opt.Name(s.Name)
	call.CheckSparse(name, opt, &out, a.Rows(), a.Cols(), &b)
	s.checkCall(name, opt, b.Cols)
	s.multiply(opt, out, RowsOf(a), b)
}

// MultiplyPacked is Multiply of a matrix in a format. Entries are added in the order of
// their slots; padding is not multiplied. In formats that meet rows again and again, such
// as CSC, alpha multiplies the values of entries and not their sums. It panics with a
// [layout.ShapeError] as well if a is in another format than s is for.
func (s *SpMM[T]) MultiplyPacked(opt run.Options, out layout.Matrix[T], a sparse.Packed[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	name := opt.Name(s.Name)
	call.CheckSparse(name, opt, &out, m, k, &b)
	s.checkCall(name, opt, b.Cols)
	s.checkFormat(name, a)
	if r, ok := rawRows(a); ok {
		s.multiply(opt, out, Rows[T]{raw: r}, b)
		return
	}
	s.multiplyNest(opt, out, a, b)
}

// Fuse computes a*b and hands every finished row to the epilogue once, whether it has
// entries or not and however many goroutines made it. The rules of [SpMM.Multiply] hold
// for the sums, and outputs are what e says.
func (s *SpMM[T]) Fuse(opt run.Options, e *run.Epilogue, a sparse.Matrix[T], b layout.Matrix[T]) {
	call.CheckFuse(e, opt, s.Vector, a.Rows(), a.Cols(), &b)
	s.checkCall(e.Name, opt, b.Cols)
	if !call.Empty(e) {
		fuse(s, opt, e, a.Raw(), b)
	}
}

// FusePacked is Fuse of what [SpMM.MultiplyPacked] takes.
func (s *SpMM[T]) FusePacked(opt run.Options, e *run.Epilogue, a sparse.Packed[T], b layout.Matrix[T]) {
	m, k := a.Dims()
	call.CheckFuse(e, opt, s.Vector, m, k, &b)
	s.checkCall(e.Name, opt, b.Cols)
	s.checkFormat(e.Name, a)
	if !call.Empty(e) {
		s.fusePacked(opt, e, a, b)
	}
}

// fusePacked is FusePacked of what was checked and has elements.
func (s *SpMM[T]) fusePacked(opt run.Options, e *run.Epilogue, a sparse.Packed[T], b layout.Matrix[T]) {
	if r, ok := rawRows(a); ok {
		fuse(s, opt, e, r, b)
		return
	}
	s.fuseNest(opt, e, a, b)
}

// checkCall refuses what this product is not generated for.
func (s *SpMM[T]) checkCall(name string, opt run.Options, n int) {
	call.RefuseScales(name, &opt, s.Epilogue != nil)
	switch {
	case s.Features != 0 && n != s.Features:
		panic(layout.ShapeError{What: name, Why: fmt.Sprintf("b has %d columns, the kernel is generated for %d; leave Features 0 for any number", n, s.Features)})
	case opt.Scaling.On() && (s.Mean || s.Semiring != nil):
		panic(run.OptionError{What: name, Why: "alpha and beta belong to sums of products; leave Options.Scaling unset"})
	}
}

// checkFormat refuses another format than s is for.
func (s *SpMM[T]) checkFormat(name string, a sparse.Packed[T]) {
	if s.Format != "" {
		checkFormat(name, s.Format, a)
	}
}

// rawRows returns a as a matrix in compressed rows, if that is its format.
func rawRows[T dtype.Float](a sparse.Packed[T]) (sparse.Raw, bool) {
	if ok, masked := a.HasLoops("i j:vs"); !ok || masked {
		return sparse.Raw{}, false
	}
	r, j := a.Raw(), a.RawLevel(1)
	return sparse.Raw{Rows: r.Rows, Cols: r.Cols, NNZ: r.Slots, Pointers: j.Pointers, Indices: j.Indices, Values: r.Values}, true
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

package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/epilogue"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// SpMM is all variants of the product of a sparse matrix with a dense one. It has
// kernels for compressed rows, kernels by the loops that other formats have, and
// portable code for all else. A package-level variable holds one for each element type,
// and generated code one for each spec.
type SpMM[T dtype.Float] struct {
	Name  string
	Rows  []*kernel.Table[kernel.Func[kernel.SparseArgs]] // best first; none without assembly
	Nests []*kernel.Table[kernel.Func[kernel.SparseArgs]] // likewise
	// Format is the name of the only format that a [format.Packed] may have; "": any.
	Format string
	// Semiring is what sums and products are; nil: ordinary ones. It is a function since a
	// variable that holds an infinite Zero would take code that runs before main.
	Semiring func() semiring.Semiring[T]
	Mean     bool // sums are divided by the number of entries
	Pattern  bool // values are not read
	Features int  // columns of b; 0: any
	Vector   bool // b is a vector, and epilogues see the result as one row
	// Epilogue is the epilogue in Go, nil if there is none, and Epis its kernels.
	Epilogue kernel.Func[kernel.EpiArgs]
	Epis     []*kernel.Table[kernel.Func[kernel.EpiArgs]]

	rows, nests, epi choose.Choice
}

// Multiply computes out = a*b, or by Options.Scaling alpha*a*b + beta*out. a is m x k, b is
// k x n and out is m x n. b and out have any strides.
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
// Entries of a [format.Packed] are added in the order of their slots; padding is not
// multiplied. In formats that meet rows again and again, such as CSC, alpha multiplies the
// values of entries and not their sums. The parts of a [rule.Sum] are added in their order,
// each by the kernels for its format, or in plain Go if there are none for its loops. A
// semiring joins them by its Plus, and means divide by the number of all entries of a row.
//
// The kernels of s convert elements of a b of a narrower type as they load them, which
// changes none. For the portable code, and for formats, b is widened first. Copies of b,
// which are needed if rows are not contiguous, take no more memory than b or 64 MB.
//
// Multiply panics with a [layout.ShapeError] before any element is read, in these cases:
// shapes do not agree, a has another format than s is for, offsets do not cut b, a slice is
// too short, two elements of out share a place, or out visibly shares memory with b.
func Multiply[T dtype.Float, B dtype.Elem, A Operand[T]](s *SpMM[T], opt run.Options, out layout.Matrix[T], a A, b layout.Matrix[B]) {
	opt.Caller = opt.Name(s.Name)
	multiply(s, &opt, &out, nil, any(a), &b)
}

// Fuse computes a*b and hands every finished row to the epilogue once, whether it has
// entries or not and however many goroutines made it. The rules of [Multiply] hold for the
// sums, and outputs are what e says. Rows of a sum are complete when the last part was added.
func Fuse[T dtype.Float, B dtype.Elem, A Operand[T]](s *SpMM[T], opt run.Options, e *epilogue.Epilogue, a A, b layout.Matrix[B]) {
	opt.Caller = e.Name
	multiply(s, &opt, &layout.Matrix[T]{}, e, any(a), &b)
}

// multiply is Multiply, or Fuse if there is an epilogue. What a is does not matter to the
// compiler, which would otherwise make one of it for each.
func multiply[T dtype.Float, B dtype.Elem](s *SpMM[T], opt *run.Options, out *layout.Matrix[T], e *epilogue.Epilogue, a any, b *layout.Matrix[B]) {
	switch a := a.(type) {
	case sparse.Matrix[T]:
		r := Of(a)
		checkRows(s, opt, out, e, r.raw.Rows, r.raw.Cols, b)
		multiplyRows(s, opt, out, e, &r, b)
	case Rows[T]:
		checkRows(s, opt, out, e, a.raw.Rows, a.raw.Cols, b)
		multiplyRows(s, opt, out, e, &a, b)
	case Offsets:
		checkOffsetsOf(s, opt, out, e, a, b)
		if e == nil && (out.Rows == 0 || out.Cols == 0) { // of which b may have any number of rows
			return
		}
		l := segmentLists.Get()
		multiplyRows(s, opt, out, e, &Rows[T]{raw: l.raw(a)}, b)
		l.release()
	case format.Packed[T]:
		m, k := a.Dims()
		checkRows(s, opt, out, e, m, k, b)
		if have := a.Format().Name; s.Format != "" && have != s.Format {
			check.Call(opt.Caller).Refuse("a is in the format %q, the kernel is for %q; pack it by format.Pack, of its Matrix()", have, s.Format)
		}
		if r, ok := rawRows(&a); ok {
			multiplyRows(s, opt, out, e, &Rows[T]{raw: r}, b)
			return
		}
		widened(opt, out, e, b, func(out, b layout.Matrix[T]) { s.multiplyParts(*opt, out, e, parts[T]{packed: &a}, b) })
	case rule.Sum[T]:
		m, k := a.Dims()
		checkRows(s, opt, out, e, m, k, b)
		widened(opt, out, e, b, func(out, b layout.Matrix[T]) { s.multiplyParts(*opt, out, e, parts[T]{sum: &a}, b) })
	}
}

// multiplyRows is multiply of compressed rows that were checked.
func multiplyRows[T dtype.Float, B dtype.Elem](s *SpMM[T], opt *run.Options, out *layout.Matrix[T], e *epilogue.Epilogue, a *Rows[T], b *layout.Matrix[B]) {
	switch _, same := any(b).(*layout.Matrix[T]); {
	case e != nil && call.Empty(e):
	case !same && !s.assembled(opt):
		rows := *a
		rows.stored = dtype.Of[B]().Size() // cuts, and so bits, are those of b as it is
		widened(opt, out, e, b, func(out, b layout.Matrix[T]) { multiplyRows(s, opt, &out, e, &rows, &b) })
	case e != nil:
		fuse(s, *opt, e, a, *b)
	default:
		store(s, *opt, *out, a, *b)
	}
}

// widened calls do with b as elements of T.
func widened[T dtype.Float, B dtype.Elem](opt *run.Options, out *layout.Matrix[T], e *epilogue.Epilogue, b *layout.Matrix[B], do func(out, b layout.Matrix[T])) {
	if b, ok := any(*b).(layout.Matrix[T]); ok {
		do(*out, b)
		return
	}
	if e == nil {
		Widened(*out, *b, do)
		return
	}
	call.CheckCopy(opt.Caller, "b", *b)
	do(*out, widen[T](*b))
}

// assembled reports whether a call runs kernels, and not the portable code.
func (s *SpMM[T]) assembled(opt *run.Options) bool {
	return choose.Table(&s.rows, opt.Caller, s.Rows, opt.ISA) != nil
}

// checkRows refuses operands that do not fit, a being m x k.
func checkRows[T dtype.Float, B dtype.Elem](s *SpMM[T], opt *run.Options, out *layout.Matrix[T], e *epilogue.Epilogue, m, k int, b *layout.Matrix[B]) {
	if e != nil {
		call.CheckFuse(e, *opt, s.Vector, m, k, b)
	} else {
		call.CheckSparse(opt.Caller, *opt, out, m, k, b)
	}
	s.checkCall(opt, "b", b.Cols)
}

// checkCall refuses what this product is not generated for, which errors say of a b by its
// name.
func (s *SpMM[T]) checkCall(opt *run.Options, name string, n int) {
	c := check.Call(opt.Caller)
	switch {
	case s.Epilogue != nil:
		c.Unscaled(opt, check.Fused)
	case s.Mean || s.Semiring != nil:
		c.Unscaled(opt, "alpha and beta belong to sums of products; leave Options.Scaling unset")
	}
	if s.Features != 0 && n != s.Features {
		c.Refuse("%s has %d columns, the kernel is generated for %d; leave Features 0 for any number", name, n, s.Features)
	}
}

// PerElement adds an operand with an element for each of a result that is a vector.
func PerElement[T dtype.Elem](e *epilogue.Epilogue, name string, x []T) {
	if len(x) != e.Cols {
		check.Call(e.Name).Refuse("%s has %d elements, the result has %d", name, len(x), e.Cols)
	}
	epilogue.PerColumn(e, name, x)
}

// Column returns a vector as a matrix of one column, Row as one of one row.
func Column[T dtype.Elem](x []T) layout.Matrix[T] { return layout.RowMajor(x, len(x), 1) }

// Row is described with [Column].
func Row[T dtype.Elem](x []T) layout.Matrix[T] { return layout.RowMajor(x, 1, len(x)) }

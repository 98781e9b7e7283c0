// Package spec describes sparse products as values, for spec files: [SpMM], [SpMV], [SDDMM], [RGMS],
// [SegmentReduce], [EdgeSoftmax] and [BlockAttention]. The generator reads their [Description] and
// makes functions of them; see docs/howto-sparse.md.
package spec

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// SpMM describes the product of a sparse matrix with a dense one as a value, for a spec
// file: out = epilogue(a ⊗ b). a is m x k in some format, b is k x n and out is m x n, all
// of type T. Its fields are those of [SpMMOf]; zero ones get default values.
//
// The generated function takes out, a and b and then the epilogue's operands. a is a
// [sparse.Matrix] for [format.CSR], a [format.Packed] for every other format, and a [rule.Sum] if there are Parts.
type SpMM[T dtype.Float] = SpMMOf[T, T, T]

// SpMMTo is an [SpMM] that stores its results as another type than that of the
// sums, as its epilogue says. Without an epilogue the results are converted; which
// types can be converted is the same as in a gemm.Spec.
type SpMMTo[T dtype.Float, Out dtype.Elem] = SpMMOf[T, T, Out]

// SpMMOf is an [SpMMTo] whose b is stored as a narrower type than the sums: [dtype.BF16] or [dtype.F16] for
// compressed rows with sums in float32. Kernels convert elements as they load them. Rows of b are most of
// what such a product reads. In other cases use cpu.SpMMOf.
type SpMMOf[T dtype.Float, B, Out dtype.Elem] struct {
	Name     string          // a Go identifier; the generated function's name
	Format   format.Format   // of a; zero: CSR
	Parts    []format.Format // see [SpMV.Parts]
	Features int             // columns of b and out; 0: known at run time
	Pattern  bool            // the values of a are not read: every entry counts as 1 does in a sum
	Reduce   Reducer         // nil: Plus
	Epilogue Epilogue[T]     // of each element, after the last entry of its row; nil: store
	Targets  Targets         // nil: every CPU target
	// Standalone puts every kernel into the generated package. Otherwise it shares those
	// of cpu/kern if their code is the same, and a program links all of their table.
	Standalone bool
}

// SpMV describes the product of a sparse matrix with a vector: y = epilogue(a ⊗ x),
// where a is m x k. Its fields are those of [SpMM]; the generated function takes y,
// of length m, a, and x, of length k.
type SpMV[T dtype.Float] struct {
	Name   string
	Format format.Format
	// Parts are the formats of the parts of a, which then is a [rule.Sum]; Format is zero. They have kernels, whatever
	// their widths. So do compressed rows, with a list of rows or without, in which [rule.Decompose] stores the rest.
	// Parts in other formats are multiplied in plain Go. The epilogue follows the last part.
	Parts    []format.Format
	Pattern  bool
	Reduce   Reducer
	Epilogue Epilogue[T]
	Targets  Targets

	Standalone bool
}

// SDDMM describes a sampled product, out[k] = epilogue(s_k * a_i · b_j). There is one for
// every entry k = (i, j) of a sparse m x n matrix s, in the order of [sparse.Matrix.All]. a_i is
// row i of the dense m x f matrix a, and b_j is row j of the dense n x f matrix b. The
// generated function takes out, s, a and b and then the epilogue's operands. An operand
// has one element for each row of s, for each column, for each entry, or is a scalar.
type SDDMM[T dtype.Float] struct {
	Name     string
	Features int  // columns of a and b; 0: known at run time
	Pattern  bool // the values of s are not read: out[k] = epilogue(a_i · b_j)
	Epilogue Epilogue[T]
	Targets  Targets

	Standalone bool
}

// RGMS describes a relational gather-matmul-scatter (SparseTIR, ASPLOS 2023):
// out = epilogue(sum over relations r of a_r * x * w_r). It is a layer of a relational graph
// network, or a convolution over points. The generated function takes out (m x l), a
// ([sparse.Relations] of m x n) and x (n x k). Then come w (the k x l matrices w_r, one under
// another) and the epilogue's operands. The kernels of package cpu multiply rows, whatever
// Standalone says.
type RGMS[T dtype.Float] struct {
	Name     string
	Epilogue Epilogue[T]
	Targets  Targets

	Standalone bool
}

// Epilogue stands for a gemm.Epilogue in a package that does not know the IR. It has the
// type of the sums, so an epilogue of another type does not compile. It returns the
// spec's result, or the type of the sums, which is converted as a sum without an epilogue
// is.
type Epilogue[Acc dtype.Elem] interface {
	Sum() Acc
}

// Targets is a list of targets by name, such as an emit.Targets.
type Targets interface {
	Names() []string
}

// Reducer says what becomes of the entries of a row: a [Reduction] or a [Semiring].
type Reducer interface {
	String() string
}

// Reduction is a reduction of value*b over the entries of a row.
type Reduction uint8

// The reductions. Plus is [semiring.PlusTimes], Max [semiring.MaxTimes] and Min
// [semiring.MinTimes]: Max and Min propagate NaN. For a row without entries Plus and
// Mean give 0, Max -Inf and Min +Inf.
const (
	Plus Reduction = iota
	Mean           // Plus divided by the number of entries
	Max
	Min
)

func (r Reduction) String() string {
	names := [...]string{"plus", "mean", "max", "min"}
	if int(r) < len(names) {
		return names[r]
	}
	return "unknown reduction"
}

// Semiring is an arithmetic given by ordinary Go functions: see [semiring.Semiring],
// and [semiring.MinPlus] for an example. A row's result is Plus, over its entries, of
// Times(value, b), or of b if the matrix is a pattern. The result of a row without
// entries is Zero.
type Semiring[T dtype.Float] = semiring.Semiring[T]

// Operation is what a spec describes.
type Operation string

// The operations.
const (
	OpSpMM  Operation = "spmm"
	OpSpMV  Operation = "spmv"
	OpSDDMM Operation = "sddmm"
	OpRGMS  Operation = "rgms"
	// OpSegments is the reduction of segments of rows.
	OpSegments Operation = "segment"
	// OpEdgeSoftmax is a softmax over the entries of each row.
	OpEdgeSoftmax Operation = "softmax"
	// OpAttention is attention over blocks.
	OpAttention Operation = "attention"
)

// Description is a spec without its type parameters: what the generator reads.
type Description struct {
	Operation Operation
	Name      string
	Format    format.Format
	Parts     []format.Format
	Features  int
	Pattern   bool
	Reduce    Reducer // never nil
	Epilogue  any     // an Epilogue, or nil
	Attention Attention
	T, Out    dtype.Type
	B         dtype.Type // of the dense operand of a product
	Targets   Targets    // nil: every CPU target

	Standalone bool // no kernels of cpu/kern are shared
}

// Kernel returns the spec's name.
func (s SpMMOf[T, B, Out]) Kernel() string { return s.Name }

// Describe returns the spec without its type parameters.
func (s SpMMOf[T, B, Out]) Describe() Description {
	return describe[T](Description{
		Operation: OpSpMM, Name: s.Name, Format: s.Format, Parts: s.Parts, Features: s.Features, Pattern: s.Pattern, Reduce: s.Reduce,
		Epilogue: s.Epilogue, B: dtype.Of[B](), Out: dtype.Of[Out](), Targets: s.Targets, Standalone: s.Standalone,
	})
}

// Kernel returns the spec's name.
func (s SpMV[T]) Kernel() string { return s.Name }

// Describe returns the spec without its type parameters.
func (s SpMV[T]) Describe() Description {
	return describe[T](Description{
		Operation: OpSpMV, Name: s.Name, Format: s.Format, Parts: s.Parts, Features: 1, Pattern: s.Pattern, Reduce: s.Reduce,
		Epilogue: s.Epilogue, Targets: s.Targets, Standalone: s.Standalone,
	})
}

// Kernel returns the spec's name.
func (s SDDMM[T]) Kernel() string { return s.Name }

// Describe returns the spec without its type parameters.
func (s SDDMM[T]) Describe() Description {
	return describe[T](Description{
		Operation: OpSDDMM, Name: s.Name, Features: s.Features, Pattern: s.Pattern,
		Epilogue: s.Epilogue, Targets: s.Targets, Standalone: s.Standalone,
	})
}

// Kernel returns the spec's name.
func (s RGMS[T]) Kernel() string { return s.Name }

// Describe returns the spec without its type parameters.
func (s RGMS[T]) Describe() Description {
	return describe[T](Description{Operation: OpRGMS, Name: s.Name, Epilogue: s.Epilogue, Targets: s.Targets, Standalone: s.Standalone})
}

// describe fills in what was left to choose, and the type of the sums, which is that of the results unless they have another.
func describe[T dtype.Float](d Description) Description {
	if d.T = dtype.Of[T](); d.Out == dtype.Invalid {
		d.Out = d.T
	}
	if d.B == dtype.Invalid {
		d.B = d.T
	}
	if d.Format.Name == "" && d.Format.Axes == nil {
		d.Format = format.CSR
	}
	if d.Reduce == nil {
		d.Reduce = Plus
	}
	return d
}

package gemm

import (
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Pattern says which elements of an operand belong to element (i, j) of the
// product.
type Pattern uint8

// The patterns, as strides along i and j.
const (
	RowPattern    Pattern = iota // (1, 0): one element a row
	ColumnPattern                // (0, 1): one element a column
	FullPattern                  // a matrix of the product's shape
	ScalarPattern                // (0, 0)
)

func (p Pattern) String() string {
	return [...]string{"PerRow", "PerColumn", "Full", "Scalar"}[p]
}

// Operand is an input of an epilogue other than the sum. Its name becomes a parameter
// of the generated function.
type Operand[T dtype.Elem] struct {
	Name    string
	Pattern Pattern
}

// PerRow is an operand with one element for each row: a []T of length m.
func PerRow[T dtype.Elem](name string) Operand[T] { return Operand[T]{name, RowPattern} }

// PerColumn is an operand with one element for each column, such as a bias: a []T
// of length n.
func PerColumn[T dtype.Elem](name string) Operand[T] { return Operand[T]{name, ColumnPattern} }

// Full is an operand with one element for each element of the product, such as a
// residual: an m x n matrix. It may be the output itself.
func Full[T dtype.Elem](name string) Operand[T] { return Operand[T]{name, FullPattern} }

// Scalar is an operand with one element: a T.
func Scalar[T dtype.Elem](name string) Operand[T] { return Operand[T]{name, ScalarPattern} }

// Input is an operand without its type parameter, for [Fuse].
type Input struct {
	Name    string
	Pattern Pattern
	Type    dtype.Type
}

// In returns the operand as an [Input].
func (o Operand[T]) In() Input { return Input{o.Name, o.Pattern, dtype.Of[T]()} }

// Output is a further result of an epilogue, an m x n matrix in addition to out.
type Output struct {
	Name     string
	Type     dtype.Type
	Unstored bool // it is reduced, and there is no matrix
}

// Also is an output called name with elements of type T, for [Fuse].
func Also[T dtype.Elem](name string) Output { return Output{Name: name, Type: dtype.Of[T]()} }

// Unstored is a result called name that is only reduced, see [Epilogue.Of], for [Fuse].
func Unstored[T dtype.Elem](name string) Output {
	return Output{Name: name, Type: dtype.Of[T](), Unstored: true}
}

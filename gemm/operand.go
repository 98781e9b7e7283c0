package gemm

import (
	"fmt"
	"math"
	"reflect"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/ranges"
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
	Range   *ranges.Range // nil: any number, see [Operand.Within]
}

// PerRow is an operand with one element for each row: a []T of length m.
func PerRow[T dtype.Elem](name string) Operand[T] { return Operand[T]{Name: name, Pattern: RowPattern} }

// PerColumn is an operand with one element for each column, such as a bias: a []T
// of length n.
func PerColumn[T dtype.Elem](name string) Operand[T] {
	return Operand[T]{Name: name, Pattern: ColumnPattern}
}

// Full is an operand with one element for each element of the product, such as a
// residual: an m x n matrix. It may be the output itself.
func Full[T dtype.Elem](name string) Operand[T] { return Operand[T]{Name: name, Pattern: FullPattern} }

// Scalar is an operand with one element: a T.
func Scalar[T dtype.Elem](name string) Operand[T] {
	return Operand[T]{Name: name, Pattern: ScalarPattern}
}

// Input is an operand without its type parameter, for [Fuse].
type Input struct {
	Name    string
	Pattern Pattern
	Type    dtype.Type
	Range   *ranges.Range // nil: any number
}

// span says of which numbers the operand is.
func (in Input) span() string {
	if in.Type == dtype.F64 || in.Type.Integer() {
		return in.Range.Text(64)
	}
	return in.Range.Text(32)
}

func (in Input) String() string {
	s := fmt.Sprintf("{%s %v %v", in.Name, in.Pattern, in.Type)
	if in.Range != nil {
		s += " " + in.span()
	}
	return s + "}"
}

// In returns the operand as an [Input].
func (o Operand[T]) In() Input { return Input{o.Name, o.Pattern, dtype.Of[T](), o.Range} }

// Within returns the operand with a promise of its callers: each element is a number from low to high, both included.
// An infinite end leaves that side open. Constants are rounded to T, as everywhere in Go. Lowering the spec refuses a
// NaN, and a low that is not less than high.
//
// The generated test draws elements of that range only, both ends among them. Kernels and gradients may leave out what the
// range rules out: the branch of an operand that is negative, or a clamp. Nothing checks elements at run time. What
// is computed from others is not specified, and may differ between machines. Kernels stay within their operands' memory
// all the same.
//
//	gemm.PerRow[float32]("eps").Within(1e-3, 1)
func (o Operand[T]) Within(low, high T) Operand[T] {
	o.Range = &ranges.Range{Low: value(low), High: value(high)}
	return o
}

// value is a number as a float64, which has all that an operand may be; NaN of a complex one, which none is.
func value[T dtype.Elem](x T) float64 {
	if n, ok := any(x).(interface{ Float64() float64 }); ok { // of package dtype
		return n.Float64()
	}
	switch v := reflect.ValueOf(x); {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	}
	return math.NaN()
}

// Applied is the function as kernels apply it: with the ranges of its operands, if one has some.
func (e *Fusion) Applied() any {
	ranged, within := false, make([]ranges.Range, 1+len(e.Inputs)) // the first is that of the sum
	for i, in := range e.Inputs {
		if in.Range != nil {
			within[1+i], ranged = *in.Range, true
		}
	}
	if !ranged {
		return e.Fn
	}
	return ranges.Promise{Of: e.Fn, Within: within}
}

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

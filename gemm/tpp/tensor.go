package tpp

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// A Tensor is a value of an equation: an operand, or the result of an operator. It has one
// element for each element of an m x n matrix, for each row, for each column, or for all.
// Smaller tensors are broadcast. Lowering the equation reports what does not fit together.
type Tensor struct{ n *node }

// kind says what a node is.
type kind uint8

const (
	operand   kind = iota
	apply          // fn of args, element by element
	convert        // args[0], rounded to t
	rowReduce      // op over each row of args[0]
	colReduce      // op over each column of args[0]
	words          // a random word for each element
	rows           // m
	cols           // n
	number         // of the column
	rowNumber
	product // args[0] times args[1], which is an operand of its own shape, or its transpose
)

type node struct {
	kind    kind
	name    string // of an operand; of a function for messages
	t       dtype.Type
	pattern gemm.Pattern
	fn      any
	args    []*node
	op      reduce.Op
	bits    bool  // an operand that is stored as bits
	trans   bool  // a product by the transpose
	of      *node // whose columns cols counts; nil: of the only matrices
	err     error // why there is no such tensor
}

// In is an operand, as [gemm.Full], [gemm.PerRow], [gemm.PerColumn] and [gemm.Scalar] make
// them. Two operands of one name are refused: use the Tensor twice.
func In(o interface{ In() gemm.Input }) Tensor {
	in := o.In()
	return Tensor{&node{kind: operand, name: in.Name, t: in.Type, pattern: in.Pattern}}
}

// Rows is the number of rows of the equation's matrices, as a scalar.
func Rows[T dtype.Float]() Tensor {
	return Tensor{&node{kind: rows, name: "rows", t: dtype.Of[T](), pattern: gemm.ScalarPattern}}
}

// Cols is the number of columns. If products make matrices of other widths, [ColsOf] says which width
// a tensor has.
func Cols[T dtype.Float]() Tensor {
	return Tensor{&node{kind: cols, name: "cols", t: dtype.Of[T](), pattern: gemm.ScalarPattern}}
}

// ColsOf is the number of columns of x, in float64 if x is of that, else in float32.
func ColsOf(x Tensor) Tensor {
	n := &node{kind: cols, name: "cols", t: dtype.F32, pattern: gemm.ScalarPattern, of: x.node()}
	if x.node().t == dtype.F64 {
		n.t = dtype.F64
	}
	return Tensor{n}
}

// Words is a random word for each element, as an int32. Element (i, j) has word r*i + j of a
// stream that a call names, where r is n rounded up to a multiple of 4. An equation has one
// such tensor.
func Words() Tensor {
	return Tensor{&node{kind: words, name: "words", t: dtype.I32, pattern: gemm.FullPattern}}
}

// Map applies f, an ordinary Go function or an [emit.Derivative], to the elements of its
// arguments that belong together. f has a parameter for each and one result.
func Map(f any, args ...Tensor) Tensor {
	n := &node{kind: apply, fn: f, pattern: gemm.ScalarPattern}
	for _, a := range args {
		n.args = append(n.args, a.node())
		n.pattern = broadcast(n.pattern, a.node().pattern)
	}
	t, name, err := emit.FuncType(f)
	n.name = strings.TrimSuffix(path.Base(name), "[...]")
	name = n.name
	switch v := reflect.ValueOf(f); {
	case f == nil || v.Kind() == reflect.Func && v.IsNil():
		n.err = fmt.Errorf("a function of Map is nil")
		return Tensor{n}
	case err != nil:
		n.err = fmt.Errorf("Map of a %T: %w", f, err)
		return Tensor{n}
	case t.NumIn() != len(args) || t.NumOut() != 1:
		n.err = fmt.Errorf("%s is a %v; with %d tensors it needs %[3]d parameters and one result", name, t, len(args))
		return Tensor{n}
	}
	n.t = typeOf(t.Out(0))
	if n.t == dtype.Invalid {
		n.err = fmt.Errorf("%s returns a %v, which is not an element type of a matrix", name, t.Out(0))
	}
	for i, a := range n.args {
		if want := typeOf(t.In(i)); want != a.t && a.err == nil && a.t != dtype.Invalid {
			n.err = fmt.Errorf("parameter %d of %s is a %v, and %s is of %s; put a tpp.Convert between them", i+1, name, t.In(i), a.say(), a.t.Go())
		}
	}
	return Tensor{n}
}

// Convert rounds the elements of x to T, to nearest with ties to even. It is for floats: what
// else becomes what, a function says.
func Convert[T dtype.Elem](x Tensor) Tensor {
	a, t := x.node(), dtype.Of[T]()
	n := &node{kind: convert, name: "convert", t: t, pattern: a.pattern, args: []*node{a}}
	if a.err == nil && (!gemm.ElemOf(a.t).Float() || !gemm.ElemOf(t).Float()) {
		n.err = fmt.Errorf("%s is of %s and cannot be converted to %s; write a function that says how", a.say(), a.t.Go(), t.Go())
	}
	if a.err == nil && a.t == t {
		return x
	}
	return Tensor{n}
}

// node is that of t, or one that says there is none.
func (t Tensor) node() *node {
	if t.n == nil {
		return &node{name: "tensor", pattern: gemm.ScalarPattern, err: fmt.Errorf("an argument is the zero tpp.Tensor; make it by tpp.In, tpp.Map and their like")}
	}
	return t.n
}

// say is the node in a message.
func (n *node) say() string {
	if n.kind == operand {
		return "operand " + n.name
	}
	return "the result of " + n.name
}

// broadcast is the pattern of what combines two others.
func broadcast(x, y gemm.Pattern) gemm.Pattern {
	switch {
	case x == y || y == gemm.ScalarPattern:
		return x
	case x == gemm.ScalarPattern:
		return y
	}
	return gemm.FullPattern
}

// typeOf is the element type of a type of Go, Invalid if there is none.
func typeOf(t reflect.Type) dtype.Type {
	for _, e := range []dtype.Type{dtype.F32, dtype.F64, dtype.TypeF16, dtype.TypeBF16, dtype.TypeF8E4M3, dtype.TypeF8E5M2, dtype.I8, dtype.I32, dtype.U8, dtype.I16} {
		if t.String() == e.Go() {
			return e
		}
	}
	return dtype.Invalid
}

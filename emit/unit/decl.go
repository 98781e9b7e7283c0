package unit

import (
	"reflect"
	"strings"
)

// Decl is a declaration of a Go file: a [Func], a [Var] or [Text].
type Decl interface{ decl() }

// Func is a function. Doc is text, which is wrapped; paragraphs are lines of it.
type Func struct {
	Doc, Name string
	Params    []Param
	Result    string
	Body      string // statements
	Return    any    // a value as of a Var, which it returns in place of a body
}

// Var is a variable: of a type, whose zero it is, or with a value.
type Var struct {
	Doc, Name, Type string
	Value           any    // an Expr, a Lit, a Table or a Ref
	Embed           string // the file whose text it is
}

// Text is a declaration as Go writes it.
type Text string

func (Func) decl() {}
func (Var) decl()  {}
func (Text) decl() {}

// Expr is an expression as Go writes it.
type Expr string

// Lit is a composite literal with one field a line.
type Lit struct {
	Type   string
	Fields []Field
}

// Field is one field of a literal. Without a name it is an element of a list.
type Field struct {
	Name  string
	Value any // as of a Var
}

// Table is a literal of a table of package tiling/kernel whose kernels are names, type
// K = string. As Go writes them they are functions of type Kernel, such as
// "kernel.Func[kernel.SparseArgs]". Zeros are left out.
type Table struct {
	Kernel string
	Value  any
}

// Ref is a pointer to a literal.
type Ref struct{ Value any }

// With adds fields with a value: an empty [Expr] is none.
func (l Lit) With(fields ...Field) Lit {
	for _, f := range fields {
		if f.Value != Expr("") {
			l.Fields = append(l.Fields, f)
		}
	}
	return l
}

// TableOf is a table whose kernels take the argument block args. For "kernel.SparseArgs"
// they are of type kernel.Func[kernel.SparseArgs].
func TableOf(args string, table any) Table {
	return Table{"kernel.Func[" + args + "]", table}
}

// Type is the table's type as Go writes it.
func (t Table) Type() string {
	name, _, _ := strings.Cut(reflect.TypeOf(t.Value).Name(), "[")
	return "kernel." + name + "[" + t.Kernel + "]"
}

package fn

import (
	"go/ast"
	"go/token"
	"reflect"
)

// The tables of what functions may contain. The translator looks up forms in them, and
// docs/language.md is made of them. So neither knows a form that the other does not.

// form is one construct as docs/language.md has it.
type form struct {
	written string // as Go writes it
	means   string // on a vector
	// example is the function of package fntest/lang that shows it, "" if none could: a
	// test translates it, runs it and compares with Go.
	example string
}

// stmtForm is a kind of statement that is executed, of type node.
type stmtForm struct {
	form
	node reflect.Type
	run  func(t *translator, s ast.Stmt) flow
}

// exprForm is a kind of expression, of type node, that has a value.
type exprForm struct {
	form
	node reflect.Type
	run  func(t *translator, e ast.Expr) value
}

// binaryForm is a binary operator, or a few that are alike. One has arith, which is of two
// values, or run, which evaluates y.
type binaryForm struct {
	form
	on    string // what its operands are
	toks  []token.Token
	arith func(t *translator, at ast.Node, op token.Token, x, y *node) value
	run   func(t *translator, at ast.Node, op token.Token, x value, y ast.Expr) value
}

// unaryForm is a unary operator.
type unaryForm struct {
	form
	on  string
	tok token.Token
	run func(t *translator, x *node) value
}

// builtinForm is a builtin function, or two that are alike.
type builtinForm struct {
	form
	names []string
	run   func(t *translator, e *ast.CallExpr) value
}

// conversionForm is a conversion T(x); the first row that has the types is meant.
type conversionForm struct {
	form
	has func(from, to Type) bool
	run func(t *translator, e *ast.CallExpr, to Type, x *node) value
}

// The tables, filled by the files of their rows: rows call the translator, and it looks
// in the tables.
var (
	stmtForms       []stmtForm
	exprForms       []exprForm
	binaryForms     []binaryForm
	unaryForms      []unaryForm
	builtinForms    []builtinForm
	conversionForms []conversionForm
)

// rowOf returns the first row that is the one meant, nil if there is none.
func rowOf[R any](rows []R, meant func(*R) bool) *R {
	for i := range rows {
		if meant(&rows[i]) {
			return &rows[i]
		}
	}
	return nil
}

// onStmt adds the row of a kind of statement.
func onStmt[S ast.Stmt](f form, run func(t *translator, s S) flow) {
	stmtForms = append(stmtForms, stmtForm{f, reflect.TypeFor[S](), func(t *translator, s ast.Stmt) flow { return run(t, s.(S)) }})
}

// onExpr adds the row of a kind of expression.
func onExpr[E ast.Expr](f form, run func(t *translator, e E) value) {
	exprForms = append(exprForms, exprForm{f, reflect.TypeFor[E](), func(t *translator, e ast.Expr) value { return run(t, e.(E)) }})
}

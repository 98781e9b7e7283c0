package fn

import "go/ast"

func init() {
	onExpr(form{"x, pkg.C, 1.5, true", "a local variable; a constant of any package, rounded once from its exact value", "Names"},
		func(t *translator, e *ast.Ident) value { return t.variable(e, e) })
	onExpr(form{"(x)", "x", "Names"}, func(t *translator, e *ast.ParenExpr) value { return t.expr(e.X) })
	onExpr(form{"s.x", "a field of a local struct", "Struct"}, (*translator).selector)
	onExpr(form{"a[i]", "an element of an array, if i is known to be in range, as i & 7 is of 8; of a slice literal, if i is a constant. An array of the package is a table if nothing writes it", "Table"},
		func(t *translator, e *ast.IndexExpr) value { return t.element(e, t.expr(e.X)) })
	onExpr(form{"[3]float32{1, 2, 3}, []float32{x, y}, point{x: 1}", "its parts, in registers; a slice literal may be read and ranged over, not assigned to", "Array"}, (*translator).composite)
	onExpr(form{"-x and other unary operators", "see below", "Unary"}, (*translator).unaryExpr)
	onExpr(form{"x + y and other binary operators", "see below", "Arithmetic"}, (*translator).binaryExpr)
	onExpr(form{"f(x), pkg.F(x)", "the body of the function in its place: any pure function with Go source, of any package, generic or not; see below for those of package math, conversions and builtins", "Call"},
		(*translator).callOne)
}

// refusedExprs are the expressions that have no meaning in a lane, and why.
var refusedExprs = []struct {
	node ast.Expr
	why  string
}{
	{(*ast.FuncLit)(nil), "closures are not translated; make it a named function"},
	{(*ast.StarExpr)(nil), "pointers have no place in a lane; use values"},
	{(*ast.SliceExpr)(nil), "slicing is not translated; use an array and its indices"},
	{(*ast.TypeAssertExpr)(nil), "interfaces have no place in a lane"},
}

package fn

import "go/ast"

func init() {
	onStmt(form{"y := x, y = x, x, y = y, x, y += x", "no instruction: a name for a value. Left are local variables, elements of local arrays and fields of local structs", "Assign"},
		func(t *translator, s *ast.AssignStmt) flow { t.assign(s); return falls })
	onStmt(form{"var y float32, const c = 2, type t float32", "as `:=`; without a value zero", "Declare"},
		func(t *translator, s *ast.DeclStmt) flow { t.declare(s.Decl.(*ast.GenDecl)); return falls })
	onStmt(form{"x++, x--", "`x += 1`", "Increment"},
		func(t *translator, s *ast.IncDecStmt) flow { t.increment(s); return falls })
	onStmt(form{"if c { ... } else { ... }", "both sides are computed, and each lane selects. A condition that is known is decided beforehand", "If"}, (*translator).ifStmt)
	onStmt(form{"switch x { case 1, 2: ... default: ... }", "a chain of `if`; with and without a tag, with `fallthrough` and `break`", "Switch"}, (*translator).switchStmt)
	onStmt(form{"switch any(x).(type) { case float32: ... }", "decided beforehand: x is a value of a type parameter", "TypeSwitch[float32]"}, (*translator).typeSwitch)
	onStmt(form{"for i := 0; i < n; i++ { ... }", "unrolled: the condition has to be known before each trip", "For"}, (*translator).forStmt)
	onStmt(form{"for i, x := range xs { ... }", "unrolled: over an integer, an array, or a slice literal", "Range"}, (*translator).rangeStmt)
	onStmt(form{"break, continue, break label, continue label", "the lanes that leave keep what they have; the others go on", "Break"}, (*translator).jump)
	onStmt(form{"label: for ...", "names a loop or a switch for `break` and `continue`", "Label"},
		func(t *translator, s *ast.LabeledStmt) flow { return t.stmt(s.Stmt) })
	onStmt(form{"return x, y; return", "anywhere; the lanes that have returned keep their results. A bare `return` returns named results", "Return"},
		func(t *translator, s *ast.ReturnStmt) flow {
			return flow{exits: []exit{{mask: t.bool(true), vals: t.returned(s)}}}
		})
	onStmt(form{"{ ... }", "its statements", "Block"}, func(t *translator, s *ast.BlockStmt) flow { return t.block(s.List) })
	onStmt(form{"f(x)", "the call of a pure function for nothing; only useful to whoever edits the function", "Block"}, (*translator).exprStmt)
	onStmt(form{";", "nothing", ""}, func(*translator, *ast.EmptyStmt) flow { return falls })
}

// refusedStmts are the statements that have no meaning in a lane, and why.
var refusedStmts = []struct {
	node ast.Stmt
	why  string
}{
	{(*ast.GoStmt)(nil), "a goroutine is an effect; the function may only compute its results"},
	{(*ast.DeferStmt)(nil), "defer is an effect; the function may only compute its results"},
	{(*ast.SendStmt)(nil), "channels are an effect; the function may only compute its results"},
	{(*ast.SelectStmt)(nil), "channels are an effect; the function may only compute its results"},
}

package fn

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// call evaluates a call or conversion; the values are as many as the results.
func (t *translator) call(e *ast.CallExpr) []value {
	tv := t.src.info.Types[e.Fun]
	if tv.IsType() {
		return []value{t.conversion(e)}
	}
	if name := t.isBuiltin(e); name != "" {
		return []value{t.builtin(e, name)}
	}
	fun := ast.Unparen(e.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(x.X)
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	case *ast.FuncLit:
		return t.refused(e, "closures are not translated; make it a named function")
	}
	if id == nil {
		return t.refused(e, "functions as values are not translated; call a function by its name")
	}
	switch o := t.src.info.Uses[id].(type) {
	case *types.Func:
		if x, ok := fun.(*ast.SelectorExpr); ok && o.Signature().Recv() != nil {
			if f, ok := storageMethods[o.Name()]; ok && t.lane(o.Signature().Recv().Type()).Storage() {
				return []value{t.stored(x, f)}
			}
			return t.refused(e, "methods are not translated; make %s a function", o.Name())
		}
		return t.static(e, id, o)
	case nil:
		t.untyped(e.Fun)
	default:
		t.fail(e, "functions as values are not translated; call a function by its name")
	}
	return t.badCall(e)
}

func (t *translator) refused(e *ast.CallExpr, format string, args ...any) []value {
	t.fail(e, format, args...)
	return t.badCall(e)
}

// badCall returns as many refused values as e has results.
func (t *translator) badCall(e *ast.CallExpr) []value {
	if tuple, ok := t.src.info.Types[e].Type.(*types.Tuple); ok {
		return make([]value, tuple.Len())
	}
	return make([]value, 1)
}

// isBuiltin returns the name of the builtin function that e calls, or "".
func (t *translator) isBuiltin(e *ast.CallExpr) string {
	id, ok := ast.Unparen(e.Fun).(*ast.Ident)
	if !ok {
		return ""
	}
	if b, ok := t.src.info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

func (t *translator) builtin(e *ast.CallExpr, name string) value {
	if row := rowOf(builtinForms, func(r *builtinForm) bool { return slices.Contains(r.names, name) }); row != nil {
		return row.run(t, e)
	}
	if why := refusedBuiltins[name]; why != "" {
		return t.fail(e, "%s", why)
	}
	return t.fail(e, "the builtin function %s has no meaning in a lane", name)
}

func (t *translator) extreme(o op, x, y value) value {
	if x.n == nil || y.n == nil {
		return value{}
	}
	return value{n: t.binary(o, x.n, y.n)}
}

// static evaluates the call of a declared function: one of the table of package
// math, or one with source.
func (t *translator) static(e *ast.CallExpr, id *ast.Ident, o *types.Func) []value {
	full := o.Pkg().Path() + "." + o.Name()
	name := o.Name()
	if o.Pkg() != t.src.pkg {
		name = o.Pkg().Name() + "." + name
	}
	f, single := mathFuncs[full]
	pair, double := mathPairs[full]
	if single || double {
		args := make([]*node, len(e.Args))
		for i, a := range e.Args {
			args[i] = t.expr(a).n
		}
		for _, a := range args {
			if a == nil {
				return t.badCall(e)
			}
		}
		if double {
			return []value{{n: t.node(opCall, Float64, pair[0], 0, args...)}, {n: t.node(opCall, Float64, pair[1], 0, args...)}}
		}
		n, why := f(t, args)
		if n == nil {
			return t.refused(e, "%s: %s", name, why)
		}
		return []value{{n: n}}
	}
	if path := o.Pkg().Path(); path == "math" || path == "math/bits" {
		return t.refused(e, "%s has no vector form; those that have one are %s", name, namesOf(path))
	}
	src, err := t.sourceOf(o)
	if err != nil {
		return t.refused(e, "the source of %s cannot be read: %v", name, err)
	}
	d := src.decl(o.Name())
	if d == nil || d.Body == nil {
		return t.refused(e, "%s has no Go source to translate", name)
	}
	sig := src.info.Defs[d.Name].(*types.Func).Signature()
	if sig.Variadic() {
		return t.refused(e, "%s takes a variable number of parameters, which is not translated", name)
	}
	args := map[*types.TypeParam]Type{}
	defined := false
	inst := t.src.info.Instances[id]
	for i := range sig.TypeParams().Len() {
		arg := inst.TypeArgs.At(i)
		u := t.scalar(e, arg)
		if u == Invalid {
			return t.badCall(e)
		}
		args[sig.TypeParams().At(i)] = u
		if _, param := types.Unalias(arg).(*types.TypeParam); param {
			defined = defined || t.defined
		} else if !u.Storage() && !types.Identical(arg, u.goType()) {
			defined = true
		}
	}
	var vals []value
	if len(e.Args) == 1 && sig.Params().Len() > 1 {
		vals = t.values(e.Args[0])
	} else {
		for i, a := range e.Args {
			vals = append(vals, t.exprAs(a, sig.Params().At(i).Type()))
		}
	}
	depth := 0
	for f := t.frame; f != nil; f = f.up {
		if f.decl == d {
			return t.refused(e, "%s calls itself; recursion is not translated, use a loop with a constant number of trips", o.Name())
		}
		if depth++; depth > maxDepth {
			return t.refused(e, "calls are nested more than %d deep", maxDepth)
		}
	}
	return t.enter(e.Pos(), &frame{src: src, decl: d, args: args, defined: defined, sig: sig}, d.Type, d.Body, vals)
}

// sourceOf returns the package that a function is declared in, with its source.
func (t *translator) sourceOf(o *types.Func) (*source, error) {
	if o.Pkg() == t.src.pkg {
		return t.src, nil
	}
	path := o.Pkg().Path()
	if m := t.prog.meta[path]; m != nil {
		return t.prog.source(m, "")
	}
	roots, err := t.prog.list(path)
	if err != nil {
		return nil, err
	}
	return t.prog.source(roots[0], "")
}

// enter executes the body of a function with the given operands.
func (t *translator) enter(pos token.Pos, f *frame, typ *ast.FuncType, body *ast.BlockStmt, vals []value) []value {
	f.up, f.env = t.frame, env{}
	outer, facts := t.frame, t.facts
	t.frame = f
	defer func() { t.frame, t.facts, t.pos = outer, facts, pos }()
	if t.broken(f, body) {
		return t.badResults()
	}
	i := 0
	for _, field := range typ.Params.List {
		for _, name := range field.Names {
			if o := f.src.info.Defs[name]; o != nil && i < len(vals) {
				f.env[o] = vals[i]
			}
			i++
		}
		if field.Names == nil {
			i++
		}
	}
	if typ.Results != nil {
		for _, field := range typ.Results.List {
			for _, name := range field.Names {
				o := f.src.info.Defs[name]
				if o == nil { // _ is never assigned to
					o = types.NewVar(name.Pos(), f.src.pkg, "_", f.sig.Results().At(len(f.results)).Type())
				}
				f.results = append(f.results, o)
				f.env[o] = t.zero(name, o.Type())
			}
		}
	}
	got := t.block(body.List)
	exits := t.compact(got.exits)
	if len(exits) != 1 || got.falls {
		if len(t.problems) == 0 {
			t.failAt(body.Rbrace, "the end of the function can be reached without a return")
		}
		return t.badResults()
	}
	return exits[0].vals
}

// broken reports what keeps a function from compiling, whatever of it is executed:
// go/types makes something of most mistakes, and so would the translation.
func (t *translator) broken(f *frame, body *ast.BlockStmt) bool {
	end := f.decl.End()
	for _, file := range f.src.files {
		if !body.Rbrace.IsValid() && file.FileStart <= f.decl.Pos() && f.decl.Pos() < file.FileEnd {
			end = file.FileEnd // where it ends is not known
		}
	}
	found := false
	for _, err := range f.src.errs {
		if f.decl.Pos() <= err.Pos && err.Pos <= end {
			t.failAt(err.Pos, "%s", oneLine(err.Msg))
			found = true
		}
	}
	return found
}

// oneLine returns a message of the type checker, some of which have several lines.
func oneLine(msg string) string { return strings.Join(strings.Fields(msg), " ") }

// namesOf lists the functions of a package of the standard library that have a vector
// form.
func namesOf(path string) string {
	var names []string
	for name := range mathPairs {
		names = append(names, strings.TrimPrefix(name, "math."))
	}
	for name := range mathFuncs {
		if short, ok := strings.CutPrefix(name, path+"."); ok {
			names = append(names, short)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

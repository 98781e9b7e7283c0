package fn

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
)

// expr evaluates an expression that has one value.
func (t *translator) expr(e ast.Expr) value {
	t.tick(e)
	if tv, ok := t.src.info.Types[e]; ok && tv.Value != nil {
		if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return t.fail(e, "strings have no place in a lane")
		}
		if u := t.typeOf(e); u != Invalid {
			return t.constant(e, tv.Value, u)
		}
		return value{}
	}
	node := reflect.TypeOf(e)
	if row := rowOf(exprForms, func(r *exprForm) bool { return r.node == node }); row != nil {
		return row.run(t, e)
	}
	for _, r := range refusedExprs {
		if reflect.TypeOf(r.node) == node {
			return t.fail(e, "%s", r.why)
		}
	}
	return t.fail(e, "this expression has no meaning in a lane")
}

// callOne evaluates a call that has one value.
func (t *translator) callOne(e *ast.CallExpr) value {
	if vs := t.call(e); len(vs) == 1 {
		return vs[0]
	}
	return value{}
}

// exprAs evaluates an expression that is assigned to something of type to.
func (t *translator) exprAs(e ast.Expr, to types.Type) value {
	if to != nil {
		if _, param := types.Unalias(to).(*types.TypeParam); !param && types.IsInterface(to) {
			return t.fail(e, "interfaces have no place in a lane")
		}
	}
	return t.expr(e)
}

// values evaluates an expression with any number of values.
func (t *translator) values(e ast.Expr) []value {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		t.tick(e)
		if tv := t.src.info.Types[e]; tv.Value == nil {
			return t.call(call)
		}
	}
	return []value{t.expr(e)}
}

// variable returns what a name stands for.
func (t *translator) variable(at ast.Expr, id *ast.Ident) value {
	o := t.src.info.ObjectOf(id)
	if o == nil {
		t.untyped(id)
		return value{}
	}
	if v, ok := t.env[o]; ok {
		return v
	}
	switch o := o.(type) {
	case *types.Var:
		if o.Parent() != nil && o.Pkg() != nil && o.Parent() == o.Pkg().Scope() || o.Pkg() != t.src.pkg {
			return t.global(at, o)
		}
		t.untyped(id)
		return value{}
	case *types.Func:
		return t.fail(at, "functions as values are not translated; call %s by its name", o.Name())
	case *types.Nil:
		return t.fail(at, "nil has no place in a lane")
	}
	t.untyped(at)
	return value{}
}

// selector returns a field of a struct, or says why there is none.
func (t *translator) selector(e *ast.SelectorExpr) value {
	if t.src.info.Selections[e] == nil {
		return t.variable(e, e.Sel)
	}
	path, ok := t.fieldPath(e)
	x := t.expr(e.X)
	if !ok || x.bad() {
		return value{}
	}
	for _, i := range path {
		x = x.parts[i]
	}
	return x
}

// fieldPath returns the indices of the fields that a selector goes through.
func (t *translator) fieldPath(e *ast.SelectorExpr) ([]int, bool) {
	sel := t.src.info.Selections[e]
	if sel == nil || sel.Kind() != types.FieldVal {
		t.fail(e, "methods are not translated; make it a function")
		return nil, false
	}
	if sel.Indirect() {
		t.fail(e, "pointers have no place in a lane; use values")
		return nil, false
	}
	return sel.Index(), true
}

// index returns which part of x is assigned to.
func (t *translator) index(e *ast.IndexExpr, x value) (int, bool) {
	if x.bad() || !t.indexable(e) {
		return 0, false
	}
	i := t.expr(e.Index).n
	switch {
	case i == nil:
		return 0, false
	case !i.isConst():
		t.fail(e.Index, "the index of what is assigned to is not known before the function runs; go over the array, as in for k := range a { if k == i { a[k] = x } }")
		return 0, false
	}
	return t.constantIndex(e, i, len(x.parts))
}

// composite evaluates an array, slice or struct literal.
func (t *translator) composite(e *ast.CompositeLit) value {
	typ := t.src.info.Types[e].Type
	if typ == nil {
		t.untyped(e)
		return value{}
	}
	if t.lane(typ).Storage() { // the one field is not exported, so this can only be zero
		return t.zero(e, typ)
	}
	switch u := typ.Underlying().(type) {
	case *types.Struct:
		v := t.zero(e, typ)
		for i, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				for j := range u.NumFields() {
					if u.Field(j).Name() == kv.Key.(*ast.Ident).Name {
						i = j
					}
				}
				x = kv.Value
			}
			if w := t.exprAs(x, u.Field(i).Type()); !v.bad() {
				v.parts[i] = w
			}
		}
		return v
	case *types.Array:
		return t.elements(e, u.Elem(), t.zero(e, typ))
	case *types.Slice:
		n, at := int64(0), int64(0)
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				at, _ = constant.Int64Val(t.src.info.Types[kv.Key].Value)
			}
			at++
			n = max(n, at)
		}
		v := t.elements(e, u.Elem(), t.zero(e, types.NewArray(u.Elem(), n)))
		v.slice = true
		return v
	}
	return t.fail(e, "%s has no place in a lane", typ)
}

func (t *translator) elements(e *ast.CompositeLit, elem types.Type, v value) value {
	at := int64(0)
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			at, _ = constant.Int64Val(t.src.info.Types[kv.Key].Value)
			x = kv.Value
		}
		if w := t.exprAs(x, elem); !v.bad() {
			v.parts[at] = w
		}
		at++
	}
	return v
}

func (t *translator) unaryExpr(e *ast.UnaryExpr) value {
	switch e.Op {
	case token.AND:
		return t.fail(e, "pointers have no place in a lane; use values")
	case token.ARROW:
		return t.fail(e, "channels are an effect; the function may only compute its results")
	}
	x := t.expr(e.X).n
	row := rowOf(unaryForms, func(r *unaryForm) bool { return r.tok == e.Op })
	switch {
	case x == nil:
		return value{}
	case row == nil:
		return t.fail(e, "the operator %s has no meaning in a lane", e.Op)
	}
	return row.run(t, x)
}

func (t *translator) binaryExpr(e *ast.BinaryExpr) value {
	return t.operate(e, e.Op, t.expr(e.X), e.Y)
}

package fn

import (
	"go/ast"
	"slices"
)

// place is what can be assigned to: a local variable, or a part of one.
type place struct {
	get func() value
	set func(v value)
}

// nowhere takes what is assigned to _ or to something that was refused.
var nowhere = place{func() value { return value{} }, func(value) {}}

// store assigns v.
func (t *translator) store(to ast.Expr, v value) { t.place(to).set(v) }

// place finds the place that an expression names; an index is evaluated now.
func (t *translator) place(to ast.Expr) place {
	switch to := ast.Unparen(to).(type) {
	case *ast.Ident:
		if to.Name == "_" {
			return nowhere
		}
		o := t.src.info.ObjectOf(to)
		if o == nil {
			t.untyped(to)
			return nowhere
		}
		if _, local := t.env[o]; !local && t.src.info.Defs[to] == nil {
			t.fail(to, "assigning to the variable %s, which is outside the function, is an effect; return the value instead", to.Name)
			return nowhere
		}
		return place{func() value { return t.env[o] }, func(v value) { t.env[o] = v }}
	case *ast.IndexExpr:
		outer := t.place(to.X)
		x := outer.get()
		if x.slice {
			t.fail(to, "assigning to an element of a slice is an effect on whoever shares it; use an array")
			return nowhere
		}
		if i, ok := t.index(to, x); ok {
			return part(outer, i)
		}
	case *ast.SelectorExpr:
		if sel := t.src.info.Selections[to]; sel == nil {
			t.fail(to, "assigning to the variable %s, which is outside the function, is an effect; return the value instead", to.Sel.Name)
			return nowhere
		}
		outer := t.place(to.X)
		if path, ok := t.fieldPath(to); ok && !outer.get().bad() {
			for _, i := range path {
				outer = part(outer, i)
			}
			return outer
		}
	case *ast.StarExpr:
		t.fail(to, "pointers have no place in a lane; use values")
	default:
		t.fail(to, "assigning to this has no meaning in a lane")
	}
	return nowhere
}

// part returns the place of part i of what is at another place.
func part(outer place, i int) place {
	return place{
		get: func() value {
			if x := outer.get(); !x.bad() {
				return x.parts[i]
			}
			return value{}
		},
		set: func(v value) {
			x := outer.get()
			if x.bad() || v.bad() {
				outer.set(value{})
				return
			}
			x.parts = slices.Clone(x.parts)
			x.parts[i] = v
			outer.set(x)
		},
	}
}

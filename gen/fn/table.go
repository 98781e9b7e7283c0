package fn

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/tilesmith/tilesmith/emit"
)

// Arrays that are indexed by a variable, and variables of a package that are tables. A
// table is an array of constants that nothing in the package writes, or can write
// through a pointer.

// element returns the part of x that an index expression means.
func (t *translator) element(e *ast.IndexExpr, x value) value {
	if x.bad() || !t.indexable(e) {
		return value{}
	}
	i := t.expr(e.Index).n
	if i == nil {
		return value{}
	}
	n := len(x.parts)
	if i.isConst() {
		if at, ok := t.constantIndex(e, i, n); ok {
			return x.parts[at]
		}
		return value{}
	}
	r := rangeOf(i, t.facts)
	if r.lo < 0 || r.hi > float64(n-1) || n == 0 {
		name := types.ExprString(e.Index)
		form := fmt.Sprintf("max(0, min(%d, %s))", n-1, name)
		switch {
		case n&(n-1) == 0 && !i.t.Signed():
			form = fmt.Sprintf("%s & %d", name, n-1)
		case !i.t.Signed():
			form = fmt.Sprintf("min(%d, %s)", n-1, name)
		}
		return t.fail(e.Index, "the index may be outside of the %d elements: it is known to be from %s to %s; keep it inside, as in [%s]",
			n, number64(r.lo), number64(r.hi), form)
	}
	index := t.convert(Uint32, 0, i)
	if all := rangeOf(i, nil); all.lo < 0 || all.hi > float64(n-1) { // in lanes that go another way
		last := t.bitsConst(Uint32, uint64(n-1))
		index = t.strictly(func() *node { return t.sel(t.cmp("lt", index, last), index, last) })
	}
	return t.pick(x.parts, index, 0, true)
}

// constantIndex returns an index that is known now.
func (t *translator) constantIndex(e *ast.IndexExpr, i *node, n int) (int, bool) {
	if i.int() < 0 || i.int() >= int64(n) {
		t.fail(e.Index, "the index is %d, and there are %d elements", i.int(), n)
		return 0, false
	}
	return int(i.int()), true
}

// indexable reports whether what e indexes is an array or slice literal.
func (t *translator) indexable(e *ast.IndexExpr) bool {
	typ := t.src.info.Types[e.X].Type
	if typ == nil {
		return false
	}
	switch typ.Underlying().(type) {
	case *types.Array, *types.Slice:
		return true
	}
	t.fail(e, "only arrays and slice literals can be indexed, not %s", typ)
	return false
}

// pick returns the part of index, which is parts[0] for the index first. It is a table if
// they are all that index may select, and constants. Otherwise a comparison picks half of
// them, and so on.
func (t *translator) pick(parts []value, index *node, first int, all bool) value {
	switch {
	case len(parts) == 1:
		return parts[0]
	case parts[0].n == nil: // arrays or structs: one part of each after the other
		out := value{parts: make([]value, len(parts[0].parts))}
		for i := range out.parts {
			column := make([]value, len(parts))
			for k, p := range parts {
				if len(p.parts) != len(out.parts) {
					return value{}
				}
				column[k] = p.parts[i]
			}
			out.parts[i] = t.pick(column, index, first, all)
		}
		return out
	}
	constant := all
	for _, p := range parts {
		if p.n == nil {
			return value{}
		}
		constant = constant && p.n.isConst()
	}
	if constant {
		return value{n: t.lookup(parts, index)}
	}
	half := len(parts) / 2
	low, high := t.pick(parts[:half], index, first, false), t.pick(parts[half:], index, first+half, false)
	return t.choose(t.cmp("lt", index, t.bitsConst(Uint32, uint64(first+half))), low, high)
}

// lookup returns the constant of index. Narrow ones are kept in 32 bits.
func (t *translator) lookup(parts []value, index *node) *node {
	u := parts[0].n.t
	wide := u
	switch {
	case u.Bits() == 64:
		index = t.convert(Uint64, 0, index)
	case u == Bool || u.Storage():
		wide = Uint32
	case u.Int():
		wide = atLeast(u, 32)
	}
	words := make([]uint64, len(parts))
	for i, p := range parts {
		words[i] = p.n.bits
		if u.Signed() {
			words[i] = truncateTo(wide, uint64(p.n.int()))
		}
	}
	n := t.node(opTable, wide, emit.TableKey(wide.Bits(), words), 0, index)
	n.table = words
	switch {
	case u == Bool:
		return t.cmp("ne", n, t.bitsConst(Uint32, 0))
	case u.Storage():
		return t.reread(u, t.convert(storageBits(u), 0, n))
	}
	return t.convert(u, 0, n)
}

// tableEnds is the interval of a table's elements, and whether all are numbers.
func tableEnds(n *node) (r interval, numbers bool) {
	r, numbers = interval{1, 0}, true
	for i, bits := range n.table {
		x := constantEnds(n.t, bits)
		switch {
		case x.lo > x.hi:
			numbers = false
		case i == 0 || r.lo > r.hi:
			r = x
		default:
			r = r.hull(x)
		}
	}
	return r, numbers
}

// global returns the value of a variable of the package, which has to be a table.
func (t *translator) global(at ast.Expr, o *types.Var) value {
	init, why := t.prog.table(t.src, o)
	if why != "" {
		return t.fail(at, "%s", why)
	}
	if v, ok := t.globals[o]; ok {
		return v
	}
	v := t.expr(init)
	if !v.bad() && !v.constant() {
		v = t.fail(at, "the elements of the variable %s are not all constants; write them out", o.Name())
	}
	t.globals[o] = v
	return v
}

// constant reports whether all parts are constants.
func (v value) constant() bool {
	if v.n != nil {
		return v.n.isConst()
	}
	for _, p := range v.parts {
		if !p.constant() {
			return false
		}
	}
	return true
}

// table returns what a variable of a package is initialised by if it is a table, or
// why it is none.
func (p *Program) table(s *source, o *types.Var) (init ast.Expr, why string) {
	if o.Pkg() != s.pkg {
		return nil, fmt.Sprintf("the variable %s is of another package, which may change it; declare it in this one", o.Name())
	}
	if _, ok := o.Type().Underlying().(*types.Array); !ok {
		return nil, fmt.Sprintf("the variable %s is outside the function, and may change; make it a constant, or declare it inside", o.Name())
	}
	if o.Exported() && s.pkg.Name() != "main" {
		return nil, fmt.Sprintf("the table %s is exported, so another package may write it; give it a name with a small letter", o.Name())
	}
	if at := s.written(o); at.IsValid() {
		return nil, fmt.Sprintf("the table %s may be written at %v, so its elements are not known; look them up in a table that nothing writes, or declare it inside", o.Name(), p.position(at))
	}
	for _, f := range s.files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				vs, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for i, name := range vs.Names {
					if s.info.Defs[name] == o && i < len(vs.Values) && len(vs.Values) == len(vs.Names) {
						return vs.Values[i], ""
					}
				}
			}
		}
	}
	return nil, fmt.Sprintf("the table %s has no list of elements where it is declared; write one", o.Name())
}

// written returns the first place at which a variable of the package is assigned to, or
// its address taken. It returns none if there is no such place.
func (s *source) written(o *types.Var) (at token.Pos) {
	found := func(e ast.Expr) {
		if id := rootOf(e); id != nil && s.info.ObjectOf(id) == o && !at.IsValid() {
			at = e.Pos()
		}
	}
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					found(l)
				}
			case *ast.IncDecStmt:
				found(n.X)
			case *ast.RangeStmt:
				found(n.Key)
				found(n.Value)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					found(n.X)
				}
			case *ast.SliceExpr:
				found(n.X)
			case *ast.SelectorExpr: // a method may take the address
				if sel := s.info.Selections[n]; sel != nil && sel.Kind() != types.FieldVal {
					found(n.X)
				}
			}
			return true
		})
	}
	return at
}

// rootOf returns the variable that an expression is a part of, or nil.
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		default:
			return nil
		}
	}
}

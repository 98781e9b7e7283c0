package fn

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Lookup returns the translated function. The error, if it is about the function
// and not about finding it, is an [*Error] with all problems.
func (p *Program) Lookup(r Ref) (*Func, error) {
	key := fmt.Sprint(r.Package, r.Name, r.File, r.Line, r.Params, r.Results, r.Args, r.defined, r.By != nil, r.By, r.reduced, r.unread, r.within)
	if f := p.funcs[key]; f != nil {
		return f, nil
	}
	var f *Func
	var err error
	if r.By != nil {
		base := r
		base.By, base.reduced, base.unread = nil, nil, nil
		if f, err = p.Lookup(base); err == nil {
			f, err = f.derivative(&gradient{f, r.By, r.reduced, r.unread})
		}
	} else {
		f, err = p.lookup(r)
	}
	if err == nil {
		p.funcs[key] = f
	}
	return f, err
}

func (p *Program) lookup(r Ref) (*Func, error) {
	m, err := p.find(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	s, err := p.source(m, r.File)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	root := &root{ref: r, src: s, op: mathFuncs[m.ImportPath+"."+r.Name]}
	switch {
	case root.op != nil || r.Name == "" || s.decl(r.Name) == nil:
	case m.ImportPath == dtypePath:
		return nil, fmt.Errorf("%s: not an operation on lanes", r)
	case m.ImportPath == "math" || m.ImportPath == "math/bits":
		return nil, fmt.Errorf("%s has no vector form; those that have one are %s", r, namesOf(m.ImportPath))
	}
	if r.Name != "" {
		d := s.decl(r.Name)
		if d == nil {
			return nil, fmt.Errorf("%s: package %s has no function %s", r, m.ImportPath, r.Name)
		}
		root.node, root.typ, root.body, root.pos = d, d.Type, d.Body, d.Name.Pos()
		if o, ok := s.info.Defs[d.Name].(*types.Func); ok {
			root.sig = o.Signature()
		}
	} else {
		lit, err := p.literal(s, r)
		if err != nil {
			return nil, err
		}
		root.node, root.typ, root.body, root.pos = lit, lit.Type, lit.Body, lit.Pos()
		root.sig, _ = s.info.Types[lit].Type.(*types.Signature)
	}
	if root.sig == nil {
		return nil, p.refuse(r.String(), root.pos, "the types of %s are not known", r)
	}
	if root.args, err = typeArgs(root.sig, r); err != nil {
		return nil, p.refuse(r.String(), root.pos, "%v", err)
	}
	return p.translate(root)
}

// Inline puts the translations of the Go functions that f applies in the place of
// the calls.
func (p *Program) Inline(f *emit.Func) error {
	return f.Inline(func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
		r, err := ValueOf(op.Fn.Fn)
		if err != nil {
			return nil, err
		}
		fn, err := p.Lookup(r)
		if err != nil {
			return nil, err
		}
		return fn.Emit(b, op.Results[0].Type.Lanes, op.Args)
	})

}

// root is the function that was asked for.
type root struct {
	ref  Ref
	src  *source
	node ast.Node // *ast.FuncDecl or *ast.FuncLit
	typ  *ast.FuncType
	body *ast.BlockStmt
	pos  token.Pos
	sig  *types.Signature
	args map[*types.TypeParam]Type
	// op is the function as an operation of its own, if it is one. Those of package dtype
	// are, whose bodies mean nothing to a lane.
	op mathFunc
}

// find returns the package that r is in.
func (p *Program) find(r Ref) (*listed, error) {
	dir := filepath.Dir(r.File)
	switch {
	case r.Package == "": // by name: of what was loaded
		if len(p.roots) != 1 {
			return nil, fmt.Errorf("write it with its package, since %d packages were loaded", len(p.roots))
		}
		return p.roots[0], nil
	case r.Package == "main" && r.File != "":
		for _, m := range p.roots {
			if m.Dir == dir && slices.Contains(m.GoFiles, filepath.Base(r.File)) {
				return m, nil
			}
		}
		return nil, fmt.Errorf("%s is not a file of a program that was loaded", r.File)
	case r.File == "" && !strings.Contains(r.Package, "/"):
		return p.byName(r.Package)
	}
	path := r.Package
	if strings.HasSuffix(r.File, "_test.go") {
		path = strings.TrimSuffix(path, "_test")
	}
	if m := p.meta[path]; m != nil {
		return m, nil
	}
	roots, err := p.list(path)
	if err != nil {
		return nil, err
	}
	return roots[0], nil
}

// byName returns the only package with a name: of those loaded, of those they
// import, or with this very path.
func (p *Program) byName(name string) (*listed, error) {
	var found []*listed
	for _, m := range p.meta {
		if m.Name == name {
			found = append(found, m)
		}
	}
	if own := slices.DeleteFunc(slices.Clone(found), func(m *listed) bool { return m.DepOnly }); len(own) > 0 {
		found = own
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no package called %s is in reach; write its full path", name)
	case 1:
		return found[0], nil
	}
	var paths []string
	for _, m := range found {
		paths = append(paths, m.ImportPath)
	}
	slices.Sort(paths)
	return nil, fmt.Errorf("%s may be %s; write its full path", name, strings.Join(paths, " or "))
}

// literal returns the only function literal whose code may begin on a line, and
// refuses it if it uses variables from outside.
func (p *Program) literal(s *source, r Ref) (*ast.FuncLit, error) {
	var found []*ast.FuncLit
	for _, f := range s.files {
		if p.fset.Position(f.FileStart).Filename != r.File {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.FuncLit); ok && p.mayBeginOn(l, r.Line) {
				found = append(found, l)
			}
			return true
		})
	}
	// Text inside another literal, below its first line, is not its beginning.
	if n := len(found); n > 0 && p.fset.Position(found[n-1].Pos()).Line < r.Line {
		found = found[n-1:]
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("%s:%d: there is no function literal here; the file has changed since the program was built", r.File, r.Line)
	case 1:
	default:
		return nil, p.refuse(r.String(), found[1].Pos(), "%d function literals stand on one line, and the run time tells only the line; give each a line of its own", len(found))
	}
	lit := found[0]
	var err error
	ast.Inspect(lit, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || err != nil {
			return err == nil
		}
		o := s.info.Uses[id]
		if o == nil || o.Pkg() != s.pkg || o.Parent() == s.pkg.Scope() || lit.Pos() <= o.Pos() && o.Pos() < lit.End() {
			return true
		}
		switch o := o.(type) {
		case *types.Var:
			if !o.IsField() {
				err = p.refuse(r.String(), id.Pos(), "the function literal captures %s; pass it as an operand, or make it a constant", o.Name())
			}
		case *types.TypeName:
			if _, ok := o.Type().(*types.TypeParam); ok {
				err = p.refuse(r.String(), id.Pos(), "the function literal depends on the type parameter %s of the function around it; make it a named function", o.Name())
			}
		}
		return true
	})
	return lit, err
}

// mayBeginOn reports whether the first instruction of a literal may come from a
// line: from the first, or from one of a statement.
func (p *Program) mayBeginOn(l *ast.FuncLit, line int) bool {
	last := l.Body.Lbrace
	if n := len(l.Body.List); n > 0 {
		last = l.Body.List[n-1].End()
	}
	return p.fset.Position(l.Pos()).Line <= line && line <= p.fset.Position(last).Line
}

// typeArgs returns what the type parameters of a generic function are.
func typeArgs(sig *types.Signature, r Ref) (map[*types.TypeParam]Type, error) {
	args := map[*types.TypeParam]Type{}
	tps := sig.TypeParams()
	match := func(what string, params *types.Tuple, given []Type) error {
		if given != nil && params.Len() != len(given) {
			return fmt.Errorf("%s has %d %ss, not %d", r, params.Len(), what, len(given))
		}
		for i, g := range given {
			tp, ok := params.At(i).Type().(*types.TypeParam)
			switch {
			case !ok:
			case args[tp] == Invalid:
				args[tp] = g
			case args[tp] != g:
				return fmt.Errorf("%s: the type parameter %s cannot be %v and %v at once", r, tp, args[tp], g)
			}
		}
		return nil
	}
	if len(r.Args) > tps.Len() {
		return nil, fmt.Errorf("%s has %d type parameters, not %d", r, tps.Len(), len(r.Args))
	}
	for i, t := range r.Args {
		args[tps.At(i)] = t
	}
	if err := match("parameter", sig.Params(), r.Params); err != nil {
		return nil, err
	}
	if err := match("result", sig.Results(), r.Results); err != nil {
		return nil, err
	}
	var list []types.Type
	for tp := range tps.TypeParams() {
		if args[tp] == Invalid {
			return nil, fmt.Errorf("nothing tells what the type parameter %s of %s is; write it as in %s[float32]", tp, r, r)
		}
		list = append(list, args[tp].goType())
	}
	if len(list) > 0 && !slices.Contains(list, types.Type(types.Typ[types.Invalid])) {
		if _, err := types.Instantiate(nil, sig, list, true); err != nil {
			return nil, fmt.Errorf("%s: %w", r, err)
		}
	}
	return args, nil
}

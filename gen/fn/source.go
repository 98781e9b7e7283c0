package fn

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/constant"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Source is how generated Go code gets at a function.
type Source struct {
	// Expr calls it: "biasGELU", "act.GELU[float32]".
	Expr string
	// Imports are what Expr and Decls need.
	Imports []Import
	// Decls is the function and what it uses of its own package: constants, types
	// and other functions, in the order of their places. It is empty if the function
	// is imported or in the package already.
	Decls []byte
}

// Import is one import of a file; Name is "" if it is what Path ends in.
type Import struct{ Name, Path string }

// Source returns how code of the package with path into calls the function. A
// function of another package is imported; one of a program, which cannot be, and
// one without a name are copied. rename gives each copied name ("" for a literal) a new
// name, which keeps two copies in one package apart. A nil rename leaves names as they
// are, and then refuses literals. A package is imported by what qualify makes of its
// name, and of its path; a nil qualify leaves it.
func (f *Func) Source(into string, rename func(name string) string, qualify func(name, path string) string) (*Source, error) {
	if qualify == nil {
		qualify = func(name, _ string) string { return name }
	}
	s, name := f.root.src, f.root.ref.Name
	if f.gradient != nil {
		return f.written(rename, qualify)
	}
	var args []string
	for tp := range f.root.sig.TypeParams().TypeParams() {
		args = append(args, f.root.args[tp].String())
	}
	inst := ""
	if args != nil {
		inst = "[" + strings.Join(args, ", ") + "]"
	}
	switch {
	case name == "":
		if rename == nil {
			return nil, f.prog.refuse(f.Name, f.root.pos, "a function literal has no name to be copied under")
		}
	case s.pkg.Name() == "main":
	case s.path == into:
		return &Source{Expr: name + inst}, nil
	case !token.IsExported(name):
		return nil, f.prog.refuse(f.Name, f.root.pos, "%s is not exported by %s, so generated code cannot import it; export it, or declare it in the spec file", name, s.path)
	default:
		if outer, _, internal := cutInternal(s.path); internal && into != outer && !strings.HasPrefix(into, outer+"/") {
			return nil, f.prog.refuse(f.Name, f.root.pos, "%s is internal, so %s cannot import it; declare the function in the spec file, or in a package that is not internal", s.path, into)
		}
		q := qualify(s.pkg.Name(), s.path)
		return &Source{Expr: q + "." + name + inst, Imports: []Import{importOf(q, s.path)}}, nil
	}
	if rename == nil {
		rename = func(name string) string { return name }
	}
	c := &copier{f: f, src: s, rename: rename, qualify: qualify, seen: map[types.Object]bool{}, imports: map[string]Import{}}
	decls, err := c.copy()
	if err != nil {
		return nil, err
	}
	out := &Source{Expr: rename(name) + inst, Decls: decls}
	for _, i := range c.imports {
		out.Imports = append(out.Imports, i)
	}
	slices.SortFunc(out.Imports, func(a, b Import) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Name, b.Name))
	})
	return out, nil
}

// written is the source of a derivative, which has none: it is written, and calls nothing but package math.
func (f *Func) written(rename func(string) string, qualify func(name, path string) string) (*Source, error) {
	name := f.root.ref.Name + "Grad"
	if rename != nil {
		name = rename(name)
	}
	decls, imports, _, err := f.Text(name, nil)
	if err != nil {
		return nil, err
	}
	out := &Source{Expr: name, Decls: decls}
	for _, p := range imports {
		own := p[strings.LastIndexByte(p, '/')+1:]
		if q := qualify(own, p); q != own {
			return nil, f.prog.refuse(f.Name, f.root.pos, "%s imports %s, and the package has the name %s for something else; rename that", f.Name, p, own)
		}
		out.Imports = append(out.Imports, Import{Path: p})
	}
	return out, nil
}

// importOf is the import of a package by a name, which is left out if it is what the path
// ends in.
func importOf(name, path string) Import {
	if name == path[strings.LastIndexByte(path, '/')+1:] {
		name = ""
	}
	return Import{name, path}
}

// cutInternal splits a path at its last element called internal.
func cutInternal(path string) (outer, rest string, ok bool) {
	if i := strings.LastIndex("/"+path+"/", "/internal/"); i >= 0 {
		return strings.TrimSuffix(path[:i], "/"), path[i:], true
	}
	return path, "", false
}

// copier collects declarations of one package.
type copier struct {
	f       *Func
	src     *source
	rename  func(string) string
	qualify func(name, path string) string
	seen    map[types.Object]bool
	queue   []types.Object
	pieces  []piece
	imports map[string]Import // by the name that the code uses
}

// piece is the text of one declaration.
type piece struct {
	pos  token.Pos
	text string
}

func (c *copier) copy() ([]byte, error) {
	r := c.f.root
	var err error
	if lit, ok := r.node.(*ast.FuncLit); ok {
		var text string
		if text, err = c.text(lit.Type.Params.Pos(), lit.End(), lit); err == nil {
			c.pieces = append(c.pieces, piece{lit.Pos(), "func " + c.rename("") + text})
		}
	} else {
		err = c.need(c.src.info.Defs[r.node.(*ast.FuncDecl).Name])
	}
	for err == nil && len(c.queue) > 0 {
		o := c.queue[0]
		c.queue = c.queue[1:]
		err = c.declaration(o)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(c.pieces, func(a, b piece) int { return cmp.Compare(a.pos, b.pos) })
	var b bytes.Buffer
	for i, p := range c.pieces {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(p.text)
	}
	return format.Source(b.Bytes())
}

// need queues a declaration of the package.
func (c *copier) need(o types.Object) error {
	if !c.seen[o] {
		c.seen[o] = true
		c.queue = append(c.queue, o)
	}
	return nil
}

// declaration adds the text of what declares o.
func (c *copier) declaration(o types.Object) error {
	for _, file := range c.src.files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if c.src.info.Defs[d.Name] != o {
					continue
				}
				from := d.Pos()
				if d.Doc != nil {
					from = d.Doc.Pos()
				}
				text, err := c.text(from, d.End(), d)
				c.pieces = append(c.pieces, piece{d.Pos(), text})
				return err
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					text, found, err := c.spec(spec, d, o)
					if found || err != nil {
						c.pieces = append(c.pieces, piece{o.Pos(), text})
						return err
					}
				}
			}
		}
	}
	return c.f.prog.refuse(c.f.Name, o.Pos(), "%s cannot be copied; declare it in a package that can be imported", o.Name())
}

// spec returns the text of a constant, table or type if the spec declares o.
func (c *copier) spec(spec ast.Spec, d *ast.GenDecl, o types.Object) (text string, found bool, err error) {
	doc := func(own, whole *ast.CommentGroup) string {
		if own == nil && !d.Lparen.IsValid() {
			own = whole
		}
		if own == nil {
			return ""
		}
		text, _ := c.text(own.Pos(), own.End(), own)
		return text + "\n"
	}
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if c.src.info.Defs[spec.Name] != o {
			return "", false, nil
		}
		text, err = c.text(spec.Pos(), spec.End(), spec)
		return doc(spec.Doc, d.Doc) + "type " + text, true, err
	case *ast.ValueSpec:
		for i, name := range spec.Names {
			if _, isVar := o.(*types.Var); isVar && c.src.info.Defs[name] == o { // a table
				text, err = c.text(spec.Values[i].Pos(), spec.Values[i].End(), spec.Values[i])
				return doc(spec.Doc, d.Doc) + "var " + c.rename(name.Name) + " = " + text, true, err
			}
			k, isConst := o.(*types.Const)
			if c.src.info.Defs[name] != o || !isConst {
				continue
			}
			text = doc(spec.Doc, d.Doc) + "const " + c.rename(name.Name)
			if i < len(spec.Values) && !usesIota(c.src.info, spec.Values[i]) {
				if spec.Type != nil {
					typ, err := c.text(spec.Type.Pos(), spec.Type.End(), spec.Type)
					if err != nil {
						return "", true, err
					}
					text += " " + typ
				}
				val, err := c.text(spec.Values[i].Pos(), spec.Values[i].End(), spec.Values[i])
				return text + " = " + val, true, err
			}
			return text + typeText(k) + " = " + constantText(k.Val()), true, nil
		}
	}
	return "", false, nil
}

func usesIota(info *types.Info, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == types.Universe.Lookup("iota") {
			found = true
		}
		return true
	})
	return found
}

// typeText returns the type of a typed constant of a basic type, after a space.
func typeText(k *types.Const) string {
	if b, ok := k.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsUntyped == 0 {
		return " " + b.Name()
	}
	return ""
}

// constantText returns an expression with exactly the value v.
func constantText(v constant.Value) string {
	if v.Kind() == constant.Float {
		return constant.Num(v).ExactString() + ".0 / " + constant.Denom(v).ExactString() + ".0"
	}
	return v.ExactString()
}

// text returns the source between two places, with the names of what is copied
// along replaced, and notes what else it uses.
func (c *copier) text(from, to token.Pos, n ast.Node) (string, error) {
	f := c.f.prog.fset.File(from)
	src := c.f.prog.texts[f.Name()]
	var b strings.Builder
	at := f.Offset(from)
	var err error
	ast.Inspect(n, func(m ast.Node) bool {
		id, ok := m.(*ast.Ident)
		if !ok || err != nil {
			return err == nil
		}
		o := c.src.info.ObjectOf(id)
		switch {
		case o == nil || o.Pkg() == nil:
		case isPkgName(o):
			var name string
			name, err = c.imported(id, o.(*types.PkgName))
			b.Write(src[at:f.Offset(id.Pos())])
			b.WriteString(name)
			at = f.Offset(id.End())
		case o.Pkg() == c.src.pkg && o.Parent() == c.src.pkg.Scope():
			if v, isVar := o.(*types.Var); isVar {
				if _, why := c.f.prog.table(c.src, v); why != "" {
					err = c.f.prog.refuse(c.f.Name, id.Pos(), "%s", why)
					break
				}
			}
			err = c.need(o)
			b.Write(src[at:f.Offset(id.Pos())])
			b.WriteString(c.rename(id.Name))
			at = f.Offset(id.End())
		case o.Pkg() != c.src.pkg && o.Parent() == o.Pkg().Scope() && c.dotted(id):
			err = c.f.prog.refuse(c.f.Name, id.Pos(), "%s comes from an import with a dot, which cannot be copied; import the package by its name", o.Name())
		}
		return true
	})
	b.Write(src[at:f.Offset(to)])
	return b.String(), err
}

func isPkgName(o types.Object) bool { _, ok := o.(*types.PkgName); return ok }

// dotted reports whether id is written without its package.
func (c *copier) dotted(id *ast.Ident) bool {
	for _, f := range c.src.files {
		if f.FileStart <= id.Pos() && id.Pos() < f.FileEnd {
			text := c.f.prog.texts[c.f.prog.fset.Position(f.FileStart).Filename]
			before := bytes.TrimRight(text[:c.f.prog.fset.Position(id.Pos()).Offset], " \t\n")
			return !bytes.HasSuffix(before, []byte("."))
		}
	}
	return false
}

// imported notes an import and returns the name that the copy uses.
func (c *copier) imported(id *ast.Ident, p *types.PkgName) (string, error) {
	path := p.Imported().Path()
	name := c.qualify(p.Name(), path)
	i := importOf(name, path)
	if old, ok := c.imports[name]; ok && old != i {
		return "", c.f.prog.refuse(c.f.Name, id.Pos(), "%s is %s here and %s in another file that is copied along; give one of them another name", p.Name(), path, old.Path)
	}
	c.imports[name] = i
	return name, nil
}

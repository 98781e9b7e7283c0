package fn

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
)

// evaluator executes Go functions of numbers for one set of operands, statement by
// statement, as the language says: it is what translations are compared with. It
// shares go/types with the translator and nothing else. What it does not know it
// leaves by panicking with a halt.
type evaluator struct {
	info  *types.Info
	decls map[types.Object]*ast.FuncDecl
	inits map[types.Object]ast.Expr       // of the package's variables, which nothing writes
	args  map[*types.TypeParam]types.Type // of the call being executed
	vars  map[types.Object]num
	steps int
	depth int
	// fuse returns one of n ways to round a sum of products, 0 for each by itself;
	// nil is always that.
	fuse func(n int) int
}

// num is a number, or the parts of an array or struct. Only one of slack and loose
// can matter.
type num struct {
	t     Type
	bits  uint64
	parts []num
	loose bool    // what it is is the machine's business: the sign of a NaN, for one
	slack float64 // how many units in the last place it may be off
	after float64 // what slack is once it has been converted to float32
	prod  *factors
}

// factors are the operands of an unrounded product.
type factors struct {
	x, y num
	neg  bool
}

// halt is why an execution ended early.
type halt struct {
	kind string // "loose", "fault" for what Go would panic at, "unknown"
	why  string
}

func (h halt) String() string { return h.kind + ": " + h.why }

func stopWith(kind, format string, args ...any) {
	panic(halt{kind, fmt.Sprintf(format, args...)})
}

func newEvaluator(s *source) *evaluator {
	e := &evaluator{info: s.info, decls: map[types.Object]*ast.FuncDecl{}, inits: map[types.Object]ast.Expr{}}
	for _, f := range s.files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, spec := range g.Specs {
					for i, name := range spec.(*ast.ValueSpec).Names {
						if vs := spec.(*ast.ValueSpec).Values; i < len(vs) && name.Name != "_" {
							e.inits[s.info.Defs[name]] = vs[i]
						}
					}
				}
			}
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && s.info.Defs[fd.Name] != nil {
				e.decls[s.info.Defs[fd.Name]] = fd
			}
		}
	}
	return e
}

// run calls a function that has no type parameters.
func (e *evaluator) run(d *ast.FuncDecl, in []num) (out []num, h *halt) {
	defer func() {
		if r := recover(); r != nil {
			x, ok := r.(halt)
			if !ok {
				panic(r)
			}
			h = &x
		}
	}()
	e.steps, e.depth, e.args = 0, 0, nil
	return e.enter(d, nil, in), nil
}

func (e *evaluator) enter(d *ast.FuncDecl, args map[*types.TypeParam]types.Type, in []num) []num {
	if d.Body == nil {
		stopWith("unknown", "no body")
	}
	if e.depth++; e.depth > 100 {
		stopWith("unknown", "deep recursion")
	}
	outerArgs, outerVars := e.args, e.vars
	e.args, e.vars = args, map[types.Object]num{}
	defer func() { e.args, e.vars = outerArgs, outerVars; e.depth-- }()
	i := 0
	for _, f := range d.Type.Params.List {
		for _, n := range f.Names {
			e.vars[e.info.Defs[n]] = in[i]
			i++
		}
		if f.Names == nil {
			i++
		}
	}
	var results []types.Object
	if d.Type.Results != nil {
		for _, f := range d.Type.Results.List {
			for _, n := range f.Names {
				o := e.info.Defs[n]
				if o == nil {
					stopWith("unknown", "a blank result")
				}
				results = append(results, o)
				e.vars[o] = e.zero(o.Type())
			}
		}
	}
	c := e.block(d.Body.List)
	if c.kind != token.RETURN {
		stopWith("fault", "the end of %s is reached", d.Name.Name)
	}
	if c.bare {
		for _, o := range results {
			c.vals = append(c.vals, e.vars[o])
		}
	}
	return c.vals
}

// control says where an execution goes on: ILLEGAL is the next statement.
type control struct {
	kind  token.Token
	label string
	vals  []num
	bare  bool
}

func (e *evaluator) tick() {
	if e.steps++; e.steps > 2e6 {
		stopWith("fault", "too many steps")
	}
}

func (e *evaluator) block(list []ast.Stmt) control {
	for _, s := range list {
		if c := e.stmt(s, ""); c.kind != token.ILLEGAL {
			return c
		}
	}
	return control{}
}

func (e *evaluator) maybe(s ast.Stmt) {
	if s != nil {
		e.stmt(s, "")
	}
}

func (e *evaluator) truth(x ast.Expr) bool {
	v := e.expr(x)
	if v.loose {
		stopWith("loose", "a condition")
	}
	return v.bits != 0
}

func (e *evaluator) stmt(s ast.Stmt, label string) control {
	e.tick()
	switch s := s.(type) {
	case *ast.BlockStmt:
		return e.block(s.List)
	case *ast.LabeledStmt:
		return e.stmt(s.Stmt, s.Label.Name)
	case *ast.EmptyStmt:
	case *ast.ExprStmt:
		e.values(s.X)
	case *ast.DeclStmt:
		e.declare(s.Decl.(*ast.GenDecl))
	case *ast.AssignStmt:
		e.assign(s)
	case *ast.IncDecStmt:
		op := token.ADD
		if s.Tok == token.DEC {
			op = token.SUB
		}
		x := e.expr(s.X)
		one := num{t: x.t, bits: 1}
		if x.t.Float() {
			one = fromFloat(x.t, 1)
		}
		e.store(s.X, e.binary(op, x, one))
	case *ast.ReturnStmt:
		if len(s.Results) == 0 {
			return control{kind: token.RETURN, bare: true}
		}
		if len(s.Results) == 1 {
			return control{kind: token.RETURN, vals: e.values(s.Results[0])}
		}
		c := control{kind: token.RETURN}
		for _, x := range s.Results {
			c.vals = append(c.vals, e.expr(x))
		}
		return c
	case *ast.BranchStmt:
		if s.Tok == token.GOTO {
			stopWith("unknown", "goto")
		}
		c := control{kind: s.Tok}
		if s.Label != nil {
			c.label = s.Label.Name
		}
		return c
	case *ast.IfStmt:
		e.maybe(s.Init)
		if e.truth(s.Cond) {
			return e.block(s.Body.List)
		} else if s.Else != nil {
			return e.stmt(s.Else, "")
		}
	case *ast.ForStmt:
		for e.maybe(s.Init); s.Cond == nil || e.truth(s.Cond); e.maybe(s.Post) {
			e.tick()
			if c, leave := loopEnd(e.block(s.Body.List), label); leave {
				return c
			}
		}
	case *ast.RangeStmt:
		return e.rangeOver(s, label)
	case *ast.SwitchStmt:
		return e.switchOn(s, label)
	case *ast.TypeSwitchStmt:
		return e.typeSwitch(s, label)
	default:
		stopWith("unknown", "%T", s)
	}
	return control{}
}

func (e *evaluator) declare(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, s := range d.Specs {
		vs := s.(*ast.ValueSpec)
		var vals []num
		if len(vs.Values) == 1 && len(vs.Names) > 1 {
			vals = e.values(vs.Values[0])
		} else {
			for _, x := range vs.Values {
				vals = append(vals, e.expr(x))
			}
		}
		for i, n := range vs.Names {
			if o := e.info.Defs[n]; o != nil && vals != nil {
				e.vars[o] = vals[i]
			} else if o != nil {
				e.vars[o] = e.zero(o.Type())
			}
		}
	}
}

func (e *evaluator) assign(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		op := s.Tok + token.ADD - token.ADD_ASSIGN
		e.store(s.Lhs[0], e.binary(op, e.expr(s.Lhs[0]), e.expr(s.Rhs[0])))
		return
	}
	var vals []num
	if len(s.Rhs) == 1 {
		vals = e.values(s.Rhs[0])
	} else {
		for _, x := range s.Rhs {
			vals = append(vals, e.expr(x))
		}
	}
	// Indices are evaluated before anything is assigned.
	var at [][]int
	for _, l := range s.Lhs {
		at = append(at, e.path(l))
	}
	for i, l := range s.Lhs {
		e.set(l, at[i], vals[i])
	}
}

func (e *evaluator) store(to ast.Expr, v num) { e.set(to, e.path(to), v) }

// path returns the indices of parts that lead from a variable to what an
// expression names.
func (e *evaluator) path(x ast.Expr) []int {
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		return append(e.path(x.X), e.index(x, e.expr(x.X)))
	case *ast.SelectorExpr:
		if sel := e.info.Selections[x]; sel != nil {
			return append(e.path(x.X), sel.Index()...)
		}
		stopWith("unknown", "a variable of another package")
	}
	return nil
}

func (e *evaluator) index(x *ast.IndexExpr, v num) int {
	i := e.expr(x.Index)
	if i.loose {
		stopWith("loose", "an index")
	}
	n := i.signed()
	if n < 0 || n >= int64(len(v.parts)) {
		stopWith("fault", "index %d of %d", n, len(v.parts))
	}
	return int(n)
}

func (e *evaluator) set(to ast.Expr, path []int, v num) {
	for {
		switch x := ast.Unparen(to).(type) {
		case *ast.Ident:
			if x.Name == "_" {
				return
			}
			o := e.info.ObjectOf(x)
			if _, ok := e.vars[o]; !ok && e.info.Defs[x] == nil {
				stopWith("unknown", "%s", x.Name)
			}
			e.vars[o] = replaced(e.vars[o], path, v)
			return
		case *ast.IndexExpr:
			to = x.X
		case *ast.SelectorExpr:
			to = x.X
		default:
			stopWith("unknown", "%T", x)
		}
	}
}

// replaced returns x with the part that path leads to replaced; parts are shared,
// so they are copied.
func replaced(x num, path []int, v num) num {
	if len(path) == 0 {
		return v
	}
	x.parts = append([]num(nil), x.parts...)
	x.parts[path[0]] = replaced(x.parts[path[0]], path[1:], v)
	return x
}

// typ returns a type with the type arguments of this call put in.
func (e *evaluator) typ(t types.Type) types.Type {
	t = types.Unalias(t)
	if p, ok := t.(*types.TypeParam); ok {
		return e.args[p]
	}
	return t
}

// kind returns what a number of a type is, Invalid if it is none.
func (e *evaluator) kind(t types.Type) Type {
	if b, ok := e.typ(t).Underlying().(*types.Basic); ok {
		return basic(b)
	}
	return Invalid
}

func (e *evaluator) zero(t types.Type) num {
	switch u := e.typ(t).Underlying().(type) {
	case *types.Basic:
		if k := basic(u); k != Invalid {
			return num{t: k}
		}
	case *types.Array:
		if u.Len() > 1<<16 {
			stopWith("unknown", "a large array")
		}
		v := num{parts: make([]num, u.Len())}
		for i := range v.parts {
			v.parts[i] = e.zero(u.Elem())
		}
		return v
	case *types.Struct:
		v := num{parts: make([]num, u.NumFields())}
		for i := range v.parts {
			v.parts[i] = e.zero(u.Field(i).Type())
		}
		return v
	}
	stopWith("unknown", "a %v", t)
	return num{}
}

func (e *evaluator) constant(c constant.Value, k Type) num {
	switch {
	case k == Bool:
		return num{t: k, bits: map[bool]uint64{true: 1}[constant.BoolVal(c)]}
	case k == Float32:
		f, _ := constant.Float32Val(c)
		return fromFloat(k, float64(f))
	case k == Float64:
		f, _ := constant.Float64Val(c)
		return fromFloat(k, f)
	case k.Int():
		c = constant.ToInt(c)
		if n, ok := constant.Int64Val(c); ok {
			return fromInt(k, uint64(n))
		}
		n, _ := constant.Uint64Val(c)
		return fromInt(k, n)
	}
	stopWith("unknown", "the constant %v", c)
	return num{}
}

// instance returns the type arguments of a call, seen from here.
func (e *evaluator) instance(sig *types.Signature, inst types.Instance) map[*types.TypeParam]types.Type {
	args := maps.Clone(e.args)
	if args == nil {
		args = map[*types.TypeParam]types.Type{}
	}
	for i := range sig.TypeParams().Len() {
		args[sig.TypeParams().At(i)] = e.typ(inst.TypeArgs.At(i))
	}
	return args
}

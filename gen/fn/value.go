package fn

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// value is what a Go expression has become: a node, or the parts of an array, a
// struct or a slice of known length. The zero value stands for an expression that
// was refused. Anything made of it is the zero value again, so that one mistake gives
// one message.
type value struct {
	n     *node
	parts []value
	slice bool // shares its elements with others, so they may not be assigned
}

func (v value) bad() bool { return v.n == nil && v.parts == nil }

func same(a, b value) bool {
	return a.n == b.n && (a.parts == nil) == (b.parts == nil) && slices.EqualFunc(a.parts, b.parts, same)
}

// choose returns x where c holds and y elsewhere.
func (t *translator) choose(c *node, x, y value) value {
	switch {
	case c == nil || x.bad() || y.bad():
		return value{}
	case x.n != nil && y.n != nil:
		return value{n: t.sel(c, x.n, y.n)}
	case len(x.parts) != len(y.parts) || x.n != nil || y.n != nil:
		return value{}
	}
	out := value{parts: make([]value, len(x.parts)), slice: x.slice}
	for i := range x.parts {
		if out.parts[i] = t.choose(c, x.parts[i], y.parts[i]); out.parts[i].bad() {
			return value{}
		}
	}
	return out
}

// env holds what variables are at one point of the execution.
type env map[types.Object]value

// merge returns the variables of x where c holds and those of y elsewhere; only
// variables that both have are still visible.
func (t *translator) merge(c *node, x, y env) env {
	out := env{}
	keys := slices.SortedFunc(maps.Keys(x), func(a, b types.Object) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for _, k := range keys {
		w, ok := y[k]
		if v := x[k]; ok && same(v, w) {
			out[k] = v
		} else if ok {
			out[k] = t.choose(c, v, w)
		}
	}
	return out
}

// frame is one call that is being executed.
type frame struct {
	src     *source
	up      *frame
	decl    ast.Node
	args    map[*types.TypeParam]Type
	defined bool // some of args is not the very type, but like it in a lane: type Celsius float32, or int
	env     env
	results []types.Object // if they have names
	sig     *types.Signature
}

// translator executes one function symbolically.
type translator struct {
	graph
	*frame
	prog     *Program
	facts    []fact // what holds on the path that is being executed
	problems []Problem
	seen     map[Problem]bool
	globals  map[*types.Var]value // the tables looked at
	steps    int
}

// stop ends an execution that would take too long.
type stop struct{}

// Limits on what a function may unroll to.
const (
	maxTrips = 64      // of one loop
	maxOps   = 4096    // of a function, in the IR
	maxSteps = 200_000 // statements and expressions executed
	maxDepth = 64      // calls
)

// fail records a problem.
func (t *translator) fail(at ast.Node, format string, args ...any) value {
	t.failAt(at.Pos(), format, args...)
	return value{}
}

func (t *translator) failAt(pos token.Pos, format string, args ...any) {
	p := Problem{t.prog.position(pos), fmt.Sprintf(format, args...)}
	if !t.seen[p] {
		t.seen[p] = true
		t.problems = append(t.problems, p)
	}
}

// tick counts one step at a place, which nodes made from here on will have.
func (t *translator) tick(at ast.Node) {
	t.pos = at.Pos()
	if t.steps++; t.steps > maxSteps || t.n > 16*maxOps {
		t.fail(at, "the function unrolls to too much: more than %d operations or %d steps", maxOps, maxSteps)
		panic(stop{})
	}
}

// typeOf returns the type of an expression in this frame, Invalid with a message
// if lanes cannot hold it.
func (t *translator) typeOf(e ast.Expr) Type {
	tv := t.src.info.Types[e]
	if tv.Type == nil {
		if id, ok := e.(*ast.Ident); ok && t.src.info.ObjectOf(id) != nil {
			return t.scalar(id, t.src.info.ObjectOf(id).Type())
		}
		t.untyped(e)
		return Invalid
	}
	return t.scalar(e, tv.Type)
}

// untyped reports an expression that the type checker could not type, with the
// reason that it gave.
func (t *translator) untyped(e ast.Node) {
	for _, err := range t.src.errs {
		if e.Pos() <= err.Pos && err.Pos <= e.End() {
			t.failAt(err.Pos, "%s", oneLine(err.Msg))
			return
		}
	}
	t.fail(e, "the type of this is not known; does the package compile?")
}

// scalar returns what a Go type is in a lane, Invalid with a message if nothing.
func (t *translator) scalar(at ast.Node, typ types.Type) Type {
	u := t.lane(typ)
	if u == Invalid {
		if b, ok := typ.Underlying().(*types.Basic); ok && b.Kind() == types.Invalid {
			t.untyped(at)
			return u
		}
		t.fail(at, "%s has no place in a lane; use bool, intN, uintN, float32 or float64", types.TypeString(typ, nil))
	}
	return u
}

// lane is scalar without the message.
func (t *translator) lane(typ types.Type) Type {
	switch n := types.Unalias(typ).(type) {
	case *types.TypeParam:
		return t.args[n]
	case *types.Named:
		if o := n.Obj(); o.Pkg() != nil && storage(o.Pkg().Path(), o.Name()) != Invalid {
			return storage(o.Pkg().Path(), o.Name())
		}
	}
	if b, ok := typ.Underlying().(*types.Basic); ok {
		return basic(b)
	}
	return Invalid
}

// zero returns the zero value of a type.
func (t *translator) zero(at ast.Node, typ types.Type) value {
	if u := t.lane(typ); u != Invalid {
		return value{n: t.bitsConst(u, 0)}
	}
	switch u := typ.Underlying().(type) {
	case *types.Array:
		if u.Len() > maxOps {
			return t.fail(at, "an array of %d elements is too large to keep in registers", u.Len())
		}
		v := value{parts: make([]value, u.Len())}
		for i := range v.parts {
			if v.parts[i] = t.zero(at, u.Elem()); v.parts[i].bad() {
				return value{}
			}
		}
		return v
	case *types.Struct:
		v := value{parts: make([]value, u.NumFields())}
		for i := range v.parts {
			if v.parts[i] = t.zero(at, u.Field(i).Type()); v.parts[i].bad() {
				return value{}
			}
		}
		return v
	}
	t.scalar(at, typ) // says why not
	return value{}
}

// constant returns a Go constant as a value of type u.
func (t *translator) constant(at ast.Node, c constant.Value, u Type) value {
	switch {
	case u == Bool && c.Kind() == constant.Bool:
		return value{n: t.bool(constant.BoolVal(c))}
	case u == Float32:
		f, _ := constant.Float32Val(constant.ToFloat(c)) // rounds once, from the exact number
		return value{n: t.float(u, float64(f))}
	case u == Float64:
		f, _ := constant.Float64Val(constant.ToFloat(c))
		return value{n: t.float(u, f)}
	case u.Int():
		i := constant.ToInt(c)
		if n, ok := constant.Int64Val(i); ok {
			return value{n: t.bitsConst(u, uint64(n))}
		}
		if n, ok := constant.Uint64Val(i); ok && i.Kind() == constant.Int {
			return value{n: t.bitsConst(u, n)}
		}
	}
	return t.fail(at, "the constant %s is not a %v", c, u)
}

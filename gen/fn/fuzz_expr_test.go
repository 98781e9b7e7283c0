package fn

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
)

// The expressions of the evaluator.

// values evaluates an expression with any number of values.
func (e *evaluator) values(x ast.Expr) []num {
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok && e.info.Types[x].Value == nil {
		return e.call(call)
	}
	return []num{e.expr(x)}
}

func (e *evaluator) expr(x ast.Expr) num {
	e.tick()
	if tv := e.info.Types[x]; tv.Value != nil {
		return e.constant(tv.Value, e.kind(tv.Type))
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.expr(x.X)
	case *ast.Ident:
		o := e.info.ObjectOf(x)
		if v, ok := e.vars[o]; ok {
			return v
		}
		if init := e.inits[o]; init != nil {
			return e.expr(init)
		}
	case *ast.SelectorExpr:
		if sel := e.info.Selections[x]; sel != nil && sel.Kind() == types.FieldVal && !sel.Indirect() {
			v := e.expr(x.X)
			for _, i := range sel.Index() {
				v = v.parts[i]
			}
			return v
		}
	case *ast.IndexExpr:
		v := e.expr(x.X)
		if v.parts != nil {
			return v.parts[e.index(x, v)]
		}
	case *ast.CallExpr:
		if v := e.call(x); len(v) == 1 {
			return v[0]
		}
	case *ast.CompositeLit:
		return e.composite(x)
	case *ast.UnaryExpr:
		switch v := e.expr(x.X); {
		case x.Op == token.ADD:
			return v
		case x.Op == token.NOT:
			return num{t: Bool, bits: v.bits ^ 1, loose: v.loose}
		case x.Op == token.SUB && v.t.Float():
			return v.negated()
		case x.Op == token.SUB && v.t.Int():
			return e.binary(token.SUB, num{t: v.t}, v)
		case x.Op == token.XOR && v.t.Int():
			return num{t: v.t, bits: fromInt(v.t, ^v.bits).bits, loose: v.loose}
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			if v := e.expr(x.X); v.loose {
				stopWith("loose", "a condition")
			} else if (v.bits != 0) == (x.Op == token.LOR) {
				return v
			}
			return e.expr(x.Y)
		}
		return e.binary(x.Op, e.expr(x.X), e.expr(x.Y))
	}
	stopWith("unknown", "%T", x)
	return num{}
}

func (e *evaluator) composite(x *ast.CompositeLit) num {
	t := e.typ(e.info.Types[x].Type)
	st, isStruct := t.Underlying().(*types.Struct)
	if sl, ok := t.Underlying().(*types.Slice); ok {
		n, at := int64(0), int64(0)
		for _, elt := range x.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				at, _ = constant.Int64Val(e.info.Types[kv.Key].Value)
			}
			at++
			n = max(n, at)
		}
		t = types.NewArray(sl.Elem(), n)
	}
	v := e.zero(t)
	at := 0
	for _, elt := range x.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if isStruct {
				for at = 0; st.Field(at).Name() != kv.Key.(*ast.Ident).Name; at++ {
				}
			} else {
				n, _ := constant.Int64Val(e.info.Types[kv.Key].Value)
				at = int(n)
			}
			elt = kv.Value
		}
		v.parts[at] = e.expr(elt)
		at++
	}
	return v
}

func (e *evaluator) call(x *ast.CallExpr) []num {
	if e.info.Types[x.Fun].IsType() {
		return []num{e.conversion(e.info.Types[x].Type, e.expr(x.Args[0]))}
	}
	fun := ast.Unparen(x.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(f.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(f.X)
	}
	id, ok := fun.(*ast.Ident)
	if sel, isSel := fun.(*ast.SelectorExpr); isSel {
		id, ok = sel.Sel, true
	}
	if !ok {
		stopWith("unknown", "a call of %T", fun)
	}
	var in []num
	if len(x.Args) == 1 {
		in = e.values(x.Args[0])
	} else {
		for _, a := range x.Args {
			in = append(in, e.expr(a))
		}
	}
	switch o := e.info.Uses[id].(type) {
	case *types.Builtin:
		switch name := o.Name(); {
		case name == "len" && in[0].parts != nil:
			return []num{{t: Int64, bits: uint64(len(in[0].parts))}}
		case name == "max" || name == "min":
			v := in[0]
			for _, w := range in[1:] {
				v = extremeOf(name, v, w)
			}
			return []num{v}
		}
	case *types.Func:
		if o.Pkg().Path() == "math" {
			return []num{e.math(o.Name(), in)}
		}
		if o.Pkg().Path() == "math/bits" {
			return []num{bitsOf(o.Name(), in)}
		}
		if d := e.decls[o]; d != nil && !o.Signature().Variadic() {
			sig := e.info.Defs[d.Name].(*types.Func).Signature()
			return e.enter(d, e.instance(sig, e.info.Instances[id]), in)
		}
	}
	stopWith("unknown", "a call of %s", id.Name)
	return nil
}

// conversion is T(x).
func (e *evaluator) conversion(t types.Type, x num) num {
	if x.parts != nil {
		return x
	}
	k := e.kind(t)
	switch {
	case k == Invalid:
		stopWith("unknown", "a conversion to %v", t)
	case k == Bool || k.Int() && x.t == k:
		return x
	case x.loose:
		return num{t: k, loose: true}
	case k.Float() && x.t.Float():
		v := fromFloat(k, x.float())
		if v.slack = x.slack; x.t == Float64 && k == Float32 && x.after > 0 {
			v.slack = x.after
		}
		if x.slack > 0 && x.t == Float32 && k == Float64 {
			v.slack, v.loose = 0, true // units of another size
		}
		return v
	case x.slack > 0:
		return num{t: k, loose: true}
	case k.Float() && x.t.Signed():
		if n := x.signed(); k == Float32 {
			return fromFloat(k, float64(float32(n)))
		} else {
			return fromFloat(k, float64(n))
		}
	case k.Float():
		if k == Float32 {
			return fromFloat(k, float64(float32(x.bits)))
		}
		return fromFloat(k, float64(x.bits))
	case x.t.Float():
		return toInt(k, x.float())
	}
	return fromInt(k, uint64(x.signed()))
}

func toInt(k Type, x float64) num {
	if x != x {
		return num{t: k, loose: true}
	}
	x = math.Trunc(x)
	switch k {
	case Uint64:
		if x >= 0 && x < 0x1p64 {
			return num{t: k, bits: uint64(x)}
		}
	default:
		if x >= -0x1p63 && x < 0x1p63 {
			if v := fromInt(k, uint64(int64(x))); v.signed() == int64(x) {
				return v
			}
		}
	}
	stopWith("fault", "%v does not fit in %v", x, k)
	return num{}
}

// binary is x op y.
func (e *evaluator) binary(op token.Token, x, y num) num {
	cmp := op == token.EQL || op == token.NEQ || op == token.LSS || op == token.LEQ || op == token.GTR || op == token.GEQ
	switch {
	case x.parts != nil:
		eq := num{t: Bool, bits: 1}
		for i := range x.parts {
			r := e.binary(token.EQL, x.parts[i], y.parts[i])
			eq = num{t: Bool, bits: eq.bits & r.bits, loose: eq.loose || r.loose}
		}
		if op == token.NEQ {
			eq.bits ^= 1
		}
		return eq
	case x.loose || y.loose || x.slack > 0 || y.slack > 0:
		if cmp {
			return num{t: Bool, loose: true}
		}
		return num{t: x.t, loose: true}
	case cmp:
		return num{t: Bool, bits: map[bool]uint64{true: 1}[holdsIn(op, x, y)]}
	case x.t == Float32:
		return e.fused(op, x, y, fromFloat(Float32, float64(op32(op, float32(x.float()), float32(y.float())))))
	case x.t == Float64:
		return e.fused(op, x, y, fromFloat(Float64, op64(op, x.float(), y.float())))
	case op == token.SHL || op == token.SHR:
		return shiftOf(op, x, y)
	}
	return opInt(op, x, y)
}

// fused is the result of a sum or difference: of v, which is rounded by itself, or
// without the rounding of a product before.
func (e *evaluator) fused(op token.Token, x, y, v num) num {
	if op == token.MUL {
		v.prod = &factors{x: x, y: y}
	}
	if op != token.ADD && op != token.SUB || e.fuse == nil {
		return v
	}
	var ways []num
	fma := func(p *factors, turned bool, z num) {
		a, b, c := p.x.float(), p.y.float(), z.float()
		if p.neg != turned {
			a = -a
		}
		if v.t == Float32 {
			ways = append(ways, fromFloat(Float32, float64(fma32(float32(a), float32(b), float32(c)))))
			return
		}
		ways = append(ways, fromFloat(Float64, math.FMA(a, b, c)))
	}
	if x.prod != nil {
		z := y
		if op == token.SUB {
			z = y.negated()
		}
		fma(x.prod, false, z)
	}
	if y.prod != nil {
		fma(y.prod, op == token.SUB, x)
	}
	if i := e.fuse(1 + len(ways)); i > 0 {
		return ways[i-1]
	}
	return v
}

func holdsIn(op token.Token, x, y num) bool {
	less, equal, ordered := x.bits < y.bits, x.bits == y.bits, true
	switch {
	case x.t.Float():
		a, b := x.float(), y.float()
		less, equal, ordered = a < b, a == b, a == a && b == b
	case x.t.Signed():
		less = x.signed() < y.signed()
	}
	switch op {
	case token.EQL:
		return equal
	case token.NEQ:
		return !equal
	case token.LSS:
		return less
	case token.LEQ:
		return less || equal
	case token.GTR:
		return ordered && !less && !equal
	}
	return ordered && !less
}

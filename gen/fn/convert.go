package fn

import (
	"go/ast"
	"go/types"
	"strconv"
)

// conversion evaluates T(x).
func (t *translator) conversion(e *ast.CallExpr) value {
	typ := t.src.info.Types[e].Type
	arg := e.Args[0]
	if _, param := types.Unalias(typ).(*types.TypeParam); !param && types.IsInterface(typ) {
		return t.fail(e, "interfaces have no place in a lane")
	}
	v := t.expr(arg)
	if v.bad() {
		return v
	}
	if v.n == nil { // arrays and structs of one shape
		return v
	}
	u := t.scalar(e, typ)
	if u == Invalid {
		return value{}
	}
	row := rowOf(conversionForms, func(r *conversionForm) bool { return r.has(v.n.t, u) })
	if row == nil {
		return t.fail(e, "%v to %v is no conversion of Go", v.n.t, u)
	}
	return row.run(t, e, u, v.n)
}

// intToFloat converts through an int32 where that holds the number, since every
// machine can, or an int64.
func (t *translator) intToFloat(e *ast.CallExpr, u Type, x *node) value {
	r := rangeOf(x, t.facts)
	switch {
	case fits(Int32, r):
		return value{n: t.convert(u, 32, x)}
	case x.t != Uint64 || topClear(x) || fits(Int64, r):
		return value{n: t.convert(u, 64, x)}
	}
	return t.fail(e, "%v to %v has no vector form for numbers from 1<<63; shift or mask it first", x.t, u)
}

// topClear reports whether the top bit is known to be 0, which intervals, whose
// ends are float64, cannot tell of numbers near 1<<63.
func topClear(x *node) bool {
	switch x.op {
	case opConst:
		return int64(x.bits) >= 0
	case opShr:
		return x.bits > 0
	case opAnd:
		return topClear(x.args[0]) || topClear(x.args[1])
	}
	return false
}

// floatToInt converts a number that is proven to be in range.
func (t *translator) floatToInt(e *ast.CallExpr, u Type, x *node) value {
	r := rangeOf(x, t.facts)
	switch {
	case r.lo > r.hi:
		if !x.isConst() { // nothing but NaN gets here, or nothing at all
			return value{n: t.convert(u, 32, x)}
		}
		return t.fail(e, "this converts a NaN to %v", u)
	case !fits(u, r):
		lo, hi := typeRange(u).lo, typeRange(u).hi
		if u.Bits() > 32 {
			return t.fail(e, "%v to %v may be out of range, from %s to %s, where machines differ; clamp it first", x.t, u, number64(r.lo), number64(r.hi))
		}
		return t.fail(e, "%v to %v may be out of range, from %s to %s, where machines differ; clamp it first, as in %v(max(%s, min(%s, x)))",
			x.t, u, number64(r.lo), number64(r.hi), u, number64(lo), number64(hi))
	case fits(Int32, r):
		return value{n: t.convert(u, 32, x)}
	case fits(Int64, r):
		return value{n: t.convert(u, 64, x)}
	}
	return t.fail(e, "%v to %v has no vector form for numbers from 1<<63; clamp it below", x.t, u)
}

func number64(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }

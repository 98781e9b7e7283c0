package fn

import (
	"fmt"
	"go/ast"
	"go/types"
	"math"
	"math/big"
	"strconv"
	"strings"
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
	// Half of it, with the bit that is cut off in the last place: it rounds alike.
	one := t.bitsConst(Uint64, 1)
	half := t.convert(u, 64, t.or(t.shifted(opShr, x, 1), t.and(x, one)))
	top := t.cmp("lt", t.convert(Int64, 0, x), t.bitsConst(Int64, 0))
	return value{n: t.sel(top, t.binary(opAdd, half, half), t.convert(u, 64, x))}
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
		return t.outOfRange(e, u, x.t, r)
	case fits(Int32, r):
		return value{n: t.convert(u, 32, x)}
	case fits(Int64, r):
		return value{n: t.convert(u, 64, x)}
	}
	// Numbers above 1<<63 are added again after the conversion.
	half := t.float(x.t, 0x1p63)
	top := t.cmp("ge", x, half)
	low := t.convert(u, 64, t.sel(top, t.binary(opSub, x, half), x))
	return value{n: t.binary(opXor, low, t.sel(top, t.bitsConst(u, 1<<63), t.bitsConst(u, 0)))}
}

// outOfRange refuses a conversion, and says between which numbers of the float's own
// type it would be one. The ends of an integer type are not always among them.
func (t *translator) outOfRange(e *ast.CallExpr, u, from Type, r interval) value {
	end := math.Ldexp(1, u.Bits())
	if u.Signed() {
		end /= 2
	}
	lo, hi := typeRange(u).lo, greatestBelow(from, end)
	name, note := "x", ""
	if id, ok := ast.Unparen(e.Args[0]).(*ast.Ident); ok {
		name = id.Name
	}
	if hi != end-1 || hi+1 == hi {
		note = fmt.Sprintf("; %s is the last %v before %s", number64(hi), from, number64(end))
	}
	return t.fail(e, "%v to %v may be out of range, from %s to %s, where machines differ; clamp it first, as in %v(max(%s, min(%s, %s)))%s",
		from, u, number64(r.lo), number64(r.hi), u, number64(lo), number64(hi), name, note)
}

// greatestBelow returns the greatest number of a float type that is an integer below
// end, a power of two.
func greatestBelow(t Type, end float64) float64 {
	if t == Float32 && end > 1<<24 {
		return float64(math.Nextafter32(float32(end), 0))
	}
	if end > 1<<53 {
		return math.Nextafter(end, 0)
	}
	return end - 1
}

// number64 writes a number as a Go constant, exactly.
func number64(x float64) string {
	if math.Abs(x) < 1e21 && x == math.Trunc(x) {
		return big.NewFloat(x).Text('f', 0)
	}
	return strings.Replace(strconv.FormatFloat(x, 'g', 10, 64), "e+", "e", 1)
}

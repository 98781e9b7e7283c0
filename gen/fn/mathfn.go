package fn

import (
	"fmt"
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/emit/vmath"
)

// The functions of package math. Functions that a machine has, or nearly so, are
// operations of their own, with rows in ops. The elementary ones are calls of package vmath, whose list
// grows without a change here.

// mathFunc makes the node of a call, or says why it cannot.
type mathFunc func(t *translator, x []*node) (n *node, why string)

// mathFuncs are the functions of package math that have a vector form.
var mathFuncs = map[string]mathFunc{
	"math.Float32bits":     bitsAs(Uint32),
	"math.Float32frombits": bitsAs(Float32),
	"math.Float64bits":     bitsAs(Uint64),
	"math.Float64frombits": bitsAs(Float64),
	"math.NaN": func(t *translator, _ []*node) (*node, string) {
		return t.float(Float64, math.NaN()), ""
	},
	"math.Inf": func(t *translator, x []*node) (*node, string) {
		if !x[0].isConst() {
			return nil, "the sign is not a constant"
		}
		return t.float(Float64, math.Inf(sign(x[0].int()))), ""
	},
	"math.IsNaN": func(t *translator, x []*node) (*node, string) {
		return t.cmp("ne", x[0], x[0]), ""
	},
	"math.IsInf": func(t *translator, x []*node) (*node, string) {
		if !x[1].isConst() {
			return nil, "the sign is not a constant"
		}
		up, down := t.cmp("eq", x[0], t.float(Float64, math.Inf(1))), t.cmp("eq", x[0], t.float(Float64, math.Inf(-1)))
		switch sign(x[1].int()) {
		case 1:
			return up, ""
		case -1:
			return down, ""
		}
		return t.or(up, down), ""
	},
	"math.Signbit": func(t *translator, x []*node) (*node, string) {
		y, u := x[0], Int64
		if in := t.narrowed(x); in != nil {
			y, u = in[0], Int32
		}
		return t.cmp("lt", t.reread(u, y), t.bitsConst(u, 0)), ""
	},
	"math.Mod": mod,
	"math.Dim": func(t *translator, x []*node) (*node, string) {
		v, zero := t.binary(opSub, x[0], x[1]), t.float(Float64, 0)
		return t.sel(t.cmp("le", v, zero), zero, v), ""
	},
}

func init() {
	// The elementary functions are called by name.
	for _, name := range vmath.Names() {
		if mathFuncs[name] == nil && strings.HasPrefix(name, "math.") {
			mathFuncs[name] = func(t *translator, x []*node) (*node, string) {
				return t.node(opCall, Float64, name, 0, x...), ""
			}
		}
	}
}

func bitsAs(u Type) mathFunc {
	return func(t *translator, x []*node) (*node, string) { return t.reread(u, x[0]), "" }
}

func sign(x int64) int {
	if x < 0 {
		return -1
	}
	return int(min(x, 1))
}

// mathPairs are the functions of package math with two results: a function for each.
var mathPairs = map[string][2]string{"math.Sincos": {"math.Sin", "math.Cos"}}

// mod is math.Mod by a constant, of a number that is known to be a few multiples of it.
// The remainder is then exact, and of float32 operands a float32.
func mod(t *translator, x []*node) (*node, string) {
	if !x[1].isConst() {
		return nil, "the divisor is not a constant"
	}
	c := math.Abs(x[1].float())
	if !(c > 0) || math.IsInf(c, 1) {
		return nil, fmt.Sprintf("a divisor of %s leaves nothing to compute", number64(x[1].float()))
	}
	const most = 1 << 24
	r := rangeOf(x[0], t.facts)
	if far := max(-r.lo, r.hi) / c; !(far < most) {
		end := number64(c * (most - 1))
		return nil, fmt.Sprintf("the first operand may be as large as %s times %s, and the remainder is exact below %d times; clamp it first, as in max(-%s, min(%s, x))",
			number64(far), number64(c), most, end, end)
	}
	if in := t.narrowed(x); in != nil {
		return t.raw(opConv, Float64, "", 0, t.node(opCall, Float32, "math.Mod", 0, in...)), ""
	}
	return t.node(opCall, Float64, "math.Mod", 0, x...), ""
}

// mathULP bounds the error of a call in lanes of type t.
func mathULP(name string, t Type) float64 {
	f := vmath.Lookup(name)
	if t == Float32 {
		return f.F32ULP
	}
	return f.F64ULP
}

package fn

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
)

var mathRows = []row{
	{f: fntest.Rotate, tol: 8}, {f: fntest.Wave, tol: 8}, {f: fntest.Circle[float32], tol: 4}, {f: fntest.Circle[float64], better: circle, tol: 4},
	{f: fntest.Arcs[float32], tol: 4}, {f: fntest.Arcs[float64], better: arcs, tol: 4}, {f: fntest.Hyperbola[float32], tol: 4}, {f: fntest.Hyperbola[float64], tol: 4},
	{f: fntest.Roots[float32], tol: 4}, {f: fntest.Roots[float64], tol: 4}, {f: fntest.Polar, tol: 4},
	{f: fntest.Gamma, tol: 4}, {f: fntest.Raise[float32], tol: 4},
	{f: fntest.Phase}, {f: fntest.Digit},
}

// TestMath compares functions that call package math with what Go makes of them.
func TestMath(t *testing.T) {
	p := load(t)
	for _, r := range mathRows {
		f := lookup(t, p, r.f)
		native := r.f
		if r.better != nil {
			native = r.better
		}
		t.Run(fmt.Sprint(f.Name, f.Params), func(t *testing.T) { compare(t, f, native, true, r.tol) })
	}
}

// circle is fntest.Circle. Package math has x for the tangent of a small x, which is up to 30 units away.
func circle(x float64) (sin, cos, tan, atan float64) {
	sin, cos = math.Sincos(x)
	if tan = math.Tan(x); math.Abs(x) < 1e-6 {
		tan = sin / cos
	}
	return sin, cos, tan, math.Atan(x)
}

// arcs is fntest.Arcs. Package math loses digits of 1 - x*x where x is near 1.
func arcs(x float64) (asin, acos, atanh float64) {
	y := max(-1, min(1, x))
	other := math.Sqrt((1 - y) * (1 + y))
	return math.Atan2(y, other), math.Atan2(other, y), math.Atanh(y)
}

// TestEveryFunction: what package vmath has can be called, by the name that it goes by
// in Go.
func TestEveryFunction(t *testing.T) {
	for _, name := range vmath.Names() {
		if strings.HasPrefix(name, "math.") && mathFuncs[name] == nil {
			t.Errorf("%s has no vector form in Go functions", name)
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(mathPairs)) {
		for _, name := range mathPairs[pair] {
			if vmath.Lookup(name) == nil {
				t.Errorf("%s needs %s", pair, name)
			}
		}
	}
}

// TestSincos: one reduction for both, whether they are called together or apart.
func TestSincos(t *testing.T) {
	p := load(t)
	for _, f := range []*Func{lookup(t, p, fntest.Rotate), lookup(t, p, fntest.Wave)} {
		if one := vmath.Lookup("math.Sin").F64Ops; f.ops > one*3/2 {
			t.Errorf("%s has %d operations, and a sine of float64 %d", f.Name, f.ops, one)
		}
	}
	if f := lookup(t, p, fntest.Phase); f.Widest() != emit.F32 || len(f.Accuracy()) != 0 {
		t.Errorf("%s takes %v, and is not exact: %v", f.Name, f.Widest(), f.Accuracy())
	}
}

// TestModRefused: nothing is taken for granted.
func TestModRefused(t *testing.T) {
	cases := []struct{ body, want string }{
		{"return float32(math.Mod(float64(x), float64(y)))", "math.Mod: the divisor is not a constant"},
		{"return float32(math.Mod(float64(x), 3))",
			"math.Mod: the first operand may be as large as +Inf times 3, and the remainder is exact below 16777216 times; clamp it first, as in max(-50331645, min(50331645, x))"},
		{"return float32(math.Mod(float64(x), 0))", "math.Mod: a divisor of 0 leaves nothing to compute"},
		{"if x < 0 || x > 100 { return y }; return float32(math.Mod(float64(x), 3))", ""}, // a NaN stays one
		{"if x > 0 && x < 100 { return float32(math.Mod(float64(x), 3)) }; return y", ""},
	}
	text := "package mod\n\nimport \"math\"\n"
	for i, c := range cases {
		text += fmt.Sprintf("\nfunc f%d(x, y float32) float32 { %s }\n", i, c.body)
	}
	p, _ := snippet(t, text)
	for i, c := range cases {
		ref, err := Named(fmt.Sprintf("f%d", i))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		var list *Error
		if _, err := p.Lookup(ref); errors.As(err, &list) {
			got = list.Problems[0].Msg
		} else if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s\nhave %s\nwant %s", c.body, got, c.want)
		}
	}
}

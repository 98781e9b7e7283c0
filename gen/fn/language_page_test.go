package fn

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/vmath"
)

// write writes the page.
func (p *page) write() {
	p.say(`# The language of epilogues

<!-- Written by go test ./gen/fn -run TestLanguage -update, from the tables of package gen/fn; do not edit. -->

An epilogue is a Go function of scalars; [howto-epilogue.md](howto-epilogue.md) says how to write one. It is translated, not called. Each
lane of a vector holds one element, and all lanes do the same. Branches become selections, loops are unrolled, and calls are replaced by the
bodies of what they call.

This page says what you may write in such a function, and what it means on AVX2, AVX-512 and GPUs. Everything else is refused, with its place and a
reason. The functions shown are those of [gen/fn/testdata/fntest/lang](../gen/fn/testdata/fntest/lang). A test translates them, runs them and compares with Go.

## Types
`)
	p.types()
	p.say("## Statements\n")
	p.forms(formsOf(stmtForms, func(r stmtForm) form { return r.form }))
	p.say("## Expressions\n")
	p.forms(formsOf(exprForms, func(r exprForm) form { return r.form }))
	p.say("## Operators\n")
	p.operators()
	p.say("## Conversions\n")
	p.forms(formsOf(conversionForms, func(r conversionForm) form { return r.form }))
	p.say("## Builtin functions\n")
	p.forms(formsOf(builtinForms, func(r builtinForm) form { return r.form }))
	p.say("## Functions of package math\n")
	p.math()
	p.say("## Types of package dtype\n")
	p.storage()
	p.say("## Products and sums\n\n%s `tilesmith explain` names the line of each.\n", contractionRule)
	p.contractions()
	p.say("## Derivatives\n\n%s\n", derivativeRule)
	p.say("## Ranges of operands\n\n%s\n", rangeRule)
	p.say(`## float64 inside of float32

%s on an argument of type float32 is one operation on float32, within the error of the table above. So are roundings, %s, %s,
comparisons and selections of what was a float32 before. Any other arithmetic of float64 runs in lanes of 64 bits, half as many to a register,
in epilogues and in the functions of a semiring.
%s says where. Denormal numbers are kept everywhere.

## Limits

A loop has at most %d trips. A function unrolls to at most %d operations, and translating executes at most %d of its steps. Calls nest
%d deep.

## What is refused, and what works
`, "`float32(math.F(float64(x)))`", "`math.Abs`", "`max`", "`tilesmith explain`", maxTrips, maxOps, maxSteps, maxDepth)
	p.refusals()
}

func formsOf[R any](rows []R, f func(R) form) []form {
	var fs []form
	for _, r := range rows {
		fs = append(fs, f(r))
	}
	return fs
}

func (p *page) types() {
	var rows [][]string
	for u := Bool; int(u) < len(typeTable); u++ {
		note := ""
		switch {
		case u == Bool:
			note = "a bit of a mask; not a parameter or result of a kernel's epilogue"
		case u == Int64, u == Uint64:
			note = "also `" + strings.TrimSuffix(u.String(), "64") + "`"
		case u == Uint8:
			note = "also `byte`"
		case u == Int32:
			note = "also `rune`"
		case u.Storage():
			note = "only stored: what there is to do with it is below"
		}
		rows = append(rows, []string{code(u.String()), fmt.Sprint(u.Bits()), note})
	}
	p.table([]string{"type", "bits", ""}, rows)
	p.say("Types that you define by these count as them, and so do type parameters. Inside the function you may use arrays and structs of them,\n" +
		"and slice literals.\n")
}

func (p *page) operators() {
	var rows [][]string
	var fs []form
	for _, r := range binaryForms {
		rows = append(rows, []string{code(r.written), r.on, cell(r.means)})
		fs = append(fs, r.form)
	}
	for _, r := range unaryForms {
		rows = append(rows, []string{code(r.written), r.on, cell(r.means)})
		fs = append(fs, r.form)
	}
	p.table([]string{"written", "of", "meaning"}, rows)
	p.examples(fs)
}

// math writes the table of functions of package math, and of others that have no source to translate.
func (p *page) math() {
	p.say("Errors are in units in the last place, against the correctly rounded result; 0 means that the result is correctly rounded. In float32, the bound\n" +
		"of a function of one argument was tried for all 2^32 arguments, that of a function of two for 2^28 pairs. In float64 it is that of a test against math/big.\n\n" +
		"AVX2, AVX-512 and GPUs do the same operations in the same order. So a bound holds for each of them, and their results have the same bits.\n" +
		"The portable code calls package math. In float32 that is within 1 ulp; in float64 it is what package math is.\n")
	ulp := func(x float64) string { return fmt.Sprint(x) }
	var rows [][]string
	var fs []form
	for _, full := range slices.Sorted(maps.Keys(mathFuncs)) {
		name := shortName(full)
		if strings.HasPrefix(name, "dtype.") || strings.HasPrefix(name, "bits.") && strings.TrimRight(name, "0123456789") != name {
			continue
		}
		row, f, ok := described(name)
		switch {
		case !ok:
			p.t.Errorf("nothing says what %s does", name)
		case f != nil:
			portable := "1"
			if f.F32ULP == 0 {
				portable = "0"
			}
			doc := f.Doc
			if f.Domain != "" {
				doc += "; " + f.Domain
			}
			rows = append(rows, []string{code(name), cell(doc), ulp(f.F32ULP), portable, ulp(f.F64ULP), fmt.Sprintf("%d, %d", f.F32Ops, f.F64Ops)})
		default:
			rows = append(rows, []string{code(name), cell(row.means), "0", "0", "0", ""})
			fs = append(fs, row)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(mathPairs)) {
		x, y := vmath.Lookup(mathPairs[name][0]), vmath.Lookup(mathPairs[name][1])
		rows = append(rows, []string{code(name), fmt.Sprintf("%s and %s, together", x.Doc, y.Doc), ulp(x.F32ULP), "1", ulp(x.F64ULP), ""})
	}
	p.table([]string{"function", "", "float32: AVX2, AVX-512, GPU", "float32: portable", "float64: AVX2, AVX-512, GPU", "operations in float32, float64"}, rows)
	p.examples(fs)
}

func (p *page) storage() {
	var rows [][]string
	var fs []form
	for _, name := range slices.Sorted(maps.Keys(mathMeans)) {
		f := mathMeans[name]
		switch {
		case strings.HasPrefix(name, "dtype."):
			rows = append(rows, []string{code(name + "(x)"), f.means})
		case strings.HasPrefix(name, "."):
			rows = append(rows, []string{code("x" + name + "()"), f.means})
		default:
			continue
		}
		fs = append(fs, f)
	}
	p.table([]string{"written", "meaning"}, rows)
	p.examples(fs)
}

// contractions are bodies of functions of x, y and z.
var contractions = []string{
	"return x*y + z", "return z - x*y", "return -(x * y) - z", "p := x * y; return p + z",
	"return x*x + x - x/3", "return x*y + z*z", "return float32(x*y) + z", "p := x * y; return (p + z) * p",
}

func (p *page) contractions() {
	funcs := make([]string, len(contractions))
	for i, body := range contractions {
		funcs[i] = "func f(x, y, z float32) float32 { " + body + " }"
	}
	var rows [][]string
	for i, err := range translated(p.t, funcs) {
		if err.error != nil {
			p.t.Errorf("%s: %v", contractions[i], err)
			continue
		}
		var parts []string
		for _, c := range err.f.Contractions() {
			what := "fused"
			if !c.Fused {
				what = "not: " + c.Why
			}
			parts = append(parts, what)
		}
		rows = append(rows, []string{code(contractions[i]), strings.Join(parts, "; ")})
	}
	p.table([]string{"written", "products in sums"}, rows)
}

// refusalPairs are functions that are refused, and what to write in their place.
var refusalPairs = []struct{ refused, works string }{
	{"func f(x float32) float32 { return x * counter }", "func f(x, counter float32) float32 { return x * counter }"},
	{"func f(x float32) float32 { counter = x; return x }", "func f(x float32) (float32, float32) { return x, x }"},
	{"func f(x float32) float32 { return celsius(x).kelvin() }", "func f(x float32) float32 { return kelvin(x) }"},
	{"func f(x float32) float32 { g := helper; return g(x) }", "func f(x float32) float32 { return helper(x) }"},
	{"func f(x float32) float32 { return func() float32 { return x }() }", "func f(x float32) float32 { return helper(x) }"},
	{"func f(x float32) float32 { if x < 1 { return x }; return f(x - 1) }", "func f(x float32) float32 { for range 8 { if x >= 1 { x-- } }; return x }"},
	{"func f(x float32) float32 { return sum(x, x) }", "func f(x float32) float32 { return helper(x) + helper(x) }"},
	{"func f(x float32) float32 { p := &x; *p = 2; return x }", "func f(x float32) float32 { x = 2; return x }"},
	{"func f(x float32) float32 { s := make([]float32, 2); return s[0] + x }", "func f(x float32) float32 { var s [2]float32; return s[0] + x }"},
	{"func f(x float32) float32 { a := [3]float32{1, 2, 3}; s := a[:2]; return x * s[0] }", "func f(x float32) float32 { a := [3]float32{1, 2, 3}; return x * a[0] }"},
	{"func f(x float32) float32 { s := []float32{x}; s[0] = 2; return s[0] }", "func f(x float32) float32 { s := [1]float32{x}; s[0] = 2; return s[0] }"},
	{"func f(x float32) float32 { m := map[int]float32{1: x}; return m[1] }", "func f(x float32) float32 { m := [2]float32{1: x}; return m[1] }"},
	{"func f(x float32) float32 { var y any = x; _ = y; return x }", "func f(x float32) float32 { y := x; return y }"},
	{"func f(x float32) float32 { s := \"a\"; _ = s; return x }", "func f(x float32) float32 { const s = \"a\"; return x }"},
	{"func f(x complex64) complex64 { return x }", "func f(re, im float32) (float32, float32) { return re, im }"},
	{"func f(x float32) float32 { fmt.Println(x); return x }", "func f(x float32) (out, seen float32) { return x, x }"},
	{"func f(x float32) float32 { if x < 0 { panic(\"no\") }; return x }", "func f(x float32) float32 { if x < 0 { return float32(math.NaN()) }; return x }"},
	{"func f(x float32) float32 { go helper(x); return x }", "func f(x float32) float32 { return x }"},
	{"func f(x float32) float32 { defer helper(x); return x }", "func f(x float32) float32 { return x }"},
	{"func f(x float32) float32 { c <- x; return x }", "func f(x float32) (out, sent float32) { return x, x }"},
	{"func f(x float32) float32 { if x > 0 { goto end }; x = 1\nend:\n\treturn x }", "func f(x float32) float32 { if !(x > 0) { x = 1 }; return x }"},
	{"func f(x float32) float32 { for x < 100 { x *= 2 }; return x }", "func f(x float32) float32 { for range 8 { if x < 100 { x *= 2 } }; return x }"},
	{"func f(x float32) float32 { for range 100 { x = x*x - 1 }; return x }", "func f(x float32) float32 { for range 10 { for range 10 { x = x*x - 1 } }; return x }"},
	{"func f(x float32, i int32) float32 { a := [2]float32{1, 2}; return x * a[i] }", "func f(x float32, i int32) float32 { if i == 0 { return x }; return x * 2 }"},
	{"func f(x float32) int8 { return int8(x) }", "func f(x float32) int8 { return int8(max(-128, min(127, x))) }"},
	{"func f(x, n int32) int32 { return x / n }", "func f(x, n int32) int32 { if n == 0 { return 0 }; return x / n }"},
	{"func f(x, n int32) int32 { return x << n }", "func f(x, n int32) int32 { return x << uint(n) }"},
	{"func f(x float64) float64 { return math.Gamma(x) }", "func f(x float64) float64 { return math.Exp(x) }"},
}

func (p *page) refusals() {
	var refused, works []string
	for _, r := range refusalPairs {
		refused, works = append(refused, r.refused), append(works, r.works)
	}
	no, yes := translated(p.t, refused), translated(p.t, works)
	var rows [][]string
	for i, r := range refusalPairs {
		var list *Error
		if !errors.As(no[i].error, &list) {
			p.t.Errorf("%s\n\tis not refused: %v; take it off the list, and give it a row in a table", r.refused, no[i].error)
			continue
		}
		if yes[i].error != nil {
			p.t.Errorf("%s\n\tis refused: %v", r.works, yes[i].error)
		}
		said := list.Problems[len(list.Problems)-1].Msg
		if said, _, ok := strings.Cut(said, "; those that have one are "); ok {
			rows = append(rows, []string{code(body(r.refused)), cell(said) + "; those that have one are above", code(body(r.works))})
			continue
		}
		rows = append(rows, []string{code(body(r.refused)), cell(said), code(body(r.works))})
	}
	p.table([]string{"refused", "said", "works"}, rows)
}

// body is a function as a cell of a table shows it.
func body(src string) string {
	return strings.ReplaceAll(strings.TrimPrefix(src, "func "), "\n", " ")
}

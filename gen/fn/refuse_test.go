package fn

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// refusals are functions called f and what is said of them: one line for each
// problem, without its place.
var refusals = []struct{ src, want string }{
	// What the function may be.
	{"func f(x float32) {}", "f has no result, so all it could have is an effect"},
	{"func f(x ...float32) float32 { return 0 }", "methods and variable numbers of parameters are not translated; make it a plain function"},
	{"func f(x string) float32 { return 0 }", "string has no place in a lane; use bool, intN, uintN, float32 or float64"},
	{"func f(x complex64) complex64 { return x }", "complex64 has no place in a lane; use bool, intN, uintN, float32 or float64"},
	{"func f(x []float32) float32 { return x[0] }", "[]float32 has no place in a lane; use bool, intN, uintN, float32 or float64"},
	{"func f(x *float32) float32 { return *x }", "*float32 has no place in a lane; use bool, intN, uintN, float32 or float64"},
	{"func f(x map[int]float32) float32 { return x[0] }", "map[int]float32 has no place in a lane; use bool, intN, uintN, float32 or float64"},
	{"func f(x any) float32 { return 0 }", "any has no place in a lane; use bool, intN, uintN, float32 or float64"},
	{"func f[T float32 | float64]() T { return 0 }", "nothing tells what the type parameter T of f is; write it as in f[float32]"},
	{"func f(x float32) float32", "f has no Go source to translate"},

	// Effects.
	{"func f(x float32) float32 { counter = x; return x }", "assigning to the variable counter, which is outside the function, is an effect; return the value instead"},
	{"func f(x float32) float32 { counter += x; return x }", "the variable counter is outside the function, and may change; make it a constant, or declare it inside\nassigning to the variable counter, which is outside the function, is an effect; return the value instead"},
	{"func f(x float32) float32 { return x * counter }", "the variable counter is outside the function, and may change; make it a constant, or declare it inside"},
	{"func f(x float32) float32 { return x * written[1] }", "the table written may be written at refused.go:26:15, so its elements are not known; look them up in a table that nothing writes, or declare it inside"},
	{"func f(x float32) float32 { return x * pointed[1] }", "the table pointed may be written at refused.go:17:13, so its elements are not known; look them up in a table that nothing writes, or declare it inside"},
	{"func f(x float32) float32 { return x * Shared[1] }", "the table Shared is exported, so another package may write it; give it a name with a small letter"},
	{"func f(x float32) float32 { return x * computed[1] }", "the elements of the variable computed are not all constants; write them out"},
	{"func f(x float32) float32 { return x * unset[1] }", "the table unset has no list of elements where it is declared; write one"},
	{"func f(x float32) float32 { return x * slice[1] }", "the variable slice is outside the function, and may change; make it a constant, or declare it inside"},
	{"func f(x float32) float32 { return x + float32(len(os.Args)) }", "the variable Args is of another package, which may change it; declare it in this one"},
	{"func f(x float32, i uint8) float32 { return x * table[i] }", "the index may be outside of the 2 elements: it is known to be from 0 to 255; keep it inside, as in [i & 1]"},
	{"func f(x float32, i int32) float32 { if i < 2 { return table[i] }; return x }", "the index may be outside of the 2 elements: it is known to be from -2147483648 to 1; keep it inside, as in [max(0, min(1, i))]"},
	{"func f(x float32, i int32) float32 { a := [3]float32{}; a[i] = x; return a[0] }", "the index of what is assigned to is not known before the function runs; go over the array, as in for k := range a { if k == i { a[k] = x } }"},
	{"func f(x float32) float32 { os.Args = nil; return x }", "assigning to the variable Args, which is outside the function, is an effect; return the value instead\nnil has no place in a lane"},
	{"func f(x float32) float32 { go helper(x); return x }", "a goroutine is an effect; the function may only compute its results"},
	{"func f(x float32) float32 { defer helper(x); return x }", "defer is an effect; the function may only compute its results"},
	{"func f(x float32) float32 { c <- x; return x }", "channels are an effect; the function may only compute its results"},
	{"func f(x float32) float32 { return <-c }", "channels are an effect; the function may only compute its results"},
	{"func f(x float32) float32 { select {}; return x }", "channels are an effect; the function may only compute its results"},
	{"func f(x float32) float32 { if x < 0 { panic(\"no\") }; return x }", "panic has no place in a lane; return a NaN or an operand instead"},
	{"func f(x float32) float32 { println(x); return x }", "the builtin function println has no meaning in a lane"},
	{"func f(x float32) float32 { p := &x; *p = 2; return x }", "pointers have no place in a lane; use values\npointers have no place in a lane; use values"},
	{"func f(x float32) float32 { p := new(float32); _ = p; return x }", "new makes memory, which has no place in a lane; use an array of fixed length"},
	{"func f(x float32) float32 { s := make([]float32, 4); return s[0] + x }", "make makes memory, which has no place in a lane; use an array of fixed length"},
	{"func f(x float32) float32 { s := []float32{x}; s[0] = 2; return s[0] }", "assigning to an element of a slice is an effect on whoever shares it; use an array"},
	{"func f(x float32) float32 { m := map[int]float32{1: x}; return m[1] }", "map[int]float32 has no place in a lane"},
	{"func f(x float32) float32 { s := \"a\"; _ = s; return x }", "strings have no place in a lane"},

	// Calls.
	{"func f(x float32) float32 { return f(x - 1) }", "f calls itself; recursion is not translated, use a loop with a constant number of trips"},
	{"func f(x float32) float32 { return even(x) }", "even calls itself; recursion is not translated, use a loop with a constant number of trips"},
	{"func f(x float32) float32 { return celsius(x).kelvin() }", "methods are not translated; make kelvin a function"},
	{"func f(x float32) float32 { return float32(math.Gamma(float64(x))) }", "math.Gamma has no vector form; those that have one are *"},
	{"func f(x float32) float32 { return assembly(x) }", "assembly has no Go source to translate"},
	{"func f(x float32) float32 { g := helper; return g(x) }", "functions as values are not translated; call helper by its name\nfunctions as values are not translated; call a function by its name"},
	{"func f(x float32) float32 { return func() float32 { return x }() }", "closures are not translated; make it a named function"},
	{"func f(x float32) float32 { g := func(y float32) float32 { return y }; return g(x) }", "closures are not translated; make it a named function\nfunctions as values are not translated; call a function by its name"},
	{"func f(x float32) float32 { fmt.Println(x); return x }", "fmt.Println takes a variable number of parameters, which is not translated"},
	{"func f(x float32) float32 { return sum(x, x) }", "sum takes a variable number of parameters, which is not translated"},
	{"func f(x float64, n int32) float64 { return math.Inf(int(n)) }", "math.Inf: the sign is not a constant"},

	// Control.
	{"func f(x float32) float32 { for x < 100 { x *= 2 }; return x }", "this loop may run more than 64 times; count its trips up to a constant, as in for i := 0; i < 64 && ...; i++"},
	{"func f(x float32, n int32) float32 { for range n { x *= 2 }; return x }", "how often this loop runs is not known before the function runs; give it a constant number of trips, and select inside"},
	{"func f(x float32) float32 { for i := 0; i < 1000; i++ { x *= 2 }; return x }", "the loop runs more than 64 times; that many trips are not unrolled"},
	{"func f(x float32) float32 { for range 65 { x *= 2 }; return x }", "the loop runs more than 64 times; that many trips are not unrolled"},
	{"func f(x float32) float32 { for { x *= 2 } }", "the loop runs more than 64 times; that many trips are not unrolled"},
	{"func f(x float32) float32 { for range 64 { for range 64 { for range 64 { for range 64 { x *= 1.5 } } } }; return x }", "the function unrolls to too much: more than 4096 operations or 200000 steps"},
	{"func f(x float32) float32 { for range 64 { for range 64 { x = x*x - 1; x = x / 3 } }; return x }", "f unrolls to 8192 operations; 4096 is the limit"},
	{"func f(x float32) float32 { for _, r := range \"abc\" { x += float32(r) }; return x }", "ranging over string has no meaning in a lane; range over a constant, an array or a slice literal"},
	{"func f(x float32) float32 { if x > 0 { goto end }; x = 1\nend:\n\treturn x }", "goto is not translated; use if and else"},
	{"func f(x float32, i int32) float32 { a := [3]float32{1, 2, 3}; return x * a[i] }", "the index may be outside of the 3 elements: it is known to be from -2147483648 to 2147483647; keep it inside, as in [max(0, min(2, i))]"},
	{"func f(x float32) float32 { a := [3]float32{1, 2, 3}; i := 4; return x * a[i] }", "the index is 4, and there are 3 elements"},
	{"func f(x float32) float32 { a := [3]float32{1, 2, 3}; s := a[:2]; return x * s[0] }", "slicing is not translated; use an array and its indices"},
	{"func f(x float32) float32 { var y any = x; _ = y; return x }", "interfaces have no place in a lane"},

	// Numbers.
	{"func f(x float32) int8 { return int8(x) }", "float32 to int8 may be out of range, from -Inf to +Inf, where machines differ; clamp it first, as in int8(max(-128, min(127, x)))"},
	{"func f(x float32) int8 { return int8(min(127, x)) }", "float32 to int8 may be out of range, from -Inf to 127, where machines differ; clamp it first, as in int8(max(-128, min(127, x)))"},
	{"func f(x float32) int8 { return int8(max(-128, min(128, x))) }", "float32 to int8 may be out of range, from -128 to 128, where machines differ; clamp it first, as in int8(max(-128, min(127, x)))"},
	{"func f(x float32) uint8 { if x > 255 { return 255 }; return uint8(x) }", "float32 to uint8 may be out of range, from -Inf to 255, where machines differ; clamp it first, as in uint8(max(0, min(255, x)))"},
	{"func f(x, y float32) int8 { if x > 127 { x = 127 }; if y < -128 { x = -128 }; return int8(x) }", "float32 to int8 may be out of range, from -Inf to 127, where machines differ; clamp it first, as in int8(max(-128, min(127, x)))"},
	// Rounded, the difference is 0; fused, it is 0x1p-26.
	{"func f(x float32) int8 { c := float32(1 + 0x1p-13); x = max(c, min(c, x)); return int8((x*x - (1 + 0x1p-12)) * 1e11) }", "float32 to int8 may be out of range, from -11920.92871 to 11920.92871, where machines differ; clamp it first, as in int8(max(-128, min(127, x)))"},
	// If y is NaN, neither condition says anything of x.
	{"func f(x, y float32) int8 { y = min(max(y, -1), 1); if x > y { return 0 }; if x < -y { return 0 }; return int8(x) }", "float32 to int8 may be out of range, from -Inf to +Inf, where machines differ; clamp it first, as in int8(max(-128, min(127, x)))"},
	{"func f(x float64) int64 { return int64(min(max(x, -1<<63), 1<<63)) }", "float64 to int64 may be out of range, from -9223372036854775808 to 9223372036854775808, where machines differ; clamp it first, as in int64(max(-9223372036854775808, min(9223372036854774784, x))); 9223372036854774784 is the last float64 before 9223372036854775808"},
	{"func f(x float32) int32 { return int32(max(-2147483648, min(2147483647, x))) }", "float32 to int32 may be out of range, from -2147483648 to 2147483648, where machines differ; clamp it first, as in int32(max(-2147483648, min(2147483520, x))); 2147483520 is the last float32 before 2147483648"},
	{"func f(y float32) uint32 { return uint32(y) }", "float32 to uint32 may be out of range, from -Inf to +Inf, where machines differ; clamp it first, as in uint32(max(0, min(4294967040, y))); 4294967040 is the last float32 before 4294967296"},
	{"func f(x int32) float32 { nan := float32(math.NaN()); return float32(int32(nan) + x) }", "this converts a NaN to int32"},
	{"func f(x, y int32) int32 { return x / y }", "y may be 0, where Go panics; return something else first, as in if y == 0 { return 0 }"},
	{"func f(x int32) int32 { n := int32(0); return x / n }", "this divides by zero"},
	{"func f(x, y int32) int32 { return x << y }", "the shift count may be negative, where Go panics; shift by uint(y), which then is more than any width, or return first if it is below 0"},

	// More than one problem, and none that follows from another.
	{"func f(x float32) float32 {\n\ty := counter + x\n\tz := y * 2\n\tgo helper(z)\n\treturn z + written[0]\n}", "the variable counter is outside the function, and may change; make it a constant, or declare it inside\n" +
		"a goroutine is an effect; the function may only compute its results\nthe table written may be written at refused.go:26:15, so its elements are not known; look them up in a table that nothing writes, or declare it inside"},
	// What does not compile is reported where it is used.
	{"func f(x float32) float32 { return missing(x) }", "undefined: missing"},
	{"func f(x float32) float32 { return }", "not enough return values have () want (float32)"},
	{"func f(x float32) float32 { return x, x }", "too many return values have (float32, float32) want (float32)"},
	{"func f(x float32) float32 { if x > 0 { return x ] }; return -x }", "expected ';', found ']'*"},
}

const refusalPrelude = `package refused

import (
	"fmt"
	"math"
	"os"
)

var (
	_       = fmt.Print
	_       = math.Pi
	_       = os.Args
	counter float32
	table   = [2]float32{1, 2}
	written = [2]float32{1, 2}
	pointed = [2]float32{1, 2}
	pointer = &pointed

	Shared   = [2]float32{1, 2}
	computed = [2]float32{1, float32(math.Exp(1))}
	unset    [2]float32
	slice    = []float32{1, 2}
	c        chan float32
)

func init() { written[0]++ }

type celsius float32

func (c celsius) kelvin() float32 { return float32(c) + 273 }
func helper(x float32) float32    { return x }
func kelvin(x float32) float32    { return x + 273 }
func even(x float32) float32      { return odd(x - 1) }
func odd(x float32) float32       { return even(x - 1) }
func sum(x ...float32) float32    { return 0 }
func assembly(x float32) float32
`

// functions makes a program of functions called f, of which each becomes another, after what they
// use. line is where function i begins.
func functions(t testing.TB, funcs []string) (p *Program, line func(i int) int) {
	t.Helper()
	text := refusalPrelude
	lines := make([]int, len(funcs))
	for i, src := range funcs {
		lines[i] = strings.Count(text, "\n") + 2
		name := fmt.Sprintf("f%d", i)
		text += "\n" + strings.NewReplacer("func f(", "func "+name+"(", "func f[", "func "+name+"[", "return f(", "return "+name+"(").Replace(src) + "\n"
	}
	p, _ = snippetOf(t, "refused.go", text)
	return p, func(i int) int { return lines[i] }
}

// outcome is a function, or why it is none.
type outcome struct {
	f *Func
	error
}

// translated translates functions called f.
func translated(t testing.TB, funcs []string) []outcome {
	t.Helper()
	p, _ := functions(t, funcs)
	out := make([]outcome, len(funcs))
	for i := range funcs {
		name := fmt.Sprintf("f%d", i)
		ref, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		out[i].f, err = p.Lookup(ref)
		var list *Error
		if errors.As(err, &list) {
			for j, pr := range list.Problems {
				list.Problems[j].Msg = strings.ReplaceAll(pr.Msg, name, "f")
			}
		}
		out[i].error = err
	}
	return out
}

// TestRefuse translates every function of the table, all of one file.
func TestRefuse(t *testing.T) {
	var funcs []string
	for _, r := range refusals {
		funcs = append(funcs, r.src)
	}
	p, line := functions(t, funcs)
	for i, r := range refusals {
		name := fmt.Sprintf("f%d", i)
		ref, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Lookup(ref)
		var list *Error
		if !errors.As(err, &list) {
			t.Errorf("%s\n\tis not refused: %v", r.src, err)
			continue
		}
		checkMessage(t, err, r.src)
		var got []string
		for _, pr := range list.Problems {
			got = append(got, pr.Msg)
			if last := line(i) + strings.Count(r.src, "\n"); pr.Pos.Filename != "refused.go" || pr.Pos.Column == 0 ||
				(pr.Pos.Line < line(i) || pr.Pos.Line > last) && !strings.Contains(pr.Msg, "recursion") {
				t.Errorf("%s\n\tis refused at %v, and stands in lines %d to %d", r.src, pr.Pos, line(i), last)
			}
		}
		msg := strings.ReplaceAll(strings.Join(got, "\n"), name, "f")
		want, open := strings.CutSuffix(r.want, "*")
		if msg != want && !(open && strings.HasPrefix(msg, want)) {
			t.Errorf("%s\n\tis refused with %q\n\twant             %q", r.src, msg, r.want)
		}
	}
}

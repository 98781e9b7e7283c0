package fn

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
)

type method struct{}

func (method) plus(x float32) float32 { return x + 1 }

// identity is generic and declared in a test.
func identity[T float32 | float64](x T) T { return x }

// inlined begins, once compiled, with code of another function.
func inlined(x float32) float32 { return fntest.Affine(x, x, x) }

// around returns a literal that depends on a type parameter.
func around[T float32 | float64]() func(x T) T {
	return func(x T) T {
		var y T = x
		return y
	}
}

func TestValueOf(t *testing.T) {
	for _, c := range []struct {
		f    any
		want string // Package.Name, or the error after "!"
	}{
		{fntest.Affine, "github.com/tilesmith/tilesmith/gen/fn/testdata/fntest.Affine(float32, float32, float32) float32"},
		{fntest.Leaky[float64], "github.com/tilesmith/tilesmith/gen/fn/testdata/fntest.Leaky(float64) float64"},
		{fntest.Masked, "github.com/tilesmith/tilesmith/gen/fn/testdata/fntest.Masked(bool, float32) float32"},
		{fntest.ScaleBF16, "github.com/tilesmith/tilesmith/gen/fn/testdata/fntest.ScaleBF16(float32, dtype.BF16) dtype.BF16"},
		{fntest.Lines, "github.com/tilesmith/tilesmith/gen/fn/testdata/fntest.(float32) float32"},
		{method{}.plus, "!github.com/tilesmith/tilesmith/gen/fn.method.plus is a method value; make it a named function"},
		{method.plus, "!github.com/tilesmith/tilesmith/gen/fn.method.plus is a method; make it a named function"},
		{3, "!3 is not a function"},
		{nil, "!<invalid reflect.Value> is not a function"},
		{(func(float32) float32)(nil), "!the function is nil"},
		{fmt.Sprint, "!fmt.Sprint takes a variable number of parameters; give it a fixed one"},
		{strings.ToUpper, "!strings.ToUpper: parameter 1: string is not a type of a lane; the types are bool, intN, uintN, float32, float64 and those of package dtype"},
		{os.Getpid, "os.Getpid() int64"},
		{func(x complex64) {}, "!the function literal at ref_test.go:*: parameter 1: complex64 is not*"},
	} {
		r, err := ValueOf(c.f)
		got := fmt.Sprintf("%s.%s(%v)", r.Package, r.Name, r.Params)
		got = strings.NewReplacer("([", "(", "])", ")", " ", ", ").Replace(got) + " " + strings.Trim(fmt.Sprint(r.Results), "[]")
		if err != nil {
			got = "!" + err.Error()
		}
		if ok, _ := filepath.Match(c.want, got); got != c.want && !ok {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if _, err := (Ref{Package: "a.b/c", Name: "f"}).at("a.b/c/f.go", 3); err == nil || !strings.Contains(err.Error(), "c.f: the program was built with -trimpath") {
		t.Errorf("a path without its beginning: %v", err)
	}
}

func TestRuntimeNames(t *testing.T) {
	for _, c := range []struct{ in, pkg, name string }{
		{"main.f", "main", "f"},
		{"main.main.func1", "main", ""},
		{"main.init.func3", "main", ""},
		{"main.main.f[...].func2.1", "main", ""},
		{"example.com/v2.5/a%2eb.F[...]", "example.com/v2.5/a.b", "F"},
		{"example.com/x.F[example.com/y/z.T]", "", ""},
		{"example.com/x.(*T).M", "", ""},
		{"f", "", ""},
	} {
		r, err := parseRuntimeName(c.in)
		if r.Package != c.pkg || r.Name != c.name || (err == nil) != (c.pkg != "") {
			t.Errorf("%s is %q %q, %v", c.in, r.Package, r.Name, err)
		}
	}
}

func TestNamed(t *testing.T) {
	all := load(t)
	p := *all // with one package, so that names need none
	p.roots = slices.DeleteFunc(slices.Clone(all.roots), func(m *listed) bool { return m.Name != "fntest" })
	for _, c := range []struct {
		name   string
		params []Type
		want   string // the function, or the error after "!"
	}{
		{"Affine", nil, "Affine float32"},
		{"fntest.Affine", nil, "fntest.Affine float32"},
		{"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest.Affine", []Type{Float32, Float32, Float32}, "fntest.Affine float32"},
		{"Leaky[float64]", nil, "Leaky float64"},
		{"Leaky", []Type{Float64}, "Leaky float64"},
		{"other.Twice", []Type{Float32}, "other.Twice float32"},
		{"Leaky", nil, "!testdata/fntest/float.go:*:6: nothing tells what the type parameter T of Leaky is; write it as in Leaky[[]float32]"},
		{"Leaky", []Type{Int32}, "!testdata/fntest/float.go:*:6: Leaky: int32 does not satisfy*"},
		{"Leaky[float32]", []Type{Float64}, "!*Leaky: the type parameter T cannot be float32 and float64 at once"},
		{"Affine", []Type{Float32}, "!*Affine has 3 parameters, not 1"},
		{"Affine", []Type{Float32, Float64, Float32}, "!*parameter 2 of Affine is float32, not float64"},
		{"Affine[float32]", nil, "!*Affine has 0 type parameters, not 1"},
		{"Nothing", nil, "!Nothing: package github.com/tilesmith/tilesmith/gen/fn/testdata/fntest has no function Nothing"},
		{"nowhere.F", nil, "!nowhere.F: no package called nowhere is in reach; write its full path"},
		{"Leaky[string]", nil, "!Leaky[[]string]: \"string\" is not a type*"},
		{"Leaky[float32", nil, "!\"Leaky[[]float32\" is not the name of a function: the ] is missing"},
		{"a b", nil, "!\"a b\" is not the name of a function; names look like act.GELU or example.com/x/act.GELU"},
		{"method.plus()", nil, "!\"method.plus()\" is not the name of a function*"},
	} {
		got := ""
		r, err := Named(c.name, c.params...)
		if err == nil {
			var f *Func
			if f, err = p.Lookup(r); err == nil {
				got = fmt.Sprintf("%s %v", f.Name, f.Params[0])
			}
		}
		if err != nil {
			got = "!" + err.Error()
		}
		got = strings.ReplaceAll(got, "/", "|")
		if ok, err := filepath.Match(strings.ReplaceAll(c.want, "/", "|"), got); !ok || err != nil {
			t.Errorf("%s %v: %q, want %q %v", c.name, c.params, got, c.want, err)
		}
	}
}

// TestLookupHere finds functions of a test, which are not part of the package that
// imports see.
func TestLookupHere(t *testing.T) {
	p := load(t)
	k := float32(len(rows))
	for _, c := range []struct {
		f    any
		want string // the only problem; "" for none
	}{
		{identity[float64], ""},
		{inlined, ""},
		{fma32, "methods are not translated*"},
		{func(x float32) float32 {
			return x*2 + 1
		}, ""},
		{func(x float32) float32 {
			return x * k
		}, "the function literal captures k; pass it as an operand, or make it a constant"},
		{around[float32](), "the function literal depends on the type parameter T of the function around it; make it a named function"},
		{func(x float32) float32 { return func(y float32) float32 { return y }(x) }, "2 function literals stand on one line, and the run time tells only the line; give each a line of its own"},
	} {
		r, err := ValueOf(c.f)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Lookup(r)
		got := ""
		if e, ok := err.(*Error); ok {
			got = e.Problems[0].Msg
			if e.Problems[0].Pos.Filename != "ref_test.go" && e.Problems[0].Pos.Filename != "translate_test.go" {
				t.Errorf("%v", err)
			}
		} else if err != nil {
			got = err.Error()
		}
		if ok, _ := filepath.Match(c.want, got); !ok {
			t.Errorf("%s: %q, want %q", r, got, c.want)
		}
	}
	r, _ := ValueOf(fntest.Lines)
	r.Line += 1000
	if _, err := p.Lookup(r); err == nil || !strings.Contains(err.Error(), "the file has changed since the program was built") {
		t.Errorf("a literal that is gone: %v", err)
	}
}

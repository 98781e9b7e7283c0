package unit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
)

// draft is that of an operation called Add, for two targets.
func draft(folder string) *Draft {
	return NewDraft(&Context{Package: "vec"}, "Add", folder, []emit.Target{{Name: "fast"}, {Name: "slow"}})
}

func TestDraftTexts(t *testing.T) {
	d := draft("")
	for _, c := range []struct{ name, have, want string }{
		{"panics", Panics("a is short", "b is", Overlap), "It panics with a [layout.ShapeError], before an element is read, if a is short, b is, or an output shares memory with anything else."},
		{"one size", d.Bench(" here").Body, "check.Bench(b, isa, 0, addCase(run.Options{ISA: isa, Threads: 1}))"},
		{"sizes", d.Bench("", 8, 16).Body, "for _, n := range []int{8, 16} {\ncheck.Bench(b, isa, n, addCase(run.Options{ISA: isa, Threads: 1}))\n}"},
		{"what it reports", d.Bench(" here").Doc, "reports GFLOP/s on one core here."},
		{"input", Input("x", "[]int", "B").Arg, "check.Get[[]int](p, check.B)"},
		{"when", string(When(true, "%d", 3) + When(false, "%d", 4)), "3"},
		{"call", string((&Operation{Name: "Add", Params: []Param{Input("x", "[]int", "B")}}).Call("opt", "1")), "func(p *check.Problem) {\nAddOpt(opt, check.Get[[]int](p, check.B), 1)\n}"},
	} {
		if c.have != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.have, c.want)
		}
	}
}

// TestDraftABI: what a folder's files call is of the version of its own run time.
func TestDraftABI(t *testing.T) {
	for folder, want := range map[string]Decl{"": Text("const _ = run.ABI8"), GPUFolder: Text("const _ = run.ABI1")} {
		d := draft(folder)
		d.Enter([]Decl{Text("var x int")})
		if diff := cmp.Diff([]Decl{want, Text("var x int")}, d.Unit.Decls); diff != "" {
			t.Errorf("folder %q: %s", folder, diff)
		}
	}
}

func TestDraftParts(t *testing.T) {
	d := draft("")
	d.Import("layout")
	d.Fuse(Call{Expr: "act.ReLU", Imports: []string{"act"}, Decls: "func f() {}"}, "float32", []Param{{Name: "out", Type: "[]float32", Role: Output, Elem: "float32"}})
	d.List("ISAs", "string", `"fast"`, `"slow"`)
	d.ListLines("Epis", "*T", Inline("ISA", "fast"))
	if diff := cmp.Diff([]string{Module + "layout", "act"}, d.Unit.Imports); diff != "" {
		t.Errorf("imports: %s", diff)
	}
	if len(d.Unit.Copies) != 2 || d.Unit.Copies[0] != Text("func f() {}") || d.Unit.Copies[1].(Func).Name != "addEpilogue" {
		t.Errorf("copies are %v; want f and addEpilogue", d.Unit.Copies)
	}
	want := []Var{
		{Name: "addISAs", Type: "[]string", Value: Expr(`[]string{"fast", "slow"}`)},
		{Name: "addEpis", Type: "[]*T", Value: Lit{Type: "[]*T", Fields: []Field{{Value: Expr(`{ISA: "fast"}`)}}}},
	}
	if diff := cmp.Diff(want, d.Unit.Listed); diff != "" {
		t.Errorf("lists: %s", diff)
	}
	o := d.Described(Struct("check.Case"), Check{})
	if diff := cmp.Diff([]string{"fast", "slow"}, o.ISAs); diff != "" || o.Decls[0].(Func).Name != "addCase" {
		t.Errorf("oracle for %v, with %v", o.ISAs, o.Decls)
	}
}

// TestOperationCheck: names are refused once as parameters, and of a group as fields.
func TestOperationCheck(t *testing.T) {
	for _, c := range []struct {
		name    string
		grouped bool
		fails   bool
	}{{"x", true, false}, {"AddOpt", false, true}, {"taken", false, true}, {"int", false, true}, {"_x", false, false}, {"_x", true, true}} {
		o := Operation{Name: "Add", Params: []Param{{Name: c.name, Type: "int"}}}
		if err := o.Check(c.grouped, "taken"); (err != nil) != c.fails {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

package unit

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Draft is a unit in the making: what is assembled alike whatever the operation is.
type Draft struct {
	*Context
	Unit       *Unit
	API        Operation // what users call
	V          string    // what names begin with that are not exported
	Callee     Call      // the epilogue's function; zero: there is none
	Arithmetic *Semiring // nil: sums of products
	ISAs       []string  // the names of the targets
}

// NewDraft is an empty unit called name, in a folder or "".
func NewDraft(c *Context, name, folder string, targets []emit.Target) *Draft {
	d := &Draft{Context: c, Unit: &Unit{Name: name, Folder: folder}, API: Operation{Package: c.Package, Name: name}, V: Lower(name)}
	for _, t := range targets {
		d.ISAs = append(d.ISAs, t.Name)
	}
	return d
}

// Import adds packages of Tilesmith that the text may name.
func (d *Draft) Import(folders ...string) {
	for _, f := range folders {
		d.Unit.Imports = append(d.Unit.Imports, Module+f)
	}
}

// Fuse adds the function of an epilogue, and its Go form, VEpilogue. sum is the element type of the sums, and ps
// are the parameters that the epilogue sees.
func (d *Draft) Fuse(c Call, sum string, ps []Param) {
	d.Callee = c
	d.Unit.Imports = append(d.Unit.Imports, c.Imports...)
	d.Unit.Copies = append(d.Unit.Copies, Text(c.Decls), loop(d.V+"Epilogue", c, sum, ps))
}

// Over adds the functions of a semiring; nil adds none.
func (d *Draft) Over(s *Semiring) {
	if s == nil {
		return
	}
	d.Arithmetic = s
	d.Unit.Imports = append(d.Unit.Imports, s.Imports()...)
	d.Unit.Copies = append(d.Unit.Copies, s.Copies()...)
}

// Enter sets the declarations that are there everywhere. They refuse to compile with a run time of another version than
// package run of the folder's.
func (d *Draft) Enter(ds []Decl) {
	abi := Text("const _ = run.ABI8")
	if d.Unit.Folder == GPUFolder {
		abi = "const _ = run.ABI1"
	}
	d.Unit.Decls = append([]Decl{abi}, ds...)
}

// List declares Vname, a list of what there is for each target: elements of type elem.
func (d *Draft) List(name, elem string, elements ...string) {
	typ := "[]" + elem
	d.Unit.Listed = append(d.Unit.Listed, Var{Name: d.V + name, Type: typ, Value: Expr(typ + "{" + strings.Join(elements, ", ") + "}")})
}

// ListLines is List with an element a line.
func (d *Draft) ListLines(name, elem string, elements ...Expr) {
	l := Lit{Type: "[]" + elem}
	for _, e := range elements {
		l = l.With(Field{Value: e})
	}
	d.Unit.Listed = append(d.Unit.Listed, Var{Name: d.V + name, Type: l.Type, Value: l})
}

// Checked is the oracle whose test is body, for each target, and a benchmark, or none.
func (d *Draft) Checked(body string, bench Check, decls ...Decl) *Oracle {
	return &Oracle{
		ISAs:   d.ISAs,
		Checks: []Check{{Doc: "checks every variant that this machine runs, and the portable one.", Body: body}},
		Bench:  bench,
		Decls:  decls,
	}
}

// Described is the oracle of an operation that a check.Case describes, which takes the variable opt, and a benchmark,
// or none.
func (d *Draft) Described(c Lit, bench Check) *Oracle {
	body := fmt.Sprintf("check.Run(t, func(threads int) check.Case { return %sCase(run.Options{ISA: isa, Threads: threads}) })", d.V)
	return d.Checked(body, bench, d.API.Case(c, Param{Name: "opt", Type: "run.Options"}))
}

// Timed is a benchmark on one core; of says more of what it reports.
func Timed(of, body string) Check {
	return Check{Doc: "reports GFLOP/s on one core" + of + ".", Body: body}
}

// Bench is the benchmark of the case of [Draft.Described], of each size, if there are any.
func (d *Draft) Bench(of string, sizes ...int) Check {
	call := func(n string) string {
		return fmt.Sprintf("check.Bench(b, isa, %s, %sCase(run.Options{ISA: isa, Threads: 1}))", n, d.V)
	}
	body := call("0")
	if sizes != nil {
		body = fmt.Sprintf("for _, n := range %#v {\n%s\n}", sizes, call("n"))
	}
	return Timed(of, body)
}

// Panics is the sentence of a comment that says when a call panics: before an element is read, if one of the
// conditions holds.
func Panics(conditions ...string) string {
	last := len(conditions) - 1
	return "It panics with a [layout.ShapeError], before an element is read, if " + strings.Join(conditions[:last], ", ") + ", or " + conditions[last] + "."
}

// The conditions that many operations panic on.
const (
	Short   = "a slice is too short"
	Overlap = "an output shares memory with anything else"
)

package gen

import (
	"fmt"
	"path"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gen/fn"
)

// Derivative is a spec of the derivative of a Go function. The package gets func Name, which takes the
// parameters of Of and dy, the gradient by its result, one for each float result. It returns the gradients
// by the parameters By, counted from 0, or by all float parameters if By is empty. It is ordinary Go, which
// epilogues take like any other function. The derivative of a generic function, such as act.GELU[float32],
// is generic. docs/language.md says what derivatives are at kinks, and what has none.
type Derivative struct {
	Name string // a Go identifier; the generated function's name
	Of   any    // a Go function
	By   []int
}

// Kernel returns the name.
func (d Derivative) Kernel() string { return d.Name }

// TargetList returns every CPU target, which are all the same to it.
func (d Derivative) TargetList() []emit.Target { return CPU }

// Lower writes the function.
func (d Derivative) Lower(c *unit.Context, _ []emit.Target) (*unit.Unit, error) {
	x, ok := c.Translator.(*functions)
	if !ok {
		return nil, fmt.Errorf("gen: %s: a derivative is written by package gen only", d.Name)
	}
	f, err := x.lookup(emit.Derivative{Of: d.Of, By: d.By})
	if err != nil {
		return nil, fmt.Errorf("gen: %s: %w", d.Name, err)
	}
	text, imports, err := x.derived(d, f)
	if err != nil {
		return nil, fmt.Errorf("gen: %s: %w", d.Name, err)
	}
	doc := fmt.Sprintf("// %s is %s", d.Name, f.Name)
	if by := f.By(); len(by) == 1 {
		doc += fmt.Sprintf(" by %s, times dy", by[0])
	} else {
		doc += fmt.Sprintf(" by %s and %s, times dy", strings.Join(by[:len(by)-1], ", "), by[len(by)-1])
	}
	return &unit.Unit{Name: d.Name, Imports: imports, Decls: []unit.Decl{unit.Text(doc + ".\n" + text)}}, nil
}

// derived is a derivative as Go: generic where its function is, and both types give the same text.
func (x *functions) derived(d Derivative, f *fn.Func) (text string, imports []string, err error) {
	one, two, err := f.Generic()
	if err != nil {
		return "", nil, err
	}
	if one == nil {
		one = f
	}
	decl, imports, ok, err := one.Text(d.Name, two)
	if err == nil && !ok {
		err = fmt.Errorf("%s differs between float32 and float64 in more than constants; derive a function of one type that calls it", path.Base(f.Name))
	}
	return string(decl), imports, err
}

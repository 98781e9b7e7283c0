package gen

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
)

// Functions is a spec of bare kernels, for those who write IR by hand. The
// package gets a variable Name that maps an ISA and then the functions' names to
// the stubs.
type Functions struct {
	Name    string
	Targets []emit.Target
	Build   func(t emit.Target) ([]*emit.Func, error)
}

// Kernel returns the name.
func (f Functions) Kernel() string { return f.Name }

// TargetList returns the targets.
func (f Functions) TargetList() []emit.Target { return f.Targets }

// Lower builds the functions.
func (f Functions) Lower(c *unit.Context, targets []emit.Target) (*unit.Unit, error) {
	if err := stubbed(f, targets); err != nil {
		return nil, err
	}
	u := &unit.Unit{Name: f.Name}
	var list strings.Builder
	for _, t := range targets {
		fs, err := f.Build(t)
		if err != nil {
			return nil, err
		}
		u.Variants = append(u.Variants, unit.Variant{Target: t, Funcs: unit.Kernels("kernel.Args", fs...)})
		fmt.Fprintf(&list, "%q: {\n", t.Name)
		for _, k := range fs {
			fmt.Fprintf(&list, "%q: %s,\n", strings.TrimSuffix(k.Name, "_"+t.Name), k.Name)
		}
		list.WriteString("},\n")
	}
	const typ = "map[string]map[string]kernel.Func[kernel.Args]"
	u.Listed = []unit.Var{{
		Doc:  f.Name + " holds the kernels by ISA and name; it is empty where there is no assembly.",
		Name: f.Name, Type: typ, Value: unit.Expr(typ + "{\n" + list.String() + "}"),
	}}
	return u, nil
}

// stubbed refuses targets whose functions Go does not call.
func stubbed(s Spec, targets []emit.Target) error {
	if b, err := backendOf(targets[0]); err != nil || b.called == "" {
		return fmt.Errorf("gen: %s: %s is a GPU, for which only a gemm.Spec is generated; list CPU targets", s.Kernel(), targets[0].Name)
	}
	return nil
}

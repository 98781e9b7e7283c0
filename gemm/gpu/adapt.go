package gpu

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

// Adapt makes of a gemm.Spec what lowers itself for those of its targets that are GPUs.
// It returns nil for any other spec, and for one that has none.
func Adapt(spec any) (unit.Spec, error) {
	s, ok := spec.(interface{ Describe() gemm.Description })
	if !ok {
		return nil, nil
	}
	d := s.Describe()
	d.Targets = slices.DeleteFunc(slices.Clone(d.Targets), func(t emit.Target) bool { return t.Arch != "ptx" })
	if len(d.Targets) == 0 {
		return nil, nil
	}
	return adapted(d), nil
}

// adapted is a gemm.Description as a [unit.Spec].
type adapted gemm.Description

func (a adapted) Kernel() string            { return a.Name }
func (a adapted) TargetList() []emit.Target { return a.Targets }

func (a adapted) Lower(c *unit.Context, targets []emit.Target) (*unit.Unit, error) {
	fail := func(err error) (*unit.Unit, error) { return nil, fmt.Errorf("gemm: %s: %w", a.Name, err) }
	p := &product{Draft: unit.NewDraft(c, a.Name, unit.GPUFolder, targets), operator: a.Operator, grouped: a.Grouped}
	p.API = unit.Operation{Name: a.Name, Result: "error", First: []unit.Param{{Name: "$stream", Type: "cuda.Stream"}},
		Options: unit.Param{Name: "$opt", Type: "run.Options", Arg: "run.Options{}"}}
	for _, t := range targets {
		m, err := Lower(gemm.Description(a), t)
		if err != nil {
			return nil, err
		}
		p.API.Params = m.parameters()
		if err := p.API.Check(a.Grouped, p.V+"Set"); err != nil {
			return fail(err)
		}
		if m.Fusion != nil || translates(a.Operator) {
			if err := c.Inline(m.Funcs()...); err != nil {
				return nil, err
			}
		}
		p.mods = append(p.mods, m)
	}
	p.Module, p.API.Params = p.mods[0], p.mods[0].parameters()
	u, err := p.unit()
	if err != nil {
		return fail(err)
	}
	return u, nil
}

// translates reports whether Go functions of the operator stand in its kernels.
func translates(op gemm.Operator) bool {
	s, ok := op.(gemm.Semiring)
	return ok && s.Translates()
}

package lower

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// Adapt makes of a spec.SpMM, SpMV, SDDMM, RGMS, SegmentReduce, EdgeSoftmax or BlockAttention what lowers itself. It returns nil for any
// other spec; the error says which of its targets there is not.
func Adapt(v any) (unit.Spec, error) {
	s, ok := v.(interface{ Describe() spec.Description })
	if !ok {
		return nil, nil
	}
	d := s.Describe()
	ts, err := Targets(d.Targets)
	return adapted{d, ts}, err
}

// adapted is a spec.Description as a [unit.Spec].
type adapted struct {
	spec.Description
	targets []emit.Target
}

func (a adapted) Kernel() string            { return a.Name }
func (a adapted) TargetList() []emit.Target { return a.targets }

func (a adapted) Lower(c *unit.Context, targets []emit.Target) (*unit.Unit, error) {
	if t := targets[0]; t.Arch == "ptx" {
		return nil, fmt.Errorf("gen: %s: %s is a GPU, for which only a gemm.Spec is generated; list CPU targets", a.Name, t.Name)
	}
	p, err := Spec(a.Description, c)
	if err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	s := &draft{Product: p, Draft: unit.NewDraft(c, a.Name, "", targets)}
	for _, t := range targets {
		m, err := p.Lower(t)
		if err != nil {
			return nil, fmt.Errorf("gen: %s: %w", a.Name, err)
		}
		s.mods = append(s.mods, m)
		if m, err = p.LowerParts(t); err != nil {
			return nil, fmt.Errorf("gen: %s: %w", a.Name, err)
		} else if m != nil {
			s.parts = append(s.parts, m)
		}
	}
	u, err := s.unit()
	if err != nil {
		return nil, fmt.Errorf("gen: %s: %w", a.Name, err)
	}
	return u, nil
}

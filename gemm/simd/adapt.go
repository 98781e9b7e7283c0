package simd

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Adapt makes of a gemm.Spec what lowers itself for those of its targets that are CPUs.
// It returns nil for any other spec, and for one that has GPUs only.
func Adapt(spec any) (unit.Spec, error) {
	s, ok := spec.(interface{ Describe() gemm.Description })
	if !ok {
		return nil, nil
	}
	d := s.Describe()
	cpus := slices.DeleteFunc(slices.Clone(d.Targets), func(t emit.Target) bool { return t.Arch == "ptx" })
	if len(cpus) == 0 && len(d.Targets) > 0 {
		return nil, nil
	}
	d.Targets = cpus
	return adapted(d), nil
}

// adapted is a gemm.Description as a [unit.Spec].
type adapted gemm.Description

func (a adapted) Kernel() string            { return a.Name }
func (a adapted) TargetList() []emit.Target { return a.Targets }

func (a adapted) Lower(c *unit.Context, targets []emit.Target) (*unit.Unit, error) {
	p := &product{Draft: unit.NewDraft(c, a.Name, "", targets)}
	for _, t := range targets {
		m, err := lowerFor(c, gemm.Description(a), t)
		if err != nil {
			return nil, err
		}
		m.Home = c.Package
		p.mods = append(p.mods, m)
	}
	p.Module = p.mods[0]
	if p.byName() && !p.mixed() && !p.reduces() && slices.ContainsFunc(p.mods, func(m *Module) bool { return !m.Stock }) {
		for _, m := range p.mods { // calls by name go to one package
			m.Stock = false
		}
	}
	u, err := p.unit()
	if err != nil {
		return nil, fmt.Errorf("gemm: %s: %w", a.Name, err)
	}
	return u, nil
}

// lowerFor is [Lower] with all Go functions translated. A semiring's need registers of
// their own, and text: without a tile in the spec it is the tallest with which the widest kernels
// find registers, and all kernels are short enough.
func lowerFor(c *unit.Context, d gemm.Description, t emit.Target) (*Module, error) {
	o := Options{Widest: c.Widest}
	m, err := Lower(d, t, o)
	if err != nil {
		return nil, err
	}
	switch m.Op.(type) {
	case gemm.FMA, gemm.Dot, gemm.Tiles, armDot, armSquare, gemm.Pairs:
		switch {
		case m.Fusion == nil && m.Reduced == "" && m.Shape != (gemm.Shape{}) && (m.A != m.Elem || m.B != m.Elem):
			return nil, fmt.Errorf("gemm: %s: a product of %v and %v whose result are its sums, of %v, has no fixed shape yet; leave it away, or give an epilogue or a narrower result", d.Name, m.A, m.B, m.Elem)
		case m.Fusion == nil:
			return m, nil
		}
		i := slices.IndexFunc(m.Funcs, func(f *emit.Func) bool { return f.Name == m.Epi })
		return m, c.Epilogue(t, m.Funcs[i])
	case gemm.Semiring:
		if m.Paired() {
			return m, nil
		}
	default:
		return nil, fmt.Errorf("gemm: %s: operator %v has no portable form, so the package would be wrong where there is no assembly; "+
			"give it as a semiring.Semiring to gemm.Over, or generate its bare kernels with gen.Functions", d.Name, m.Op)
	}
	if m.Fusion != nil || m.Shape != (gemm.Shape{}) {
		return nil, fmt.Errorf("gemm: %s: a product of the semiring %v has no epilogue and no fixed shape yet; leave both away", m.Name, m.Op)
	}
	return lowerSemiring(c, d, t, m)
}

// lowerSemiring is lowerFor for a semiring. m is the product with the largest tile.
func lowerSemiring(c *unit.Context, d gemm.Description, t emit.Target, m *Module) (*Module, error) {
	fail := func(err error) (*Module, error) { return nil, fmt.Errorf("gemm: %s: %w", d.Name, err) }
	op, o := m.Op.(gemm.Semiring), Options{Widest: c.Widest, Tile: tiling.Micro{MR: m.MR, NV: m.NV}}
	step, err := StepOf(op, c.Inline)
	if err != nil {
		return fail(err)
	}
	o.Once = step.Large()
	lower := func() (m *Module, err error) {
		if m, err = Lower(d, t, o); err == nil && op.Translates() {
			err = c.Inline(m.Funcs...)
		}
		return m, err
	}
	for ; ; o.Tile = smaller(o.Tile) {
		last := o.Tile == tiling.Micro{MR: 1, NV: 1} || d.Tile != tiling.Micro{}
		if m, err := Lower(d, t, o); err != nil {
			return nil, err
		} else if !last && step.TooLong(m.Funcs...) {
			continue
		}
		m, err := lower()
		if err != nil {
			return nil, err
		}
		var widest []*emit.Func
		for _, f := range m.Funcs {
			if f.Name == m.Tile(kernel.Panel, m.MR, m.NV) || f.Name == m.Tile(kernel.Tail, m.MR, m.NV) {
				widest = append(widest, f)
			}
		}
		err = c.Fits(t, widest...)
		switch {
		case err == nil:
			return lower() // the backend has changed those that it tried
		case last:
			return fail(err)
		}
	}
}

// smaller is the next tile to try: with a row less, or else with a vector less.
func smaller(t tiling.Micro) tiling.Micro {
	if t.MR > 1 {
		t.MR--
	} else {
		t.NV--
	}
	return t
}

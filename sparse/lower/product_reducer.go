package lower

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// reducer checks what the spec reduces with, and looks up its semiring.
func (p *Product) reducer() error {
	var parts semiring.Parts
	switch r := p.Reduce.(type) {
	case spec.Reduction:
		if r > spec.Min {
			return fmt.Errorf("%v; there are spec.Plus, Mean, Max and Min", r)
		}
		if r == spec.Max || r == spec.Min {
			parts = reduction(p.T, r == spec.Max)
		}
	case interface{ Parts() semiring.Parts }:
		if parts = r.Parts(); parts.Type != p.T {
			return fmt.Errorf("the semiring %v is of another type than %v", p.Reduce, p.T)
		}
	default:
		return fmt.Errorf("%v is a %T, which has no form in plain Go; reduce with spec.Plus, Mean, Max, Min or a spec.Semiring of Go functions", p.Reduce, p.Reduce)
	}
	if parts.Sums() {
		p.Reduce, parts = spec.Plus, semiring.Parts{}
	}
	if p.wide = p.elem; parts.Type == dtype.Invalid {
		return nil
	}
	var err error
	if p.Semiring, err = unit.NewSemiring(parts, p.Name, p.tr); err == nil {
		p.wide, err = simd.Computed(p.elem, p.operator(), p.tr.Widest)
	}
	return err
}

// reduction is the semiring of spec.Max and spec.Min.
func reduction(t dtype.Type, most bool) semiring.Parts {
	switch {
	case t == dtype.F32 && most:
		return semiring.MaxTimes[float32]().Parts()
	case t == dtype.F32:
		return semiring.MinTimes[float32]().Parts()
	case most:
		return semiring.MaxTimes[float64]().Parts()
	}
	return semiring.MinTimes[float64]().Parts()
}

// plain reports whether the spec is of sums of products.
func (p *Product) plain() bool { return p.Reduce == spec.Plus && !p.Pattern }

// operator is the arithmetic of the kernels.
func (p *Product) operator() Operator {
	if p.Semiring != nil {
		return gemm.Semiring{Parts: p.Semiring.Parts}
	}
	return NewSum(p.elem)
}

// lanes is how many elements a vector of the kernels has.
func (p *Product) lanes(t emit.Target) int { return t.Lanes(p.wide) }

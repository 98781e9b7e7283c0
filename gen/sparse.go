package gen

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen/unit"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/lower"
)

// described is a spec of package sparse, which does not know the IR.
type described interface {
	Describe() sparse.Description
}

// sparseSpec is a sparse spec as its texts want it.
type sparseSpec struct {
	sparse.Description
	body   *gemm.Body // nil: no epilogue
	lanes  *gemm.Body // as its kernel sees it
	ring   *ring      // nil: sums
	nested bool       // neither compressed rows nor sampled
	epi    unit.Call  // of body
}

func newSparse(p *lower.Product) *sparseSpec {
	s := &sparseSpec{Description: p.Description, body: p.Body, lanes: p.LanesBody(), nested: p.Loops != "", epi: p.Apply}
	if p.Semiring != nil {
		s.ring = &ring{*p.Semiring, p.Calls}
	}
	return s
}

// reserved are names that the entry points of sparse products use.
var reserved = []string{"s", "x", "y", "e", "run", "layout", "sparse", "dtype"}

// named refuses operands and outputs whose names the texts use or Go does not allow.
func (s *sparseSpec) named() error {
	if s.body == nil {
		return nil
	}
	for _, in := range s.body.Inputs {
		if slices.Contains(reserved, in.Name) {
			return fmt.Errorf("an operand of the epilogue is called %q, which generated code uses; choose another name", in.Name)
		}
	}
	names := []string{}
	for _, o := range s.body.Also {
		names = append(names, o.Name)
	}
	for _, r := range s.body.Reduces {
		names = append(names, r.Name)
	}
	for _, n := range names {
		if slices.Contains(reserved, n) || !token.IsIdentifier(n) {
			return fmt.Errorf("an output of the epilogue is called %q, which generated code uses or Go does not allow; choose another name", n)
		}
	}
	return nil
}

// algebra is the run.Algebra of the spec as a Go expression, "" for sums, and what it
// imports.
func (s *sparseSpec) algebra() (expr string, imports []string) {
	if s.ring == nil {
		return "", nil
	}
	return s.ring.algebra()
}

// module is the spec as the texts of dense products with an epilogue want it.
func (s *sparseSpec) module() *gemm.Module {
	body := s.body
	if s.Operation == sparse.OpSpMV {
		body = s.lanes
	}
	return &gemm.Module{Name: s.Name, A: s.T, B: s.T, Elem: s.T, Body: body}
}

// generateSparse returns the files of a sparse spec.
func generateSparse(o Options, base string, d sparse.Description, funcs *functions) (files []File, texts []text, err error) {
	p, err := lower.Spec(d, funcs)
	if err != nil {
		return nil, nil, fmt.Errorf("gen: %w", err)
	}
	s := newSparse(p)
	fail := func(err error) ([]File, []text, error) { return nil, nil, fmt.Errorf("gen: %s: %w", d.Name, err) }
	if err := s.named(); err != nil {
		return fail(err)
	}
	var mods []*lower.Module
	for _, t := range p.Targets {
		var options lower.Options
		if o.Dump != nil {
			options.Applied = func(f *emit.Func) {
				f.Number()
				o.Dump(t.Name, passGo, f)
			}
		}
		m, err := p.Lower(t, options)
		if err != nil {
			return fail(err)
		}
		mods = append(mods, m)
		own := m.Own()
		if o.Dump != nil { // whoever looks wants to see what is shared, too
			own = m.Funcs
		}
		if len(own) == 0 {
			continue
		}
		var fs []*emit.Func
		for _, f := range own {
			fs = append(fs, f.Func)
		}
		f, err := assembly(o, base, t, fs)
		if err != nil {
			return fail(err)
		}
		files = append(files, f)
	}
	return files, s.texts(o, base, mods), nil
}

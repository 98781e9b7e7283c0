package gen

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
)

// described is a spec of package sparse, which does not know the IR.
type described interface {
	Describe() sparse.Description
}

// sparseSpec is a sparse spec on its way to files: its description with everything
// looked up that does not depend on the target.
type sparseSpec struct {
	sparse.Description
	elem    emit.Elem
	body    *gemm.Body // nil: no epilogue
	ring    *ring      // nil: sums
	loops   formatLoops
	targets []emit.Target
	epi     goFunc // of body
}

// sparseKernel is one function of a sparse spec, the argument block that it takes and
// its place in the table of kernels.
type sparseKernel struct {
	f     *emit.Func
	block string
	field string // of the table; "" of the epilogue
	place int    // in the field's list
}

// sparseModule is a sparse spec lowered for one target.
type sparseModule struct {
	target  emit.Target
	kernels []sparseKernel
	table   string  // the type in run of the table of kernels
	fields  []Field // of that table
	stock   *stock  // whose table is shared; nil: the package has its own
	epi     string  // the epilogue's function, "" without
	lanes   int
	vl      int
}

// newSparse looks up what the description names.
func newSparse(d sparse.Description, funcs *functions) (*sparseSpec, error) {
	s := &sparseSpec{Description: d, elem: map[dtype.Type]emit.Elem{dtype.F32: emit.F32, dtype.F64: emit.F64}[d.T]}
	fail := func(format string, args ...any) (*sparseSpec, error) {
		return nil, fmt.Errorf("gen: %s: %w", d.Name, fmt.Errorf(format, args...))
	}
	var err error
	if s.targets, err = sparseTargets(d.Targets); err != nil {
		return fail("%w", err)
	}
	if d.Features < 0 {
		return fail("%d features; 0 leaves their number to run time", d.Features)
	}
	if d.Epilogue != nil {
		e, ok := d.Epilogue.(interface{ Body() *gemm.Body })
		if !ok {
			return fail("the epilogue is a %T; make one with gemm.Map1 to Map4 or gemm.Fuse", d.Epilogue)
		}
		s.body = e.Body()
	}
	if s.body == nil {
		if s.body, err = gemm.Conversion(d.T, d.Out); err != nil {
			return fail("%w", err)
		}
	}
	if err := s.fits(); err != nil {
		return fail("%w", err)
	}
	if s.loops, err = loopsOf(d); err != nil {
		return fail("%w", err)
	}
	if err := s.reducer(funcs); err != nil {
		return fail("%w", err)
	}
	if s.body != nil {
		if s.epi, err = funcs.goFunc(d.Name, s.body.Fn); err != nil {
			return fail("%w", err)
		}
	}
	return s, nil
}

// sparseTargets are the targets of a sparse spec, best first as they are listed.
func sparseTargets(t sparse.Targets) ([]emit.Target, error) {
	all := gemm.CPUTargets()
	switch t := t.(type) {
	case nil:
		return all, nil
	case emit.Targets:
		return t, nil
	}
	var targets []emit.Target
	for _, name := range t.Names() {
		i := slices.IndexFunc(all, func(x emit.Target) bool { return x.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no target %q; there is %s", name, strings.Join(emit.Targets(all).Names(), ", "))
		}
		targets = append(targets, all[i])
	}
	return targets, nil
}

// reserved are names that the entry points of sparse products use.
var reserved = []string{"s", "x", "y", "e", "run", "spblas", "layout", "sparse", "dtype"}

// fits refuses an epilogue that the operation has no meaning for.
func (s *sparseSpec) fits() error {
	if s.body == nil {
		return nil
	}
	for _, in := range s.body.Inputs {
		switch {
		case slices.Contains(reserved, in.Name):
			return fmt.Errorf("an operand of the epilogue is called %q, which generated code uses; choose another name", in.Name)
		case s.Operation == sparse.OpSpMV && (in.Pattern == gemm.ColumnPattern || in.Pattern == gemm.FullPattern):
			return fmt.Errorf("operand %s is %v, and the result is a vector; make it gemm.PerRow or gemm.Scalar", in.Name, in.Pattern)
		}
	}
	names := []string{}
	for _, o := range s.body.Also {
		names = append(names, o.Name)
	}
	for _, r := range s.body.Reduces {
		names = append(names, r.Name)
		if s.Operation == sparse.OpSpMV && !r.Col {
			return fmt.Errorf("reduction %s is of rows, which have one element here; reduce the column with ColSum or ColMax", r.Name)
		}
		if s.Operation == sparse.OpSDDMM {
			return fmt.Errorf("reduction %s: a sampled product has no rows and columns to reduce", r.Name)
		}
	}
	for _, n := range names {
		if slices.Contains(reserved, n) || !token.IsIdentifier(n) {
			return fmt.Errorf("an output of the epilogue is called %q, which generated code uses or Go does not allow; choose another name", n)
		}
	}
	return nil
}

// reducer checks what the spec reduces with, and looks up a semiring's functions.
func (s *sparseSpec) reducer(funcs *functions) error {
	var parts semiring.Parts
	switch r := s.Reduce.(type) {
	case sparse.Reduction:
		if r > sparse.Min {
			return fmt.Errorf("%v; there are sparse.Plus, Mean, Max and Min", r)
		}
		if r == sparse.Max || r == sparse.Min {
			parts = reduction(s.T, r == sparse.Max)
		}
	case interface{ Parts() semiring.Parts }:
		if parts = r.Parts(); parts.Type != s.T {
			return fmt.Errorf("the semiring %v is of another type than %v", s.Reduce, s.T)
		}
	default:
		return fmt.Errorf("%v is a %T, which has no form in plain Go; reduce with sparse.Plus, Mean, Max, Min or a sparse.Semiring of Go functions", s.Reduce, s.Reduce)
	}
	if parts.Sums() {
		s.Reduce, parts = sparse.Plus, semiring.Parts{}
	}
	if parts.Type != dtype.Invalid {
		var err error
		if s.ring, err = newRing(gemm.Semiring{Parts: parts}, s.Name, funcs.importPath, funcs); err != nil {
			return err
		}
	}
	if s.loops.nest && (s.Reduce != sparse.Plus || s.Pattern) {
		return fmt.Errorf("matrices in %v are multiplied with sums of products only; use sparse.CSR for %v or patterns", s.Format, s.Reduce)
	}
	return nil
}

// semiring is that of the spec as Go, "" for sums, and what it imports.
func (s *sparseSpec) semiring() (expr string, paths []string) {
	if s.ring == nil {
		return "", nil
	}
	return s.ring.expr()
}

// module is the spec as the texts of dense products with an epilogue want it.
func (s *sparseSpec) module() *gemm.Module {
	body := s.body
	if s.Operation == sparse.OpSpMV {
		body = s.lanesBody()
	}
	return &gemm.Module{Name: s.Name, A: s.T, B: s.T, Elem: s.T, Body: body}
}

// generateSparse returns the files of a sparse spec.
func generateSparse(o Options, base string, d sparse.Description, funcs *functions) (files []File, texts []text, err error) {
	if err := checkBounds(d); err != nil {
		return nil, nil, err
	}
	s, err := newSparse(d, funcs)
	if err != nil {
		return nil, nil, err
	}
	var mods []sparseModule
	for _, t := range s.targets {
		m, f, err := s.lower(o, base, t, funcs)
		if err != nil {
			return nil, nil, fmt.Errorf("gen: %s: %w", s.Name, err)
		}
		mods = append(mods, m)
		if f.Data != nil {
			files = append(files, f)
		}
	}
	return files, s.texts(o, base, mods), nil
}

// Bounds of a spec: which kernels a number of features needs is found by going through
// its panels, and what a format's rows are like by packing small matrices, which an
// axis of fixed size pads to so many slots.
const (
	MaxFeatures = 1 << 24
	MaxAxis     = 1 << 16
)

// checkBounds refuses what would take the generator hours or all memory.
func checkBounds(d sparse.Description) error {
	if d.Features > MaxFeatures {
		return fmt.Errorf("gen: %s: %d features; %d is the most, 0 leaves them to run time", d.Name, d.Features, MaxFeatures)
	}
	for _, a := range d.Format.Axes {
		if a.Size > MaxAxis {
			return fmt.Errorf("gen: %s: axis %s of format %s has %d slots; %d is the most", d.Name, a.Name, d.Format.Name, a.Size, MaxAxis)
		}
	}
	return nil
}

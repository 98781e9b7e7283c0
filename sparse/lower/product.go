package lower

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// Bounds of a spec. The search for the kernels that a number of features needs goes
// through its panels, and an axis of fixed size pads a matrix to so many slots.
const (
	MaxFeatures = 1 << 24
	MaxAxis     = 1 << 16
)

// Product is a spec of package sparse with everything checked and looked up that does
// not depend on the target.
type Product struct {
	spec.Description
	Fusion   *gemm.Fusion   // the epilogue, a conversion too; nil: none
	Apply    unit.Call      // of the Fusion's function
	Semiring *unit.Semiring // nil: sums of products, their mean too
	Loops    string         // of the format; "": compressed rows
	Nests    []Nest         // of the parts of a sum
	Targets  []emit.Target  // best first as they are listed

	op   *operation
	elem emit.Elem
	wide emit.Elem // the widest type that a step computes with
	tr   unit.Translator
}

// Spec checks a spec and looks up what it names. The error begins with the spec's name.
func Spec(d spec.Description, tr unit.Translator) (*Product, error) {
	p := &Product{Description: d, op: operationOf(d), tr: tr, elem: map[dtype.Type]emit.Elem{dtype.F32: emit.F32, dtype.F64: emit.F64}[d.T]}
	if p.op == nil {
		return nil, fmt.Errorf("%s: there is no operation %q", d.Name, d.Operation)
	}
	for _, check := range []func() error{p.bounds, p.targets, p.epilogue, p.gradient, p.format, p.parts, p.stored, p.reducer, p.call} {
		if err := check(); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	return p, nil
}

// bounds refuses what would take the generator hours or all memory.
func (p *Product) bounds() error {
	switch {
	case p.Features < 0:
		return fmt.Errorf("%d features; 0 leaves their number to run time", p.Features)
	case p.Features > MaxFeatures:
		return fmt.Errorf("%d features; %d is the most, 0 leaves them to run time", p.Features, MaxFeatures)
	}
	for _, f := range append(slices.Clone(p.Parts), p.Format) {
		for _, a := range f.Axes {
			if a.Size > MaxAxis {
				return fmt.Errorf("axis %s of format %s has %d slots; %d is the most", a.Name, f.Name, a.Size, MaxAxis)
			}
		}
	}
	return nil
}

func (p *Product) targets() (err error) {
	p.Targets, err = Targets(p.Description.Targets)
	return err
}

// Targets are the targets of a sparse spec, best first as they are listed. The error says
// which one there is not.
func Targets(t spec.Targets) ([]emit.Target, error) {
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

// epilogue looks up the epilogue and refuses one that the operation has no meaning for.
func (p *Product) epilogue() (err error) {
	if p.Epilogue != nil {
		e, ok := p.Epilogue.(interface{ Fusion() *gemm.Fusion })
		if !ok {
			return fmt.Errorf("the epilogue is a %T; make one with gemm.Map1 to Map4 or gemm.Fuse", p.Epilogue)
		}
		if p.Fusion = e.Fusion().Into(p.Out); p.Fusion != nil && p.Fusion.Out != p.Out {
			return fmt.Errorf("the epilogue turns %v into %v, and the result is %v", p.Fusion.Acc, p.Fusion.Out, p.Out)
		}
	}
	if p.Fusion == nil && p.T != p.Out {
		if p.Fusion, err = gemm.Store(p.T, p.Out); err != nil {
			return err
		}
	}
	if p.Fusion != nil && p.Fusion.Zeros != (gemm.Zeros{}) {
		return p.Fusion.At(errors.New("zero points belong to dense products of integers; leave ZeroPoints out"))
	}
	if p.op.refuse != nil {
		return p.op.refuse(p)
	}
	return nil
}

// format refuses formats that no kernel is made for, and such as hold no matrix.
func (p *Product) format() error {
	f := p.Format
	if f.Name == format.CSR.Name {
		return nil
	}
	if err := holds(f); err != nil {
		return err
	}
	if loops := f.Loops(); loops != format.CSR.Loops() {
		p.Loops = loops
	}
	return nil
}

// holds refuses a format that holds no matrix.
func holds(f format.Format) error {
	b := sparse.NewBuilder[float64](1, 1)
	empty, err := b.Matrix()
	if err != nil {
		return err
	}
	b.Add(0, 0, 1)
	full, err := b.Matrix()
	if err != nil {
		return err
	}
	if _, err = format.Pack(empty, f); err != nil {
		if _, err = format.Pack(full, f); err != nil {
			return fmt.Errorf("format %v holds none of the matrices that it was tried with: %w", f, err)
		}
	}
	return nil
}

// call looks up how generated code calls the epilogue's function.
func (p *Product) call() (err error) {
	if p.Fusion != nil {
		p.Apply, err = p.tr.Call("", p.Name, p.Fusion.Applied())
	}
	return err
}

package lower

import (
	"reflect"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Lower makes the kernels for one target, but those that [Product.LowerParts] makes.
func (p *Product) Lower(t emit.Target) (*Module, error) {
	m, err := p.fitted(t, p.widest(t), p.kernels)
	if err != nil || p.Fusion == nil {
		return m, err
	}
	return m, p.apply(m)
}

// fitted is a module of kernels with at most most vectors of a row at once. Arithmetic that needs many
// registers, or much text, gets fewer.
func (p *Product) fitted(t emit.Target, most int, kernels func(m *Module, most int) error) (m *Module, err error) {
	lower := func() error {
		m = &Module{Target: t, VL: p.lanes(t)}
		return kernels(m, most)
	}
	var step simd.Step
	if p.Semiring != nil {
		if step, err = simd.StepOf(gemm.Semiring{Parts: p.Semiring.Parts}, p.tr.Inline); err != nil {
			return nil, err
		}
	}
	for ; p.Semiring != nil && most > 1; most -= 1 + most/8 {
		if err := lower(); err != nil {
			return nil, err
		}
		fs := make([]*emit.Func, len(m.Funcs))
		for i, f := range m.Funcs {
			fs[i] = f.Func
		}
		if step.TooLong(fs...) {
			continue
		}
		if err := p.inline(m); err != nil {
			return nil, err
		}
		if p.tr.Fits(t, fs...) == nil {
			break
		}
	}
	if err := lower(); err != nil {
		return nil, err
	}
	return m, p.inline(m)
}

// kernels are those of the operation.
func (p *Product) kernels(m *Module, most int) error {
	switch {
	case p.op.lower != nil:
		return p.op.lower(p, m, most)
	case p.Loops != "":
		return p.nest(m, most)
	}
	return p.rows(m, most)
}

// inline puts the translation of a semiring's functions in their place.
func (p *Product) inline(m *Module) error {
	if op, ok := p.operator().(gemm.Semiring); ok && op.Translates() {
		for _, f := range m.Funcs {
			if err := p.tr.Inline(f.Func); err != nil {
				return err
			}
		}
	}
	return nil
}

// shown are the kernels of package cpu that do all of a spec without scores: none is the package's own. Of others scores alone are the spec's.
func (p *Product) shown(m *Module, _ int) error {
	if p.Fusion != nil {
		return nil
	}
	fs, _, err := Softmax{Name: p.prefix(), Elem: p.elem}.Lower(m.Target)
	m.Stock = &Stock{"cpu/kern/softmaxf", "Kernels" + strings.ToUpper(p.elem.String())}
	for _, f := range fs {
		m.Funcs = append(m.Funcs, Func{f, reflect.TypeFor[kernel.SparseArgs]()})
	}
	return err
}

// rows are the kernels for compressed rows.
func (p *Product) rows(m *Module, most int) error {
	if p.narrow() {
		return p.narrowRows(m, most)
	}
	var fs []*emit.Func
	k := kernel.Table[string]{ISA: m.Target.Name, VL: m.VL, NV: 1}
	if !p.plain() || !p.op.vector { // else the one for a column alone is ever called
		r := Rows{Name: p.prefix(), Op: p.operator(), Vectors: most, Lanes: m.VL, Pattern: p.Pattern}
		near, full, err := r.Lower(m.Target)
		if err != nil {
			return err
		}
		r.Name, r.Fetch = r.Name+"_fetch", true
		early, fetch, err := r.Lower(m.Target)
		if err != nil {
			return err
		}
		fs, k = append(near, early...), full
		k.Entries = append(k.Entries, fetch.Entries...)
		p.trim(m.Target, most, &k)
	}
	if p.plain() && p.Features <= 1 && p.op.column {
		f, err := Vec{Name: p.prefix() + "_vec", Elem: p.elem}.Lower(m.Target)
		if err != nil {
			return err
		}
		fs = append(fs, f)
		k.Add(kernel.Columns, 1, 1, f.Name)
	}
	k.Sort()
	adopt(p, m, fs, &k)
	return share(p, m, "spmmf", "Rows", StockRows{p.elem}.Lower)
}

// nest are the kernels for another format.
func (p *Product) nest(m *Module, most int) error {
	fs, k, err := Nest{Name: p.prefix(), Axes: p.Format.Axes, Masked: p.Format.Masks(), Ordered: p.Format.Ordered, Pattern: p.Pattern, Op: p.operator(), Vectors: most, Lanes: m.VL}.Lower(m.Target)
	if err != nil {
		return err
	}
	p.trim(m.Target, most, &k)
	adopt(p, m, fs, &k)
	return share(p, m, "spmmf", "Nests", StockNests{p.elem}.Lower)
}

// sddmm are the kernels of a sampled product, without those for narrow panels, which
// are for speed alone.
func (p *Product) sddmm(m *Module, most int) error {
	fs, k, err := SDDMM{Name: p.prefix(), Op: NewSum(p.elem), Vectors: most}.Lower(m.Target)
	if err != nil {
		return err
	}
	without := []kernel.Form{kernel.Panel, kernel.Tail, kernel.Weigh}
	if !p.Pattern {
		without[2] = kernel.Join
	}
	if p.Features > 0 && p.Features <= most*m.VL { // one panel
		without = append(without, kernel.More, kernel.MoreTail)
	}
	k.Entries = slices.DeleteFunc(k.Entries, func(e kernel.Entry[string]) bool { return slices.Contains(without, e.Form) })
	p.trim(m.Target, most, &k)
	adopt(p, m, fs, &k)
	return share(p, m, "sddmmf", "Kernels", SDDMM{Name: "sddmm", Op: NewSum(p.elem)}.Lower)
}

// apply lowers the spec's epilogue with its Go function translated.
func (p *Product) apply(m *Module) error {
	m.Epi = p.prefix() + "_" + m.Target.Name + "_epi"
	f, lanes, err := simd.Epilogue(p.lanesFusion(), m.Epi, m.Target, simd.Options{Widest: p.tr.Widest})
	if err != nil {
		return err
	}
	m.EpiLanes, m.Funcs = lanes, append(m.Funcs, Func{f, reflect.TypeFor[kernel.EpiArgs]()})
	return p.tr.Epilogue(m.Target, f)
}

// lanesFusion is the epilogue as its kernel sees it. In a sampled product every operand
// but a scalar has one element an entry, gathered if it has one a row or column. A
// vector is one row, so operands and reductions change sides. nil: there is none.
func (p *Product) lanesFusion() *gemm.Fusion {
	if p.Fusion == nil || p.matrices() {
		return p.Fusion
	}
	fusion := *p.Fusion
	fusion.Inputs, fusion.Reduces = slices.Clone(fusion.Inputs), slices.Clone(fusion.Reduces)
	for i, in := range fusion.Inputs {
		switch {
		case in.Pattern == gemm.ScalarPattern:
		case p.op.entries:
			fusion.Inputs[i].Pattern = gemm.FullPattern
		default:
			fusion.Inputs[i].Pattern = gemm.ColumnPattern
		}
	}
	for i := range fusion.Reduces {
		fusion.Reduces[i].Col = false
	}
	return &fusion
}

package gen

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/lower"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// formatLoops is what of a format decides which kernels it needs.
type formatLoops struct {
	nest            bool // not compressed rows
	masked, ordered bool
	text            string
}

// loopsOf finds out whether a format masks slots or moves rows, which only matrices
// show.
func loopsOf(d sparse.Description) (formatLoops, error) {
	var l formatLoops
	if d.Operation == sparse.OpSDDMM || d.Format.Name == sparse.CSR.Name {
		return l, nil
	}
	var last error
	tried := 0
	for k := range 5 {
		var m sparse.Matrix[float64]
		switch k {
		case 0:
			m, last = sample.Uniform[float64](40, 40, 3, 1)
		case 1:
			m, last = sample.EmptyRows[float64](40, 30, 1, 2)
		case 2:
			m, last = sample.Uniform[float64](13, 11, 11, 3)
		case 3:
			m, last = sample.Banded[float64](24, 1)
		case 4:
			m, last = sample.Uniform[float64](1, 1, 1, 4)
		}
		if last != nil {
			return l, last
		}
		p, err := m.To(d.Format)
		if err != nil {
			last = err // some formats hold some matrices only
			continue
		}
		a := p.Arrays()
		l.masked, l.ordered = l.masked || a.Mask != nil, l.ordered || a.Order != nil
		tried++
	}
	if tried == 0 {
		return l, fmt.Errorf("format %v holds none of the matrices that it was tried with: %w", d.Format, last)
	}
	if slices.ContainsFunc(d.Format.Axes, func(a sparse.Axis) bool { return a.Name == "ji" }) {
		return l, fmt.Errorf("format %v has blocks, whose kernels are not generated; cpu.SpMMBlocks multiplies them", d.Format)
	}
	l.text = sparse.Loops(d.Format.Axes, l.masked, l.ordered)
	l.nest = l.text != "i j:vs"
	return l, nil
}

// operator is the arithmetic of the kernels.
func (s *sparseSpec) operator() lower.Operator {
	if s.ring != nil {
		return s.ring.Semiring
	}
	return lower.NewSum(s.elem)
}

// plain reports whether the spec is of sums of products.
func (s *sparseSpec) plain() bool { return s.Reduce == sparse.Plus && !s.Pattern }

// lower makes the kernels for one target. Arithmetic that needs many registers gets
// fewer vectors of a row at once.
func (s *sparseSpec) lower(o Options, base string, t emit.Target, funcs *functions) (m sparseModule, f File, err error) {
	most := s.widest(t)
	if s.ring != nil {
		quiet := o
		quiet.Dump = nil // what is given up is not shown
		if _, err = s.kernels(quiet, t, most, funcs); err != nil {
			return m, f, err
		}
		for most > 1 {
			if _, _, err = s.try(quiet, base, t, most, funcs); err == nil {
				break
			}
			most -= 1 + most/8
		}
	}
	return s.try(o, base, t, most, funcs)
}

// try makes the kernels with at most most vectors, and the file of those that are the
// package's own, if there are any.
func (s *sparseSpec) try(o Options, base string, t emit.Target, most int, funcs *functions) (m sparseModule, f File, err error) {
	if m, err = s.kernels(o, t, most, funcs); err != nil {
		return m, f, err
	}
	ks := m.own()
	if o.Dump != nil { // whoever looks wants to see what is shared, too
		ks = m.kernels
	}
	if len(ks) == 0 {
		return m, f, nil
	}
	var fs []*emit.Func
	for _, k := range ks {
		fs = append(fs, k.f)
	}
	f, err = assembly(o, base, t, fs)
	return m, f, err
}

// widest is how many vectors of a row the kernels hold at most: no more than
// features ask for.
func (s *sparseSpec) widest(t emit.Target) int {
	most := lower.Widest(t)
	switch {
	case s.Operation == sparse.OpSDDMM:
		most = lower.SampledVectors(t)
	case s.loops.nest:
		most = min(8, most)
	}
	if s.Features == 0 {
		return most
	}
	vectors := (s.Features + t.Lanes(s.elem) - 1) / t.Lanes(s.elem)
	panels := (vectors + most - 1) / most
	return (vectors + panels - 1) / panels
}

// needed reports whether rows of a fixed number of features are ever done by the
// kernel for nv vectors, of which the last is masked or not.
func (s *sparseSpec) needed(t emit.Target, most, nv int, masked bool) bool {
	if s.Features == 0 {
		return true
	}
	vl := t.Lanes(s.elem)
	vectors := (s.Features + vl - 1) / vl
	panels := (vectors + most - 1) / most
	size := (vectors + panels - 1) / panels
	tall := vectors - panels*(size-1)
	for p := range panels {
		have := size
		if p >= tall {
			have = size - 1
		}
		if have == nv && masked == (p == panels-1 && s.Features%vl != 0) {
			return true
		}
	}
	return false
}

// kernels lowers every function of the spec.
func (s *sparseSpec) kernels(o Options, t emit.Target, most int, funcs *functions) (m sparseModule, err error) {
	m = sparseModule{target: t, vl: t.Lanes(s.elem)}
	switch {
	case s.Operation == sparse.OpSDDMM:
		err = s.sampledKernels(&m, t, most)
	case s.loops.nest:
		err = s.nestKernels(&m, t, most)
	default:
		err = s.rowKernels(&m, t, most)
	}
	if err != nil {
		return m, err
	}
	var fs []*emit.Func
	for _, k := range m.kernels {
		fs = append(fs, k.f)
	}
	if err := funcs.translate(s.operator(), fs); err != nil {
		return m, err
	}
	if err := s.share(&m); err != nil {
		return m, err
	}
	return m, s.epilogue(o, &m, t, funcs)
}

// some blanks the names of kernels that a fixed number of features never needs.
func (s *sparseSpec) some(t emit.Target, most int, names []string, masked bool) []string {
	out := make([]string, len(names))
	for i, n := range names {
		if s.needed(t, most, i+1, masked) {
			out[i] = n
		}
	}
	return out
}

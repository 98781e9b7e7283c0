package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/lower"
)

// add takes the functions of a family that are needed into the module, under names
// that begin with the spec's and the target's, and returns the names of each list of
// the table.
func (s *sparseSpec) add(m *sparseModule, block string, fs []*emit.Func, lists ...lower.Stock) [][]string {
	prefix, target := lowerFirst(s.Name), "_"+m.target.Name
	rename := func(old string) string {
		return prefix + target + "_" + strings.TrimSuffix(strings.TrimPrefix(old, prefix+"_"), target)
	}
	wanted := map[string]sparseKernel{}
	out := make([][]string, len(lists))
	for i, list := range lists {
		out[i] = make([]string, len(list.Names))
		for j, name := range list.Names {
			out[i][j] = "nil"
			if name != "" {
				out[i][j], wanted[name] = rename(name), sparseKernel{block: block, field: list.Field, place: j}
			}
		}
	}
	for _, f := range fs {
		k, ok := wanted[f.Name]
		if !ok {
			continue
		}
		old := f.Name
		f.Name = rename(old)
		f.Doc = strings.Replace(f.Doc, old, f.Name, 1)
		k.f = f
		m.kernels = append(m.kernels, k)
	}
	return out
}

// addRows is add for the lists of a RowKernels.
func (s *sparseSpec) addRows(m *sparseModule, fs []*emit.Func, lists ...lower.Stock) {
	for i, names := range s.add(m, "run.SparseArgs", fs, lists...) {
		m.fields = append(m.fields, Field{lists[i].Field, List("SparseKernel", names)})
	}
}

func (s *sparseSpec) rowKernels(m *sparseModule, t emit.Target, most int) error {
	m.table = "RowKernels"
	m.fields = []Field{{"VL", fmt.Sprint(m.vl)}}
	prefix := lowerFirst(s.Name)
	vec := func() error {
		f, err := lower.Vec{Name: prefix + "_vec", Elem: s.elem}.Lower(t)
		if err == nil {
			s.addRows(m, []*emit.Func{f}, lower.Stock{Field: "Vec", Names: []string{f.Name}})
		}
		return err
	}
	if s.plain() && s.Operation == sparse.OpSpMV { // no other kernel is ever called
		for _, name := range []string{"Full", "Tail", "FullFetch", "TailFetch"} {
			s.addRows(m, nil, lower.Stock{Field: name, Names: []string{""}})
		}
		return vec()
	}
	for _, fetch := range []bool{false, true} {
		name, suffix := prefix, ""
		if fetch {
			name, suffix = prefix+"_fetch", "Fetch"
		}
		fs, full, tail, err := lower.Rows{Name: name, Op: s.operator(), Vectors: most, Pattern: s.Pattern, Fetch: fetch}.Lower(t)
		if err != nil {
			return err
		}
		s.addRows(m, fs, lower.Stock{Field: "Full" + suffix, Names: s.some(t, most, full, false)},
			lower.Stock{Field: "Tail" + suffix, Names: s.some(t, most, tail, true)})
	}
	if s.plain() && s.Features <= 1 {
		return vec()
	}
	return nil
}

func (s *sparseSpec) nestKernels(m *sparseModule, t emit.Target, most int) error {
	n := lower.Nest{Name: lowerFirst(s.Name), Axes: s.Format.Axes, Masked: s.loops.masked, Ordered: s.loops.ordered, Op: s.operator(), Vectors: most}
	fs, full, tail, err := n.Lower(t)
	if err != nil {
		return err
	}
	lists := s.add(m, "run.NestArgs", fs, lower.Stock{Field: "Full", Names: s.some(t, most, full, false)},
		lower.Stock{Field: "Tail", Names: s.some(t, most, tail, true)})
	m.table = "NestKernels"
	m.fields = []Field{{"VL", fmt.Sprint(m.vl)}, {"Sets", fmt.Sprintf("[]run.NestSet{{\nLoops: %q,\nFull: %s,\nTail: %s,\n}}",
		s.loops.text, List("NestKernel", lists[0]), List("NestKernel", lists[1]))}}
	return nil
}

func (s *sparseSpec) sampledKernels(m *sparseModule, t emit.Target, most int) error {
	fs, k, err := lower.Sampled{Name: lowerFirst(s.Name), Op: lower.NewSum(s.elem), Vectors: most}.Lower(t)
	if err != nil {
		return err
	}
	if s.Features > 0 && s.Features <= most*m.vl { // one panel
		k.More, k.MoreTail = nil, nil
	}
	if s.Pattern {
		k.Weigh = ""
	} else {
		k.Reduce = ""
	}
	lists := sampledLists(k)
	for i, l := range lists[:4] {
		lists[i].Names = s.some(t, most, l.Names, strings.HasSuffix(l.Field, "Tail"))
	}
	names := s.add(m, "run.SparseArgs", fs, lists...)
	m.table = "SampledKernels"
	m.fields = []Field{{"VL", fmt.Sprint(m.vl)}}
	for i, l := range lists[:4] {
		m.fields = append(m.fields, Field{l.Field, List("SparseKernel", names[i])})
	}
	m.fields = append(m.fields, Field{"Reduce", names[4][0]}, Field{"Weigh", names[5][0]})
	return nil
}

// sampledLists are the kernels of a sampled product that a generated table has, by
// field: those for narrow panels are for speed alone.
func sampledLists(k lower.SampledKernels) []lower.Stock {
	return []lower.Stock{
		{Field: "First", Names: k.First}, {Field: "FirstTail", Names: k.FirstTail}, {Field: "More", Names: k.More}, {Field: "MoreTail", Names: k.MoreTail},
		{Field: "Reduce", Names: []string{k.Reduce}}, {Field: "Weigh", Names: []string{k.Weigh}},
	}
}

// epilogue lowers the spec's epilogue with its Go function translated.
func (s *sparseSpec) epilogue(o Options, m *sparseModule, t emit.Target, funcs *functions) error {
	if s.body == nil {
		return nil
	}
	m.epi = lowerFirst(s.Name) + "_" + t.Name + "_epi"
	f, lanes, err := simd.Epilogue(s.lanesBody(), m.epi, t, simd.Options{Widest: funcs.widest})
	if err != nil {
		return err
	}
	if o.Dump != nil {
		f.Number()
		o.Dump(t.Name, passGo, f)
	}
	p, err := funcs.program()
	if err != nil {
		return err
	}
	if err := p.Inline(f); err != nil {
		return err
	}
	m.lanes = lanes
	m.kernels = append(m.kernels, sparseKernel{f: f, block: "run.EpiArgs"})
	return nil
}

// lanesBody is the epilogue as its kernel sees it: in a sampled product every operand
// but a scalar has one element an entry, gathered where it is one a row or column; a
// vector is one row, so that operands and reductions change sides.
func (s *sparseSpec) lanesBody() *gemm.Body {
	if s.Operation == sparse.OpSpMM || s.body == nil {
		return s.body
	}
	body := *s.body
	body.Inputs, body.Reduces = slices.Clone(body.Inputs), slices.Clone(body.Reduces)
	for i, in := range body.Inputs {
		switch {
		case in.Pattern == gemm.ScalarPattern:
		case s.Operation == sparse.OpSDDMM:
			body.Inputs[i].Pattern = gemm.FullPattern
		default:
			body.Inputs[i].Pattern = gemm.ColumnPattern
		}
	}
	for i := range body.Reduces {
		body.Reduces[i].Col = false
	}
	return &body
}

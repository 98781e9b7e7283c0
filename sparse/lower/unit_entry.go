package lower

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// abi refuses to compile with a run time of another version.
const abi = unit.Text("const _ = run.ABI6")

// product is the type of the run time that computes the spec, its field for the
// variants, and its methods' suffix.
func (s *spec) product() (typ, variants, suffix string) {
	switch s.Operation {
	case sparse.OpSDDMM:
		return "graph.SDDMM", "Variants", ""
	case sparse.OpEdgeSoftmax:
		return "graph.EdgeScores", "", ""
	case sparse.OpRGMS:
		return "graph.Relations", "Rows", ""
	}
	variants = "Rows"
	if s.Loops != "" {
		variants = "Nests"
	}
	if s.packed() {
		suffix = "Packed"
	}
	if s.sum() {
		suffix = "Sum"
	}
	if s.Operation == sparse.OpSegments {
		suffix = "Segments"
	}
	return "rows.SpMM", variants, suffix
}

// entry are the functions that a user calls.
func (s *spec) entry() []unit.Decl {
	switch {
	case s.gradients():
		return s.gradientsEntry()
	case s.Operation == sparse.OpAttention:
		return s.attentionEntry()
	}
	variable := s.v + "Product"
	typ, variants, suffix := s.product()
	wrap := func(name string) string {
		if s.Operation == sparse.OpSpMV {
			return "rows.Column(" + name + ")"
		}
		return name
	}
	operands := s.matrixName() + ", " + wrap(s.denseName())
	switch s.Operation {
	case sparse.OpSDDMM:
		operands = "s, a, b"
	case sparse.OpRGMS:
		operands = "a, x, w"
	case sparse.OpSegments:
		operands = "offsets, x"
	case sparse.OpEdgeSoftmax:
		operands = s.outName() + ", s"
	}
	opts, method := "threads, a forced ISA", "Fuse"
	opt, e := unit.Free("opt", s.params), unit.Free("e", s.params)
	body := fmt.Sprintf("%s := %s\n%s%s.Fuse%s(%s, &%s, %s)", e, s.epilogueOf(opt), unit.Binds(s.params, e), variable, suffix, opt, e, operands)
	if s.narrow() {
		body = fmt.Sprintf("%s := %s\n%srows.FuseOf(&%s, %s, &%[1]s, %[6]s)", e, s.epilogueOf(opt), unit.Binds(s.params, e), variable, opt, operands)
	}
	switch {
	case s.Fusion == nil && s.narrow():
		method = "Multiply"
		body = fmt.Sprintf("%[1]s.Caller = %[1]s.Name(%[2]s)\nrows.MultiplyOf(&%[3]s, %[1]s, %[4]s, %[5]s)", opt, s.called("Opt"), variable, s.outName(), operands)
	case s.Fusion == nil:
		method = "Multiply"
		body = fmt.Sprintf("%[1]s.Caller = %[1]s.Name(%[2]s)\n%[3]s.Multiply%[4]s(%[1]s, %[5]s, %[6]s)", opt, s.called("Opt"), variable, suffix, wrap(s.outName()), operands)
	}
	if s.Fusion == nil && s.Reduce == sparse.Plus {
		opts = "threads, alpha and beta, a forced ISA"
	}
	return []unit.Decl{
		abi,
		unit.Func{Doc: s.document(typ + "." + method + suffix), Name: s.Name, Params: s.params, Body: fmt.Sprintf("%sOpt(run.Options{Caller: %s}, %s)", s.Name, s.called(""), unit.Names(s.params))},
		unit.Func{
			Doc:  fmt.Sprintf("%sOpt is %[1]s with options: %s.", s.Name, opts),
			Name: s.Name + "Opt", Params: append([]unit.Param{{Name: opt, Type: "run.Options"}}, s.params...), Body: body,
		},
		unit.Var{Name: variable, Value: s.literal(typ, variants)},
	}
}

// literal is the run time's form of the spec.
func (s *spec) literal(typ, variants string) unit.Lit {
	set := func(name string, value unit.Expr, on bool) unit.Field {
		if !on {
			value = ""
		}
		return unit.Field{Name: name, Value: value}
	}
	var semiring unit.Expr
	if s.Semiring != nil {
		semiring = s.Semiring.Value()
	}
	kernels, dense, softmax := unit.Expr(s.v+"Variants"), unit.Expr(""), unit.Expr("")
	if s.Operation == sparse.OpEdgeSoftmax {
		softmax = unit.Expr(fmt.Sprintf("func() *graph.Attention[%s] { return &attn%s.Set }", s.T.Go(), s.T))
	}
	if s.Operation == sparse.OpRGMS {
		kernels = unit.Expr("func() []*run.RowKernels { return " + s.v + "Variants }")
		dense = unit.Expr("func() []*run.Kernels { return " + denseSets[s.T] + "().Variants }")
	}
	return unit.Lit{Type: typ + "[" + s.T.Go() + "]"}.With(
		set("Name", unit.Expr(s.called("")), true),
		set(variants, kernels, variants != ""),
		set("Nests", unit.Expr(s.v+"Parts"), s.sum()),
		set("Set", softmax, true),
		set("Dense", dense, true),
		set("Semiring", semiring, true),
		set("Format", unit.Expr(fmt.Sprintf("%q", s.Format.Name)), s.packed()),
		set("Mean", "true", s.Reduce == sparse.Mean),
		set("Pattern", "true", s.Pattern),
		set("Features", unit.Expr(fmt.Sprint(s.Features)), s.Features > 0 && s.Operation != sparse.OpSpMV),
		set("Vector", "true", s.Operation == sparse.OpSpMV && s.Fusion != nil),
		set("Epilogue", unit.Expr(s.v+"Epilogue"), s.Fusion != nil),
		set("Epis", unit.Expr(s.v+"Epis"), s.Fusion != nil))
}

// denseSets return the kernels that multiply the rows which relations gather.
var denseSets = map[dtype.Type]string{dtype.F32: "gemmf32.SGEMMSet", dtype.F64: "gemmf64.DGEMMSet"}

// called is the name that errors give a function of the spec, as Go writes it.
func (s *spec) called(suffix string) string {
	return fmt.Sprintf("%q", s.Package+"."+s.Name+suffix)
}

// epilogueOf is the epilogue that a call begins with.
func (s *spec) epilogueOf(opt string) string {
	name := opt + ".Name(" + s.called("Opt") + ")"
	switch s.Operation {
	case sparse.OpSDDMM, sparse.OpEdgeSoftmax:
		return fmt.Sprintf("graph.NewEpilogue(%s, s.Rows(), s.Cols(), s.NNZ())", name)
	case sparse.OpSpMV:
		m := "rows.Row(y).Cols"
		if s.unstored() {
			m = s.matrixName() + ".Rows()"
		}
		return fmt.Sprintf("run.NewEpilogue(%s, 1, %s)", name, m)
	}
	shape := "out.Rows, out.Cols"
	if s.unstored() {
		rows := s.matrixName() + ".Rows()"
		if s.Operation == sparse.OpSegments {
			rows = "rows.SegmentCount(offsets)"
		}
		shape = rows + ", " + s.denseName() + ".Cols"
	}
	return fmt.Sprintf("run.NewEpilogue(%s, %s)", name, shape)
}

// unstored reports whether no matrix or vector of results is stored.
func (s *spec) unstored() bool { return s.Fusion != nil && s.Fusion.Unstored }

// document is the comment of the entry point.
func (s *spec) document(method string) string {
	text := append([]string{s.formula()}, s.arithmetic()...)
	if s.packed() {
		text = append(text, fmt.Sprintf("a is in the format %s.", s.Format.Name))
	}
	if s.sum() {
		var names []string
		for _, n := range s.Nests {
			names = append(names, n.Name)
		}
		text = append(text, fmt.Sprintf("a is a sum of parts, which are added in their order; there are kernels for those in csr, %s, of any widths.", strings.Join(names, ", ")))
	}
	if s.Fusion != nil {
		text = append(text, s.operands())
	}
	return strings.Join(text, " ") + "\n" +
		"It panics with a [layout.ShapeError], before an element is read, if shapes, lengths or the format do not agree, " +
		"a slice is too short, or an output shares memory with anything else. See [" + method + "] for the order of additions, rounding and NaN."
}

// formula says what the function computes, of what shapes.
func (s *spec) formula() string {
	value := map[sparse.Operation]string{
		sparse.OpSpMM: "a*b", sparse.OpSpMV: "a*x", sparse.OpSDDMM: "s[k] * (a[i] · b[j])", sparse.OpRGMS: "sum over r of a_r*x*w_r",
		sparse.OpSegments: "sum of x[k]", sparse.OpEdgeSoftmax: "s[k]",
	}[s.Operation]
	if s.Operation == sparse.OpSDDMM && s.Pattern {
		value = "a[i] · b[j]"
	}
	formula := s.outName() + " = " + value
	if s.Fusion != nil {
		formula = s.Fusion.Formula(s.Apply.Expr, s.outName(), value)
	}
	switch s.Operation {
	case sparse.OpAttention:
		return s.attentionFormula()
	case sparse.OpEdgeSoftmax:
		return fmt.Sprintf("%s computes %s for each entry k = (i, j) of s, in the order of s.CSR, and then makes of these scores their softmax over each row: s is m x n, %s has one element an entry.",
			s.Name, formula, s.outName())
	case sparse.OpSDDMM:
		return fmt.Sprintf("%s computes %s for each entry k = (i, j) of s, in the order of s.All: s is m x n, a is m x %s, b is n x %[3]s and out has one element an entry.",
			s.Name, formula, s.features("f"))
	case sparse.OpSpMV:
		if s.unstored() {
			return fmt.Sprintf("%s computes %s, where a is m x k and x has k elements.", s.Name, formula)
		}
		return fmt.Sprintf("%s computes %s, where a is m x k, x has k elements and y has m.", s.Name, formula)
	}
	if s.Operation == sparse.OpRGMS {
		stored := "out is m x l, all of any strides"
		if s.unstored() {
			stored = "x and w have any strides"
		}
		return fmt.Sprintf("%s computes %s, where the relations a are m x n, x is n x k, w holds the matrices w_r, each k x l, one under another, and %s.", s.Name, formula, stored)
	}
	if s.Operation == sparse.OpSegments {
		stored := fmt.Sprintf("out is m x %s, both of any strides", s.features("h"))
		if s.unstored() {
			stored = "x has any strides"
		}
		return fmt.Sprintf("%s computes %s for each row i of m, over the segment of rows k from offsets[i] to offsets[i+1]-1 of x, column by column: there are m+1 offsets, x is n x %s and %s.",
			s.Name, formula, s.features("h"), stored)
	}
	if s.unstored() {
		return fmt.Sprintf("%s computes %s, where a is m x k and b is k x %s, of any strides.", s.Name, formula, s.features("n"))
	}
	return fmt.Sprintf("%s computes %s, where a is m x k, b is k x %s and out is m x %[3]s; b and out have any strides.", s.Name, formula, s.features("n"))
}

// features is how many there are, or what an unknown number is called.
func (s *spec) features(unknown string) string {
	if s.Features > 0 {
		return fmt.Sprint(s.Features)
	}
	return unknown
}

// operands says what the epilogue's operands and reductions are.
func (s *spec) operands() string {
	switch s.Operation {
	case sparse.OpAttention:
		return s.attentionOperands()
	case sparse.OpSDDMM, sparse.OpEdgeSoftmax:
		var text []string
		for _, in := range s.Fusion.Inputs {
			switch in.Pattern {
			case gemm.RowPattern:
				text = append(text, in.Name+" has m elements, one for each row of s.")
			case gemm.ColumnPattern:
				text = append(text, in.Name+" has n elements, one for each column of s.")
			case gemm.FullPattern:
				text = append(text, in.Name+" has one element for each entry.")
			}
		}
		return strings.Join(text, " ")
	case sparse.OpSpMV:
		b := *s.Fusion
		b.Also, b.Reduces = nil, nil
		text := []string{b.About("m", "")}
		for _, r := range s.Fusion.Reduces {
			text = append(text, fmt.Sprintf("%s gets the %s of y, as its only element.", r.Name, r.Text()))
		}
		return strings.TrimSpace(strings.Join(text, " "))
	}
	if s.Operation == sparse.OpRGMS {
		return s.Fusion.About("m", "l")
	}
	return s.Fusion.About("m", s.features("n"))
}

// arithmetic says in sentences what a row's entries become.
func (s *spec) arithmetic() []string {
	var lines []string
	if _, reduction := s.Reduce.(sparse.Reduction); s.Semiring != nil && !reduction {
		lines = append(lines, s.Semiring.Sentence())
	}
	if s.Operation == sparse.OpSegments {
		switch s.Reduce {
		case sparse.Mean:
			lines = append(lines, "The sum of a segment is divided by the number of its rows; without any it is 0.")
		case sparse.Max:
			lines = append(lines, "In place of the sum stands the largest of the segment, NaN if one is; -Inf if it has no rows.")
		case sparse.Min:
			lines = append(lines, "In place of the sum stands the smallest of the segment, NaN if one is; +Inf if it has no rows.")
		}
		return lines
	}
	switch s.Reduce {
	case sparse.Mean:
		lines = append(lines, "The sum of a row is divided by the number of its entries; without any it is 0.")
	case sparse.Max:
		lines = append(lines, "In place of the sum stands the largest product, NaN if one is; -Inf in an empty row.")
	case sparse.Min:
		lines = append(lines, "In place of the sum stands the smallest product, NaN if one is; +Inf in an empty row.")
	}
	if s.Pattern && s.Operation != sparse.OpSDDMM {
		lines = append(lines, "The values of a are not read: every entry counts as it is.")
	}
	return lines
}

package lower

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse"
)

// abi refuses to compile with a run time of another version.
const abi = unit.Text("const _ = run.ABI6")

// entry are the functions that a user calls.
func (s *spec) entry() []unit.Decl {
	switch {
	case s.gradients():
		return s.gradientsEntry()
	case s.Operation == sparse.OpAttention:
		return s.attentionEntry()
	}
	f, variable, suffix, opts := s.form(), s.v+"Product", "", "threads, a forced ISA"
	switch {
	case f.run != "rows.SpMM":
	case s.Operation == sparse.OpSegments:
		suffix = "Segments"
	case s.sum():
		suffix = "Sum"
	case s.packed():
		suffix = "Packed"
	}
	shape := f.stored
	if s.unstored() {
		shape = f.unstored
	}
	begin, method, to := fmt.Sprintf("$e := "+f.epilogue+"\n$binds\n", shape), "Fuse", "&$e"
	if s.Fusion == nil {
		begin, method, to = "$opt.Caller = $name\n", "Multiply", f.result
		if s.Reduce == sparse.Plus {
			opts = "threads, alpha and beta, a forced ISA"
		}
	}
	call := fmt.Sprintf("%s.%s%s($opt, %s, %s)", variable, method, suffix, to, f.args)
	if s.narrow() {
		call = fmt.Sprintf("rows.%sOf(&%s, $opt, %s, %s)", method, variable, to, f.args)
	}
	return append(s.api.Calls(s.document(f.run+"."+method+suffix), opts, "", begin+call), unit.Var{Name: variable, Value: s.literal()})
}

// when is an expression if something holds, and else none.
func when(holds bool, text string) unit.Expr {
	if !holds {
		return ""
	}
	return unit.Expr(text)
}

// literal is the run time's form of the spec.
func (s *spec) literal() unit.Lit {
	f, semiring, features := s.form(), unit.Expr(""), s.Features
	if s.Semiring != nil {
		semiring = s.Semiring.Value()
	}
	if s.Loops != "" && f.run == "rows.SpMM" {
		f.variants = "Nests"
	}
	if s.Operation == sparse.OpSpMV {
		features = 0
	}
	return unit.Struct(f.run+"["+s.T.Go()+"]",
		"Name", s.Package+"."+s.Name,
		f.variants, when(f.variants != "", s.fill(cmp.Or(f.kernels, "{v}Variants"))),
		"Nests", when(s.sum(), s.v+"Parts"),
		"Set", unit.Expr(s.fill(f.set)),
		"Dense", unit.Expr(s.fill(f.dense)),
		"Semiring", semiring,
		"Format", when(s.packed(), fmt.Sprintf("%q", s.Format.Name)),
		"Mean", s.Reduce == sparse.Mean,
		"Pattern", s.Pattern,
		"Features", features,
		"Vector", s.Operation == sparse.OpSpMV && s.Fusion != nil,
		"Epilogue", when(s.Fusion != nil, s.v+"Epilogue"),
		"Epis", when(s.Fusion != nil, s.v+"Epis"))
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
	if s.Operation == sparse.OpAttention {
		return s.attentionFormula()
	}
	f := s.form()
	if s.Operation == sparse.OpSDDMM && s.Pattern {
		f.value = "a[i] · b[j]"
	}
	formula, where := f.out+" = "+f.value, f.where
	if s.Fusion != nil {
		formula = s.Fusion.Formula(s.Apply.Expr, f.out, f.value)
	}
	if s.unstored() {
		where = cmp.Or(f.unseen, where)
	}
	comma := ", "
	if strings.HasPrefix(where, "for each") {
		comma = " "
	}
	return "computes " + formula + comma + s.fill(where) + "."
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
	return s.Fusion.About("m", s.fill(s.form().cols))
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

package lower

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// entry are the functions that a user calls.
func (s *draft) entry() []unit.Decl {
	f, variable, opts := s.op, s.V+"Product", "threads, a forced ISA"
	if f.entry != nil {
		return f.entry(s)
	}
	shape := f.stored
	if s.unstored() {
		shape = f.unstored
	}
	begin, method, to := fmt.Sprintf("$e := "+f.epilogue+"\n$binds\n", shape), "Fuse", "&$e"
	if s.Fusion == nil {
		begin, method, to = "$opt.Caller = $name\n", "Multiply", f.result
		if s.Reduce == spec.Plus {
			opts = "threads, alpha and beta, a forced ISA"
		}
	}
	call, of := fmt.Sprintf("%s.%s($opt, %s, %s)", variable, method, to, f.args), f.run+"."+method
	if f.run == "rows.SpMM" {
		of = "rows." + method
		call = fmt.Sprintf("%s(&%s, $opt, %s, %s)", of, variable, to, f.args)
	}
	return append(s.API.Calls(s.document(of), opts, "", begin+call), unit.Var{Name: variable, Value: s.literal()})
}

// literal is the run time's form of the spec.
func (s *draft) literal() unit.Lit {
	f, semiring, variants, features := s.op, unit.Expr(""), s.op.variants, s.Features
	if s.Semiring != nil {
		semiring = s.Semiring.Value()
	}
	if s.Loops != "" && f.run == "rows.SpMM" {
		variants = "Nests"
	}
	if f.vector {
		features = 0
	}
	return unit.Struct(f.run+"["+s.T.Go()+"]",
		"Name", s.Package+"."+s.Name,
		variants, unit.When(variants != "", "%s", s.fill(cmp.Or(f.kernels, "{v}Variants"))),
		"Nests", unit.When(s.sum(), "%sParts", s.V),
		"Set", unit.Expr(s.fill(f.set)),
		"Dense", unit.Expr(s.fill(f.dense)),
		"Semiring", semiring,
		"Format", unit.When(s.packed(), "%q", s.Format.Name),
		"Mean", s.Reduce == spec.Mean,
		"Pattern", s.Pattern,
		"Features", features,
		"Vector", f.vector && s.Fusion != nil).And(s.epilogueFields()...)
}

// epilogueFields are the fields of the run time's form about an epilogue.
func (s *draft) epilogueFields() []any {
	return []any{"Epilogue", unit.When(s.Fusion != nil, "%sEpilogue", s.V), "Epis", unit.When(s.Fusion != nil, "%sEpis", s.V)}
}

// unstored reports whether no matrix or vector of results is stored.
func (s *draft) unstored() bool { return s.Fusion != nil && s.Fusion.Unstored }

// document is the comment of the entry point.
func (s *draft) document(method string) string {
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
	return strings.Join(text, " ") + "\n" + unit.Panics("shapes, lengths or the format do not agree", unit.Short, unit.Overlap) +
		" See [" + method + "] for the order of additions, rounding and NaN."
}

// formula says what the function computes, of what shapes.
func (s *draft) formula() string {
	f := s.op
	if f.formula != nil {
		return f.formula(s)
	}
	value, where := f.value, f.where
	if s.Pattern {
		value = cmp.Or(f.pattern, value)
	}
	formula := f.out + " = " + value
	if s.Fusion != nil {
		formula = s.Fusion.Formula(s.Apply.Expr, f.out, value)
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
func (s *draft) features(unknown string) string {
	if s.Features > 0 {
		return fmt.Sprint(s.Features)
	}
	return unknown
}

// operands says what the epilogue's operands and reductions are.
func (s *draft) operands() string {
	if s.op.operands != nil {
		return s.op.operands(s)
	}
	return s.Fusion.About("m", s.fill(s.op.cols))
}

// arithmetic says in sentences what a row's entries become.
func (s *draft) arithmetic() []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if _, reduction := s.Reduce.(spec.Reduction); s.Semiring != nil && !reduction {
		lines = append(lines, s.Semiring.Sentence())
	}
	switch w := s.op.rows; s.Reduce {
	case spec.Mean:
		say("The sum of a %s is divided by the number of its %s; without any it is 0.", w.row, w.entries)
	case spec.Max:
		say("In place of the sum stands the largest %s, NaN if one is; -Inf %s.", w.term, w.empty)
	case spec.Min:
		say("In place of the sum stands the smallest %s, NaN if one is; +Inf %s.", w.term, w.empty)
	}
	if s.Pattern && s.op.pattern == "" {
		say("The values of a are not read: every entry counts as it is.")
	}
	return lines
}

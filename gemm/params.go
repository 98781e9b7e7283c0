package gemm

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Style says how one kind of product takes what an epilogue reads and writes. It gives
// the type, the bind statement and the oracle of each parameter; the rest is filled in.
type Style interface {
	Output(p *unit.Param)
	Unstored() string // the bind statement in place of an output's
	Operand(p *unit.Param, pattern Pattern)
	Reduction(p *unit.Param, r Reduce)
}

// Or is the epilogue, or if there is none that of sums which are stored as out, for their parameters.
func (e *Fusion) Or(out dtype.Type) *Fusion {
	if e == nil {
		return &Fusion{Out: out}
	}
	return e
}

// Params are the parameters of a product with the epilogue: out, other outputs and
// reductions, the factors, operands.
func (e *Fusion) Params(s Style, out string, factors ...unit.Param) []unit.Param {
	var ps []unit.Param
	for i, o := range e.Results() {
		p := unit.Param{Name: o.Name, Role: unit.Output, Slot: i, Elem: o.Type.Go()}
		if i == 0 {
			p.Name = out
		}
		s.Output(&p)
		taken(&p)
		if o.Unstored {
			p.Role, p.Bind = unit.Unstored, s.Unstored()
		}
		ps = append(ps, p)
	}
	if e.Rounds {
		ps[0].Round = e.round()
	}
	outs := len(ps)
	for i, r := range e.Reduces {
		p := unit.Param{Name: r.Name, Role: unit.Reduction, Slot: e.ReduceSlot(i), Elem: e.ReducedType(r).Go(), Op: r.Op.String(), Col: r.Col, Of: e.Result(r)}
		if best := e.BestOf(i); best >= 0 {
			p.Best = e.ReduceSlot(best)
		}
		s.Reduction(&p, r)
		taken(&p)
		if e.Rounds { // what is reduced is what is stored
			p.Step = strings.Replace(p.Step, "r0)", fmt.Sprintf("r0.%s())", strings.ToUpper(e.Acc.Go()[:1])+e.Acc.Go()[1:]), 1)
		}
		ps = append(ps, p)
	}
	ps = append(ps, factors...)
	for i, in := range e.Inputs {
		p := unit.Param{Name: in.Name, Role: unit.Operand, Slot: outs + i, Elem: in.Type.Go(),
			Row: in.Pattern == RowPattern || in.Pattern == FullPattern, Col: in.Pattern == ColumnPattern || in.Pattern == FullPattern}
		if in.Range != nil {
			p.Low, p.High = in.Range.Low, in.Range.High
		}
		s.Operand(&p, in.Pattern)
		taken(&p)
		ps = append(ps, p)
	}
	return ps
}

// taken says how the oracle takes a parameter, unless the style does.
func taken(p *unit.Param) {
	if p.Arg == "" {
		p.Arg = unit.Taken(p.Type, p.Elem, p.Slot)
	}
}

// ZeroParams are the parameters that are zero points, of elements of the types a and b.
func (e *Fusion) ZeroParams(a, b dtype.Type) (ps []unit.Param) {
	add := func(of, name string, t dtype.Type, slot int) {
		if name == "" {
			return
		}
		ps = append(ps, unit.Param{Name: name, Type: t.Go(), Role: unit.ZeroPoint, Slot: slot, Elem: t.Go(), Col: of == "A",
			Bind: fmt.Sprintf("epilogue.Zero%s(&$e, %s)", of, name), Arg: unit.Taken(t.Go(), t.Go(), slot)})
	}
	add("A", e.Zeros.A, a, e.ColumnTerm())
	add("B", e.Zeros.B, b, e.RowTerm())
	return ps
}

// Side is "Col" or "Row": what a value is of.
func (r Reduce) Side() string {
	if r.Col {
		return "Col"
	}
	return "Row"
}

// Step returns the Go statement of an epilogue that adds element (i, j) of a result to the
// reduction. result is the number of the result.
func (r Reduce) Step(slot, result int) string {
	at := "i"
	switch {
	case r.Op.Arg():
		at = "i, j"
	case r.Col:
		at = "j"
	}
	return fmt.Sprintf("epilogue.%s%s(e, %d, %s, r%d)", r.Op, r.Side(), slot, at, result)
}

// Text is what a reduction leaves, as documents say it.
func (r Reduce) Text() string {
	return map[Reduction]string{Sum: "sum", Max: "maximum", ArgMax: "column of the maximum", ArgMin: "column of the minimum",
		Min: "minimum", SumSquares: "sum of squares", LogSumExp: "logarithm of the sum of e^x"}[r.Op]
}

// Kind is what package gpu calls the memory of such an operand.
func (p Pattern) Kind() string { return [...]string{"Row", "Column", "Full", "Scalar"}[p] }

// round is the function that rounds what the epilogue's function returns, as Go writes it.
func (e *Fusion) round() string { return "dtype.To" + strings.TrimPrefix(e.Out.Go(), "dtype.") }

// Formula is the outputs and the call of the epilogue's function for a value, as Go
// writes them.
func (e *Fusion) Formula(function, out, value string) string {
	args := []string{value}
	for _, a := range e.Also {
		out += ", " + a.Name
	}
	for _, in := range e.Inputs {
		args = append(args, in.Name)
	}
	call := fmt.Sprintf("%s(%s)", function, strings.Join(args, ", "))
	if e.Rounds && len(e.Also) == 0 {
		call = fmt.Sprintf("%s(%s)", e.round(), call)
	}
	return out + " = " + call
}

// Shapes says of what shapes the operands of a product are, as the end of a sentence, and what those of the epilogue
// are, if e is not nil. strides says how they lie.
func (e *Fusion) Shapes(strides string) string {
	shapes, about := ", b is k x n and out is m x n", ""
	if e != nil {
		about = " " + e.About("m", "n")
		if e.Unstored {
			shapes = " and b is k x n"
		}
	}
	return "where a is m x k" + shapes + ", " + strides + "." + about
}

// About says in sentences what the operands, outputs and reductions of the epilogue are,
// if the product is rows x cols.
func (e *Fusion) About(rows, cols string) string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, in := range e.Inputs {
		switch in.Pattern {
		case RowPattern:
			say("%s has %s elements, one for each row.", in.Name, rows)
		case ColumnPattern:
			say("%s has %s elements, one for each column.", in.Name, cols)
		case FullPattern:
			say("%s is %s x %s and may be the same matrix as an output.", in.Name, rows, cols)
		}
		if in.Range != nil {
			say("%s is %s; results for others are not specified.", in.Name, in.span())
		}
	}
	for _, o := range e.Results() {
		switch {
		case o.Unstored:
			say("%s is not stored.", o.Name)
		case o.Name != "out":
			say("%s is %s x %s.", o.Name, rows, cols)
		}
	}
	if e.Rounds && len(e.Also) > 0 {
		say("out is rounded to %s.", e.Out.Go())
	}
	for _, r := range e.Reduces {
		side := "row"
		if r.Col {
			side = "column"
		}
		say("%s gets the %s of each %s of %s.", r.Name, r.Text(), side, cmp.Or(r.Of, "out"))
	}
	return strings.Join(lines, " ")
}

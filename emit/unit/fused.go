package unit

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// loop is the function that applies an epilogue to a block of sums. It is the epilogue
// where there is no assembly, and for outputs whose rows are not contiguous. sum is the
// element type of the sums.
func loop(name string, c Call, sum string, ps []Param) Func {
	var b strings.Builder
	results := results(ps)
	of := fmt.Sprintf("epilogue.Sum[%s](e, i, j)", sum)
	for _, p := range Of(ps, ZeroPoint) {
		of += fmt.Sprintf("-epilogue.Load[int32](e, %d, i, j)", p.Slot)
	}
	args := []string{of}
	for _, p := range Of(ps, Operand) {
		args = append(args, fmt.Sprintf("epilogue.Load[%s](e, %d, i, j)", p.Elem, p.Slot))
	}
	b.WriteString("for i := range int(e.Rows) {\nfor j := range int(e.Cols) {\n" + called(c, strings.Join(args, ",\n"), ps))
	for _, p := range Of(ps, Output) {
		fmt.Fprintf(&b, "epilogue.Store(e, %d, i, j, %s)\n", p.Slot, results[p.Slot])
	}
	for _, p := range Of(ps, Reduction) {
		if p.Best == 0 {
			b.WriteString(p.Step + "\n")
		}
	}
	b.WriteString("}\n}\n")
	return Func{
		Doc: fmt.Sprintf("%s applies %s to a block of sums: the epilogue where there is no assembly, and of outputs whose rows are not contiguous.",
			name, c.Expr),
		Name: name, Params: []Param{{Name: "e", Type: "*kernel.EpiArgs"}}, Body: b.String(),
	}
}

// called is the statement that calls an epilogue's function for its results.
func called(c Call, args string, ps []Param) string {
	rs, call := results(ps), c.Expr+"("+args+")"
	round := Of(ps, Output, Unstored)[0].Round
	switch {
	case round == "":
		return fmt.Sprintf("%s := %s\n", strings.Join(rs, ", "), call)
	case len(rs) == 1:
		return fmt.Sprintf("r0 := %s(%s)\n", round, call)
	}
	wide := append([]string{"wide"}, rs[1:]...)
	return fmt.Sprintf("%s := %s\nr0 := %s(wide)\n", strings.Join(wide, ", "), call, round)
}

// results are names for what the epilogue's function returns.
func results(ps []Param) []string {
	var rs []string
	for i := range Of(ps, Output, Unstored) {
		rs = append(rs, fmt.Sprintf("r%d", i))
	}
	return rs
}

// Fused is a check.Case about the operation, with its epilogue if it has one: a, b and acc are the element types of
// its factors and sums.
func (d *Draft) Fused(a, b, acc string) Lit {
	c, ps := d.Callee, d.API.Params
	l := Struct("check.Case", "Name", d.API.Name, "A", DType(a), "B", DType(b), "Acc", DType(acc), "Slots", slots(ps), "ULP", c.ULP, "Strict", c.Strict && acc == "int32")
	if zs := Of(ps, ZeroPoint); len(zs) > 0 {
		zeros := [2]string{"0", "0"} // of a and b
		for _, p := range zs {
			at := 1
			if p.Col {
				at = 0
			}
			zeros[at] = fmt.Sprintf("p.At(%d, 0, 0)", p.Slot)
		}
		l = l.And("Zeros", Exprf("func(p *check.Problem) (a, b float64) { return %s, %s }", zeros[0], zeros[1]))
	}
	if c.Expr == "" {
		return l
	}
	args, floats := []string{Typed(acc, "sum")}, []string{}
	for _, p := range Of(ps, Operand) {
		args = append(args, Typed(p.Elem, fmt.Sprintf("p.At(%d, i, j)", p.Slot)))
	}
	rs := results(ps)
	for i, p := range Of(ps, Output, Unstored) {
		floats = append(floats, Float(p.Elem, rs[i]))
	}
	return l.And("Results", Exprf("func(p *check.Problem, sum float64, i, j int) []float64 {\n%sreturn []float64{%s}\n}",
		called(c, strings.Join(args, ", "), ps), strings.Join(floats, ", ")))
}

// slots are the results and the operands of an epilogue, by their numbers.
func slots(ps []Param) Expr {
	var b strings.Builder
	b.WriteString("[]check.Slot{\n")
	for _, p := range Of(ps, Output, Unstored, Operand, ZeroPoint, Reduction) {
		var reduced []any
		if p.Role == Reduction {
			reduced = []any{"Name", p.Name, "Reduced", true, "Reduce", Expr("reduce." + p.Op), "Of", p.Of}
		}
		fields := slices.Concat([]any{"Type", DType(p.Elem), "Out", p.Role == Output, "Unstored", p.Role == Unstored}, reduced,
			[]any{"Row", p.Row && p.Role == Operand, "Col", p.Col && p.Role != ZeroPoint, "Low", number(p.Low), "High", number(p.High)})
		fmt.Fprintf(&b, "%d: %s,\n", p.Slot, Inline(fields...))
	}
	return Expr(b.String() + "}")
}

// number is the number as Go writes it.
func number(x float64) any {
	if math.IsInf(x, 0) {
		return Exprf("math.Inf(%d)", int(math.Copysign(1, x)))
	}
	return x
}

// DType is the constant of package dtype for an element type, as Go writes both.
func DType(elem string) Expr {
	if narrow, ok := strings.CutPrefix(elem, "dtype."); ok {
		return Expr("dtype.Type" + narrow)
	}
	return map[string]Expr{"float32": "dtype.F32", "float64": "dtype.F64", "int8": "dtype.I8", "uint8": "dtype.U8", "int16": "dtype.I16", "int32": "dtype.I32",
		"complex64": "dtype.C64", "complex128": "dtype.C128"}[elem]
}

// Typed is a number of float64 as an element type, which has it.
func Typed(elem, x string) string {
	if narrow, ok := strings.CutPrefix(elem, "dtype."); ok {
		return "dtype.To" + narrow + "(" + x + ")"
	}
	return elem + "(" + x + ")"
}

// Float is an element as a float64.
func Float(elem, x string) string {
	if strings.HasPrefix(elem, "dtype.") {
		return x + ".Float64()"
	}
	return "float64(" + x + ")"
}

// Taken is a parameter that the oracle takes from its slot.
func Taken(typ, elem string, slot any) string {
	if typ == elem {
		return fmt.Sprintf("check.Get[[]%s](p, %v)[0]", elem, slot)
	}
	return fmt.Sprintf("check.Get[%s](p, %v)", typ, slot)
}

// Input is an operand of the product that the oracle has in a slot of package check, such as "A".
func Input(name, typ, slot string) Param {
	return Param{Name: name, Type: typ, Arg: Taken(typ, "", "check."+slot)}
}

// Call is what a case calls: NAMEOpt with options, all parameters as the oracle has them, and more arguments.
func (o *Operation) Call(options string, more ...string) Expr {
	return o.CallAfter("", options, more...)
}

// CallAfter is Call after statements.
func (o *Operation) CallAfter(first, options string, more ...string) Expr {
	args := append([]string{options, Args(o.Params)}, more...)
	return Exprf("func(p *check.Problem) {\n%s%sOpt(%s)\n}", first, o.Name, strings.Join(args, ", "))
}

// ArithmeticOf is the field of a case that says what sums and products are of, if not numbers: the semiring of a variable
// of the unit, whose functions have an error of ulp.
func (d *Draft) ArithmeticOf(variable string, ulp float64) Expr {
	return When(d.Arithmetic != nil, "check.ArithmeticOf(%s.Semiring(), %v)", d.V+variable, ulp)
}

// Case is the function that describes the operation to the oracles.
func (o *Operation) Case(c Lit, params ...Param) Func {
	name := Lower(o.Name) + "Case"
	return Func{Doc: fmt.Sprintf("%s describes %s to the oracles.", name, o.Name), Name: name, Params: params, Result: c.Type, Return: c}
}

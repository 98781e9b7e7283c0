package unit

import (
	"cmp"
	"fmt"
	"strings"
)

// Loop is the function that applies an epilogue to a block of sums. It is the epilogue
// where there is no assembly, and for outputs whose rows are not contiguous. sum is the
// element type of the sums.
func Loop(name string, c Call, sum string, ps []Param) Func {
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

// Fused are the fields of a check.FusedCase about a product with an epilogue, or without
// one, if c is zero. types are its type arguments, sum that of the sums.
func Fused(name string, c Call, types, sum string, ps []Param) []Field {
	problem := "p *check.FusedProblem[" + types + "]"
	outs, rs := Of(ps, Output, Unstored), results(ps)
	body := "return []float64{check.Float64(sum)}\n"
	if c.Expr != "" {
		args, floats := []string{"sum"}, []string{}
		for _, p := range Of(ps, Operand) {
			args = append(args, fmt.Sprintf("check.Nudged(p, %d, %s)", p.Slot, p.At))
		}
		for _, r := range rs {
			floats = append(floats, "check.Float64("+r+")")
		}
		body = called(c, strings.Join(args, ", "), ps) + fmt.Sprintf("return []float64{%s}\n", strings.Join(floats, ", "))
	}
	var have, ulps strings.Builder
	var unstored []string
	for i, p := range outs {
		if p.Role == Output {
			fmt.Fprintf(&have, "case %d:\nreturn check.Float64(%s)\n", i, p.At)
		} else {
			unstored = append(unstored, fmt.Sprint(i))
		}
		fmt.Fprintf(&ulps, "case %d:\nreturn check.Ulp[%s](x)\n", i, p.Elem)
	}
	choice := func(params string, cases string) Expr {
		return Expr("func(" + params + ") float64 {\nswitch o {\n" + cases + "}\npanic(\"no such output\")\n}")
	}
	fields := []Field{{"Name", Expr(fmt.Sprintf("%q", name))}, {"ULP", Expr(fmt.Sprint(c.ULP))}, {"Outs", Expr(fmt.Sprint(len(outs)))}}
	if c.Strict && sum == "int32" {
		fields = append(fields, Field{"Strict", Expr("true")})
	}
	if len(unstored) > 0 {
		fields = append(fields, Field{"Unstored", Expr("[]int{" + strings.Join(unstored, ", ") + "}")})
	}
	if zs := Of(ps, ZeroPoint); len(zs) > 0 {
		var a, b Expr = "0", "0"
		for _, p := range zs {
			if v := Expr(fmt.Sprintf("check.Float64(%s)", cmp.Or(p.At, p.Arg))); p.Col {
				a = v
			} else {
				b = v
			}
		}
		fields = append(fields, Field{"Zeros", "func(" + Expr(problem) + ") (a, b float64) { return " + a + ", " + b + " }"})
	}
	if rs := Of(ps, Reduction); len(rs) > 0 {
		var b strings.Builder
		for _, p := range rs {
			of := ""
			if p.Of > 0 {
				of = fmt.Sprintf(", Of: %d", p.Of)
			}
			fmt.Fprintf(&b, "{Name: %q, Op: check.%s, Col: %v%s, Have: func(%s, i int) float64 { return float64(%s) }},\n", p.Name, p.Op, p.Col, of, problem, p.At)
		}
		fields = append(fields, Field{"Reduces", Expr("[]check.Reduced[" + types + "]{\n" + b.String() + "}")})
	}
	return append(fields,
		Field{"Results", Expr(fmt.Sprintf("func(%s, sum %s, i, j int) []float64 {\n%s}", problem, sum, body))},
		Field{"Have", choice(problem+", o, i, j int", have.String())},
		Field{"Ulp", choice("o int, x float64", ulps.String())})
}

// Case is the function that describes a product to the oracles.
func Case(name string, c Lit, params ...Param) Func {
	return Func{
		Doc:  fmt.Sprintf("%sCase describes %s to the oracles.", Lower(name), name),
		Name: Lower(name) + "Case", Params: params, Result: c.Type,
		Return: c,
	}
}

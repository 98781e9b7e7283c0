package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// goFunc is how generated Go code reaches an epilogue's function.
type goFunc struct {
	call    string   // what to write before the parenthesis
	imports []string // that the call or the declarations need
	decls   string   // copied source, "" if the function is imported
	doc     string   // its first sentence for the entry point
	ulp     float64  // the error of the math functions in it
}

// fusedTexts are the Go files of a product with an epilogue.
func fusedTexts(o Options, base, name string, mods []*gemm.Module, fn goFunc) []text {
	return []text{
		{base + ".go", fusedEntry(o, name, mods[0], fn)}, {base + "_fn.go", fusedFunction(o, name, mods[0], fn)},
		{base + "_amd64.go", stubFile(o, name, mods)}, {base + "_noasm.go", noasmFile(o, name, mods)},
		{base + "_test.go", fusedTest(o, name, mods, fn)},
	}
}

// param is one parameter of a generated function, in order.
type param struct{ name, typ string }

// reduceNames gives the functions of package run for a reduction: for the entry
// point and for the epilogue in Go.
func reduceNames(r gemm.Reduce) (add, step string) {
	side := "Row"
	if r.Col {
		side = "Col"
	}
	return side + r.Op.String(), r.Op.String() + side
}

func isArg(r gemm.Reduce) bool { return r.Op == gemm.ArgMax || r.Op == gemm.ArgMin }

// params lists the parameters after opt: outputs, reductions, a, b, operands.
func params(m *gemm.Module) []param {
	matrix := func(t dtype.Type) string { return "layout.Matrix[" + t.Go() + "]" }
	ps := []param{{"out", matrix(m.Body.Out)}}
	for _, a := range m.Body.Also {
		ps = append(ps, param{a.Name, matrix(a.Type)})
	}
	for _, r := range m.Body.Reduces {
		t := "[]" + m.Body.Out.Go()
		if isArg(r) {
			t = "[]int32"
		}
		ps = append(ps, param{r.Name, t})
	}
	ps = append(ps, param{"a", matrix(m.A)}, param{"b", matrix(m.B)})
	for _, in := range m.Body.Inputs {
		t := "[]" + in.Type.Go()
		switch in.Pattern {
		case gemm.FullPattern:
			t = matrix(in.Type)
		case gemm.ScalarPattern:
			t = in.Type.Go()
		}
		ps = append(ps, param{in.Name, t})
	}
	return ps
}

// signature writes parameters as Go does, equal types together.
func signature(ps []param) string {
	var parts []string
	for i, p := range ps {
		s := p.name
		if i+1 == len(ps) || ps[i+1].typ != p.typ {
			s += " " + p.typ
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

func names(ps []param) string {
	var parts []string
	for _, p := range ps {
		parts = append(parts, p.name)
	}
	return strings.Join(parts, ", ")
}

// types are the type arguments of dense.Fused.
func types(m *gemm.Module) string {
	return fmt.Sprintf("%s, %s, %s, %s", m.A.Go(), m.B.Go(), m.Elem.Go(), m.Body.Out.Go())
}

// imports writes an import block: what each condition asks for and more.
func imports(b *strings.Builder, paths ...string) {
	var std, other []string
	for _, p := range paths {
		if p == "" {
			continue
		}
		path := p[strings.LastIndexByte(p, ' ')+1:]
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			other = append(other, p)
		} else {
			std = append(std, p)
		}
	}
	b.WriteString("import (\n")
	for _, list := range [][]string{std, other} {
		slices.Sort(list)
		for _, p := range slices.Compact(list) {
			name, path, named := strings.Cut(p, " ")
			if !named {
				name, path = "", p
			}
			fmt.Fprintf(b, "%s %q\n", name, path)
		}
		b.WriteString("\n")
	}
	b.WriteString(")\n\n")
}

// needs returns path if one of the types mentions the package.
func needs(path, pkg string, types ...string) string {
	for _, t := range types {
		if strings.Contains(t, pkg+".") {
			return path
		}
	}
	return ""
}

func fusedEntry(o Options, name string, m *gemm.Module, fn goFunc) string {
	ps := params(m)
	sig := signature(ps)
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	imports(&b, module+"cpu/run", module+"cpu/run/dense", module+"layout", needs(module+"layout/dtype", "dtype", sig, types(m)))
	b.WriteString("const _ = run.ABI3\n\n")
	also := ""
	for _, a := range m.Body.Also {
		also += ", " + a.Name
	}
	var operands []string
	for _, in := range m.Body.Inputs {
		operands = append(operands, in.Name)
	}
	arg := strings.Join(append([]string{"a*b"}, operands...), ", ")
	fmt.Fprintf(&b, "// %s computes out%s = %s(%s) for each element of the product, where a is\n// m x k, b is k x n and out is m x n, each with any strides.\n", name, also, fn.call, arg)
	for _, in := range m.Body.Inputs {
		switch in.Pattern {
		case gemm.RowPattern:
			fmt.Fprintf(&b, "// %s has m elements, one for each row.\n", in.Name)
		case gemm.ColumnPattern:
			fmt.Fprintf(&b, "// %s has n elements, one for each column.\n", in.Name)
		case gemm.FullPattern:
			fmt.Fprintf(&b, "// %s is m x n and may be the same matrix as an output.\n", in.Name)
		}
	}
	for _, a := range m.Body.Also {
		fmt.Fprintf(&b, "// %s is m x n.\n", a.Name)
	}
	for _, r := range m.Body.Reduces {
		of, side := map[gemm.Reduction]string{gemm.Sum: "sum", gemm.Max: "maximum", gemm.ArgMax: "column of the maximum", gemm.ArgMin: "column of the minimum"}[r.Op], "row"
		if r.Col {
			side = "column"
		}
		fmt.Fprintf(&b, "// %s gets the %s of each %s of out.\n", r.Name, of, side)
	}
	fmt.Fprintf(&b, "//\n// It panics with a [layout.ShapeError], before an element is read, if shapes or\n"+
		"// lengths do not agree, a slice is too short, two elements of an output share a\n"+
		"// place, or an output shares memory with anything else. See [dense.Set.Gemm] for\n"+
		"// rounding and NaN.\n%s", shapeDoc(m))
	fmt.Fprintf(&b, "func %s(%s) {\n%sOpt(run.Options{}, %s)\n}\n\n", name, sig, name, names(ps))
	fmt.Fprintf(&b, "// %sOpt is %s with options: threads, a forced ISA.\n", name, name)
	fmt.Fprintf(&b, "func %sOpt(opt run.Options, %s) {\n", name, sig)
	fmt.Fprintf(&b, "e := run.NewEpilogue(%q, out.Rows, out.Cols)\nrun.Out(&e, \"out\", out)\n", o.Package+"."+name)
	for _, a := range m.Body.Also {
		fmt.Fprintf(&b, "run.Out(&e, %q, %s)\n", a.Name, a.Name)
	}
	for _, in := range m.Body.Inputs {
		if in.Pattern == gemm.ScalarPattern {
			fmt.Fprintf(&b, "run.Scalar(&e, %s)\n", in.Name)
		} else {
			fmt.Fprintf(&b, "run.%s(&e, %q, %s)\n", in.Pattern, in.Name, in.Name)
		}
	}
	for _, r := range m.Body.Reduces {
		add, _ := reduceNames(r)
		if isArg(r) {
			add += "[" + m.Body.Out.Go() + "]"
		}
		fmt.Fprintf(&b, "run.%s(&e, %q, %s)\n", add, r.Name, r.Name)
	}
	fmt.Fprintf(&b, "%sFused.Gemm(opt, &e, a, b)\n}\n\n", lowerFirst(name))
	packFunc(&b, name, lowerFirst(name)+"Fused", m.B.Go())
	fmt.Fprintf(&b, "var %sFused = dense.Fused[%s]{Name: %q, %sVariants: %sVariants, Epilogue: %sEpilogue}\n",
		lowerFirst(name), types(m), o.Package+"."+name, shapeField(m), lowerFirst(name), lowerFirst(name))
	return b.String()
}

// slotTypes are the element types of the slots: outputs, then operands.
func slotTypes(m *gemm.Module) []string {
	ts := []string{m.Body.Out.Go()}
	for _, a := range m.Body.Also {
		ts = append(ts, a.Type.Go())
	}
	for _, in := range m.Body.Inputs {
		ts = append(ts, in.Type.Go())
	}
	return ts
}

// fusedFunction has the epilogue in Go: the copied function and the loop that
// applies it to a block of sums.
func fusedFunction(o Options, name string, m *gemm.Module, fn goFunc) string {
	ts := slotTypes(m)
	var b strings.Builder
	if fn.decls != "" {
		b.WriteString(fn.decls + "\n\n")
	}
	outs := 1 + len(m.Body.Also)
	var results, args []string
	for i := range outs { // one for each result of the function
		results = append(results, fmt.Sprintf("r%d", i))
	}
	args = append(args, fmt.Sprintf("run.Sum[%s](e, i, j)", m.Elem.Go()))
	for i := range m.Body.Inputs {
		args = append(args, fmt.Sprintf("run.Load[%s](e, %d, i, j)", ts[outs+i], outs+i))
	}
	fmt.Fprintf(&b, "// %sEpilogue applies %s to a block of sums: the epilogue where there is no\n// assembly, and of outputs whose rows are not contiguous.\n", lowerFirst(name), fn.call)
	fmt.Fprintf(&b, "func %sEpilogue(e *run.EpiArgs) {\nfor i := range int(e.Rows) {\nfor j := range int(e.Cols) {\n%s := %s(%s)\n",
		lowerFirst(name), strings.Join(results, ", "), fn.call, strings.Join(args, ",\n"))
	for i, r := range results {
		fmt.Fprintf(&b, "run.Store(e, %d, i, j, %s)\n", i, r)
	}
	for i, r := range m.Body.Reduces {
		_, step := reduceNames(r)
		at := "i"
		switch {
		case isArg(r):
			at = "i, j"
		case r.Col:
			at = "j"
		}
		fmt.Fprintf(&b, "run.%s(e, %d, %s, r0)\n", step, m.Body.ReduceSlot(i), at)
	}
	b.WriteString("}\n}\n}\n")
	var head strings.Builder
	head.WriteString(fileHead(o, ""))
	imports(&head, append(fn.imports, module+"cpu/run", needs(module+"layout/dtype", "dtype", b.String()))...)
	return head.String() + b.String()
}

// fusedTest checks every variant, and the epilogue's Go form, with both oracles.
func fusedTest(o Options, name string, mods []*gemm.Module, fn goFunc) string {
	m := mods[0]
	mr, nr := 0, 0
	var isas strings.Builder
	for _, m := range mods {
		mr, nr = max(mr, m.MR), max(nr, m.NV*m.VL)
		fmt.Fprintf(&isas, "%q, ", m.Target.Name)
	}
	ts := slotTypes(m)
	outs := 1 + len(m.Body.Also)
	get := func(slot int) string {
		kind := "Out"
		if slot >= outs {
			kind = map[gemm.Pattern]string{gemm.RowPattern: "Row", gemm.ColumnPattern: "Column", gemm.FullPattern: "Full", gemm.ScalarPattern: "Scalar"}[m.Body.Inputs[slot-outs].Pattern]
		}
		return fmt.Sprintf("check.%sOf[%s](p, %d)", kind, ts[slot], slot)
	}
	var call, args, results, floats, have, ulps []string
	for i := range outs {
		call = append(call, get(i))
		results = append(results, fmt.Sprintf("r%d", i))
		floats = append(floats, fmt.Sprintf("check.Float64(r%d)", i))
		have = append(have, fmt.Sprintf("case %d:\nreturn check.Float64(%s.At(i, j))\n", i, get(i)))
		ulps = append(ulps, fmt.Sprintf("case %d:\nreturn check.Ulp[%s](x)\n", i, ts[i]))
	}
	var reduces strings.Builder
	for i, r := range m.Body.Reduces {
		t, n := m.Body.Out.Go(), "p.M"
		if isArg(r) {
			t = "int32"
		}
		if r.Col {
			n = "p.N"
		}
		get := fmt.Sprintf("check.ReducedOf[%s](p, %d, %s)", t, m.Body.ReduceSlot(i), n)
		call = append(call, get)
		fmt.Fprintf(&reduces, "{Name: %q, Op: check.%s, Col: %v, Have: func(p %s, i int) float64 { return float64(%s[i]) }},\n",
			r.Name, r.Op, r.Col, fmt.Sprintf("*check.FusedProblem[%s, %s]", m.A.Go(), m.B.Go()), get)
	}
	if reduces.Len() > 0 {
		text := reduces.String()
		reduces.Reset()
		fmt.Fprintf(&reduces, "Reduces: []check.Reduced[%s, %s]{\n%s},\n", m.A.Go(), m.B.Go(), text)
	}
	call = append(call, "p.A", "p.B")
	args = append(args, "sum")
	for i, in := range m.Body.Inputs {
		call = append(call, get(outs+i))
		x := get(outs + i)
		switch in.Pattern {
		case gemm.RowPattern:
			x += "[i]"
		case gemm.ColumnPattern:
			x += "[j]"
		case gemm.FullPattern:
			x += ".At(i, j)"
		}
		args = append(args, fmt.Sprintf("check.Nudged(p, %d, %s)", outs+i, x))
	}
	problem := fmt.Sprintf("*check.FusedProblem[%s, %s]", m.A.Go(), m.B.Go())
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	callee := needsCallee(fn)
	imports(&b, append([]string{"slices", "testing", module + "cpu/run", module + "verify/check",
		needs(module+"layout/dtype", "dtype", append(ts, m.A.Go(), m.B.Go(), m.Elem.Go())...)}, callee...)...)
	fmt.Fprintf(&b, "// Test%s checks every variant that this machine runs, and the portable one.\n", upperFirst(name))
	fmt.Fprintf(&b, `func Test%[1]s(t *testing.T) {
	for _, isa := range []string{%[2]srun.Portable} {
		t.Run("isa="+isa, func(t *testing.T) {
			if !slices.Contains(run.ISAs(), isa) {
				t.Skipf("this machine or build has no %%s", isa)
			}
			check.Fused(t, %[3]sCase(run.Options{ISA: isa}))
		})
	}
}

// %[3]sCase describes %[4]s to the oracles.
func %[3]sCase(opt run.Options) check.FusedCase[%[5]s, %[6]s, %[7]s] {
	return check.FusedCase[%[5]s, %[6]s, %[7]s]{
		Name: %[4]q, MR: %[8]d, NR: %[9]d, KC: %[10]d, %[22]sULP: %[11]v, Outs: %[12]d,
		%[21]s		Call: func(p %[13]s) {
			%[4]sOpt(opt, %[14]s)
		},
		Results: func(p %[13]s, sum %[7]s, i, j int) []float64 {
			%[15]s := %[16]s(%[17]s)
			return []float64{%[18]s}
		},
		Have: func(p %[13]s, o, i, j int) float64 {
			switch o {
			%[19]s}
			panic("no such output")
		},
		Ulp: func(o int, x float64) float64 {
			switch o {
			%[20]s}
			panic("no such output")
		},
	}
}
`, upperFirst(name), isas.String(), lowerFirst(name), name, m.A.Go(), m.B.Go(), m.Elem.Go(), mr, nr, tiling.KCMax, fn.ulp, outs, problem,
		strings.Join(call, ", "), strings.Join(results, ", "), fn.call, strings.Join(args, ", "), strings.Join(floats, ", "),
		strings.Join(have, ""), strings.Join(ulps, ""), reduces.String(), onlyField(m))
	fmt.Fprintf(&b, `
// Benchmark%[1]s reports GFLOP/s on one core, the epilogue counted as nothing.
func Benchmark%[1]s(b *testing.B) {
	for _, isa := range []string{%[2]srun.Portable} {
		if !slices.Contains(run.ISAs(), isa) {
			continue
		}
		for _, n := range []int{64, 256, 1024} {
			check.BenchmarkFused(b, isa, n, %[3]sCase(run.Options{ISA: isa, Threads: 1}))
		}
	}
}
`, upperFirst(name), isas.String(), lowerFirst(name))
	return b.String()
}

// needsCallee returns the import of the epilogue's function, if it is not copied.
func needsCallee(fn goFunc) []string {
	if fn.decls != "" {
		return nil
	}
	return fn.imports
}

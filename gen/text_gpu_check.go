package gen

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen/unit"
)

// knownSums are the oracles of package verify/gpu for operators other than + and *,
// by the operator's name. Others are tabulated.
var knownSums = map[string]string{"simt.maxplus.f32": "gpu.MaxPlus"}

// isProduct reports whether a module sums products.
func isProduct(m *gemm.GPUModule) bool {
	op := m.Op.String()
	return strings.HasPrefix(op, "mma.") || op == "simt.fma.f32"
}

// gpuTest checks every kernel on the emulator, and on a GPU where there is one.
func gpuTest(o Options, m *gemm.GPUModule, op gemm.Operator, fn unit.Call, funcs *functions) (string, error) {
	name, table := m.Name, ""
	var b strings.Builder
	value := fmt.Sprintf("gpu.Plain(%sKernels(), %sOpt)", name, name)
	if m.Body != nil {
		value = lowerFirst(name) + "Case()"
	}
	if sums, ok := knownSums[m.Op.String()]; ok {
		value += ".With(" + sums + ")"
	} else if !isProduct(m) {
		bits, err := ringTable(op, funcs)
		if err != nil {
			return "", fmt.Errorf("operator %v: %w", m.Op, err)
		}
		variable := lowerFirst(name) + "Sums"
		value, table = fmt.Sprintf("gpu.Tabulated(%s, %s)", value, variable), ringText(variable, bits)
	}
	fmt.Fprintf(&b, "// Test%s checks every kernel on the emulator, and on the GPU if there is one.\n", upperFirst(name))
	fmt.Fprintf(&b, "func Test%s(t *testing.T) {\ngpu.Check(t, driver.Open, %s)\n}\n", upperFirst(name), value)
	if m.Body != nil {
		gpuCase(&b, m, fn)
	}
	b.WriteString(table)
	var head strings.Builder
	head.WriteString(fileHead(o, ""))
	imports(&head, append([]string{"testing", module + "cuda/driver", module + "verify/gpu", needs(module+"verify/check", "check", b.String()),
		needs(module+"layout/dtype", "dtype", b.String())}, needsCallee(fn)...)...)
	return head.String() + b.String(), nil
}

// gpuCase describes a product with an epilogue to the oracles.
func gpuCase(b *strings.Builder, m *gemm.GPUModule, fn unit.Call) {
	plain := &gemm.Module{Name: m.Name, A: m.A, B: m.B, Elem: m.Acc, Body: m.Body}
	ts := slotTypes(plain)
	outs := 1 + len(m.Body.Also)
	pair := m.A.Go() + ", " + m.B.Go()
	problem := "*check.FusedProblem[" + pair + "]"

	var call, results, floats, have, ulps, reduces []string
	for i := range outs {
		call = append(call, fmt.Sprintf("gpu.Out[%s](c, %d)", ts[i], i))
		results = append(results, fmt.Sprintf("r%d", i))
		floats = append(floats, fmt.Sprintf("check.Float64(r%d)", i))
		have = append(have, fmt.Sprintf("case %d:\nreturn check.Float64(check.OutOf[%s](p, %d).At(i, j))\n", i, ts[i], i))
		ulps = append(ulps, fmt.Sprintf("case %d:\nreturn check.Ulp[%s](x)\n", i, ts[i]))
	}
	for i, r := range m.Body.Reduces {
		t, n := "float32", "M"
		if isArg(r) {
			t = "int32"
		}
		if r.Col {
			n = "N"
		}
		slot := m.Body.ReduceSlot(i)
		call = append(call, fmt.Sprintf("gpu.Reduced[%s](c, %d, c.%s)", t, slot, n))
		reduces = append(reduces, fmt.Sprintf("{Name: %q, Op: check.%s, Col: %v, Have: func(p %s, i int) float64 { return float64(check.ReducedOf[%s](p, %d, p.%s)[i]) }},\n",
			r.Name, r.Op, r.Col, problem, t, slot, n))
	}
	call = append(call, "gpu.A(c)", "gpu.B(c)")
	args := []string{"sum"}
	for i, in := range m.Body.Inputs {
		slot := outs + i
		kind, at := "Row", "[i]"
		switch in.Pattern {
		case gemm.ColumnPattern:
			kind, at = "Column", "[j]"
		case gemm.FullPattern:
			kind, at = "Full", ".At(i, j)"
		case gemm.ScalarPattern:
			kind, at = "Scalar", ""
		}
		call = append(call, fmt.Sprintf("gpu.%s[%s](c, %d)", kind, ts[slot], slot))
		args = append(args, fmt.Sprintf("check.Nudged(p, %d, check.%sOf[%s](p, %d)%s)", slot, kind, ts[slot], slot, at))
	}
	reduced := ""
	if reduces != nil {
		reduced = fmt.Sprintf("Reduces: []check.Reduced[%s]{\n%s},\n", pair, strings.Join(reduces, ""))
	}
	fmt.Fprintf(b, `
// %[1]sCase describes %[2]s to the oracles.
func %[1]sCase() gpu.Case[%[3]s] {
	return gpu.Case[%[3]s]{
		Kernels: %[2]sKernels(),
		Launch: func(c *gpu.Call[%[3]s]) error {
			return %[2]sOpt(c.Stream, c.Options, %[4]s)
		},
		FusedCase: check.FusedCase[%[3]s, float32]{
			Name: %[2]q, ULP: %[5]v, Outs: %[6]d,
			%[7]sResults: func(p %[8]s, sum float32, i, j int) []float64 {
				%[9]s := %[10]s(%[11]s)
				return []float64{%[12]s}
			},
			Have: func(p %[8]s, o, i, j int) float64 {
				switch o {
				%[13]s}
				panic("no such output")
			},
			Ulp: func(o int, x float64) float64 {
				switch o {
				%[14]s}
				panic("no such output")
			},
		},
	}
}
`, lowerFirst(m.Name), m.Name, pair, strings.Join(call, ", "), fn.ULP, outs, reduced, problem,
		strings.Join(results, ", "), fn.Expr, strings.Join(args, ", "), strings.Join(floats, ", "), strings.Join(have, ""), strings.Join(ulps, ""))
}

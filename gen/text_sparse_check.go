package gen

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse"
)

// testFile checks every variant, and the portable code, against the oracles.
func (s *sparseSpec) testFile(o Options, mods []sparseModule) string {
	c := s.newCase(mods)
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	paths := []string{"slices", "testing", module + "cpu/run", module + "verify/check"}
	text := c.test() + c.scaled() + c.benchmark() + c.describe()
	for _, name := range []string{"sparse", "layout", "layout/dtype"} {
		paths = append(paths, needs(module+name, name[strings.LastIndexByte(name, '/')+1:], text))
	}
	paths = append(paths, needs("errors", "errors", text))
	if s.body != nil {
		paths = append(paths, needsCallee(s.epi)...)
	}
	imports(&b, paths...)
	b.WriteString(text)
	return b.String()
}

// sparseCase writes the description of a sparse spec to package check.
type sparseCase struct {
	*sparseSpec
	slots   []string // element types: outputs, then operands
	outs    int
	vl      int
	isas    string
	problem string // the type
}

func (s *sparseSpec) newCase(mods []sparseModule) *sparseCase {
	c := &sparseCase{sparseSpec: s, slots: []string{s.Out.Go()}, outs: 1}
	c.problem = fmt.Sprintf("*check.FusedProblem[%[1]s, %[1]s]", s.T.Go())
	if s.body != nil {
		c.slots, c.outs = slotTypes(s.module()), 1+len(s.body.Also)
	}
	for _, m := range mods {
		c.vl = max(c.vl, m.vl)
		c.isas += fmt.Sprintf("%q, ", m.target.Name)
	}
	return c
}

// of is how the test reaches the memory of a slot.
func (c *sparseCase) of(slot int) string {
	kind := "Out"
	if slot >= c.outs {
		kind = map[gemm.Pattern]string{gemm.RowPattern: "Row", gemm.ColumnPattern: "Column", gemm.FullPattern: "Full", gemm.ScalarPattern: "Scalar"}[c.body.Inputs[slot-c.outs].Pattern]
		if c.Operation == sparse.OpSDDMM && (kind == "Row" || kind == "Column") {
			kind = "Entry" + kind
		}
	}
	return fmt.Sprintf("check.%sOf[%s](p, %d)", kind, c.slots[slot], slot)
}

// argument is a slot as the function under test takes it.
func (c *sparseCase) argument(slot int) string {
	x := c.of(slot)
	matrix := slot < c.outs || c.body.Inputs[slot-c.outs].Pattern == gemm.FullPattern
	if matrix && c.Operation != sparse.OpSpMM {
		x += ".Data"
	}
	return x
}

// call lists the arguments of the function under test, after opt.
func (c *sparseCase) call() string {
	var args []string
	for o := range c.outs {
		args = append(args, c.argument(o))
	}
	if c.body != nil {
		for i, r := range c.body.Reduces {
			args = append(args, c.reduction(i, r))
		}
	}
	matrix, dense := "check.SparseOf(p)", "p.B"
	if c.packed() {
		matrix = "check.PackedOf(p)"
	}
	switch c.Operation {
	case sparse.OpSpMV:
		dense = "p.B.Data"
	case sparse.OpSDDMM:
		dense = "p.A, p.B"
	}
	args = append(args, matrix, dense)
	for slot := c.outs; slot < len(c.slots); slot++ {
		args = append(args, c.argument(slot))
	}
	return strings.Join(args, ", ")
}

func (c *sparseCase) reduction(i int, r gemm.Reduce) string {
	t, n := c.Out.Go(), "p.M"
	if isArg(r) {
		t = "int32"
	}
	if r.Col {
		n = "p.N"
	}
	return fmt.Sprintf("check.ReducedOf[%s](p, %d, %s)", t, c.body.ReduceSlot(i), n)
}

// results is the body of a function that applies the epilogue to sum.
func (c *sparseCase) results() string {
	if c.body == nil {
		return "return []float64{check.Float64(sum)}\n"
	}
	var results, floats []string
	for o := range c.outs {
		results = append(results, fmt.Sprintf("r%d", o))
		floats = append(floats, fmt.Sprintf("check.Float64(r%d)", o))
	}
	args := []string{"sum"}
	for i, in := range c.body.Inputs {
		x := c.of(c.outs + i)
		sampled := c.Operation == sparse.OpSDDMM
		switch in.Pattern {
		case gemm.RowPattern:
			if x += "[i]"; sampled {
				x = strings.TrimSuffix(x, "[i]") + "[check.EntryOf(p, j).I]"
			}
		case gemm.ColumnPattern:
			if x += "[j]"; sampled {
				x = strings.TrimSuffix(x, "[j]") + "[check.EntryOf(p, j).J]"
			}
		case gemm.FullPattern:
			x += ".At(i, j)"
		}
		args = append(args, fmt.Sprintf("check.Nudged(p, %d, %s)", c.outs+i, x))
	}
	return fmt.Sprintf("%s := %s(%s)\nreturn []float64{%s}\n", strings.Join(results, ", "), c.epi.call, strings.Join(args, ", "), strings.Join(floats, ", "))
}

// test is the test function.
func (c *sparseCase) test() string {
	return fmt.Sprintf(`// Test%[1]s checks every variant that this machine runs, and the portable one.
func Test%[1]s(t *testing.T) {
	for _, isa := range []string{%[2]srun.Portable} {
		t.Run("isa="+isa, func(t *testing.T) {
			if !slices.Contains(run.ISAs(), isa) {
				t.Skipf("this machine or build has no %%s", isa)
			}
			check.%[3]s(t, func(threads int) check.%[3]sCase[%[4]s] {
				return %[5]sCase(run.Options{ISA: isa, Threads: threads})
			})
		})
	}
}

`, upperFirst(c.Name), c.isas, c.kind(), c.T.Go(), lowerFirst(c.Name))
}

// scaled is the test of alpha and beta, of strides and of what lies around the
// operands: for sums of products without an epilogue.
func (c *sparseCase) scaled() string {
	if c.body != nil || c.Reduce != sparse.Plus || c.Pattern || c.Operation != sparse.OpSpMM {
		return ""
	}
	widths, a, convert := "", "a", ""
	if c.Features > 0 {
		widths = fmt.Sprintf("Widths: []int{%d}", c.Features)
		convert = fmt.Sprintf("if b.Cols != %d {\nreturn errors.ErrUnsupported\n}\n", c.Features)
	}
	if c.packed() {
		a, convert = "x", convert+fmt.Sprintf("x, err := a.To(%#v)\nif err != nil {\nreturn err\n}\n", c.Format)
	}
	return fmt.Sprintf(`// Test%[1]sScaled checks alpha*a*b + beta*out, any strides, and what lies around
// b and out.
func Test%[1]sScaled(t *testing.T) {
	for _, isa := range []string{%[2]srun.Portable} {
		t.Run("isa="+isa, func(t *testing.T) {
			if !slices.Contains(run.ISAs(), isa) {
				t.Skipf("this machine or build has no %%s", isa)
			}
			check.SparseProduct(t, func(alpha %[3]s, a sparse.Matrix[%[3]s], b layout.Matrix[%[3]s], beta %[3]s, out layout.Matrix[%[3]s]) error {
				%[4]s%[5]sOpt(run.Options{ISA: isa, Scaled: true, Alpha: float64(alpha), Beta: float64(beta)}, out, %[6]s, b)
				return nil
			}, check.SparseOptions{%[7]s})
		})
	}
}

`, upperFirst(c.Name), c.isas, c.T.Go(), convert, c.Name, a, widths)
}

// benchmark times the product on one core, after a comparison with the oracle.
func (c *sparseCase) benchmark() string {
	return fmt.Sprintf(`// Benchmark%[1]s reports GFLOP/s on one core on a graph with a power law.
func Benchmark%[1]s(b *testing.B) {
	for _, isa := range []string{%[2]srun.Portable} {
		if slices.Contains(run.ISAs(), isa) {
			check.Benchmark%[3]s(b, isa, %[4]sCase(run.Options{ISA: isa, Threads: 1}))
		}
	}
}

`, upperFirst(c.Name), c.isas, c.kind(), lowerFirst(c.Name))
}

// kind is what package check calls such a product.
func (c *sparseCase) kind() string {
	if c.Operation == sparse.OpSDDMM {
		return "Sampled"
	}
	return "Aggregate"
}

// describe is the function that describes the product to the oracles.
func (c *sparseCase) describe() string {
	t := c.T.Go()
	var b strings.Builder
	fmt.Fprintf(&b, "// %sCase describes %s to the oracles.\nfunc %[1]sCase(opt run.Options) check.%[3]sCase[%[4]s] {\n", lowerFirst(c.Name), c.Name, c.kind(), t)
	fmt.Fprintf(&b, "return check.%sCase[%s]{\n", c.kind(), t)
	fmt.Fprintf(&b, "FusedCase: check.FusedCase[%[1]s, %[1]s, %[1]s]{\nName: %[2]q, ULP: %[3]v, Outs: %[4]d,\n", t, c.Name, c.epi.ulp, c.outs)
	if c.body != nil && len(c.body.Reduces) > 0 {
		fmt.Fprintf(&b, "Reduces: []check.Reduced[%[1]s, %[1]s]{\n", t)
		for i, r := range c.body.Reduces {
			fmt.Fprintf(&b, "{Name: %q, Op: check.%s, Col: %v, Have: func(p %s, i int) float64 { return float64(%s[i]) }},\n",
				r.Name, r.Op, r.Col, c.problem, c.reduction(i, r))
		}
		b.WriteString("},\n")
	}
	fmt.Fprintf(&b, "Call: func(p %s) {\n%sOpt(opt, %s)\n},\n", c.problem, c.Name, c.call())
	fmt.Fprintf(&b, "Results: func(p %s, sum %s, i, j int) []float64 {\n%s},\n", c.problem, t, c.results())
	fmt.Fprintf(&b, "Have: func(p %s, o, i, j int) float64 {\nswitch o {\n", c.problem)
	for o := range c.outs {
		fmt.Fprintf(&b, "case %d:\nreturn check.Float64(%s.At(i, j))\n", o, c.of(o))
	}
	b.WriteString("}\npanic(\"no such output\")\n},\nUlp: func(o int, x float64) float64 {\nswitch o {\n")
	for o := range c.outs {
		fmt.Fprintf(&b, "case %d:\nreturn check.Ulp[%s](x)\n", o, c.slots[o])
	}
	b.WriteString("}\npanic(\"no such output\")\n},\n},\n")
	fmt.Fprintf(&b, "VL: %d,\n", c.vl)
	field := func(on bool, format string, args ...any) {
		if on {
			fmt.Fprintf(&b, format+",\n", args...)
		}
	}
	field(c.Features > 0, "Features: %d", c.Features)
	field(c.Operation == sparse.OpSpMV, "Vector: true")
	field(c.packed(), "Format: %#v", c.Format)
	field(c.Pattern, "Pattern: true")
	field(c.Reduce == sparse.Mean, "Mean: true")
	field(c.body == nil, "Plain: true")
	if expr, _ := c.semiring(); expr != "" {
		p := lowerFirst(c.Name) + "Product.Semiring()"
		fmt.Fprintf(&b, "Zero: %[1]s.Zero, Plus: %[1]s.Plus, Times: %[1]s.Times,\n", p)
		field(!c.ring.Laws.Exact, "Rounds: true, StepULP: %v", c.ring.ulp())
	}
	b.WriteString("}\n}\n")
	return b.String()
}

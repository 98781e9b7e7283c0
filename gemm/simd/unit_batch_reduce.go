package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
)

// reduces reports whether the product is a sum over pairs of blocks.
func (p *product) reduces() bool { return p.Reduced != "" }

// blocks is the type of a list of blocks.
func blocksOf(elem string) string { return "blocks.Operand[" + elem + "]" }

// reducedFactors are the operands of a sum over blocks, and how its oracle makes them.
func (p *product) reducedFactors() []unit.Param {
	factor := func(name, of, elem string) unit.Param {
		return unit.Param{Name: name, Type: blocksOf(elem), Arg: fmt.Sprintf("blocks.Operand[%[1]s](check.Get[check.Blocks[%[1]s]](p, check.%[2]s))", elem, of)}
	}
	return []unit.Param{factor("a", "A", p.A.Go()), factor("b", "B", p.B.Go())}
}

// isOpen reports whether calls say how many rows and k blocks have.
func (p *product) isOpen() bool { return p.Shape.Open() }

// openCols is how many columns blocks of A have that the oracle makes; see check.Case.
const openCols = 6

// reduceText says to package check how blocks lie.
func (p *product) reduceText(pkg string) string {
	paired := ""
	if gemm.Paired(p.B) {
		paired = ", Paired: true"
	}
	if p.isOpen() {
		return fmt.Sprintf("%s.BlockShape{Shape: %s, LdB: %d, Open: true%s}", pkg, shapeText(pkg, p.Shape), p.Reduce.LdB, paired)
	}
	return fmt.Sprintf("%s.BlockShape{Shape: %s, LdA: %d, LdB: %d, LdC: %d%s}", pkg, shapeText(pkg, p.Shape), p.Reduce.LdA, p.Reduce.LdB, p.Reduce.LdC, paired)
}

// reducedDoc says what blocks are like, and when a call panics.
func (p *product) reducedDoc(out string) string {
	s, r := p.Shape, p.Reduce
	k := fmt.Sprint(s.K)
	if p.isOpen() {
		k = "a.Cols"
	}
	count := "as many as a call says"
	if r.Count > 0 {
		count = fmt.Sprintf("%d of each", r.Count)
	}
	rows := fmt.Sprintf("Blocks of b are %s x %d with rows %d elements apart.", k, s.N, r.LdB)
	if gemm.Paired(p.B) {
		rows = fmt.Sprintf("Blocks of b are %s x %d, and two rows are one of pairs, %d elements apart: element (k, j) stands at k/2*%[3]d + 2*j + k%%2.", k, s.N, 2*r.LdB)
	}
	blocks := fmt.Sprintf("%d x %d with rows %d elements apart", s.M, s.K, r.LdA)
	if p.isOpen() {
		blocks = "a.Rows x a.Cols with rows a.Ld elements apart"
	}
	wrong, shared := "out has another shape or other strides", "shares memory with a block"
	if p.Fusion != nil {
		wrong, shared = "lengths do not agree", unit.Overlap
	}
	return fmt.Sprintf("Blocks of a are %s; %s. %s%s", blocks, count, rows, out) +
		"\n" + unit.Panics("there are more blocks of one than of the other", "a block does not lie in its slice", wrong, shared)
}

// reducedEntry are the functions that a user calls of a sum over blocks.
func (p *product) reducedEntry() []unit.Decl {
	r := p.Reduce
	lda, ldc, heights := r.LdA, r.LdC, unit.Expr("")
	if p.isOpen() {
		lda, ldc, heights = 0, 0, p.heights()
	}
	var doc, what, short, begin, end string
	var epilogue, variants unit.Expr
	if p.Fusion != nil {
		rows, cols := fmt.Sprint(p.Shape.M), fmt.Sprint(p.Shape.N)
		if p.isOpen() {
			rows, cols = "a.Rows", fmt.Sprintf("cmp.Or(b.Cols, %d)", p.Shape.N)
		}
		epilogue, variants = unit.Expr(p.V+"Epilogue"), unit.Expr(p.V+"Variants")
		doc = fmt.Sprintf("computes %s for each element of a[0]*b[0] + a[1]*b[1] + ... %s\n%s", p.Fusion.Formula(p.Callee.Expr, "out", "sum"), p.Fusion.About(rows, cols), p.reducedDoc(""))
		what = "a forced ISA"
		begin = fmt.Sprintf("$e := epilogue.New($name, %s, %s)\n$binds\nr := blocks.BeginFused(&%sReduced, %s, &$opt, &$e, &a, &b)", rows, cols, p.V, p.API.Called("Opt"))
		end = fmt.Sprintf("\nr.Finish(&%sReduced, &$e)", p.V)
	} else {
		doc = fmt.Sprintf("computes out = a[0]*b[0] + a[1]*b[1] + ... %s", p.reducedDoc(p.outDoc()))
		what = "alpha and beta, a forced ISA"
		short = fmt.Sprintf("var args kernel.BlocksArgs\nif blocks.AtOnce(&%[1]sReduced, &args, &out, &a, &b) {\n%[1]sKernel(%[1]sReduced.Best(), &args)\nreturn\n}\n"+
			"%[2]sOpt(run.Options{Caller: %[3]s}, out, a, b)", p.V, p.Name, p.API.Called(""))
		begin = fmt.Sprintf("r := blocks.Begin(&%sReduced, %s, &opt, &out, &a, &b)", p.V, p.API.Called("Opt"))
	}
	loop := fmt.Sprintf("\nfor args := (kernel.BlocksArgs{}); r.Next(&args); {\n%sKernel(r.Variant, &args)\n}", p.V)
	return append(p.API.Calls(doc, what, short, begin+loop+end), unit.Var{Name: p.V + "Reduced", Value: unit.Struct("blocks.Sum",
		"Name", p.Package+"."+p.Name, "Shape", p.shapeField("tiling"), "Count", r.Count, "LdA", lda, "LdB", r.LdB, "LdC", ldc, "Heights", heights,
		"A", unit.DType(p.A.Go()), "Acc", unit.DType(p.Elem.Go()), "ISAs", unit.Expr(p.V+"ISAs"), "Epilogue", epilogue, "Variants", variants)})
}

// outDoc says how rows of out lie.
func (p *product) outDoc() string {
	if p.isOpen() {
		return fmt.Sprintf(" out is a.Rows x %[1]d, or of b.Cols columns, a whole number of %[1]d, if b says so: then blocks of b are for panels of them, b.Ld elements apart.", p.Shape.N)
	}
	return fmt.Sprintf(" Rows of out are %d elements apart.", p.Reduce.LdC)
}

// heights lists how many rows tiles of the variants have.
func (p *product) heights() unit.Expr {
	var list []string
	for _, m := range p.mods {
		list = append(list, fmt.Sprint(m.Blocking.MR))
	}
	return unit.Expr("[]int{" + strings.Join(list, ", ") + "}")
}

// reducedKernel declares the choice of a variant, and the table of the epilogue's kernels.
func (p *product) reducedKernel(u *unit.Unit) {
	p.choice(u, "sums the products of args", "kernel.BlocksArgs", "", fmt.Sprintf("blocks.Portable[%s, %s](&%sReduced, args)\n", p.A.Go(), p.Elem.Go(), p.V),
		func(m *Module) string { return m.Reduced })
	if p.Fusion == nil {
		return
	}
	var list []unit.Expr
	for _, m := range p.mods {
		if m.Epi != "" {
			list = append(list, unit.Inline("ISA", m.Target.Name, "Epi", unit.Expr(m.Epi), "EpiLanes", m.EpiLanes))
		}
	}
	p.ListLines("Variants", "*kernel.Kernels", list...)
}

// choice declares the function that calls the kernel of a variant by its number, with assembly and without. It is a switch,
// since a call through a table would move its arguments to the heap.
func (p *product) choice(u *unit.Unit, does, args, first, portable string, kernel func(m *Module) string) {
	var isas []string
	var cases strings.Builder
	for i, m := range p.mods {
		isas = append(isas, fmt.Sprintf("%q", m.Target.Name))
		fmt.Fprintf(&cases, "case %d:\n%s(args)\n", i+1, kernel(m))
	}
	p.List("ISAs", "string", isas...)
	f := unit.Func{
		Doc:  fmt.Sprintf("%sKernel %s by the variant of that number.", p.V, does),
		Name: p.V + "Kernel", Params: []unit.Param{{Name: "variant", Type: "int"}, {Name: "args", Type: "*" + args}},
	}
	f.Body = first + portable
	u.Noasm = append(u.Noasm, f)
	f.Body = first + "switch variant {\n" + cases.String() + "default:\n" + portable + "}"
	u.Asm = append(u.Asm, f)
}

// reducedOracle checks a sum over blocks: without an epilogue by one of its own, else by that of products, whose
// operands are cut into blocks.
func (p *product) reducedOracle() *unit.Oracle {
	if p.Fusion != nil {
		o := p.fusedOracle()
		o.Bench = unit.Check{}
		return o
	}
	c := p.plainCase().And(
		"Op", unit.Exprf("check.BatchReduce{Count: %d, Of: %s}", p.Reduce.Count, p.reduceText("check")),
		"Call", unit.Exprf(`func(p *check.Problem) {
	out, a, b := %[1]s
	if opt.ISA == run.ISAs()[0] && p.Alpha == 1 && p.Beta == 0 { // the call without options has its own way
		%[2]s(out, a, b)
		return
	}
	opt := opt
	opt.Scaling = run.Scale(real(p.Alpha), real(p.Beta))
	%[2]sOpt(opt, out, a, b)
}`, unit.Args(p.API.Params), p.Name))
	counts := []int{1, 8, 64}
	if p.Reduce.Count > 0 {
		counts = []int{p.Reduce.Count}
	}
	return p.Described(c, p.Bench(", by the number of blocks", counts...))
}

// reducedOnly is the shape of products that are sums over blocks, for their oracle: any k, or that of all blocks.
func (p *product) reducedOnly() tiling.Shape {
	s := p.Shape
	s.K *= max(p.Reduce.Count, 0)
	return s
}

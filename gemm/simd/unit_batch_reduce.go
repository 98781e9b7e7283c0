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
func blocksOf(elem string) string { return "dense.Blocks[" + elem + "]" }

// reducedFactors are the operands of a sum over blocks, and how its oracle makes them.
func (p *product) reducedFactors() []unit.Param {
	factor := func(name, of, elem string) unit.Param {
		return unit.Param{Name: name, Type: blocksOf(elem), Arg: fmt.Sprintf("dense.Blocks[%[1]s](check.Get[check.Blocks[%[1]s]](p, check.%[2]s))", elem, of)}
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

// reducedCall is the body of the call with options: begin says how a run begins, and end what follows the kernel.
func (p *product) reducedCall(begin, end string) string {
	return fmt.Sprintf("r := %s\nfor args := (run.BlocksArgs{}); r.Next(&args); {\n%sKernel(r.Variant, &args)\n}%s", begin, p.v, end)
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
	return fmt.Sprintf("Blocks of a are %s; %s. %s%s\nIt panics with a [layout.ShapeError], before an element is read, if there are more blocks of one than of the other, "+
		"a block does not lie in its slice, %s.", blocks, count, rows, out,
		map[bool]string{false: "out has another shape or other strides, or shares memory with a block", true: "lengths do not agree, or an output shares memory with anything else"}[p.Fusion != nil])
}

// reducedEntry are the functions that a user calls of a sum over blocks.
func (p *product) reducedEntry() []unit.Decl {
	r := p.Reduce
	var lda, ldc, heights unit.Expr
	if !p.isOpen() {
		lda, ldc = unit.Expr(fmt.Sprint(r.LdA)), unit.Expr(fmt.Sprint(r.LdC))
	} else {
		heights = p.heights()
	}
	value := unit.Lit{Type: "dense.BatchReduce"}.With(unit.Field{Name: "Name", Value: p.quoted()}, unit.Field{Name: "Shape", Value: p.shapeField()},
		unit.Field{Name: "Count", Value: unit.Expr(fmt.Sprint(r.Count))}, unit.Field{Name: "LdA", Value: lda},
		unit.Field{Name: "LdB", Value: unit.Expr(fmt.Sprint(r.LdB))}, unit.Field{Name: "LdC", Value: ldc}, unit.Field{Name: "Heights", Value: heights},
		unit.Field{Name: "A", Value: unit.Expr("dtype." + typeNames[p.A])}, unit.Field{Name: "Acc", Value: unit.Expr("dtype." + typeNames[p.Elem])},
		unit.Field{Name: "ISAs", Value: unit.Expr(p.v + "ISAs")})
	name := p.called("Opt")
	var ps []unit.Param
	var doc, body string
	opt := options
	if p.Fusion != nil {
		value = value.With(unit.Field{Name: "Epilogue", Value: unit.Expr(p.v + "Epilogue")}, unit.Field{Name: "Variants", Value: unit.Expr(p.v + "Variants")})
		ps = p.params
		e := unit.Free("e", ps)
		opt.Name = unit.Free(opt.Name, ps)
		rows, cols := fmt.Sprint(p.Shape.M), fmt.Sprint(p.Shape.N)
		if p.isOpen() {
			rows, cols = "a.Rows", fmt.Sprintf("cmp.Or(b.Cols, %d)", p.Shape.N)
		}
		doc = fmt.Sprintf("%s computes %s for each element of a[0]*b[0] + a[1]*b[1] + ... %s\n%s", p.Name, p.Fusion.Formula(p.callee.Expr, "out", "sum"), p.Fusion.About(rows, cols), p.reducedDoc(""))
		body = fmt.Sprintf("%s := run.NewEpilogue(%s.Name(%s), %s, %s)\n%s", e, opt.Name, name, rows, cols, unit.Binds(ps, e)) +
			p.reducedCall(fmt.Sprintf("dense.BeginReduceFused(&%sReduced, %s, &%s, &%s, &a, &b)", p.v, name, opt.Name, e), fmt.Sprintf("\nr.Finish(&%sReduced, &%s)", p.v, e))
	} else {
		ps = append([]unit.Param{{Name: "out", Type: matrix(p.Elem.Go())}}, p.reducedFactors()...)
		doc = fmt.Sprintf("%s computes out = a[0]*b[0] + a[1]*b[1] + ... %s", p.Name, p.reducedDoc(p.outDoc()))
		body = p.reducedCall(fmt.Sprintf("dense.BeginReduce(&%sReduced, %s, &opt, &out, &a, &b)", p.v, name), "")
	}
	what, short := "alpha and beta, a forced ISA", ""
	if p.Fusion != nil {
		what = "a forced ISA"
	} else {
		short = fmt.Sprintf("var args run.BlocksArgs\nif dense.ReduceAtOnce(&%[1]sReduced, &args, &out, &a, &b) {\n%[1]sKernel(%[1]sReduced.Best(), &args)\nreturn\n}\n", p.v)
	}
	return []unit.Decl{
		abi,
		unit.Func{Doc: doc, Name: p.Name, Params: ps, Body: short + fmt.Sprintf("%sOpt(run.Options{Caller: %s}, %s)", p.Name, p.quoted(), unit.Names(ps))},
		unit.Func{Doc: fmt.Sprintf("%sOpt is %[1]s with options: %s.", p.Name, what), Name: p.Name + "Opt", Params: with(opt, ps...), Body: body},
		unit.Var{Name: p.v + "Reduced", Value: value},
	}
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

// reducedKernel declares the choice of a variant by number, with assembly and without, as fixedKernel does,
// and the table of the epilogue's kernels.
func (p *product) reducedKernel(u *unit.Unit) {
	var isas, cases, list strings.Builder
	for i, m := range p.mods {
		fmt.Fprintf(&isas, "%q, ", m.Target.Name)
		fmt.Fprintf(&cases, "case %d:\n%s(args)\n", i+1, m.Reduced)
		if m.Epi != "" {
			fmt.Fprintf(&list, "{ISA: %q, Epi: %s, EpiLanes: %d},\n", m.Target.Name, m.Epi, m.EpiLanes)
		}
	}
	u.Listed = append(u.Listed, unit.Var{Name: p.v + "ISAs", Type: "[]string", Value: unit.Expr("[]string{" + isas.String() + "}")})
	if p.Fusion != nil {
		u.Listed = append(u.Listed, unit.Var{Name: p.v + "Variants", Type: "[]*run.Kernels", Value: unit.Expr("[]*run.Kernels{\n" + list.String() + "}")})
	}
	f := unit.Func{
		Doc:  p.v + "Kernel sums the products of args by the variant of that number.",
		Name: p.v + "Kernel", Params: []unit.Param{{Name: "variant", Type: "int"}, {Name: "args", Type: "*run.BlocksArgs"}},
	}
	portable := fmt.Sprintf("dense.BatchReducePortable[%s, %s](&%sReduced, args)", p.A.Go(), p.Elem.Go(), p.v)
	f.Body = portable
	u.Noasm = append(u.Noasm, f)
	f.Body = "switch variant {\n" + cases.String() + "default:\n" + portable + "\n}"
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
	t, acc := p.A.Go(), p.Elem.Go()
	factors := p.reducedFactors()
	expr := func(format string, args ...any) unit.Expr { return unit.Expr(fmt.Sprintf(format, args...)) }
	c := unit.Lit{Type: "check.Case"}.With(
		unit.Field{Name: "Name", Value: expr("%q", p.Name)}, unit.Field{Name: "A", Value: unit.Expr(unit.DType(t))}, unit.Field{Name: "B", Value: unit.Expr(unit.DType(p.B.Go()))},
		unit.Field{Name: "Acc", Value: unit.Expr(unit.DType(acc))}, unit.Field{Name: "Slots", Value: expr("[]check.Slot{{Type: %s, Out: true}}", unit.DType(acc))},
		unit.Field{Name: "Op", Value: expr("check.BatchReduce{Count: %d, Of: %s}", p.Reduce.Count, p.reduceText("check"))},
		unit.Field{Name: "Call", Value: expr(`func(p *check.Problem) {
	out, a, b := %[1]s, %[2]s, %[3]s
	if opt.ISA == run.ISAs()[0] && p.Alpha == 1 && p.Beta == 0 { // the call without options has its own way
		%[4]s(out, a, b)
		return
	}
	opt := opt
	opt.Scaling = run.Scale(real(p.Alpha), real(p.Beta))
	%[4]sOpt(opt, out, a, b)
}`, unit.Taken(matrix(acc), acc, 0), factors[0].Arg, factors[1].Arg, p.Name)})
	o := p.plainCase(c)
	o.Bench = unit.Check{Doc: "reports GFLOP/s on one core, by the number of blocks.", Body: fmt.Sprintf("for _, n := range []int{1, 8, 64} {\ncheck.Bench(b, isa, n, %sCase(run.Options{ISA: isa, Threads: 1}))\n}", p.v)}
	return o
}

// reducedOnly is the shape of products that are sums over blocks, for their oracle: any k, or that of all blocks.
func (p *product) reducedOnly() tiling.Shape {
	s := p.Shape
	s.K *= max(p.Reduce.Count, 0)
	return s
}

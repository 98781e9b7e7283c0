package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/tiling"
)

// direct reports whether the spec gets calls with array pointers. Then nothing of its
// shape is left to the run time, and the kernel reads and writes the caller's memory.
func (p *product) direct() bool { return p.Fixed != "" }

// rowMajorCall is the call with matrices: those that are dense and row-major take the way
// of arrays.
func (p *product) rowMajorCall() string {
	return fmt.Sprintf(`if args, ok := fixed.RowMajor(&%[1]sFixed, &out, &a, &b); ok {
	%[1]sKernel(%[1]sFixed.Best(), &args)
	return
}
%[1]sSet.Gemm(run.Options{}, out, a, b)`, p.v)
}

// fixedEntry are the direct calls of a product whose shape is known.
func (p *product) fixedEntry() []unit.Decl {
	s, elem := p.Shape, p.Elem.Go()
	if !s.All() {
		return nil
	}
	so, sa, sb := s.M*s.N, s.M*s.K, s.K*s.N
	array := func(name string, n int) unit.Param {
		return unit.Param{Name: name, Type: fmt.Sprintf("*[%d]%s", n, elem)}
	}
	arrays := unit.Func{Name: p.Name + "Arrays", Params: []unit.Param{array("out", so), array("a", sa), array("b", sb)}}
	if !p.direct() { // too much for one call into assembly
		arrays.Doc = fmt.Sprintf("%sArrays is %[1]s for matrices that are dense and row-major.", p.Name)
		arrays.Body = fmt.Sprintf("%sSet.Gemm(run.Options{Caller: %[5]s}, layout.RowMajor(out[:], %[2]d, %[3]d), layout.RowMajor(a[:], %[2]d, %[4]d), layout.RowMajor(b[:], %[4]d, %[3]d))",
			p.v, s.M, s.N, s.K, p.called("Arrays"))
		return []unit.Decl{arrays}
	}
	arrays.Doc = fmt.Sprintf("%sArrays is %[1]s for matrices that are dense and row-major, at the cost of the arithmetic: it chooses no way and looks at no shape. "+
		"It panics with a [layout.ShapeError] if out shares memory with a or b.", p.Name)
	arrays.Body = fmt.Sprintf("args := fixed.One(&out[0], &a[0], &b[0])\n%[1]sKernel(%[1]sFixed.Best(), &args)", p.v)
	slice := func(name string) unit.Param { return unit.Param{Name: name, Type: "[]" + elem} }
	slices := []unit.Param{slice("out"), slice("a"), slice("b")}
	return []unit.Decl{
		arrays,
		unit.Func{
			Doc: fmt.Sprintf("%sBatch does %[1]sArrays for count products, whose matrices lie one after another: out has count*%d elements, a has count*%d and b has count*%d.",
				p.Name, so, sa, sb),
			Name: p.Name + "Batch", Params: append(slices[:3:3], unit.Param{Name: "count", Type: "int"}),
			Body: fmt.Sprintf("%sBatchOpt(run.Options{Caller: %s}, %sFixed.Dense(count), out, a, b)", p.Name, p.called("Batch"), p.v),
		},
		unit.Func{
			Doc: fmt.Sprintf("%sBatchOpt is %[1]sBatch with any strides from product to product, and options: threads, a forced ISA. "+
				"It panics with a [layout.ShapeError], before an element is read, if a slice is too short, a stride is negative, two results share a place, or out shares memory with a or b.", p.Name),
			Name: p.Name + "BatchOpt", Params: with(options, with(unit.Param{Name: "batch", Type: "dense.Batch"}, slices...)...),
			Body: fmt.Sprintf(`r := fixed.Begin(&%[1]sFixed, %[2]s, &opt, batch, out, a, b)
if r.Threads > 1 {
	r.Share(%[1]sKernel)
	return
}
for args := (kernel.FixedArgs{}); r.Next(&args); {
	%[1]sKernel(r.Variant, &args)
}`, p.v, p.called("BatchOpt")),
		},
		unit.Var{Name: p.v + "Fixed", Value: unit.Expr(fmt.Sprintf("fixed.Product{Name: %s, Shape: %s, Size: %d, ISAs: %sISAs}", p.quoted(), shapeText("tiling", s), p.Elem.Size(), p.v))},
	}
}

// fixedKernel declares the choice of a variant by number, with assembly and without. It
// is a switch, since a call through a table would move its arguments to the heap.
func (p *product) fixedKernel(u *unit.Unit) {
	if !p.direct() {
		return
	}
	s, size := p.Shape, p.Elem.Size()
	var isas, cases strings.Builder
	for i, m := range p.mods {
		fmt.Fprintf(&isas, "%q, ", m.Target.Name)
		fmt.Fprintf(&cases, "case %d:\n%s(args)\n", i+1, m.Fixed)
	}
	u.Listed = append(u.Listed, unit.Var{Name: p.v + "ISAs", Type: "[]string", Value: unit.Expr("[]string{" + isas.String() + "}")})
	f := unit.Func{
		Doc:  p.v + "Kernel computes the products of args by the variant of that number.",
		Name: p.v + "Kernel", Params: []unit.Param{{Name: "variant", Type: "int"}, {Name: "args", Type: "*kernel.FixedArgs"}},
	}
	apart := fmt.Sprintf("if !fixed.Apart(args, %d, %d, %d) {\n%sFixed.Overlap()\n}\n", s.M*s.N*size, s.M*s.K*size, s.K*s.N*size, p.v)
	portable := fmt.Sprintf("fixed.Portable[%s](&%sFixed, args)\n", p.Elem.Go(), p.v)
	f.Body = apart + portable
	u.Noasm = append(u.Noasm, f)
	f.Body = apart + "switch variant {\n" + cases.String() + "default:\n" + portable + "}"
	u.Asm = append(u.Asm, f)
}

// fixedOracle checks a product of which some dimension is fixed.
func (p *product) fixedOracle() *unit.Oracle {
	elem, s := p.Elem.Go(), p.Shape
	mr, nr := p.tile()
	shape := shapeText("check", s)
	arrays := fmt.Sprintf(`func(out, a, b []%[1]s) {
	args := fixed.One(&out[0], &a[0], &b[0])
	%[2]sKernel(%[2]sFixed.Variant(isa), &args)
}`, elem, p.v)
	calls, plain, bench := "", "", fmt.Sprintf(`for _, n := range []int{64, 256} {
	s := check.Shape{M: cmp.Or(%[1]d, n), N: cmp.Or(%[2]d, n), K: cmp.Or(%[3]d, n)}
	check.BenchmarkFixed(b, isa, s, func(out, x, y []%[4]s) {
		%[5]sOpt(run.Options{ISA: isa, Threads: 1}, layout.RowMajor(out, s.M, s.N), layout.RowMajor(x, s.M, s.K), layout.RowMajor(y, s.K, s.N))
	})
}`, s.M, s.N, s.K, elem, p.Name)
	if p.direct() {
		calls = fmt.Sprintf("Arrays: %s,\nBatch: func(n check.Batch, out, a, b []%s) {\n%sBatchOpt(run.Options{ISA: isa}, dense.Batch(n), out, a, b)\n},\n", arrays, elem, p.Name)
		bench = fmt.Sprintf("check.BenchmarkFixed(b, isa, %s, %s)", shape, arrays)
		// The call without options has its own way.
		plain = fmt.Sprintf("if isa == run.ISAs()[0] && alpha == 1 && beta == 0 {\n%s(out, a, b)\nreturn\n}\n", p.Name)
	}
	return &unit.Oracle{
		ISAs: p.isas(),
		Checks: []unit.Check{{Doc: every, Body: fmt.Sprintf("check.Fixed(t, check.FixedCase[%s]{\nName: %q, Only: %s, MR: %d, NR: %d, KC: %d,\nGemm: %s,\n%s})",
			elem, p.Name, shape, mr, nr, tiling.KCMax, p.gemmFunc(plain), calls)}},
		Bench: unit.Check{Doc: "reports GFLOP/s on one core.", Body: bench},
	}
}

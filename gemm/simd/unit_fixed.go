package simd

import (
	"fmt"

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
%[1]sSet.Gemm(run.Options{}, out, a, b)`, p.V)
}

// fixedEntry are the functions that a user calls of a product of a shape.
func (p *product) fixedEntry() []unit.Decl {
	if !p.Shape.All() {
		return p.entry()
	}
	return append(p.entry(), p.arrays()...)
}

// arrays are the direct calls of a product whose shape is known.
func (p *product) arrays() []unit.Decl {
	s, elem := p.Shape, p.Elem.Go()
	so, sa, sb := s.M*s.N, s.M*s.K, s.K*s.N
	array := func(name string, n int) unit.Param {
		return unit.Param{Name: name, Type: fmt.Sprintf("*[%d]%s", n, elem)}
	}
	arrays := []unit.Param{array("out", so), array("a", sa), array("b", sb)}
	const is = "is %s for matrices that are dense and row-major"
	if !p.direct() { // too much for one call into assembly
		return []unit.Decl{p.API.Func("Arrays", fmt.Sprintf(is+".", p.Name), arrays,
			fmt.Sprintf("%sSet.Gemm(run.Options{Caller: %[5]s}, layout.RowMajor(out[:], %[2]d, %[3]d), layout.RowMajor(a[:], %[2]d, %[4]d), layout.RowMajor(b[:], %[4]d, %[3]d))",
				p.V, s.M, s.N, s.K, p.API.Called("Arrays")))}
	}
	slice := func(name string) unit.Param { return unit.Param{Name: name, Type: "[]" + elem} }
	slices := []unit.Param{slice("out"), slice("a"), slice("b")}
	return []unit.Decl{
		p.API.Func("Arrays", fmt.Sprintf(is+", at the cost of the arithmetic: it chooses no way and looks at no shape. It panics with a [layout.ShapeError] if out shares memory with a or b.", p.Name),
			arrays, fmt.Sprintf("args := fixed.One(&out[0], &a[0], &b[0])\n%[1]sKernel(%[1]sFixed.Best(), &args)", p.V)),
		p.API.Func("Batch", fmt.Sprintf("does %sArrays for count products, whose matrices lie one after another: out has count*%d elements, a has count*%d and b has count*%d.", p.Name, so, sa, sb),
			append(slices[:3:3], unit.Param{Name: "count", Type: "int"}),
			fmt.Sprintf("%sBatchOpt(run.Options{Caller: %s}, %sFixed.Dense(count), out, a, b)", p.Name, p.API.Called("Batch"), p.V)),
		p.API.Func("BatchOpt", fmt.Sprintf("is %sBatch with any strides from product to product, and options: threads, a forced ISA. ", p.Name)+
			unit.Panics(unit.Short, "a stride is negative", "two results share a place", "out shares memory with a or b"),
			p.API.With(append([]unit.Param{{Name: "batch", Type: "dense.Batch"}}, slices...)...),
			fmt.Sprintf(`r := fixed.Begin(&%[1]sFixed, %[2]s, &opt, batch, out, a, b)
if r.Threads > 1 {
	r.Share(%[1]sKernel)
	return
}
for args := (kernel.FixedArgs{}); r.Next(&args); {
	%[1]sKernel(r.Variant, &args)
}`, p.V, p.API.Called("BatchOpt"))),
		unit.Var{Name: p.V + "Fixed", Value: unit.Exprf("fixed.Product{Name: %s, Shape: %s, Size: %d, ISAs: %sISAs}", p.API.Called(""), shapeText("tiling", s), p.Elem.Size(), p.V)},
	}
}

// fixedKernels declares the tables, and the choice of a variant for direct calls.
func (p *product) fixedKernels(u *unit.Unit) {
	p.tables(u)
	if s, size := p.Shape, p.Elem.Size(); p.direct() {
		p.choice(u, "computes the products of args", "kernel.FixedArgs",
			fmt.Sprintf("if !fixed.Apart(args, %d, %d, %d) {\n%sFixed.Overlap()\n}\n", s.M*s.N*size, s.M*s.K*size, s.K*s.N*size, p.V),
			fmt.Sprintf("fixed.Portable[%s](&%sFixed, args)\n", p.Elem.Go(), p.V), func(m *Module) string { return m.Fixed })
	}
}

// fixedOracle checks a product of which some dimension is fixed.
func (p *product) fixedOracle() *unit.Oracle {
	elem, s := p.Elem.Go(), p.Shape
	mr, nr := p.tile()
	shape := shapeText("check", s)
	arrays := fmt.Sprintf(`func(out, a, b []%[1]s) {
	args := fixed.One(&out[0], &a[0], &b[0])
	%[2]sKernel(%[2]sFixed.Variant(isa), &args)
}`, elem, p.V)
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
	return p.Checked(fmt.Sprintf("check.Fixed(t, check.FixedCase[%s]{\nName: %q, Only: %s, MR: %d, NR: %d, KC: %d,\nGemm: %s,\n%s})",
		elem, p.Name, shape, mr, nr, tiling.KCMax, p.gemmFunc(plain), calls), unit.Timed("", bench))
}

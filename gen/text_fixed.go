package gen

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
)

// shapeText is the Go expression of a shape.
func shapeText(s gemm.Shape) string {
	return fmt.Sprintf("dense.Shape{M: %d, N: %d, K: %d}", s.M, s.N, s.K)
}

// direct reports whether the spec gets calls with array pointers: nothing of its
// shape is left to the run time, and the kernel reads and writes what the caller has.
func direct(m *gemm.Module) bool { return m.Fixed != "" }

// fixedEntry writes the direct calls of a product whose shape is known.
func fixedEntry(b *strings.Builder, o Options, name string, m *gemm.Module) {
	s, t, v := m.Shape, m.Elem.Go(), lowerFirst(name)
	so, sa, sb := s.M*s.N, s.M*s.K, s.K*s.N
	switch {
	case !s.All() || m.Body != nil:
		return
	case !direct(m): // too much for one call into assembly
		fmt.Fprintf(b, `
// %[1]sArrays is %[1]s for matrices that are dense and row-major.
func %[1]sArrays(%[2]s) {
	%[3]sSet.Gemm(run.Options{}, layout.RowMajor(out[:], %[4]d, %[5]d), layout.RowMajor(a[:], %[4]d, %[6]d), layout.RowMajor(b[:], %[6]d, %[5]d))
}
`, name, arrayParams(so, sa, sb, t), v, s.M, s.N, s.K)
		return
	}
	fmt.Fprintf(b, `
// %[1]sArrays is %[1]s for matrices that are dense and row-major, at the cost of the
// arithmetic: it chooses no way and looks at no shape. It panics with a
// [layout.ShapeError] if out shares memory with a or b.
func %[1]sArrays(%[6]s) {
	args := dense.One(&out[0], &a[0], &b[0])
	%[2]sKernel(%[2]sFixed.Best(), &args)
}

// %[1]sBatch does %[1]sArrays for count products, whose matrices lie one after another:
// out has count*%[3]d elements, a has count*%[4]d and b has count*%[5]d.
func %[1]sBatch(out, a, b []%[7]s, count int) {
	%[1]sBatchOpt(run.Options{}, %[2]sFixed.Dense(count), out, a, b)
}

// %[1]sBatchOpt is %[1]sBatch with any strides from product to product, and options:
// threads, a forced ISA. It panics with a [layout.ShapeError], before an element is
// read, if a slice is too short, a stride is negative, two results share a place, or
// out shares memory with a or b.
func %[1]sBatchOpt(opt run.Options, batch dense.Batch, out, a, b []%[7]s) {
	r := dense.Begin(&%[2]sFixed, opt, batch, out, a, b)
	if r.Threads > 1 {
		r.Share(%[2]sKernel)
		return
	}
	for args := (run.FixedArgs{}); r.Next(&args); {
		%[2]sKernel(r.Variant, &args)
	}
}

var %[2]sFixed = dense.Fixed{Name: %[8]q, Shape: %[9]s, Size: %[10]d, ISAs: %[2]sISAs}
`, name, v, so, sa, sb, arrayParams(so, sa, sb, t), t, o.Package+"."+name, shapeText(s), m.Elem.Size())
}

// fixedMatrices writes the call with matrices: those that are dense and row-major take
// the way of arrays.
func fixedMatrices(b *strings.Builder, name, elem string) {
	fmt.Fprintf(b, `func %[1]s(out, a, b layout.Matrix[%[2]s]) {
	if args, ok := dense.Whole(&%[3]sFixed, &out, &a, &b); ok {
		%[3]sKernel(%[3]sFixed.Best(), &args)
		return
	}
	%[3]sSet.Gemm(run.Options{}, out, a, b)
}

`, name, elem, lowerFirst(name))
}

// shapeDoc says what is fixed.
func shapeDoc(m *gemm.Module) string {
	if m.Shape == (gemm.Shape{}) {
		return ""
	}
	return fmt.Sprintf("//\n// It was generated for m x n x k = %v and panics likewise at any other shape.\n", m.Shape)
}

// arrayParams writes the parameters out, a and b, equal types together.
func arrayParams(so, sa, sb int, elem string) string {
	var ps []param
	for i, n := range []int{so, sa, sb} {
		ps = append(ps, param{[]string{"out", "a", "b"}[i], fmt.Sprintf("*[%d]%s", n, elem)})
	}
	return signature(ps)
}

// fixedKernel writes the choice of a variant by number, with assembly or without: by
// a switch, since a call through a table would move its arguments to the heap.
func fixedKernel(b *strings.Builder, name string, mods []*gemm.Module, asm bool) {
	m := mods[0]
	if !direct(m) {
		return
	}
	v, s, size := lowerFirst(name), m.Shape, m.Elem.Size()
	var isas, cases strings.Builder
	if asm {
		fmt.Fprintf(&isas, " = []string{")
		for i, m := range mods {
			fmt.Fprintf(&isas, "%q, ", m.Target.Name)
			fmt.Fprintf(&cases, "case %d:\n%s(args)\n", i+1, m.Fixed)
		}
		isas.WriteString("}")
	} else {
		isas.WriteString(" []string")
	}
	portable := fmt.Sprintf("dense.FixedPortable[%s](&%sFixed, args)\n", m.Elem.Go(), v)
	if asm {
		portable = fmt.Sprintf("switch variant {\n%sdefault:\n%s}\n", cases.String(), portable)
	}
	fmt.Fprintf(b, `
var %[1]sISAs%[2]s

// %[1]sKernel computes the products of args by the variant of that number.
func %[1]sKernel(variant int, args *run.FixedArgs) {
	if !dense.Apart(args, %[3]d, %[4]d, %[5]d) {
		%[1]sFixed.Overlap()
	}
	%[6]s}

`, v, isas.String(), s.M*s.N*size, s.M*s.K*size, s.K*s.N*size, portable)
}

// fixedTest checks a product of which some dimension is fixed.
func fixedTest(o Options, name string, mods []*gemm.Module) string {
	m := mods[0]
	t, s, v := m.Elem.Go(), m.Shape, lowerFirst(name)
	mr, nr := 0, 0
	var isas strings.Builder
	for _, m := range mods {
		mr, nr = max(mr, m.MR), max(nr, m.NV*m.VL)
		fmt.Fprintf(&isas, "%q, ", m.Target.Name)
	}
	shape := checkShapeText(s)
	arrays := fmt.Sprintf(`func(out, a, b []%[1]s) {
	args := dense.One(&out[0], &a[0], &b[0])
	%[2]sKernel(%[2]sFixed.Variant(isa), &args)
}`, t, v)
	calls, bench := "", fmt.Sprintf(`for _, n := range []int{64, 256} {
	s := check.Shape{M: cmp.Or(%[1]d, n), N: cmp.Or(%[2]d, n), K: cmp.Or(%[3]d, n)}
	check.BenchmarkFixed(b, isa, s, func(out, x, y []%[4]s) {
		%[5]sOpt(run.Options{ISA: isa, Threads: 1}, layout.RowMajor(out, s.M, s.N), layout.RowMajor(x, s.M, s.K), layout.RowMajor(y, s.K, s.N))
	})
}`, s.M, s.N, s.K, t, name)
	if direct(m) {
		calls = fmt.Sprintf(`Arrays: %[1]s,
Batch: func(n check.Batch, out, a, b []%[2]s) {
	%[3]sBatchOpt(run.Options{ISA: isa}, dense.Batch(n), out, a, b)
},
`, arrays, t, name)
		bench = fmt.Sprintf("check.BenchmarkFixed(b, isa, %s, %s)", shape, arrays)
	}
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	std := ""
	if !direct(m) {
		std = "cmp"
	}
	plain := ""
	if direct(m) { // the call without options has its own way
		plain = fmt.Sprintf(`if isa == run.ISAs()[0] && alpha == 1 && beta == 0 {
	%s(out, a, b)
	return
}
`, name)
	}
	imports(&b, std, "slices", "testing", module+"cpu/run", needs(module+"cpu/run/dense", "dense", calls), module+"layout", module+"verify/check")
	fmt.Fprintf(&b, `// Test%[1]s checks every variant that this machine runs, and the portable one.
func Test%[1]s(t *testing.T) {
	for _, isa := range []string{%[2]srun.Portable} {
		t.Run("isa="+isa, func(t *testing.T) {
			if !slices.Contains(run.ISAs(), isa) {
				t.Skipf("this machine or build has no %%s", isa)
			}
			check.Fixed(t, check.FixedCase[%[3]s]{
				Name: %[4]q, Only: %[5]s, MR: %[6]d, NR: %[7]d, KC: %[8]d,
				Gemm: func(alpha %[3]s, a, b layout.Matrix[%[3]s], beta %[3]s, out layout.Matrix[%[3]s]) {
					%[11]s%[4]sOpt(run.Options{ISA: isa, Scaled: true, Alpha: float64(alpha), Beta: float64(beta)}, out, a, b)
				},
				%[9]s})
		})
	}
}

// Benchmark%[1]s reports GFLOP/s on one core.
func Benchmark%[1]s(b *testing.B) {
	for _, isa := range []string{%[2]srun.Portable} {
		if !slices.Contains(run.ISAs(), isa) {
			continue
		}
		%[10]s
	}
}
`, upperFirst(name), isas.String(), t, name, shape, mr, nr, tiling.KCMax, calls, bench, plain)
	return b.String()
}

// shapeField is the field of a table that says which shape its kernels are for.
func shapeField(m *gemm.Module) string {
	if m.Shape == (gemm.Shape{}) {
		return ""
	}
	return "Shape: " + shapeText(m.Shape) + ", "
}

// onlyField is the field of a test's case that says which shapes there are.
func onlyField(m *gemm.Module) string {
	if m.Shape == (gemm.Shape{}) {
		return ""
	}
	return "Only: " + checkShapeText(m.Shape) + ", "
}

func checkShapeText(s gemm.Shape) string {
	return fmt.Sprintf("check.Shape{M: %d, N: %d, K: %d}", s.M, s.N, s.K)
}

// shaped is a spec that may fix dimensions.
type shaped interface{ FixedShape() gemm.Shape }

// declaredFixed are the identifiers that the direct calls of a spec bring.
func declaredFixed(s Spec, name string) []string {
	if f, ok := s.(shaped); !ok || !f.FixedShape().All() {
		return nil
	}
	n := lowerFirst(name)
	return []string{name + "Arrays", name + "Batch", name + "BatchOpt", n + "Kernel", n + "Fixed", n + "ISAs"}
}

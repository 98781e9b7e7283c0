package gen

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
)

const (
	module   = "github.com/tilesmith/tilesmith/"
	asmTag   = "amd64 && !noasm && !purego"
	noasmTag = "!amd64 || noasm || purego"
)

func fileHead(o Options, constraint string) string {
	s := "// " + Header(o.Source) + "\n\n"
	if constraint != "" {
		s += "//go:build " + constraint + "\n\n"
	}
	return s + "package " + o.Package + "\n\n"
}

// gemmTexts are the Go files of a product.
func gemmTexts(o Options, base, name string, mods []*gemm.Module) []text {
	return []text{
		{base + ".go", entryFile(o, name, mods)}, {base + "_amd64.go", stubFile(o, name, mods)},
		{base + "_noasm.go", noasmFile(o, name, mods)}, {base + "_test.go", testFile(o, name, mods)},
	}
}

// functionTexts are the Go files of bare kernels.
func functionTexts(o Options, base string, s Functions, lists map[string][]*emit.Func) []text {
	var b, none strings.Builder
	doc := fmt.Sprintf("// %s holds the kernels by ISA and name; it is empty where there is no assembly.\n", s.Name)
	b.WriteString(fileHead(o, asmTag))
	fmt.Fprintf(&b, "import %q\n\n%svar %s = map[string]map[string]run.Kernel{\n", module+"cpu/run", doc, s.Name)
	for _, t := range s.Targets {
		fmt.Fprintf(&b, "%q: {\n", t.Name)
		for _, f := range lists[t.Name] {
			fmt.Fprintf(&b, "%q: %s,\n", strings.TrimSuffix(f.Name, "_"+t.Name), f.Name)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n")
	for _, t := range s.Targets {
		for _, f := range lists[t.Name] {
			stub(&b, f.Name, "run.Args")
		}
	}
	none.WriteString(fileHead(o, noasmTag))
	fmt.Fprintf(&none, "import %q\n\n%svar %s map[string]map[string]run.Kernel\n", module+"cpu/run", doc, s.Name)
	return []text{{base + "_amd64.go", b.String()}, {base + "_noasm.go", none.String()}}
}

func stub(b *strings.Builder, name, args string) {
	fmt.Fprintf(b, "//go:noescape\nfunc %s(args *%s)\n\n", name, args)
}

// entryFile has the functions that a user calls.
func entryFile(o Options, name string, mods []*gemm.Module) string {
	t := mods[0].Elem.Go()
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	imports(&b, module+"cpu/run", module+"cpu/run/dense", module+"layout")
	fmt.Fprintf(&b, "const _ = run.ABI3\n\n")
	fmt.Fprintf(&b, "// %s computes out = a*b, where a is m x k, b is k x n and out is m x n, each with\n"+
		"// any strides. It panics with a [layout.ShapeError], before an element is read, if\n"+
		"// shapes do not agree, a slice is too short, two elements of out share a place, or\n"+
		"// out shares memory with a or b. See [dense.Set.Gemm] for rounding and NaN.\n%s", name, shapeDoc(mods[0]))
	if direct(mods[0]) {
		fixedMatrices(&b, name, t)
	} else if byName(mods[0]) {
		fmt.Fprintf(&b, "func %s(out, a, b layout.Matrix[%s]) { %sRef(&run.Options{}, &out, &a, &b) }\n\n", name, t, name)
	} else {
		fmt.Fprintf(&b, "func %s(out, a, b layout.Matrix[%s]) { %sSet.Gemm(run.Options{}, out, a, b) }\n\n", name, t, lowerFirst(name))
	}
	fmt.Fprintf(&b, "// %sOpt is %s with options: threads, alpha and beta, a forced ISA.\n", name, name)
	if byName(mods[0]) {
		smallRef(&b, name, t)
	} else {
		fmt.Fprintf(&b, "func %sOpt(opt run.Options, out, a, b layout.Matrix[%s]) { %sSet.Gemm(opt, out, a, b) }\n\n", name, t, lowerFirst(name))
	}
	if !mods[0].Shape.All() {
		fmt.Fprintf(&b, "// %sBatched is %sOpt for many products of one shape; see [dense.Set.Batched].\n", name, name)
		fmt.Fprintf(&b, "func %sBatched(opt run.Options, n dense.Batch, out, a, b layout.Matrix[%s]) { %sSet.Batched(opt, n, out, a, b) }\n\n", name, t, lowerFirst(name))
	}
	if name != lowerFirst(name) {
		fmt.Fprintf(&b, "// %sSet returns the kernels behind %s, for all else that a [dense.Set] can do.\n", name, name)
		fmt.Fprintf(&b, "func %sSet() *dense.Set[%s] { return &%sSet }\n\n", name, t, lowerFirst(name))
	}
	packFunc(&b, name, lowerFirst(name)+"Set", t)
	fmt.Fprintf(&b, "var %sSet = dense.Set[%s]{Name: %q, %sVariants: %sVariants}\n", lowerFirst(name), t, o.Package+"."+name, shapeField(mods[0]), lowerFirst(name))
	fixedEntry(&b, o, name, mods[0])
	return b.String()
}

// packFunc writes the function that packs b beforehand.
func packFunc(b *strings.Builder, name, variable, elem string) {
	fmt.Fprintf(b, "// %sPack packs b for calls of %sOpt that have it in Options.B: worth it for a b\n// that is used many times.\n", name, name)
	fmt.Fprintf(b, "func %sPack(b layout.Matrix[%s]) *run.Packed { return %s.Pack(run.Options{}, b) }\n\n", name, elem, variable)
}

// noasmFile stands in for the stubs where there is no assembly.
func noasmFile(o Options, name string, mods []*gemm.Module) string {
	var b strings.Builder
	b.WriteString(fileHead(o, noasmTag))
	stubImports(&b, mods[0], false)
	fmt.Fprintf(&b, "var %sVariants []*run.Kernels\n", lowerFirst(name))
	fixedKernel(&b, name, mods, false)
	smallCall(&b, name, mods, false)
	return b.String()
}

// stubFile declares the assembly functions and lists them as run wants them.
func stubFile(o Options, name string, mods []*gemm.Module) string {
	var b strings.Builder
	b.WriteString(fileHead(o, asmTag))
	stubImports(&b, mods[0], true)
	var vars []string
	for _, m := range mods {
		vars = append(vars, "&"+lowerFirst(name)+"_"+m.Target.Name)
	}
	fmt.Fprintf(&b, "var %sVariants = []*run.Kernels{%s}\n\n", lowerFirst(name), strings.Join(vars, ", "))
	first := 0
	for _, m := range mods {
		micro, packers := parts(&b, name, m, first)
		fmt.Fprintf(&b, "var %s_%s = run.Kernels{\nISA: %q,\nMicroKernels: %s,\nPackers: %s,\n", lowerFirst(name), m.Target.Name, m.Target.Name, micro, packers)
		if m.Epi != "" {
			fmt.Fprintf(&b, "Epi: %s, EpiLanes: %d,\n", m.Epi, m.EpiLanes)
		}
		b.WriteString("}\n\n")
		first += numbers(m)
	}
	fixedKernel(&b, name, mods, true)
	smallCall(&b, name, mods, true)
	for _, m := range mods {
		for _, f := range m.Own() {
			args := "run.Args"
			switch f.Name {
			case m.Epi:
				args = "run.EpiArgs"
			case m.Fixed:
				args = "run.FixedArgs"
			}
			stub(&b, f.Name, args)
		}
	}
	return b.String()
}

// testFile checks every variant against the oracles.
func testFile(o Options, name string, mods []*gemm.Module) string {
	if mods[0].Shape != (gemm.Shape{}) {
		return fixedTest(o, name, mods)
	}
	t := mods[0].Elem.Go()
	mr, nr := 0, 0
	var isas strings.Builder
	for _, m := range mods {
		mr, nr = max(mr, m.MR), max(nr, m.NV*m.VL)
		fmt.Fprintf(&isas, "%q, ", m.Target.Name)
	}
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	fmt.Fprintf(&b, "import (\n\"slices\"\n\"testing\"\n\n%q\n%q\n%q\n)\n\n", module+"cpu/run", module+"layout", module+"verify/check")
	fmt.Fprintf(&b, "// Test%s checks every variant that this machine runs, and the portable one.\n", upperFirst(name))
	fmt.Fprintf(&b, `func Test%[1]s(t *testing.T) {
	for _, isa := range []string{%[2]srun.Portable} {
		t.Run("isa="+isa, func(t *testing.T) {
			if !slices.Contains(run.ISAs(), isa) {
				t.Skipf("this machine or build has no %%s", isa)
			}
			check.Suite(t, func(alpha %[3]s, a, b layout.Matrix[%[3]s], beta %[3]s, out layout.Matrix[%[3]s]) {
				%[4]sOpt(run.Options{ISA: isa, Scaled: true, Alpha: float64(alpha), Beta: float64(beta)}, out, a, b)
			}, check.Options{Name: %[4]q, MR: %[5]d, NR: %[6]d, KC: %[7]d, Threads: true, Checked: true})
		})
	}
}
`, upperFirst(name), isas.String(), t, name, mr, nr, tiling.KCMax)
	fmt.Fprintf(&b, `
// Benchmark%[1]s reports GFLOP/s on one core.
func Benchmark%[1]s(b *testing.B) {
	for _, isa := range []string{%[2]srun.Portable} {
		if !slices.Contains(run.ISAs(), isa) {
			continue
		}
		for _, n := range []int{64, 256, 1024} {
			check.Benchmark(b, isa, n, func(out, x, y layout.Matrix[%[3]s]) { %[4]sOpt(run.Options{ISA: isa, Threads: 1}, out, x, y) })
		}
	}
}
`, upperFirst(name), isas.String(), t, name)
	return b.String()
}

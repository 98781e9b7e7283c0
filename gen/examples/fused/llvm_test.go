package fused

import (
	"bytes"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// llvmCase is one spec as spec.go has it, which is no part of the package, and a call of
// what was generated for it.
type llvmCase struct {
	spec  gen.Spec
	table *[]*kernel.Kernels
	call  func(c *llvmCall, o run.Options)
}

// llvmCall makes operands, the same for every call with one seed, and keeps results.
type llvmCall struct {
	r       *rand.Rand
	some    func(*rand.Rand) float64
	m, n, k int
	pitch   int // elements from one row to the next, if that is more than a row has
	names   []string
	results []func() []float64
}

func keep[T dtype.Elem](c *llvmCall, name string, x []T) {
	c.names = append(c.names, name)
	c.results = append(c.results, func() []float64 {
		f := make([]float64, len(x))
		for i, v := range x {
			f[i] = check.Float64(v)
		}
		return f
	})
}

func out[T dtype.Elem](c *llvmCall, name string) layout.Matrix[T] {
	m := layout.New[T](c.m, c.n)
	keep(c, name, m.Data)
	return m
}

func list[T dtype.Elem](c *llvmCall, n int) []T { return llctest.Fill[T](c.r, c.some, n) }

func operand[T dtype.Elem](c *llvmCall, m, n int) layout.Matrix[T] {
	if c.pitch == 0 && c.r.IntN(3) == 0 {
		return layout.RowMajor(list[T](c, m*n), n, m).T()
	}
	pitch := max(n, c.pitch)
	return layout.RowMajor(list[T](c, m*pitch), m, pitch).Slice(0, m, 0, n)
}

func llvmCases() []llvmCase {
	f32 := func(name string) gemm.Operand[float32] { return gemm.PerColumn[float32](name) }
	return []llvmCase{
		{gemm.Spec[float32, float32, float32, float32]{Name: "DenseGELU", Epilogue: gemm.Map2(denseGELUBiasGELUFn, f32("bias"))},
			&denseGELUFused.Variants, func(c *llvmCall, o run.Options) {
				DenseGELUOpt(o, out[float32](c, "out"), operand[float32](c, c.m, c.k), operand[float32](c, c.k, c.n), list[float32](c, c.n))
			}},
		{gemm.Spec[float32, float32, float32, float32]{Name: "DenseGELUErf", Epilogue: gemm.Map2(denseGELUErfBiasGELUErfFn, f32("bias"))},
			&denseGELUErfFused.Variants, func(c *llvmCall, o run.Options) {
				DenseGELUErfOpt(o, out[float32](c, "out"), operand[float32](c, c.m, c.k), operand[float32](c, c.k, c.n), list[float32](c, c.n))
			}},
		{gemm.Spec[float64, float64, float64, float64]{Name: "DenseGELUF64",
			Epilogue: gemm.Map2(denseGELUF64BiasGELU64Fn, gemm.PerColumn[float64]("bias"))},
			&denseGELUF64Fused.Variants, func(c *llvmCall, o run.Options) {
				DenseGELUF64Opt(o, out[float64](c, "out"), operand[float64](c, c.m, c.k), operand[float64](c, c.k, c.n), list[float64](c, c.n))
			}},
		{gemm.Spec[float32, float32, float32, float32]{Name: "Residual",
			Epilogue: gemm.Fuse[float32, float32](residualResidualFn, []gemm.Output{gemm.Also[float32]("pre")},
				gemm.Full[float32]("res").In(), gemm.Scalar[float32]("scale").In())},
			&residualFused.Variants, func(c *llvmCall, o run.Options) {
				ResidualOpt(o, out[float32](c, "out"), out[float32](c, "pre"), operand[float32](c, c.m, c.k), operand[float32](c, c.k, c.n), operand[float32](c, c.m, c.n), .75)
			}},
		{gemm.Spec[float32, float32, float32, float32]{Name: "Logits",
			Epilogue: gemm.Map2(logitsAddBiasFn, f32("bias")).RowMax("rowMax").RowArgMax("class").ColSum("colSum")},
			&logitsFused.Variants, func(c *llvmCall, o run.Options) {
				rowMax, class, colSum := make([]float32, c.m), make([]int32, c.m), make([]float32, c.n)
				LogitsOpt(o, out[float32](c, "out"), rowMax, class, colSum, operand[float32](c, c.m, c.k), operand[float32](c, c.k, c.n), list[float32](c, c.n))
				keep(c, "rowMax", rowMax)
				keep(c, "class", class)
				keep(c, "colSum", colSum)
			}},
		{gemm.Spec[float32, float32, float32, float32]{Name: "Stats",
			Epilogue: gemm.Map2(statsAddBiasFn, f32("bias")).RowSum("rowSum").RowArgMin("rowArgMin").ColMax("colMax")},
			&statsFused.Variants, func(c *llvmCall, o run.Options) {
				rowSum, rowArgMin, colMax := make([]float32, c.m), make([]int32, c.m), make([]float32, c.n)
				StatsOpt(o, out[float32](c, "out"), rowSum, rowArgMin, colMax, operand[float32](c, c.m, c.k), operand[float32](c, c.k, c.n), list[float32](c, c.n))
				keep(c, "rowSum", rowSum)
				keep(c, "rowArgMin", rowArgMin)
				keep(c, "colMax", colMax)
			}},
		{gemm.Spec[float64, float64, float64, float64]{Name: "Nearest",
			Epilogue: gemm.Map3(nearestDistanceFn, gemm.PerRow[float64]("x2"), gemm.PerColumn[float64]("y2")).RowArgMin("nearest")},
			&nearestFused.Variants, func(c *llvmCall, o run.Options) {
				nearest := make([]int32, c.m)
				NearestOpt(o, out[float64](c, "out"), nearest, operand[float64](c, c.m, c.k), operand[float64](c, c.k, c.n), list[float64](c, c.m), list[float64](c, c.n))
				keep(c, "nearest", nearest)
			}},
		{gemm.Spec[float32, float32, float32, int8]{Name: "Requant",
			Epilogue: gemm.Map3(requantRequantFn, gemm.PerRow[float32]("scale"), gemm.Full[int8]("res"))},
			&requantFused.Variants, func(c *llvmCall, o run.Options) {
				RequantOpt(o, out[int8](c, "out"), operand[float32](c, c.m, c.k), operand[float32](c, c.k, c.n), list[float32](c, c.m), operand[int8](c, c.m, c.n))
			}},
		{gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "MatMulBF16"},
			&matMulBF16Fused.Variants, func(c *llvmCall, o run.Options) {
				MatMulBF16Opt(o, out[dtype.BF16](c, "out"), operand[dtype.BF16](c, c.m, c.k), operand[dtype.BF16](c, c.k, c.n))
			}},
		{gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "MatMulF16"},
			&matMulF16Set.Variants, func(c *llvmCall, o run.Options) {
				MatMulF16Opt(o, out[float32](c, "out"), operand[dtype.F16](c, c.m, c.k), operand[dtype.F16](c, c.k, c.n))
			}},
	}
}

// lowerFirst is how the generator begins the names of a spec's functions.
func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// llvmFuncs returns the epilogues and the packing of all cases by target, lowered: what
// the package has of its own.
func llvmFuncs(t testing.TB, cases []llvmCase) map[string][]*emit.Func {
	t.Helper()
	funcs := map[string][]*emit.Func{}
	var specs []gen.Spec
	for _, c := range cases {
		specs = append(specs, c.spec)
	}
	o := gen.Options{Package: "fused", Source: "spec.go", Program: ".", Dir: "."}
	files, err := gen.Generate(o, specs...)
	if err != nil {
		t.Fatal(err)
	}
	own := func(f *emit.Func) bool {
		return slices.ContainsFunc(files, func(x gen.File) bool { return bytes.Contains(x.Data, []byte("TEXT ·"+f.Name+"(SB)")) })
	}
	o.Dump = func(target, pass string, f *emit.Func) {
		if pass == "lower" && own(f) {
			funcs[target] = append(funcs[target], f.Clone())
		}
	}
	if _, err := gen.Generate(o, specs...); err != nil {
		t.Fatal(err)
	}
	// The cases are those of spec.go if they give the same code. It has more specs, in one file with these.
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".s") {
			continue
		}
		committed, err := os.ReadFile(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		have := functions(committed)
		for name, code := range functions(f.Data) {
			if have[name] != code {
				t.Fatalf("%s: function %s is not what the cases here generate: run go generate, or make the cases those of spec.go", f.Name, name)
			}
		}
	}
	return funcs
}

// functions returns the instructions of each function of an assembly file, by its name.
func functions(file []byte) map[string]string {
	of := map[string]string{}
	for _, part := range strings.Split(string(file), "\nTEXT ·")[1:] {
		name, code, _ := strings.Cut(part, "(SB)")
		code, _, _ = strings.Cut(code, "\n//") // what is before the next function
		code, _, _ = strings.Cut(code, "\nDATA ")
		of[name] = strings.TrimSpace(code)
	}
	return of
}

// TestLLVM compares the epilogues and the conversions of operands with what llc makes of
// them, bit for bit.
func TestLLVM(t *testing.T) {
	if os.Getenv("TILESMITH_LONG") != "1" {
		t.Skip("TILESMITH_LONG=1 compiles every epilogue with LLVM")
	}
	cases := llvmCases()
	if runtime.GOARCH == "arm64" { // QEMU takes more than a minute to generate all of them
		cases = slices.DeleteFunc(cases, func(c llvmCase) bool {
			return !slices.Contains([]string{"DenseGELU", "Logits", "Nearest", "Requant"}, c.spec.Kernel())
		})
	}
	funcs := llvmFuncs(t, cases)
	for _, target := range llctest.Targets() {
		t.Run("isa="+target.Name, func(t *testing.T) { testLLVM(t, target, cases, funcs[target.Name]) })
	}
}

func testLLVM(t *testing.T, target emit.Target, cases []llvmCase, fs []*emit.Func) {
	o := llctest.Compile(t, target, fs)
	calls := 0
	for _, c := range cases {
		ours := *c.table
		theirs := slices.Clone(ours) // in the same places, which a call remembers
		at := slices.IndexFunc(ours, func(k *kernel.Kernels) bool { return k.ISA == target.Name })
		theirs[at] = withLLC(o, ours[at])
		for seed := range uint64(24) {
			kind := llctest.Kinds[seed%uint64(len(llctest.Kinds))]
			call := func(table []*kernel.Kernels) *llvmCall {
				r := rand.New(level.PCG(seed, 7))
				x := &llvmCall{r: r, some: kind.Some, m: 1 + r.IntN(30), n: 1 + r.IntN(150), k: 1 + r.IntN(40)}
				switch seed {
				case 6: // sums of several blocks of k
					x.k = 1100
				case 7, 8: // b is copied
					x.m, x.n, x.k, x.pitch = 500, []int{3, 300}[seed-7], 70, 1024
				}
				*c.table = table
				defer func() { *c.table = ours }()
				c.call(x, run.Options{ISA: target.Name, Threads: 1})
				return x
			}
			want, have := call(ours), call(theirs)
			calls++
			for i, name := range want.names {
				h, w := have.results[i](), want.results[i]()
				if at := llctest.Differs(h, w); at >= 0 {
					t.Fatalf("%s, m=%d n=%d k=%d, %s numbers: %s[%d] is %v by llc, %v by our assembly",
						c.spec.Kernel(), want.m, want.n, want.k, kind.Name, name, at, h[at], w[at])
				}
			}
		}
	}
	if names := o.Missing(); len(names) > 0 {
		t.Errorf("%d of %d kernels were not called: %v", len(names), len(fs), names)
	}
	t.Logf("%d kernels agree, bit for bit, in %d products", len(fs), calls)
}

// withLLC returns a table with llc's epilogue and packing, if the package has packing of
// its own. The other kernels are those of the plain product.
func withLLC(o *llctest.Opinion, k *kernel.Kernels) *kernel.Kernels {
	out := *k
	out.Epi = llctest.Replace(o, &kernel.Kernels{Epi: k.Epi}).Epi
	stock := slices.Concat(gemmf.SGEMMSet().Variants, gemmf.DGEMMSet().Variants)
	if !slices.ContainsFunc(stock, func(s *kernel.Kernels) bool { return s.Pack == k.Pack }) {
		out.Pack = llctest.Replace(o, k.Pack)
	}
	return &out
}

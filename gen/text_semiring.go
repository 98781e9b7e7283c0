package gen

import (
	"fmt"
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// lowerSemiring lowers a product whose operator may be a semiring, with functions
// translated. Plus and Times need registers of their own: without a tile in the spec it
// is the tallest with which the widest kernels find some.
func lowerSemiring(o Options, t emit.Target, s denseLowerer, funcs *functions) (*gemm.Module, error) {
	options := gemm.Options{Widest: funcs.widest}
	m, err := s.LowerWith(t, options)
	if err != nil {
		return nil, err
	}
	r, ok := m.Op.(gemm.Semiring)
	if !ok {
		return m, nil
	}
	if m.Body != nil || m.Shape != (gemm.Shape{}) {
		return nil, fmt.Errorf("gen: %s: a product of the semiring %v has no epilogue and no fixed shape yet; leave both away", m.Name, r)
	}
	quiet := o
	quiet.Dump = nil // what is given up is not shown
	lower := func() (*gemm.Module, error) {
		m, err := s.LowerWith(t, options)
		if err != nil {
			return nil, err
		}
		return m, funcs.translate(r, m.Funcs)
	}
	for options.Tile = (tiling.Micro{MR: m.MR, NV: m.NV}); ; options.Tile.MR-- {
		if m, err = lower(); err != nil {
			return nil, err
		}
		top, wide := m.MR-1, m.NV-1
		var widest []*emit.Func
		for _, f := range m.Funcs {
			if f.Name == m.Full[top][wide] || f.Name == m.Tail[top][wide] {
				widest = append(widest, f)
			}
		}
		_, err := assembly(quiet, m.Name, t, widest)
		switch {
		case err == nil:
			return lower() // the backend has changed those that it tried
		case m.MR == 1 || (tiling.Micro{MR: m.MR, NV: m.NV}) != options.Tile: // the spec names one
			return nil, err
		}
	}
}

// semiringTexts are the Go files of a product of a semiring.
func semiringTexts(o Options, base, name string, mods []*gemm.Module, funcs *functions) ([]text, error) {
	op := mods[0].Op.(gemm.Semiring)
	r, err := newRing(op, name, funcs.importPath, funcs)
	if err != nil {
		return nil, fmt.Errorf("gen: %s: %w", name, err)
	}
	test, err := semiringTest(o, name, mods, r, funcs)
	if err != nil {
		return nil, fmt.Errorf("gen: %s: %w", name, err)
	}
	texts := []text{{base + ".go", semiringEntry(o, name, mods[0], r)}, {base + "_amd64.go", stubFile(o, name, mods)},
		{base + "_noasm.go", noasmFile(o, name, mods)}, {base + "_test.go", test}}
	if src := r.file(o); src != "" {
		texts = append(texts, text{base + "_semiring.go", src})
	}
	return texts, nil
}

// semiringEntry has the functions that a user calls.
func semiringEntry(o Options, name string, m *gemm.Module, r *ring) string {
	t, v := m.Elem.Go(), lowerFirst(name)
	ring, paths := r.expr()
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	imports(&b, append(paths, module+"cpu/run", module+"cpu/run/dense", module+"layout")...)
	fmt.Fprintf(&b, "const _ = run.ABI3\n\n")
	comment(&b, fmt.Sprintf("%s computes the product of a and b in another arithmetic, where a is m x k, b is k x n and out is m x n, each with any strides. %s "+
		"The sum of nothing is %v.", name, r.sentence(), r.Zero))
	fmt.Fprintf(&b, "//\n// It panics with a [layout.ShapeError], before an element is read, if shapes do not\n"+
		"// agree, a slice is too short, two elements of out share a place, or out shares memory\n"+
		"// with a or b. See [dense.Set.Gemm] for the order of sums.\n")
	fmt.Fprintf(&b, "func %s(out, a, b layout.Matrix[%s]) { %sRef(&run.Options{}, &out, &a, &b) }\n\n", name, t, name)
	fmt.Fprintf(&b, "// %sOpt is %s with options: threads, a forced ISA.\n", name, name)
	smallRef(&b, name, t)
	fmt.Fprintf(&b, "// %sBatched is %sOpt for many products of one shape; see [dense.Set.Batched].\n", name, name)
	fmt.Fprintf(&b, "func %sBatched(opt run.Options, n dense.Batch, out, a, b layout.Matrix[%s]) { %sSet.Batched(opt, n, out, a, b) }\n\n", name, t, v)
	packFunc(&b, name, v+"Set", t)
	fmt.Fprintf(&b, "var %sSet = dense.Set[%s]{\nName: %q,\nVariants: %sVariants,\nSemiring: %s,\n}\n", v, t, o.Package+"."+name, v, ring)
	return b.String()
}

// semiringDepths are those of the tabulated sums: around every likely unrolling and one
// and two blocks of k.
var semiringDepths = []int{0, 1, 2, 3, 5, 8, 17, 64, tiling.KCMax - 1, tiling.KCMax, tiling.KCMax + 1, 2*tiling.KCMax + 3}

// semiringTest checks every variant against the oracles.
func semiringTest(o Options, name string, mods []*gemm.Module, r *ring, funcs *functions) (string, error) {
	t, v := mods[0].Elem.Go(), lowerFirst(name)
	mr, nr, isas := 0, 0, ""
	for _, m := range mods {
		mr, nr = max(mr, m.MR), max(nr, m.NV*m.VL)
		isas += fmt.Sprintf("%q, ", m.Target.Name)
	}
	var bits []uint64
	var err error
	if r.Type == dtype.F32 {
		bits, err = tableOf(r, funcs, func(x float32) uint64 { return uint64(math.Float32bits(x)) })
	} else {
		bits, err = tableOf(r, funcs, math.Float64bits)
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	imports(&b, "slices", "testing", module+"cpu/run", module+"layout", module+"verify/check")
	fmt.Fprintf(&b, `// Test%[1]s checks every variant that this machine runs, and the portable one.
func Test%[1]s(t *testing.T) {
	for _, isa := range []string{%[2]srun.Portable} {
		t.Run("isa="+isa, func(t *testing.T) {
			if !slices.Contains(run.ISAs(), isa) {
				t.Skipf("this machine or build has no %%s", isa)
			}
			check.Semiring(t, %[3]sCase(isa))
		})
	}
}

// Benchmark%[1]s reports billions of steps per second on one core.
func Benchmark%[1]s(b *testing.B) {
	for _, isa := range []string{%[2]srun.Portable} {
		if !slices.Contains(run.ISAs(), isa) {
			continue
		}
		for _, n := range []int{64, 256, 1024} {
			check.BenchmarkSemiring(b, isa, n, %[3]sCase(isa))
		}
	}
}

`, upperFirst(name), isas, v)
	rounds := ""
	if !r.Laws.Exact {
		rounds = "Rounds: true, "
	}
	if u := r.ulp(); u > 0 {
		rounds += fmt.Sprintf("StepULP: %v, ", u)
	}
	fmt.Fprintf(&b, `// %[1]sCase describes %[2]s to the oracles.
func %[1]sCase(isa string) check.SemiringCase[%[3]s] {
	g := %[1]sSet.Semiring()
	return check.SemiringCase[%[3]s]{
		Name: %[2]q, MR: %[4]d, NR: %[5]d, KC: %[6]d,
		Zero: g.Zero, Plus: g.Plus, Times: g.Times, %[7]s
		Depths: %#[8]v, Sums: %[1]sSums,
		Call: func(threads int, out, a, b layout.Matrix[%[3]s]) {
			%[2]sOpt(run.Options{ISA: isa, Threads: threads}, out, a, b)
		},
		Scaled: func(out, a, b layout.Matrix[%[3]s]) {
			%[2]sOpt(run.Options{ISA: isa, Scaled: true, Alpha: 2}, out, a, b)
		},
	}
}

// %[1]sSums are the bits of sums of the semiring, as the interpreter has them from the
// code that the kernels are made of.
var %[1]sSums = []uint64{`, v, name, t, mr, nr, tiling.KCMax, rounds, semiringDepths)
	for i, x := range bits {
		if i%(ringRows*ringCols) == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%#x, ", x)
	}
	b.WriteString("\n}\n")
	return b.String(), nil
}

// tableOf are the bits of the sums of semiringDepths.
func tableOf[T dtype.Float](r *ring, funcs *functions, bits func(T) uint64) (table []uint64, err error) {
	const each = ringRows * ringCols
	sums, err := ringSums[T](r.Semiring, semiringDepths[len(semiringDepths)-1], funcs)
	if err != nil {
		return nil, err
	}
	for _, d := range semiringDepths {
		for _, x := range sums[d*each : (d+1)*each] {
			table = append(table, bits(x))
		}
	}
	return table, nil
}

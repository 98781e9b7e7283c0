package gen

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen/unit"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// gpuTexts are the Go files of a product on GPUs, all of the sub-package.
func gpuTexts(o Options, base string, mods []*gemm.GPUModule, op gemm.Operator, fn unit.Call, funcs *functions) ([]text, error) {
	m := mods[0]
	test, err := gpuTest(o, m, op, fn, funcs)
	if err != nil {
		return nil, err
	}
	texts := []text{{base + ".go", gpuEntry(o, base, mods, fn)}, {base + "_test.go", test}}
	if fn.Decls != "" {
		var b strings.Builder
		b.WriteString(fileHead(o, ""))
		if len(fn.Imports) > 0 {
			imports(&b, fn.Imports...)
		}
		b.WriteString(fn.Decls + "\n")
		texts = append(texts, text{base + "_fn_test.go", b.String()})
	}
	return texts, nil
}

// gpuParam is one parameter of a function for a GPU, and how a call hands it over:
// as matrix or vector of elem, or, with neither, as one number.
type gpuParam struct {
	name, elem, add string
	matrix, vector  bool
}

// typ is the parameter's type; with batch, that of many products.
func (p gpuParam) typ(batch bool) string {
	switch {
	case p.matrix && batch:
		return "run.Batch[" + p.elem + "]"
	case p.matrix:
		return "cuda.Matrix[" + p.elem + "]"
	case p.vector:
		return "cuda.Slice[" + p.elem + "]"
	}
	return p.elem
}

// gpuParams lists the parameters after opt: outputs, reductions, a, b, operands.
func gpuParams(m *gemm.GPUModule) []gpuParam {
	matrix := func(name, add string, t dtype.Type) gpuParam { return gpuParam{name, t.Go(), add, true, false} }
	ps := []gpuParam{matrix("out", "Out", m.Out)}
	if m.Body != nil {
		for _, a := range m.Body.Also {
			ps = append(ps, matrix(a.Name, "Out", a.Type))
		}
		for _, r := range m.Body.Reduces {
			t := dtype.F32
			if isArg(r) {
				t = dtype.I32
			}
			ps = append(ps, gpuParam{r.Name, t.Go(), "Reduced", false, true})
		}
	}
	ps = append(ps, matrix("a", "A", m.A), matrix("b", "B", m.B))
	if m.Body == nil {
		return ps
	}
	for _, in := range m.Body.Inputs {
		switch in.Pattern {
		case gemm.FullPattern:
			ps = append(ps, matrix(in.Name, "FullOf", in.Type))
		case gemm.ScalarPattern:
			ps = append(ps, gpuParam{in.Name, in.Type.Go(), "One", false, false})
		default:
			ps = append(ps, gpuParam{in.Name, in.Type.Go(), in.Pattern.String(), false, true})
		}
	}
	return ps
}

// gpuEntry has the functions that a user calls, and the kernels.
func gpuEntry(o Options, base string, mods []*gemm.GPUModule, fn unit.Call) string {
	m := mods[0]
	name, set := m.Name, lowerFirst(m.Name)+"Set"
	ps := gpuParams(m)
	var one, batch []param
	for _, p := range ps {
		one, batch = append(one, param{p.name, p.typ(false)}), append(batch, param{p.name, p.typ(true)})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "const _ = run.ABI1\n\n")
	gpuDoc(&b, m, fn)
	fmt.Fprintf(&b, "func %s(stream cuda.Stream, %s) error {\nreturn %sOpt(stream, run.Options{}, %s)\n}\n\n", name, signature(one), name, names(one))
	fmt.Fprintf(&b, "// %sOpt is %s with options%s.\n", name, name, map[bool]string{true: ": alpha and beta, a forced kernel", false: ": a forced kernel"}[m.Body == nil])
	fmt.Fprintf(&b, "func %sOpt(stream cuda.Stream, opt run.Options, %s) error {\n", name, signature(one))
	gpuCall(&b, set, ps, false)
	fmt.Fprintf(&b, "// %sBatched is %sOpt for many products of one shape in one launch. Vectors are one\n// for all products, or one a product, one after the other.\n", name, name)
	fmt.Fprintf(&b, "func %sBatched(stream cuda.Stream, opt run.Options, %s) error {\n", name, signature(batch))
	gpuCall(&b, set, ps, true)
	fmt.Fprintf(&b, "// %sKernels describes the kernels, for tools, and for those who close a device: see\n// [run.Set.Forget].\n", name)
	fmt.Fprintf(&b, "func %sKernels() *run.Set { return &%s }\n\n", name, set)
	gpuSet(&b, o, base, set, mods)

	var head strings.Builder
	head.WriteString(fileHead(o, ""))
	imports(&head, "_ embed", module+"cuda", module+"cuda/run", module+"tiling", needs(module+"layout/dtype", "dtype", b.String()))
	return head.String() + b.String()
}

// gpuDoc writes the comment of the entry point.
func gpuDoc(b *strings.Builder, m *gemm.GPUModule, fn unit.Call) {
	product := "a*b"
	if !isProduct(m) {
		product = "a*b in " + strings.TrimPrefix(m.Op.String(), "simt.")
	}
	also, each := "", ""
	if m.Body != nil {
		for _, a := range m.Body.Also {
			also += ", " + a.Name
		}
		arg := []string{product}
		for _, in := range m.Body.Inputs {
			arg = append(arg, in.Name)
		}
		product, each = fn.Expr+"("+strings.Join(arg, ", ")+")", " for each element of the product"
	}
	fmt.Fprintf(b, "// %s queues out%s = %s%s, where a is\n// m x k, b is k x n and out is m x n, each with any strides.\n", m.Name, also, product, each)
	if m.Body != nil {
		for _, in := range m.Body.Inputs {
			switch in.Pattern {
			case gemm.RowPattern:
				fmt.Fprintf(b, "// %s has m elements, one for each row.\n", in.Name)
			case gemm.ColumnPattern:
				fmt.Fprintf(b, "// %s has n elements, one for each column.\n", in.Name)
			case gemm.FullPattern:
				fmt.Fprintf(b, "// %s is m x n and may be the same matrix as an output.\n", in.Name)
			}
		}
		for _, a := range m.Body.Also {
			fmt.Fprintf(b, "// %s is m x n.\n", a.Name)
		}
		for _, r := range m.Body.Reduces {
			of, side := map[gemm.Reduction]string{gemm.Sum: "sum", gemm.Max: "maximum", gemm.ArgMax: "column of the maximum", gemm.ArgMin: "column of the minimum"}[r.Op], "row"
			if r.Col {
				side = "column"
			}
			fmt.Fprintf(b, "// %s gets the %s of each %s of out.\n", r.Name, of, side)
		}
	}
	b.WriteString("//\n// It returns an error, with nothing queued, if shapes do not agree, an operand is on\n" +
		"// another device, or an output shares memory with anything else. What goes wrong\n" +
		"// later is reported by the stream.\n")
}

// gpuCall writes the body of an entry point.
func gpuCall(b *strings.Builder, set string, ps []gpuParam, batch bool) {
	fmt.Fprintf(b, "call := run.Begin(&%s, stream, opt)\n", set)
	for _, p := range ps {
		add := p.add
		if batch && p.matrix {
			add = map[string]string{"Out": "OutBatch", "A": "ABatch", "B": "BBatch", "FullOf": "FullBatch"}[add]
		}
		fmt.Fprintf(b, "run.%s(call, %s)\n", add, p.name)
	}
	b.WriteString("return call.Launch()\n}\n\n")
}

// gpuSet writes the description of the kernels and embeds their text.
func gpuSet(b *strings.Builder, o Options, base, set string, mods []*gemm.GPUModule) {
	m := mods[0]
	text := func(m *gemm.GPUModule) string {
		return lowerFirst(m.Name) + "PTX" + strings.TrimPrefix(m.Target.Name, "sm_")
	}
	for _, m := range mods {
		fmt.Fprintf(b, "//go:embed %s\nvar %s string\n\n", ptxName(base, m.Target), text(m))
	}
	fmt.Fprintf(b, "var %s = run.Set{\nName: %q, A: %s, B: %s, Plain: %v,\nSlots: []run.Slot{\n",
		set, o.Package+"."+m.Name, typeName(m.A), typeName(m.B), m.Body == nil)
	for _, s := range m.Slots {
		kind := gpuKind(s)
		fmt.Fprintf(b, "{Name: %q, Kind: run.%s, Type: %s", s.Name, kind, typeName(s.Type))
		if kind == "Partial" || kind == "Index" {
			r := m.Body.Reduces[s.Reduce]
			if isArg(r) {
				b.WriteString(", Reduce: run.Indices")
			}
			if r.Col {
				b.WriteString(", Col: true")
			}
		}
		b.WriteString("},\n")
	}
	b.WriteString("},\nTargets: []run.Target{\n")
	for _, m := range mods {
		fmt.Fprintf(b, "{\nPTX: %s,\nKernels: []run.Kernel{\n", text(m))
		for _, k := range m.Kernels {
			g := k.Tile
			fmt.Fprintf(b, "{Name: %q, Tile: tiling.GPU{BM: %d, BN: %d, BK: %d, WM: %d, WN: %d, Stages: %d},\nThreads: %d, Shared: %d, Unit: %d, AK: %v, BK: %v, Wide: %v},\n",
				k.Func.Name, g.BM, g.BN, g.BK, g.WM, g.WN, g.Stages, k.Func.Threads, k.Func.Shared, k.A.Unit, k.A.KMajor, k.B.KMajor, k.Wide)
		}
		b.WriteString("},\n")
		if len(m.Joins) > 0 {
			b.WriteString("Joins: []string{")
			for _, j := range m.Joins {
				fmt.Fprintf(b, "%q, ", j.Name)
			}
			b.WriteString("},\n")
		}
		b.WriteString("},\n")
	}
	b.WriteString("},\n}\n")
}

// gpuKind is the name of a slot's kind in package run.
func gpuKind(s gemm.GPUSlot) string {
	switch s.Kind {
	case gemm.OutputSlot:
		return "Output"
	case gemm.OperandSlot:
		return map[gemm.Pattern]string{gemm.RowPattern: "Row", gemm.ColumnPattern: "Column", gemm.FullPattern: "Full", gemm.ScalarPattern: "Scalar"}[s.Pattern]
	case gemm.IndexSlot:
		return "Index"
	}
	return "Partial"
}

// typeName is an element type as Go code writes its value.
func typeName(t dtype.Type) string {
	return "dtype." + map[dtype.Type]string{dtype.F32: "F32", dtype.F64: "F64", dtype.TypeF16: "TypeF16", dtype.TypeBF16: "TypeBF16",
		dtype.TypeF8E4M3: "TypeF8E4M3", dtype.TypeF8E5M2: "TypeF8E5M2", dtype.I8: "I8", dtype.I32: "I32"}[t]
}

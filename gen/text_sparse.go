package gen

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse"
)

// texts are the Go files of a sparse spec.
func (s *sparseSpec) texts(o Options, base string, mods []sparseModule) []text {
	files := []text{
		{base + ".go", s.entryFile(o)}, {base + "_amd64.go", s.stubFile(o, mods)},
		{base + "_noasm.go", s.noasmFile(o, mods)},
	}
	if _, err := sparse.ParseFormat(s.Format.Name); err == nil { // else the test could not name it
		files = append(files, text{base + "_test.go", s.testFile(o, mods)})
	}
	if s.body != nil {
		files = append(files, text{base + "_fn.go", fusedFunction(o, s.Name, s.module(), s.epi)})
	}
	if s.ring != nil {
		if src := s.ring.file(o); src != "" {
			files = append(files, text{base + "_semiring.go", src})
		}
	}
	return files
}

// packed reports whether the matrix is a sparse.Packed.
func (s *sparseSpec) packed() bool { return s.Format.Name != sparse.CSR.Name }

// matrixName is what the sparse matrix is called, outName the result, and denseName
// the dense operand of a product.
func (s *sparseSpec) matrixName() string {
	if s.Operation == sparse.OpSDDMM {
		return "s"
	}
	return "a"
}

func (s *sparseSpec) outName() string {
	if s.Operation == sparse.OpSpMV {
		return "y"
	}
	return "out"
}

func (s *sparseSpec) denseName() string {
	if s.Operation == sparse.OpSpMV {
		return "x"
	}
	return "b"
}

// params lists the parameters after opt: outputs, reductions, the operands of the
// product, those of the epilogue.
func (s *sparseSpec) params() []param {
	t := s.T.Go()
	dense := func(t string) string {
		if s.Operation == sparse.OpSpMM {
			return "layout.Matrix[" + t + "]"
		}
		return "[]" + t
	}
	ps := []param{{s.outName(), dense(s.Out.Go())}}
	if s.body != nil {
		for _, a := range s.body.Also {
			ps = append(ps, param{a.Name, dense(a.Type.Go())})
		}
		for _, r := range s.body.Reduces {
			t := "[]" + s.Out.Go()
			if isArg(r) {
				t = "[]int32"
			}
			ps = append(ps, param{r.Name, t})
		}
	}
	matrix := "sparse.Matrix[" + t + "]"
	if s.packed() {
		matrix = "sparse.Packed[" + t + "]"
	}
	ps = append(ps, param{s.matrixName(), matrix})
	if s.Operation == sparse.OpSDDMM {
		ps = append(ps, param{"a", "layout.Matrix[" + t + "]"}, param{"b", "layout.Matrix[" + t + "]"})
	} else {
		ps = append(ps, param{s.denseName(), dense(t)})
	}
	if s.body != nil {
		for _, in := range s.body.Inputs {
			t := "[]" + in.Type.Go()
			switch {
			case in.Pattern == gemm.ScalarPattern:
				t = in.Type.Go()
			case in.Pattern == gemm.FullPattern && s.Operation == sparse.OpSpMM:
				t = dense(in.Type.Go())
			}
			ps = append(ps, param{in.Name, t})
		}
	}
	return ps
}

// table is the type of package spblas that holds the spec, its field for the variants,
// and its methods' suffix.
func (s *sparseSpec) table() (typ, variants, suffix string) {
	typ, variants = "SpMM", "Rows"
	switch {
	case s.Operation == sparse.OpSDDMM:
		return "SDDMM", "Variants", ""
	case s.loops.nest:
		variants = "Nests"
	}
	if s.packed() {
		suffix = "Packed"
	}
	return typ, variants, suffix
}

// entryFile has the functions that a user calls.
func (s *sparseSpec) entryFile(o Options) string {
	ps := s.params()
	sig := signature(ps)
	ring, ringImports := s.semiring()
	variable := lowerFirst(s.Name) + "Product"
	typ, variants, suffix := s.table()
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	imports(&b, append(ringImports, module+"cpu/run", module+"cpu/run/spblas", module+"sparse", needs(module+"layout", "layout", sig), needs(module+"layout/dtype", "dtype", sig))...)
	b.WriteString("const _ = run.ABI3\n\n")
	s.document(&b)
	fmt.Fprintf(&b, "func %s(%s) {\n%sOpt(run.Options{}, %s)\n}\n\n", s.Name, sig, s.Name, names(ps))
	scales := ""
	if s.body == nil && s.Reduce == sparse.Plus {
		scales = "alpha and beta, "
	}
	fmt.Fprintf(&b, "// %sOpt is %s with options: threads, %sa forced ISA.\n", s.Name, s.Name, scales)
	fmt.Fprintf(&b, "func %sOpt(opt run.Options, %s) {\n", s.Name, sig)
	wrap := func(name string) string {
		if s.Operation == sparse.OpSpMV {
			return "spblas.Column(" + name + ")"
		}
		return name
	}
	operands := s.matrixName() + ", " + wrap(s.denseName())
	if s.Operation == sparse.OpSDDMM {
		operands = "s, a, b"
	}
	if s.body == nil {
		fmt.Fprintf(&b, "%s.Multiply%s(opt, %s, %s)\n}\n\n", variable, suffix, wrap(s.outName()), operands)
	} else {
		s.bind(&b, o, wrap)
		fmt.Fprintf(&b, "%s.Fuse%s(opt, &e, %s)\n}\n\n", variable, suffix, operands)
	}
	fmt.Fprintf(&b, "var %s = spblas.%s[%s]{\nName: %q,\n%s: %sVariants,\n", variable, typ, s.T.Go(), o.Package+"."+s.Name, variants, lowerFirst(s.Name))
	if ring != "" {
		fmt.Fprintf(&b, "Semiring: %s,\n", ring)
	}
	if s.packed() {
		fmt.Fprintf(&b, "Format: %q,\n", s.Format.Name)
	}
	if s.Reduce == sparse.Mean {
		b.WriteString("Mean: true,\n")
	}
	if s.Pattern {
		b.WriteString("Pattern: true,\n")
	}
	if s.Features > 0 && s.Operation != sparse.OpSpMV {
		fmt.Fprintf(&b, "Features: %d,\n", s.Features)
	}
	if s.Operation == sparse.OpSpMV && s.body != nil {
		b.WriteString("Vector: true,\n")
	}
	if s.body != nil {
		fmt.Fprintf(&b, "Epilogue: %[1]sEpilogue,\nEpis: %[1]sEpis,\n", lowerFirst(s.Name))
	}
	b.WriteString("}\n")
	return b.String()
}

// bind writes the statements that make the epilogue of a call.
func (s *sparseSpec) bind(b *strings.Builder, o Options, wrap func(string) string) {
	name := fmt.Sprintf("%q", o.Package+"."+s.Name)
	if s.Operation == sparse.OpSDDMM {
		fmt.Fprintf(b, "e := spblas.NewSampledEpilogue(%s, s.Rows(), s.Cols(), s.NNZ())\nspblas.EntryOut(&e, \"out\", out)\n", name)
	} else if s.Operation == sparse.OpSpMV {
		fmt.Fprintf(b, "e := run.NewEpilogue(%s, 1, len(y))\nrun.Out(&e, \"y\", spblas.Row(y))\n", name)
	} else {
		fmt.Fprintf(b, "e := run.NewEpilogue(%s, out.Rows, out.Cols)\nrun.Out(&e, \"out\", out)\n", name)
	}
	for _, a := range s.body.Also {
		if s.Operation == sparse.OpSDDMM {
			fmt.Fprintf(b, "spblas.EntryOut(&e, %q, %s)\n", a.Name, a.Name)
		} else {
			fmt.Fprintf(b, "run.Out(&e, %q, %s)\n", a.Name, strings.Replace(wrap(a.Name), "Column", "Row", 1))
		}
	}
	for _, in := range s.body.Inputs {
		pattern := "run." + in.Pattern.String()
		if s.Operation == sparse.OpSpMV && in.Pattern == gemm.RowPattern {
			pattern = "spblas.PerElement"
		}
		if s.Operation == sparse.OpSDDMM {
			pattern = map[gemm.Pattern]string{gemm.RowPattern: "spblas.EntryRow", gemm.ColumnPattern: "spblas.EntryColumn", gemm.FullPattern: "spblas.PerEntry", gemm.ScalarPattern: "spblas.EntryScalar"}[in.Pattern]
		}
		if in.Pattern == gemm.ScalarPattern {
			fmt.Fprintf(b, "%s(&e, %s)\n", pattern, in.Name)
		} else {
			fmt.Fprintf(b, "%s(&e, %q, %s)\n", pattern, in.Name, in.Name)
		}
	}
	for _, r := range s.module().Body.Reduces {
		add, _ := reduceNames(r)
		if isArg(r) {
			add += "[" + s.Out.Go() + "]"
		}
		fmt.Fprintf(b, "run.%s(&e, %q, %s)\n", add, r.Name, r.Name)
	}
}

// document writes the comment of the entry point.
func (s *sparseSpec) document(b *strings.Builder) {
	typ, _, suffix := s.table()
	verb := "Multiply"
	if s.body != nil {
		verb = "Fuse"
	}
	text := append([]string{s.formula()}, s.arithmetic()...)
	if s.packed() {
		text = append(text, fmt.Sprintf("a is in the format %s.", s.Format.Name))
	}
	comment(b, strings.Join(append(text, s.operands()...), " "))
	b.WriteString("//\n")
	comment(b, "It panics with a [layout.ShapeError], before an element is read, if shapes, lengths or the format do not agree, "+
		"a slice is too short, or an output shares memory with anything else. See [spblas."+typ+"."+verb+suffix+"] for the order of additions, rounding and NaN.")
}

// comment writes text as lines of a comment.
func comment(b *strings.Builder, text string) {
	const width = 80
	line := "//"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width && line != "//" {
			b.WriteString(line + "\n")
			line = "//"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

// formula says what the function computes, of what shapes.
func (s *sparseSpec) formula() string {
	value := map[sparse.Operation]string{sparse.OpSpMM: "a*b", sparse.OpSpMV: "a*x", sparse.OpSDDMM: "s[k] * (a[i] · b[j])"}[s.Operation]
	if s.Operation == sparse.OpSDDMM && s.Pattern {
		value = "a[i] · b[j]"
	}
	out := s.outName()
	if s.body != nil {
		args := []string{value}
		for _, in := range s.body.Inputs {
			args = append(args, in.Name)
		}
		value = fmt.Sprintf("%s(%s)", s.epi.call, strings.Join(args, ", "))
		for _, a := range s.body.Also {
			out += ", " + a.Name
		}
	}
	n := "n"
	if s.Features > 0 {
		n = fmt.Sprint(s.Features)
	}
	switch s.Operation {
	case sparse.OpSDDMM:
		return fmt.Sprintf("%s computes %s = %s for each entry k = (i, j) of s, in the order of s.All: s is m x n, a is m x %s, b is n x %[4]s and out has one element an entry.",
			s.Name, out, value, strings.Replace(n, "n", "f", 1))
	case sparse.OpSpMV:
		return fmt.Sprintf("%s computes %s = %s, where a is m x k, x has k elements and y has m.", s.Name, out, value)
	}
	return fmt.Sprintf("%s computes %s = %s, where a is m x k, b is k x %s and out is m x %[4]s; b and out have any strides.", s.Name, out, value, n)
}

// operands says what the epilogue's operands and reductions are.
func (s *sparseSpec) operands() []string {
	if s.body == nil {
		return nil
	}
	var text []string
	n, of := "n", ""
	switch {
	case s.Operation == sparse.OpSDDMM:
		of = " of s"
	case s.Features > 0:
		n = fmt.Sprint(s.Features)
	}
	for _, in := range s.body.Inputs {
		switch {
		case in.Pattern == gemm.RowPattern:
			text = append(text, fmt.Sprintf("%s has m elements, one for each row%s.", in.Name, of))
		case in.Pattern == gemm.ColumnPattern:
			text = append(text, fmt.Sprintf("%s has %s elements, one for each column%s.", in.Name, n, of))
		case in.Pattern == gemm.FullPattern && s.Operation == sparse.OpSDDMM:
			text = append(text, fmt.Sprintf("%s has one element for each entry.", in.Name))
		case in.Pattern == gemm.FullPattern:
			text = append(text, fmt.Sprintf("%s is m x %s and may be the same matrix as an output.", in.Name, n))
		}
	}
	for _, r := range s.body.Reduces {
		of, side := map[gemm.Reduction]string{gemm.Sum: "sum", gemm.Max: "maximum", gemm.ArgMax: "column of the maximum", gemm.ArgMin: "column of the minimum"}[r.Op], "row"
		if r.Col {
			side = "column"
		}
		if s.Operation == sparse.OpSpMV {
			text = append(text, fmt.Sprintf("%s gets the %s of y, as its only element.", r.Name, of))
		} else {
			text = append(text, fmt.Sprintf("%s gets the %s of each %s of out.", r.Name, of, side))
		}
	}
	return text
}

// arithmetic says in sentences what a row's entries become.
func (s *sparseSpec) arithmetic() []string {
	var lines []string
	if _, reduction := s.Reduce.(sparse.Reduction); s.ring != nil && !reduction {
		lines = append(lines, s.ring.sentence())
	}
	switch s.Reduce {
	case sparse.Mean:
		lines = append(lines, "The sum of a row is divided by the number of its entries; without any it is 0.")
	case sparse.Max:
		lines = append(lines, "In place of the sum stands the largest product, NaN if one is; -Inf in an empty row.")
	case sparse.Min:
		lines = append(lines, "In place of the sum stands the smallest product, NaN if one is; +Inf in an empty row.")
	}
	if s.Pattern && s.Operation != sparse.OpSDDMM {
		lines = append(lines, "The values of a are not read: every entry counts as it is.")
	}
	return lines
}

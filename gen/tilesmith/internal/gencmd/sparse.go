package gencmd

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/lower"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// sparseFlags are what a request has beside names, types and epilogue if it is of a
// sparse product.
type sparseFlags struct {
	sparseOp
	format   format.Format
	parts    []format.Format
	features int
	reduce   spec.Reduction
	pattern  bool
	attend   spec.Attention
	b        dtype.Type // that the dense operand is stored as
}

// sparseCommand is the kind of one sparse product.
func sparseCommand(is sparseOp, do func(r *request, con *cli.Console, out string) error) *cobra.Command {
	r, l := &request{sparse: &sparseFlags{sparseOp: is}}, new(lists)
	var format, parts, reduce, stored string
	c := cli.NewCommand(string(is.op)+" --name NAME [FLAGS]", is.help,
		cli.Exactly(0, fmt.Sprintf("gen %s takes flags only, as in: tilesmith gen %[1]s --name Aggregate --out DIR", is.op)), func(c *cobra.Command, _ []string) error {
			if err := r.parseSparse(l, format, parts, reduce, stored); err != nil {
				return cli.Usage(err)
			}
			return do(r, cli.ConsoleOf(c), l.out)
		})
	flags := c.Flags()
	flags.StringVar(&l.types, "type", "f32", "element type of all operands, f32 or f64")
	r.addFlags(flags)
	format, reduce = "csr", "plus"
	if is.hasFormat {
		flags.StringVar(&format, "format", format, "of the matrix: csr, csc, coo, dcsr, dia, ragged, dense, bsrB, dbsrB, ellW, dellW, sellC_S,\nsrbcrsT_G, as in ell8 or sell8_32")
		flags.StringVar(&parts, "parts", "", "formats of the parts of the matrix, which then is a sum, as in ell8,coo; a width stands for all")
	}
	if is.op == spec.OpSpMM {
		flags.StringVar(&stored, "b", "", "type that the dense operand is stored as, bf16 or f16, for compressed rows and sums in f32 (default: that of --type)")
		cli.Values(c, "b", "bf16", "f16")
	}
	if is.hasReduce {
		flags.StringVar(&reduce, "reduce", reduce, "reduction of the entries of a row, or of the rows of a segment: plus, mean, max or min")
		cli.Values(c, "reduce", "plus", "mean", "max", "min")
	}
	if is.hasFeatures {
		flags.IntVar(&r.sparse.features, "features", 0, "columns of the dense operands (default: any number, known at run time)")
	}
	if is.hasPattern {
		flags.BoolVar(&r.sparse.pattern, "pattern", false, "do not read the values of the matrix")
	}
	if is.op == spec.OpAttention {
		a := &r.sparse.attend
		flags.IntVar(&a.Heads, "heads", 0, "how many heads are side by side in the columns of q, k, v and out (default: one, or as the options of a call say)")
		flags.IntVar(&r.sparse.features, "width", 0, "columns of a head (default: any number, known at run time)")
		flags.Float64Var(&a.Scale, "scale", 0, "factor of the products of q and k (default: one over the square root of the width)")
		flags.BoolVar(&a.Causal, "causal", false, "let rows see no later columns")
		flags.BoolVar(&a.UnseenNaN, "unseen-nan", false, "make rows that see nothing NaN instead of 0")
		flags.BoolVar(&r.backward, "backward", false, "also generate its gradients by q, k, v and the function's operands, as NAMEBack; the function's derivative is derived")
	}
	r.listFlags(c, l)
	cli.Values(c, "type", "f32", "f64")
	return c
}

// parseSparse reads the flags of a sparse product.
func (r *request) parseSparse(l *lists, name, parts, reduce, stored string) (err error) {
	if r.name == "" {
		return fmt.Errorf("gen %s needs --name, the generated function, as in --name Aggregate", r.sparse.op)
	}
	if t := l.types; t != "f32" && t != "f64" && t != "float32" && t != "float64" {
		return fmt.Errorf("--type %s: sparse products are of f32 or f64", t)
	}
	if op := r.sparse.op; op == spec.OpAttention && (r.sparse.features < 0 || r.sparse.features > lower.MaxFeatures) {
		return fmt.Errorf("--width %d: want a number of columns up to %d, or 0 for any", r.sparse.features, lower.MaxFeatures)
	}
	if a := r.sparse.attend; a.Heads < 0 || a.Heads > lower.MaxFeatures {
		return fmt.Errorf("--heads %d: want a number up to %d, or 0 for what a call says", a.Heads, lower.MaxFeatures)
	} else if math.IsNaN(a.Scale) || math.IsInf(a.Scale, 0) {
		return fmt.Errorf("--scale %v: want a finite number, or 0 for one over the square root of the width", a.Scale)
	}
	if r.sparse.features < 0 || r.sparse.features > lower.MaxFeatures {
		return fmt.Errorf("--features %d: want a number of columns up to %d, or 0 for any", r.sparse.features, lower.MaxFeatures)
	}
	if r.sparse.format, err = formatOf(name); err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	for part := range strings.SplitSeq(parts, ",") {
		if parts == "" {
			break
		}
		f, err := formatOf(part)
		if err != nil {
			return fmt.Errorf("--parts: %w", err)
		}
		r.sparse.parts = append(r.sparse.parts, f)
	}
	switch {
	case parts != "" && r.sparse.format.Name != format.CSR.Name:
		return fmt.Errorf("--format %s and --parts %s: the matrix has a format, or is a sum of parts in some; leave one out", name, parts)
	case parts != "" && stored != "":
		return fmt.Errorf("--b %s and --parts %s: a sum of parts has a dense operand of the type of its sums", stored, parts)
	}
	if r.sparse.reduce, err = reduction(reduce); err != nil {
		return err
	}
	switch stored {
	case "":
	case "bf16":
		r.sparse.b = dtype.TypeBF16
	case "f16":
		r.sparse.b = dtype.TypeF16
	default:
		return fmt.Errorf("--b %s: the dense operand is stored as bf16 or f16, or, without the flag, as --type says", stored)
	}
	all := *l
	all.types = strings.Join([]string{l.types, l.types, l.types, l.types}, ",")
	return r.parse(&all)
}

// formatOf reads a format by its name.
func formatOf(name string) (format.Format, error) {
	for s := range strings.FieldsFuncSeq(name, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(s); err != nil || n > lower.MaxAxis {
			return format.Format{}, fmt.Errorf("%q: the number %s is too large; %d is the most", name, s, lower.MaxAxis)
		}
	}
	return format.Parse(name)
}

// reduction reads one by its name.
func reduction(name string) (spec.Reduction, error) {
	for r := spec.Plus; r <= spec.Min; r++ {
		if r.String() == name {
			return r, nil
		}
	}
	return 0, fmt.Errorf("--reduce %s: there is plus, mean, max and min; a semiring takes a spec file", name)
}

// sparsePlain are the specs of a request without a function.
func (r *request) sparsePlain() []gen.Spec {
	spec, back := sparseSpecOf[float32], backSpecOf[float32]
	if r.types[0] == dtype.F64 {
		spec, back = sparseSpecOf[float64], backSpecOf[float64]
	}
	if r.backward {
		return []gen.Spec{spec(r), back(r)}
	}
	return []gen.Spec{spec(r)}
}

// backSpecOf is the spec of the gradients of a request that has such.
func backSpecOf[T dtype.Float](r *request) gen.Spec {
	return sparseSpecOf[T](r).(spec.BlockAttention[T]).Backward()
}

func sparseSpecOf[T dtype.Float](r *request) gen.Spec {
	s := r.sparse
	switch targets := emit.Targets(r.targets); s.op {
	case spec.OpSpMV:
		return spec.SpMV[T]{Name: r.name, Format: s.format, Parts: s.parts, Pattern: s.pattern, Reduce: s.reduce, Targets: targets}
	case spec.OpRGMS:
		return spec.RGMS[T]{Name: r.name, Targets: targets}
	case spec.OpAttention:
		a := s.attend
		return spec.BlockAttention[T]{Name: r.name, Heads: a.Heads, Width: s.features, Scale: a.Scale, Causal: a.Causal, UnseenNaN: a.UnseenNaN, Targets: targets}
	case spec.OpEdgeSoftmax:
		return spec.EdgeSoftmax[T]{Name: r.name, Targets: targets}
	case spec.OpSegments:
		return spec.SegmentReduce[T]{Name: r.name, Features: s.features, Reduce: s.reduce, Targets: targets}
	case spec.OpSDDMM:
		return spec.SDDMM[T]{Name: r.name, Features: s.features, Pattern: s.pattern, Targets: targets}
	default:
		switch s.b {
		case dtype.TypeBF16:
			return storedSpec[T, dtype.BF16](r)
		case dtype.TypeF16:
			return storedSpec[T, dtype.F16](r)
		}
		return storedSpec[T, T](r)
	}
}

// storedSpec is the spec of a product whose dense operand is stored as B.
func storedSpec[T dtype.Float, B dtype.Elem](r *request) gen.Spec {
	s := r.sparse
	return spec.SpMMOf[T, B, T]{Name: r.name, Format: s.format, Parts: s.parts, Features: s.features, Pattern: s.pattern, Reduce: s.reduce, Targets: emit.Targets(r.targets)}
}

// sparseSaid are what a sparse request says.
func (r *request) sparseSaid() (all []said) {
	s := r.sparse
	if len(s.parts) > 0 {
		var names, values []string
		for _, f := range s.parts {
			names, values = append(names, f.Name), append(values, fmt.Sprintf("%#v", f))
		}
		all = append(all, said{"--parts", strings.Join(names, ","), "Parts: []format.Format{" + strings.Join(values, ", ") + "}"})
	} else if s.hasFormat {
		all = append(all, said{"--format", s.format.Name, fmt.Sprintf("Format: %#v", s.format)})
	}
	if s.hasReduce {
		all = append(all, said{"--reduce", s.reduce.String(), "Reduce: spec." + exported(s.reduce.String())})
	}
	if s.b != dtype.Invalid {
		all = append(all, said{"--b", s.b.String(), ""}) // which the type of the spec says
	}
	if s.hasFeatures {
		all = append(all, said{"--features", fmt.Sprint(s.features), fmt.Sprint("Features: ", s.features)})
	}
	if s.pattern {
		all = append(all, said{"--pattern", "", "Pattern: true"})
	}
	if a := s.attend; s.op == spec.OpAttention {
		all = append(all, said{"--heads", fmt.Sprint(a.Heads), fmt.Sprint("Heads: ", a.Heads)}, said{"--width", fmt.Sprint(s.features), fmt.Sprint("Width: ", s.features)},
			said{"--scale", fmt.Sprint(a.Scale), fmt.Sprint("Scale: ", a.Scale)})
		if a.Causal {
			all = append(all, said{"--causal", "", "Causal: true"})
		}
		if a.UnseenNaN {
			all = append(all, said{"--unseen-nan", "", "UnseenNaN: true"})
		}
	}
	return all
}

// sparseType is the type of a sparse request's spec.
func (r *request) sparseType() string {
	if s := r.sparse; s.b != dtype.Invalid {
		return fmt.Sprintf("spec.SpMMOf[%s, %s, %[1]s]", r.types[0].Go(), s.b.Go())
	}
	return "spec." + r.sparse.typ + "[" + r.types[0].Go() + "]"
}

func exported(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// kindError says which kinds of kernels there are.
func kindError() error {
	all := kinds()
	last := len(all) - 1
	return fmt.Errorf("gen takes a kind of kernel, %s or %s, as in: tilesmith gen gemm --name DenseX --out DIR", strings.Join(all[:last], ", "), all[last])
}

package gencmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A request is a product as flags describe it.
type request struct {
	name     string
	types    [4]dtype.Type // of a, b, the accumulator and out
	epilogue string        // as written; "" for none
	returns  dtype.Type    // by the epilogue's function: out, or an accumulator that is rounded to it
	operands []gemm.Input
	also     []gemm.Output
	zeros    gemm.Zeros
	targets  []emit.Target
	shape    shapeFlag
	reduce   reduceFlag
	backward bool // NAMEBack too
	grouped  bool // NAMEGrouped too
	form     structureFlag
	sparse   *sparseFlags // nil: a dense product
	pkg      string
	check    bool
}

// parse reads the flags that are lists.
func (r *request) parse(l *lists) (err error) {
	types, operands, also := l.types, l.operands, l.also
	if l.out == "" {
		return errors.New("--out is empty; . is this folder")
	}
	if types == "" {
		return errors.New("--types is empty; it names those of a, b, the accumulator and out, as in f32,f32,f32,f32")
	}
	list := strings.Split(types, ",")
	if len(list) != len(r.types) {
		return fmt.Errorf("--types %s: want four, of a, b, the accumulator and out, as in f32,f32,f32,f32", types)
	}
	for i, s := range list {
		if r.types[i], err = typeOf(s); err != nil {
			return fmt.Errorf("--types: %w", err)
		}
	}
	r.returns = r.types[3]
	if r.epilogue == "" && operands+also != "" {
		return fmt.Errorf("--operands and --also belong to a function; name it with --epilogue, as in --epilogue act.GELU")
	}
	if operands != "" {
		for s := range strings.SplitSeq(operands, ",") {
			in, err := operandOf(s, r.types[2])
			if err != nil {
				return err
			}
			r.operands = append(r.operands, in)
		}
	}
	if also != "" {
		for s := range strings.SplitSeq(also, ",") {
			name, typ, _ := strings.Cut(s, ":")
			t, err := typeOr(typ, r.types[3])
			if err != nil {
				return fmt.Errorf("--also %s: %w", s, err)
			}
			r.also = append(r.also, gemm.Output{Name: name, Type: t})
		}
	}
	if r.zeros, err = zerosOf(l.zeros); err != nil {
		return err
	}
	if r.zeros != (gemm.Zeros{}) && r.epilogue == "" {
		return fmt.Errorf("--zeros %s: a product without a function has no zero points; name one with --epilogue, as in --epilogue quant.Dequantise", l.zeros)
	}
	if r.backward && r.epilogue == "" && r.sparse == nil {
		return errors.New("--backward belongs to a function: without one, the gradient by the product is that by the result; name it with --epilogue, as in --epilogue act.GELU")
	}
	if l.targets == "" {
		r.targets = r.defaultTargets()
		return nil
	}
	r.targets, err = targetsOf(l.targets)
	return err
}

// zerosOf reads the names of zero points, as in a=az,b=bz.
func zerosOf(list string) (z gemm.Zeros, err error) {
	if list == "" {
		return z, nil
	}
	for s := range strings.SplitSeq(list, ",") {
		of, name, _ := strings.Cut(s, "=")
		at := map[string]*string{"a": &z.A, "b": &z.B}[of]
		switch {
		case at == nil || name == "":
			return z, fmt.Errorf("--zeros: %q is not a zero point; write a=NAME or b=NAME, as in a=az,b=bz", s)
		case *at != "":
			return z, fmt.Errorf("--zeros %s: %s has two zero points", list, of)
		}
		*at = name
	}
	return z, nil
}

// zerosText is the flag of zero points.
func zerosText(z gemm.Zeros) string {
	var list []string
	for _, x := range [][2]string{{"a", z.A}, {"b", z.B}} {
		if x[1] != "" {
			list = append(list, x[0]+"="+x[1])
		}
	}
	return strings.Join(list, ",")
}

// typeOf reads an element type by its short name or as Go spells it.
func typeOf(s string) (dtype.Type, error) {
	for t := dtype.F32; t <= dtype.C128; t++ {
		if s == t.Go() {
			return t, nil
		}
	}
	return dtype.Parse(s)
}

func typeOr(s string, other dtype.Type) (dtype.Type, error) {
	if s == "" {
		return other, nil
	}
	return typeOf(s)
}

// patterns are the words of --operands.
var patterns = map[string]gemm.Pattern{
	"perrow": gemm.RowPattern, "percolumn": gemm.ColumnPattern, "full": gemm.FullPattern, "scalar": gemm.ScalarPattern,
}

// operandOf reads one operand, as in bias=percolumn:f32.
func operandOf(s string, acc dtype.Type) (gemm.Input, error) {
	name, rest, ok := strings.Cut(s, "=")
	pattern, typ, _ := strings.Cut(rest, ":")
	typ, span, ranged := strings.Cut(typ, ":")
	p, known := patterns[strings.ToLower(pattern)]
	if !ok || !known {
		return gemm.Input{}, fmt.Errorf("--operands: %q is not an operand; write NAME=PATTERN:TYPE, where the pattern is perrow, percolumn, full or scalar, as in bias=percolumn:f32", s)
	}
	t, err := typeOr(typ, acc)
	if err != nil {
		return gemm.Input{}, fmt.Errorf("--operands %s: %w", s, err)
	}
	in := gemm.Input{Name: name, Pattern: p, Type: t}
	if ranged {
		r, err := rangeOf(span, t)
		if err != nil {
			return gemm.Input{}, fmt.Errorf("--operands %s: %w", s, err)
		}
		in.Range = &r
	}
	return in, nil
}

// plain returns the spec if it needs no function, or nil.
func (r *request) plain() []gen.Spec {
	switch {
	case r.epilogue != "":
		return nil
	case r.sparse != nil:
		return r.sparsePlain()
	}
	switch r.types {
	case [4]dtype.Type{dtype.F32, dtype.F32, dtype.F32, dtype.F32}:
		return plain[float32](r)
	case [4]dtype.Type{dtype.F64, dtype.F64, dtype.F64, dtype.F64}:
		return plain[float64](r)
	}
	return nil
}

func plain[T float32 | float64](r *request) []gen.Spec {
	return []gen.Spec{gemm.Spec[T, T, T, T]{Name: r.name, Targets: r.targets, Shape: r.shape.Shape, Structure: r.form.Structure, Reduce: r.reduce.BatchReduce, Grouped: r.grouped}}
}

// A said is one thing that a request says: the flag and its value, "" if it has none, and the field of the spec, "" if
// that is none of its own.
type said struct{ flag, value, field string }

// said lists what a request says, without its name, types and targets, in the order in which files name it.
func (r *request) said() (all []said) {
	if r.sparse != nil {
		all = r.sparseSaid()
	}
	if r.shape.given() {
		all = append(all, said{"--shape", r.shape.String(), r.shape.text()})
	}
	if r.reduce.On() {
		all = append(all, said{"--reduce", r.reduce.String(), r.reduce.text()})
	}
	if r.form.given() {
		all = append(all, said{"--structure", r.form.String(), r.form.text()})
	}
	var operands, also []string
	for _, in := range r.operands {
		operands = append(operands, fmt.Sprintf("%s=%s:%s%s", in.Name, strings.ToLower(in.Pattern.String()), in.Type, rangeFlag(in)))
	}
	for _, o := range r.also {
		also = append(also, fmt.Sprintf("%s:%s", o.Name, o.Type))
	}
	if r.epilogue != "" {
		all = append(all, said{"--epilogue", r.epilogue, r.epilogueText()})
	}
	for _, x := range []said{{"--operands", strings.Join(operands, ","), ""}, {"--also", strings.Join(also, ","), ""}, {"--zeros", zerosText(r.zeros), ""}} {
		if x.value != "" { // the epilogue's field has them
			all = append(all, x)
		}
	}
	if r.backward {
		all = append(all, said{flag: "--backward"})
	}
	if r.grouped {
		all = append(all, said{"--grouped", "", "Grouped: true"})
	}
	return all
}

// commandLine is the source that generated files name: the command without what
// differs from machine to machine, spelled one way.
func (r *request) commandLine() string {
	var types []string
	for _, t := range r.types {
		types = append(types, t.String())
	}
	words := []string{"tilesmith gen gemm --name", r.name, "--types", strings.Join(types, ",")}
	if r.sparse != nil {
		words = []string{"tilesmith gen", string(r.sparse.op), "--name", r.name, "--type", types[0]}
	}
	for _, x := range r.said() {
		words = append(words, x.flag)
		if x.value != "" {
			words = append(words, x.value)
		}
	}
	return strings.Join(append(words, "--targets", strings.Join(targetNames(r.targets), ",")), " ")
}

func targetNames(targets []emit.Target) []string {
	var names []string
	for _, t := range targets {
		names = append(names, t.Name)
	}
	return names
}

// defaultTargets are those of a spec that names none.
func (r *request) defaultTargets() []emit.Target {
	if r.sparse != nil {
		return gemm.CPUTargets()
	}
	return r.reduce.Targets(r.types[0], r.types[1], r.types[2], r.shape.Shape)
}

// allTargets reports whether the spec need not name any.
func (r *request) allTargets() bool {
	return slices.Equal(targetNames(r.targets), targetNames(r.defaultTargets()))
}

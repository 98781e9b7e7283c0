package main

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// genKernel generates what flags describe, for those who want no spec file.
func genKernel(args []string) error {
	if len(args) == 0 || args[0] != "gemm" && !strings.HasPrefix(args[0], "-") {
		return usageError{errors.New("gen takes a kind of kernel, today gemm, as in: tilesmith gen gemm --name DenseX --out DIR")}
	}
	flags := newFlags("gen", "gemm --name NAME [FLAGS]")
	name := flags.String("name", "", "the generated function, as in DenseX")
	types := flags.String("types", "f32,f32,f32,f32", "element types of a, b, the accumulator and out")
	targets := flags.String("targets", "", "as in avx2,avx512 (default: every CPU target)")
	out := flags.String("out", ".", "the folder to write to; it is made if it is missing")
	pkg := flags.String("package", "", "the package there (default: as its files say, else after the folder)")
	check := flags.Bool("check", false, "compare with the files that are there; exit 1 with a diff if they differ")
	if err := parse(flags, args, 1, "gen gemm takes flags only, as in: tilesmith gen gemm --name DenseX --out DIR"); err != nil {
		return err
	}
	if *name == "" {
		return usageError{errors.New("gen gemm needs --name, the generated function, as in --name DenseX")}
	}
	list, err := targetsOf(*targets)
	if err != nil {
		return usageError{err}
	}
	spec, err := specOf(*name, *types, list)
	if err != nil {
		return usageError{err}
	}
	p, err := packageFor(*out, *pkg)
	if err != nil {
		return err
	}
	files, err := gen.Generate(gen.Options{Package: p, Source: commandLine(*name, *types, list)}, spec)
	if err != nil {
		return err
	}
	if *check {
		return gen.Check(*out, files)
	}
	if err := os.MkdirAll(*out, 0o777); err != nil {
		return err
	}
	return gen.Write(*out, files)
}

// commandLine is the source that generated files name: the command without what
// differs from machine to machine.
func commandLine(name, types string, targets []emit.Target) string {
	var names []string
	for _, t := range targets {
		names = append(names, t.Name)
	}
	return fmt.Sprintf("gen gemm --name %s --types %s --targets %s", name, types, strings.Join(names, ","))
}

// targetsOf reads a list of CPU targets; best first, whatever the order of the
// list.
func targetsOf(list string) ([]emit.Target, error) {
	all := gemm.CPUTargets()
	if list == "" {
		return all, nil
	}
	var known []string
	for _, t := range all {
		known = append(known, t.Name)
	}
	want := strings.Split(list, ",")
	for i, w := range want {
		if !slices.Contains(known, w) {
			return nil, fmt.Errorf("--targets: there is no target %q; there is %s", w, strings.Join(known, ", "))
		}
		if slices.Contains(want[:i], w) {
			return nil, fmt.Errorf("--targets: %s is listed twice", w)
		}
	}
	return slices.DeleteFunc(all, func(t emit.Target) bool { return !slices.Contains(want, t.Name) }), nil
}

// specOf makes the spec of a product of four types.
func specOf(name, types string, targets []emit.Target) (gen.Spec, error) {
	var list []dtype.Type
	for s := range strings.SplitSeq(types, ",") {
		t, err := dtype.Parse(s)
		if err != nil {
			return nil, fmt.Errorf("--types: %w", err)
		}
		list = append(list, t)
	}
	if len(list) != 4 {
		return nil, fmt.Errorf("--types %s: want four, of a, b, the accumulator and out, as in f32,f32,f32,f32", types)
	}
	switch ([4]dtype.Type)(list) {
	case [4]dtype.Type{dtype.F32, dtype.F32, dtype.F32, dtype.F32}:
		return gemm.Spec[float32, float32, float32, float32]{Name: name, Targets: targets}, nil
	case [4]dtype.Type{dtype.F64, dtype.F64, dtype.F64, dtype.F64}:
		return gemm.Spec[float64, float64, float64, float64]{Name: name, Targets: targets}, nil
	}
	return nil, fmt.Errorf("--types %s: no operator has these types; all four are f32, or all f64", types)
}

// packageFor is the package to generate into: as asked, else that of the files in
// dir, else named after dir.
func packageFor(dir, asked string) (string, error) {
	have, err := packageName(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, new(noPackageError)):
	case err != nil:
		return "", err
	case asked != "" && asked != have:
		return "", usageError{fmt.Errorf("--package %s: %s holds package %s", asked, dir, have)}
	default:
		return have, nil
	}
	if asked == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		asked = strings.ToLower(filepath.Base(abs))
	}
	if !token.IsIdentifier(asked) {
		return "", usageError{fmt.Errorf("%q cannot be the name of a package; give one with --package", asked)}
	}
	return asked, nil
}

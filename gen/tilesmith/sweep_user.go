package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gen"
)

// A userPackage is a package that a user's specs generate into, as if they had, and
// with a test binary around its kernels. All of it lies in a temporary folder; the
// user's own is only read.
type userPackage struct {
	dir     string   // the user's
	specs   []string // file names there
	name    string   // of the package
	tmp     string
	ctx     context.Context   // ends with Ctrl-C
	replace map[string]string // what the build sees in place of what, see gen.Overlay
	kernels []userKernel
	tests   []string // names of generated tests that say no more than right or wrong
	gpu     []string // the same of GPU kernels, in the package gpu below
	bare    []string // specs without a test of their own
}

// userPackages sorts the arguments of verify and sweep: spec files, folders whose
// go:generate lines name some, and patterns of folders.
func userPackages(args []string) ([]*userPackage, error) {
	args, err := expand(args, func(dir string) (bool, error) {
		ok, err := hasSpec(dir)
		return ok || len(generatedTests(dir)) > 0, err
	})
	if err != nil {
		return nil, err
	}
	var all []*userPackage
	add := func(dir, spec string) error {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(p *userPackage) bool { return p.dir == abs })
		if i < 0 {
			i = len(all)
			all = append(all, &userPackage{dir: abs})
		}
		if !slices.Contains(all[i].specs, spec) {
			all[i].specs = append(all[i].specs, spec)
		}
		return nil
	}
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, fmt.Errorf("there is no spec file or folder: %w", err)
		}
		if !info.IsDir() {
			if err := checkSpec(arg); err != nil {
				return nil, err
			}
			if err := add(filepath.Dir(arg), filepath.Base(arg)); err != nil {
				return nil, err
			}
			continue
		}
		specs, err := specsOf(arg)
		if errors.As(err, new(noSpecError)) && len(generatedTests(arg)) > 0 {
			// Made by tilesmith gen: what lies there is taken as it is.
			abs, err := filepath.Abs(arg)
			if err != nil {
				return nil, err
			}
			all = append(all, &userPackage{dir: abs})
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, s := range specs {
			if err := add(arg, s); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

var generateLine = regexp.MustCompile(`(?m)^//go:generate .*\btilesmith run (?:--?\S+ )*(\S+\.go)\s*$`)

// specsOf returns the spec files of a folder: those that its go:generate lines run, or
// else those that import package gen.
func specsOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var named, found []string
	none := noSpecError{dir: dir}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.ContainsRune("._", rune(e.Name()[0])) {
			continue // as the go command does, of an editor's .#spec.go
		}
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, m := range generateLine.FindAllSubmatch(text, -1) {
			if spec := string(m[1]); filepath.Dir(spec) == "." && !slices.Contains(named, spec) {
				named = append(named, spec)
			}
		}
		none.addLeft(string(text))
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil || !slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+modulePath+`/gen"` }) {
			continue
		}
		if f.Name.Name != "main" && !ignored(f) {
			continue
		}
		if err := checkSpec(path); err == nil {
			found = append(found, e.Name())
		} else if none.almost == nil {
			none.almost = err
		}
	}
	if named == nil {
		named = found
	}
	if named == nil {
		return nil, none
	}
	for _, s := range named {
		if err := checkSpec(filepath.Join(dir, s)); err != nil {
			return nil, err
		}
	}
	return named, nil
}

// A noSpecError says that a folder has no spec.
type noSpecError struct {
	dir    string
	almost error    // why a file is none that looks like one
	left   []string // spec files that are gone and whose sets are still there
}

func (e noSpecError) Error() string {
	switch {
	case e.almost != nil:
		return fmt.Sprintf("%s has no spec: %v", e.dir, e.almost)
	case e.left != nil:
		return fmt.Sprintf("%s has no spec any more: %s is gone, and its files are left; remove those that begin with %q", e.dir, e.left[0], generatedMark+e.left[0])
	}
	return e.dir + " has no spec: no go:generate line there says tilesmith run, and no file imports package gen; name a spec file"
}

// addLeft adds the spec file of this folder that a file says it is generated from. Where the folder has no spec, that is gone.
func (e *noSpecError) addLeft(text string) {
	first, _, _ := strings.Cut(text, "\n")
	from, ours := strings.CutPrefix(first, generatedMark)
	from, _, _ = strings.Cut(from, "; DO NOT EDIT.")
	if ours && filepath.Base(from) == from && strings.HasSuffix(from, ".go") && !slices.Contains(e.left, from) {
		e.left = append(e.left, from)
	}
}

// generatedTests lists the tests of a folder that we generated.
func generatedTests(dir string) (files []string) {
	all, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is right
	for _, file := range all {
		if text, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(text), generatedMark) {
			files = append(files, file)
		}
	}
	return files
}

// generatedMark is how generated files begin; see gen.Header.
const generatedMark = "// Code generated by tilesmith from "

// generate runs the specs, into the temporary folder, and reads what came of it.
func (p *userPackage) generate(log io.Writer) error {
	var none noPackageError
	var err error
	switch p.name, err = packageName(p.dir); {
	case errors.As(err, &none): // what is generated will be all of it
		if p.name = packageAfter(filepath.Base(p.dir)); p.name == "" {
			p.name = "kernels"
		}
	case err != nil:
		return err
	}
	p.replace = map[string]string{}
	if p.specs == nil {
		return p.read(p.dir)
	}
	var outs []string
	for i, spec := range p.specs {
		out := filepath.Join(p.tmp, fmt.Sprint("out", i))
		if err := os.Mkdir(out, 0o700); err != nil {
			return err
		}
		if err := p.runSpec(spec, out, log); err != nil {
			return err
		}
		if err := p.read(out); err != nil {
			return err
		}
		outs = append(outs, out)
	}
	p.replace, err = gen.Overlay(p.dir, outs...)
	return err
}

// runSpec runs a spec program that generates into out.
func (p *userPackage) runSpec(spec, out string, log io.Writer) error {
	overlay, done, err := standIns(p.dir, filepath.Join(p.dir, spec))
	if err != nil {
		return err
	}
	defer done()
	program := program{dir: p.dir, file: spec, overlay: overlay, out: log, log: log}
	err = program.run(p.ctx, func(string) []string {
		return []string{"PWD=" + p.dir, gen.EnvOut + "=" + out, gen.EnvPackage + "=" + p.name, gen.EnvSource + "=" + spec}
	}, func(int) error { return nil })
	if child := (childError{}); errors.As(err, &child) {
		return childError{1} // it has said what is wrong, and the command line was right
	}
	return err
}

// build compiles the package with the driver as its only tests besides the generated
// ones, or the package gpu below it with those.
func (p *userPackage) build(pkg, driver string, log io.Writer) (binary string, err error) {
	replace := maps.Clone(p.replace)
	dir := filepath.Join(p.dir, pkg)
	if err := p.hideTests(replace, dir); err != nil {
		return "", err
	}
	if driver != "" {
		at := filepath.Join(p.tmp, driverFile)
		if err := os.WriteFile(at, []byte(driver), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(dir, driverFile)] = at
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(p.tmp, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", err
	}
	binary = filepath.Join(p.tmp, "kernels"+filepath.Base(pkg)+".test.exe") // the ending that every system takes
	return binary, p.goCommand(log, log, nil, "test", "-c", "-vet=off", "-o="+binary, "-overlay="+overlay, "./"+filepath.ToSlash(pkg))
}

// hideTests hides the tests of a folder that were not generated just now. They may need
// missing names, and have a TestMain.
func (p *userPackage) hideTests(replace map[string]string, dir string) error {
	if p.specs == nil {
		for _, file := range generatedTests(dir) {
			replace[file] = file
		}
	}
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, ours := replace[path]; !ours && !e.IsDir() && strings.HasSuffix(e.Name(), "_test.go") {
			replace[path] = ""
		}
	}
	return nil
}

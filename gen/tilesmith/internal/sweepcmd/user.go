package sweepcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
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
	args, err := specfile.Expand(args, func(dir string) (bool, error) {
		ok, err := specfile.HasSpec(dir)
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
			if err := specfile.Check(arg); err != nil {
				return nil, err
			}
			if err := add(filepath.Dir(arg), filepath.Base(arg)); err != nil {
				return nil, err
			}
			continue
		}
		specs, err := specfile.SpecsOf(arg)
		if errors.As(err, new(specfile.NoSpecError)) && len(generatedTests(arg)) > 0 {
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

// generatedTests lists the tests of a folder that we generated.
func generatedTests(dir string) (files []string) {
	all, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is right
	for _, file := range all {
		if text, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(text), specfile.GeneratedMark) {
			files = append(files, file)
		}
	}
	return files
}

// generate runs the specs, into the temporary folder, and reads what came of it.
func (p *userPackage) generate(log io.Writer) error {
	var none specfile.NoPackageError
	var err error
	switch p.name, err = specfile.PackageName(p.dir); {
	case errors.As(err, &none): // what is generated will be all of it
		if p.name = specfile.PackageAfter(filepath.Base(p.dir)); p.name == "" {
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
	overlay, done, err := specfile.StandIns(p.dir, filepath.Join(p.dir, spec))
	if err != nil {
		return err
	}
	defer done()
	program := specfile.Program{Dir: p.dir, File: spec, Overlay: overlay, Out: log, Log: log}
	err = program.Run(p.ctx, func(string) []string {
		return []string{"PWD=" + p.dir, gen.EnvOut + "=" + out, gen.EnvPackage + "=" + p.name, gen.EnvSource + "=" + spec}
	}, func(int) error { return nil })
	if errors.As(err, new(cli.ChildError)) {
		return cli.ChildError(1) // it has said what is wrong, and the command line was right
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

package gencmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
	"github.com/tilesmith/tilesmith/internal/child"
)

// toolPackage is what a tool line of go.mod names.
const toolPackage = cli.ModulePath + "/gen/tilesmith"

// InitCommand writes a spec into the package in the current folder.
func InitCommand() *cobra.Command {
	var pkg string
	c := cli.NewCommand("init [--package NAME]", "write a first spec.go, and the go:generate line for it, into this folder",
		cli.Exactly(0, "init takes no arguments: it writes to the current folder"), func(c *cobra.Command, _ []string) error {
			wrote, err := initPackage(".", pkg)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "wrote %s\nnow: go generate && go test\n", strings.Join(wrote, " and "))
			return err
		})
	c.Flags().StringVar(&pkg, "package", "", "name of the package, if the folder has none (default: made from the folder's name)")
	return c
}

// initPackage writes spec.go, a small spec with comments, and a go:generate line for it into
// the package in dir. It may be a new package called pkg, or named after the folder if pkg
// is "". It returns the names of the files, and replaces none.
func initPackage(dir, pkg string) (wrote []string, err error) {
	if err := toolIn(dir); err != nil {
		return nil, err
	}
	have, err := specfile.PackageName(dir)
	var none specfile.NoPackageError
	switch {
	case errors.As(err, &none):
		if pkg, err = newPackageName(dir, pkg); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case pkg != "" && pkg != have:
		return nil, cli.Usagef("--package %s: the folder has package %s", pkg, have)
	default:
		pkg = have
	}
	name := kernelName(pkg)
	spec, err := format.Source([]byte(strings.NewReplacer("PACKAGE", pkg, "NAME", name).Replace(specText)))
	if err != nil {
		return nil, err
	}
	files := []file{{"spec.go", spec}}
	if !generates(dir) {
		files = append(files, file{generateFile(dir), []byte(generateText(pkg, have == ""))})
	}
	for _, f := range files { // before the first is written
		switch _, err := os.Lstat(filepath.Join(dir, f.name)); {
		case err == nil:
			return nil, fmt.Errorf("%s is there already, and init replaces nothing; write the spec under another name, or take it away", filepath.Join(dir, f.name))
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	for _, f := range files {
		if err := f.create(dir); err != nil {
			return wrote, err
		}
		wrote = append(wrote, f.name)
	}
	return wrote, nil
}

// A file is one that init writes.
type file struct {
	name string
	text []byte
}

// create writes the file, which must not exist; it is whole or not there.
func (f file) create(dir string) error {
	w, err := os.OpenFile(filepath.Join(dir, f.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = w.Write(f.text)
	if err = errors.Join(err, w.Close()); err != nil {
		os.Remove(w.Name())
	}
	return err
}

// toolIn returns an error that says what to do if dir is in no module, or in one without
// tilesmith among its tools.
func toolIn(dir string) error {
	cmd := child.Command(context.Background(), "go", "mod", "edit", "-json")
	cmd.Dir, cmd.Env = dir, specfile.HostEnv()
	out, err := child.Output(cmd)
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("the go command is needed and is not in PATH")
	}
	if err != nil {
		return fmt.Errorf("this folder is in no module; make one first, as in: go mod init example.com/%s && go get -tool %s", baseName(dir), toolPackage)
	}
	var mod struct {
		Module struct{ Path string }
		Tool   []struct{ Path string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return fmt.Errorf("go mod edit -json: %w", err)
	}
	if mod.Module.Path == cli.ModulePath || slices.ContainsFunc(mod.Tool, func(t struct{ Path string }) bool { return t.Path == toolPackage }) {
		return nil
	}
	if slices.Contains(specfile.GoList(dir, "-m"), cli.ModulePath) { // by a workspace, which go get looks past
		return fmt.Errorf("module %s does not have tilesmith as a tool, by which go generate runs it; the workspace has its source, so first: go mod edit -tool=%s", mod.Module.Path, toolPackage)
	}
	return fmt.Errorf("module %s does not have tilesmith as a tool, by which go generate runs it; first: go get -tool %s", mod.Module.Path, toolPackage)
}

// baseName is the name of a folder.
func baseName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}

// newPackageName is the name of a package to begin: the one wanted, or the letters and digits of
// the folder's.
func newPackageName(dir, want string) (string, error) {
	name := want
	if want == "" {
		name = specfile.PackageAfter(baseName(dir))
	}
	switch {
	case !token.IsIdentifier(name) && want == "":
		return "", cli.Usagef("the folder %s gives no name for a package; say one with --package", baseName(dir))
	case !token.IsIdentifier(name) || name == "_":
		return "", cli.Usagef("--package %s is not the name of a package", name)
	}
	return name, nil
}

// kernelName is what the first kernel of a package is called: Dense and the words of the
// package. It ends in Layer if these say nothing or cannot be in a name.
func kernelName(pkg string) string {
	name := "Dense"
	for word := range strings.SplitSeq(pkg, "_") {
		word = strings.Map(func(r rune) rune {
			if r > unicode.MaxASCII {
				return -1
			}
			return r
		}, word)
		if word != "" && pkg != "main" {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	if name == "Dense" || gen.CheckName(name) != nil {
		name += "Layer"
	}
	return name
}

// generates reports whether a file of dir has a go:generate line for spec.go.
func generates(dir string) bool {
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return slices.ContainsFunc(names, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && slices.Contains(strings.Split(string(text), "\n"), specLine)
	})
}

const specLine = "//go:generate go tool tilesmith run spec.go"

// generateFile is the file that gets the line: doc.go, or if that is there generate.go.
func generateFile(dir string) string {
	if _, err := os.Lstat(filepath.Join(dir, "doc.go")); err == nil {
		return "generate.go"
	}
	return "doc.go"
}

// generateText is that file. A new package gets a comment.
func generateText(pkg string, fresh bool) string {
	text := "package " + pkg + "\n\n" + specLine + "\n"
	switch {
	case fresh && pkg == "main":
		return "// This program has kernels that go generate makes from spec.go.\n" + text + "\nfunc main() {}\n"
	case fresh:
		return "// Package " + pkg + " has kernels that go generate makes from spec.go.\n" + text
	}
	return text
}

// specText is the spec, of a kernel NAME for package PACKAGE.
const specText = `//go:build ignore

// This program says which kernels package PACKAGE gets. The build ignores it; go generate runs
// it, by the line //go:generate in another file of the package.
package main

import (
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

// finish is what becomes of each sum of the product before it is stored. It is an ordinary Go
// function, which the kernels apply to whole vectors; package gemm/act has activations, and
// docs/language.md says what a function may contain.
func finish(acc, bias float32) float32 { return max(acc+bias, 0) }

func main() {
	gen.Main(
		// func NAME(out, a, b layout.Matrix[float32], bias []float32). The types are those of a, of b,
		// of the sums and of the result.
		gemm.Spec[float32, float32, float32, float32]{
			Name: "NAME",
			// Without an epilogue it is a product, out = a*b.
			Epilogue: gemm.Map2(finish, gemm.PerColumn[float32]("bias")),
			// A shape that is always the same makes small products faster:
			// Shape: gemm.Shape{M: 8, N: 8, K: 8},
			// The same for GPUs, in a package gpu below this one:
			// Targets: gen.All,
		},
	)
}
`

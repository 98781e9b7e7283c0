package gencmd

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
)

const (
	initMod  = "module example.com/shop\n\ngo 1.26\n"
	initTool = initMod + "\ntool " + toolPackage + "\n"
)

// TestInit writes specs into folders with and without a package.
func TestInit(t *testing.T) {
	for _, c := range []struct {
		what, folder, pkg string
		files             map[string]string
		wrote, name, err  string
	}{
		{what: "an empty folder", folder: "layer", wrote: "spec.go doc.go", name: "DenseLayer"},
		{what: "a name with other letters", folder: "tmp.x7-Net", wrote: "spec.go doc.go", name: "DenseTmpx7net"},
		{what: "a name that is a system's", folder: "windows", wrote: "spec.go doc.go", name: "DenseWindows"},
		{what: "a name that is for tests", folder: "test", wrote: "spec.go doc.go", name: "DenseTest"},
		{what: "a digit first", folder: "9-layers", wrote: "spec.go doc.go", name: "DenseLayers"},
		{what: "a dot", folder: "my.pkg", wrote: "spec.go doc.go", name: "DenseMypkg"},
		{what: "two words", folder: "my_own", wrote: "spec.go doc.go", name: "DenseMyOwn"},
		{what: "letters that no kernel has", folder: "größe", wrote: "spec.go doc.go", name: "DenseGre"},
		{what: "no letter that a kernel has", folder: "слой", wrote: "spec.go doc.go", name: "DenseLayer"},
		{what: "a workspace", folder: "layer", files: map[string]string{"../go.mod": initMod, "../go.work": "go 1.26\n\nuse (\n\t.\n\t./ours\n)\n", "../ours/go.mod": "module " + cli.ModulePath + "\n\ngo 1.26\n"},
			err: "the workspace has its source, so first: go mod edit -tool=" + toolPackage},
		{what: "a name that is given", folder: "123", pkg: "net", wrote: "spec.go doc.go", name: "DenseNet"},
		{what: "no name", folder: "123", err: "say one with --package"},
		{what: "a keyword", folder: "func", err: "say one with --package"},
		{what: "no identifier", folder: "layer", pkg: "a-b", err: "--package a-b is not the name of a package"},
		{what: "a package", folder: "layer", files: map[string]string{"layer.go": "package net\n"}, wrote: "spec.go doc.go", name: "DenseNet"},
		{what: "another package", folder: "layer", pkg: "layer", files: map[string]string{"layer.go": "package net\n"}, err: "--package layer: the folder has package net"},
		{what: "a program", folder: "layer", files: map[string]string{"main.go": "package main\n\nfunc main() {}\n", "doc.go": "package main\n"}, wrote: "spec.go generate.go", name: "DenseLayer"},
		{what: "a line that is there", folder: "layer", files: map[string]string{"a.go": "package layer\n\n" + specLine + "\n"}, wrote: "spec.go", name: "DenseLayer"},
		{what: "a spec that is there", folder: "layer", files: map[string]string{"spec.go": "//go:build ignore\n\npackage main\n"}, err: "spec.go is there already, and init replaces nothing"},
		{what: "both files that are there", folder: "layer", files: map[string]string{"doc.go": "package layer\n", "generate.go": "package layer\n"}, err: "generate.go is there already"},
		{what: "a module without the tool", folder: "layer", files: map[string]string{"../go.mod": initMod}, err: "module example.com/shop does not have tilesmith as a tool, by which go generate runs it; first: go get -tool " + toolPackage},
		{what: "cgo", folder: "layer", files: map[string]string{"c.go": "package layer\n\nimport \"C\"\n"}, err: "cgo"},
	} {
		t.Run(c.what, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, c.folder)
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			files := map[string]string{"../go.mod": initTool}
			for name, text := range c.files {
				files[name] = text
			}
			for name, text := range files {
				file := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			wrote, err := initPackage(dir, c.pkg)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%v, want %q", err, c.err)
				}
				for name, text := range files {
					if have, _ := os.ReadFile(filepath.Join(dir, name)); string(have) != text {
						t.Errorf("%s was changed", name)
					}
				}
				for _, name := range []string{"spec.go", "doc.go", "generate.go"} {
					if _, err := os.Stat(filepath.Join(dir, name)); err == nil && files[name] == "" {
						t.Errorf("%s was left", name)
					}
				}
				return
			}
			if err != nil || strings.Join(wrote, " ") != c.wrote {
				t.Fatalf("wrote %q, %v, want %q", wrote, err, c.wrote)
			}
			for _, name := range wrote {
				if _, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, 0); err != nil {
					t.Error(err)
				}
			}
			spec, err := os.ReadFile(filepath.Join(dir, "spec.go"))
			if err != nil || !strings.Contains(string(spec), `Name: "`+c.name+`"`) {
				t.Errorf("spec.go lacks %s, %v:\n%s", c.name, err, spec)
			}
			if err := specfile.Check(filepath.Join(dir, "spec.go")); err != nil {
				t.Error(err)
			}
			if !generates(dir) {
				t.Error("nothing generates")
			}
			if _, err := specfile.PackageName(dir); err != nil {
				t.Error(err)
			}
			if _, err := initPackage(dir, c.pkg); err == nil || !slices.Contains(strings.Fields(err.Error()), "already,") {
				t.Errorf("a second time: %v", err)
			}
		})
	}
	t.Run("no module", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "layer")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := initPackage(dir, ""); err == nil || !strings.Contains(err.Error(), "go mod init example.com/layer && go get -tool "+toolPackage) {
			t.Errorf("%v", err)
		}
	})
}

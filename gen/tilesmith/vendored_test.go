package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestVendored wants all that a spec file may import among what the command imports, which is
// what go mod vendor copies: the public packages of the floors that specs are made of and that
// generated code calls, and whatever specs of this tree and the documentation's programs import.
func TestVendored(t *testing.T) {
	level.E2E(t)
	list := func(args ...string) []string {
		t.Helper()
		cmd := exec.Command("go", append([]string{"list"}, args...)...)
		cmd.Dir = filepath.Join("..", "..")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list %q: %v", args, err)
		}
		return strings.Fields(string(out))
	}
	deps := list("-deps", "-tags=vendored", "./gen/tilesmith")
	want := map[string]string{}
	for _, p := range list("-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`, "./layout/...", "./tiling/...", "./emit/...", "./gemm/...", "./sparse/...", "./gen/...", "./cpu/kern/...", "./cpu/run/...") {
		if notForSpecs.MatchString(p) {
			continue
		}
		want[p] = "a public package"
	}
	for file, text := range programs(t) {
		tree, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
		if err != nil {
			continue // a part of a program
		}
		for _, i := range tree.Imports {
			if at, _ := strconv.Unquote(i.Path.Value); strings.HasPrefix(at, cli.ModulePath+"/") && !notForSpecs.MatchString(at) {
				want[at] = file
			}
		}
	}
	for p, why := range want {
		if !slices.Contains(deps, p) {
			t.Errorf("%s (%s) is not vendored with the command; import it in vendored.go", p, why)
		}
	}
	if len(want) < 50 {
		t.Errorf("found %d packages only", len(want))
	}
}

// notForSpecs are packages that no spec file imports: examples, which are in no user's way, tests', the
// demo's, and a library that is loaded when it is asked for.
var notForSpecs = regexp.MustCompile(`/internal(/|$)|/gen/examples/|/gen/demo$|test(/|$)|/metis$`)

// programs are the spec files of the tree, and the blocks of Go in the documentation.
func programs(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	root := filepath.Join("..", "..")
	block := regexp.MustCompile("(?s)\n```go\n(.*?)\n```")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		isPage := filepath.Ext(path) == ".md"
		if !isPage && d.Name() != "spec.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !isPage {
			all[path] = string(text)
			return err
		}
		for i, m := range block.FindAllStringSubmatch(string(text), -1) {
			program := m[1]
			if !strings.Contains(program, "package ") {
				program = "package p\n\n" + program
			}
			all[path+" "+strconv.Itoa(i)] = program
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

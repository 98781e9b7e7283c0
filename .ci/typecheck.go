//go:build ignore

// Command typecheck type-checks all packages of the modules here and their tests for other
// systems: go run .ci/typecheck.go darwin/arm64 windows/amd64. It also reads the sources of
// what they import. It compiles nothing, which takes a tenth of a build's time.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	failed := false
	for _, target := range os.Args[1:] {
		if err := check(target); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", target, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check type-checks for a target such as linux/386.
func check(target string) error {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return fmt.Errorf("want a system and an architecture, such as linux/386")
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	found, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes,
		Env:   append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch),
		Tests: true,
		ParseFile: func(files *token.FileSet, name string, src []byte) (*ast.File, error) {
			return parse(files, name, src, here)
		},
	}, patterns()...)
	if err != nil {
		return err
	}
	own := map[*packages.Package]bool{}
	for _, p := range found {
		own[p] = !strings.HasSuffix(p.ID, ".test") // the main package of tests, which go test writes
	}
	wrong, listed := 0, map[string]bool{}
	packages.Visit(found, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if e.Kind == packages.TypeError && !own[p] {
				continue // an import that only bodies of functions need
			}
			if text := e.Error(); !listed[text] {
				listed[text] = true
				fmt.Fprintln(os.Stderr, text)
				wrong++
			}
		}
	})
	if wrong > 0 {
		return fmt.Errorf("%d errors", wrong)
	}
	if len(found) < 2 {
		return fmt.Errorf("%d packages found below %s; want all of the modules", len(found), here)
	}
	runtime.GC() // what one target left is as large as what the next needs
	fmt.Printf("%s: %d packages and tests\n", target, len(found))
	return nil
}

// patterns are those of all packages of the workspace.
func patterns() []string {
	all := []string{"./..."}
	for _, module := range []string{"gen/examples", "e2e"} {
		if _, err := os.Stat(filepath.Join(module, "go.mod")); err == nil {
			all = append(all, "./"+module+"/...")
		}
	}
	return all
}

// parse leaves out the bodies of functions of other modules, which are theirs to check.
func parse(files *token.FileSet, name string, src []byte, here string) (*ast.File, error) {
	file, err := parser.ParseFile(files, name, src, parser.AllErrors|parser.SkipObjectResolution)
	if file == nil || strings.HasPrefix(name, here+string(filepath.Separator)) {
		return file, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Type.TypeParams == nil {
			f.Body = nil
		}
	}
	return file, err
}

package bits_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../../../"

// elsewhere are functions that no line of their own calls: those with such a suffix, or all of a package.
var elsewhere = map[string]string{
	"Set":      "what package cpu calls",
	"Run":      "small products call it",
	"Ref":      "the function with options calls it",
	"vector":   "the methods of cpu.BLAS32 and cpu.BLAS64 call it",
	"moves":    "package dense calls it, and examples that repack",
	"products": "equations with products call it, as those of package chain",

	"cpu.Pack": "is called MatMulPack here", "cpu.PackOf": "is called MatMulOfPack here", "cpu.QuantPack": "is called QuantMatMulPack here",
	"cpu.Prune": "MulPruned takes it", "cpu.Scale": "an option", "cpu.ScaleComplex": "an option",
	"cpu.ISAs": "no product", "cpu.SetThreads": "no product", "cpu.Threads": "no product", "cpu.SafeDepth": "no product",
}

// TestBitsComplete finds exported functions of kernels that no line of kernels_test.go or doors_test.go calls.
func TestBitsComplete(t *testing.T) {
	called := make(map[string]bool)
	for name := range functions() {
		name, _, _ = strings.Cut(name, "[")
		name, _, _ = strings.Cut(name, ":")
		called[name] = true
	}
	check := func(dir, suffix string) {
		name := filepath.Base(dir)
		if elsewhere[name] != "" {
			return
		}
		for _, f := range declared(t, dir, suffix).functions {
			full := name + "." + f
			known := called[full] || called[strings.TrimSuffix(full, "Opt")] || elsewhere[full] != ""
			for s := range elsewhere {
				known = known || strings.HasSuffix(f, s)
			}
			if !known {
				t.Errorf("%s has no line in bits.txt: add it to kernels in kernels_test.go with a spec of its operands, or to doors in doors_test.go if it has type parameters; then run go test -run '^TestBits$' -update", full)
			}
		}
	}
	check("cpu", ".go")
	for _, top := range []string{"cpu/kern", "gen/examples"} {
		err := filepath.WalkDir(root+top, func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && filepath.Base(filepath.Dir(file)) != "gpu" { // kernels of GPUs want one
				suffix := "_gen.go"
				if top == "cpu/kern" {
					suffix = ".go"
				}
				check(strings.TrimPrefix(file, root), suffix)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// declarations are the exported functions of a package, and its exported methods by receiver.
type declarations struct {
	functions []string
	methods   map[string][]string
}

// declared reads the files of a folder whose names end in suffix.
func declared(t *testing.T, dir, suffix string) declarations {
	d := declarations{methods: make(map[string][]string)}
	files, err := os.ReadDir(root + dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), suffix) || !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, dir, file.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || f.Name.Name == "main" {
				continue
			}
			if fn.Recv == nil {
				d.functions = append(d.functions, fn.Name.Name)
			} else if of, ok := fn.Recv.List[0].Type.(*ast.Ident); ok {
				d.methods[of.Name] = append(d.methods[of.Name], fn.Name.Name)
			}
		}
	}
	return d
}

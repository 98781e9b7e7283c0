package snippets

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

const module = "github.com/tilesmith/tilesmith/"

// known has the packages that snippets use without importing them, by name.
var known = byName(
	[]string{
		"bytes", "context", "errors", "fmt", "io", "iter", "log", "math", "math/bits", "os", "slices", "strings", "time", "net/http", "os/signal", "testing",
		"gonum.org/v1/gonum/blas/blas32", "gonum.org/v1/gonum/blas/blas64", "gonum.org/v1/gonum/blas/cblas128", "gonum.org/v1/gonum/blas/cblas64",
		"gonum.org/v1/gonum/lapack/lapack64", "gonum.org/v1/gonum/mat",
	},
	[]string{
		"cpu", "cpu/comm", "cpu/comm/mpi", "cpu/dist", "cpu/dist/layer", "cpu/dist/parts", "cpu/dist/reshard", "cpu/dist/spmm", "cpu/dist/state", "cpu/dist/summa",
		"cpu/lapack", "cpu/run", "cpu/run/dense", "cpu/run/epilogue", "cpu/run/dense/blocks", "cpu/run/dense/fixed", "cpu/run/move", "cpu/run/spblas/attention", "cpu/run/vectors", "cpu/solve",
		"cuda", "cuda/driver", "cuda/emu", "emit", "emit/inst", "gemm", "gemm/act", "gemm/rand", "gemm/simd", "gemm/tpp", "gemm/tpp/op",
		"gen", "gen/fn", "emit/unit", "layout", "layout/dtype", "layout/general", "layout/mesh", "layout/pages", "layout/quant", "layout/reduce", "layout/semiring", "layout/sparse24", "layout/triangle",
		"sparse", "sparse/advise", "sparse/aggregate", "sparse/files", "sparse/format", "sparse/graph", "sparse/mask", "sparse/rule", "sparse/spec", "sparse/mtx", "sparse/part", "sparse/part/metis", "sparse/sample", "tiling", "tiling/cost", "tiling/device", "tiling/kernel", "tiling/kernel/param", "tiling/machine",
		"verify/check", "verify/peer", "verify/roof", "verify/sweep",
	})

func byName(others, ours []string) map[string]string {
	m := make(map[string]string)
	for _, p := range others {
		m[path.Base(p)] = p
	}
	for _, p := range ours {
		m[path.Base(p)] = module + p
	}
	return m
}

// addImports returns source, which has no import declaration, with one for the packages that it names.
// The comment of a package means that package by its name. declared are names that other files declare.
func addImports(page, source string, f *ast.File, declared map[string]bool) string {
	find := func(name string) string {
		if !strings.HasSuffix(page, ".md") && name == path.Base(page) {
			return module + page
		}
		return known[name]
	}
	unresolved := make(map[*ast.Ident]bool)
	for _, id := range f.Unresolved {
		unresolved[id] = true
	}
	var paths []string
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && unresolved[id] && !declared[id.Name] && find(id.Name) != "" {
				paths = append(paths, find(id.Name))
			}
		}
		return true
	})
	slices.Sort(paths)
	var b strings.Builder
	for _, p := range slices.Compact(paths) {
		fmt.Fprintf(&b, "import %q\n", p)
	}
	clause, rest, _ := strings.Cut(source, "\n")
	return clause + "\n" + b.String() + rest
}

// declares returns the names that a file declares outside of functions.
func declares(f *ast.File) map[string]bool {
	names := make(map[string]bool)
	for _, d := range f.Decls {
		for _, name := range namesOf(d) {
			names[name] = true
		}
	}
	return names
}

func namesOf(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

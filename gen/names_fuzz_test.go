package gen

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// namer makes specs of names, and says which of them go.
type namer struct {
	kind  string
	own   string // the names of the parameters that are no epilogue's
	names int    // how many it takes
	spec  func(name string, n []string) Spec
}

var namers = []namer{
	{"dense", "out a b", 5, func(name string, n []string) Spec { return gemmOf(name, n, amd64.AVX2) }},
	{"gpu", "out a b", 5, func(name string, n []string) Spec { return gemmOf(name, n, ptx.SM80) }},
	{"sparse", "out a b", 4, func(name string, n []string) Spec {
		return spec.SpMM[float32]{Name: name, Targets: emit.Targets{amd64.AVX2}, Epilogue: gemm.Fuse[float32, float32](fntest.Affine, nil,
			gemm.PerRow[float32](n[0]).In(), gemm.Full[float32](n[1]).In()).RowSum(n[2]).RowArgMax(n[3])}
	}},
	{"vector", "y a x out b", 3, func(name string, n []string) Spec {
		return spec.SpMV[float32]{Name: name, Targets: emit.Targets{amd64.AVX2}, Epilogue: gemm.Fuse[float32, float32](fntest.Affine, nil,
			gemm.PerRow[float32](n[0]).In(), gemm.Scalar[float32](n[1]).In()).ColSum(n[2])}
	}},
	{"sampled", "out s a b", 2, func(name string, n []string) Spec {
		return spec.SDDMM[float32]{Name: name, Targets: emit.Targets{amd64.AVX2}, Epilogue: gemm.Fuse[float32, float32](fntest.Affine, nil,
			gemm.PerRow[float32](n[0]).In(), gemm.Full[float32](n[1]).In())}
	}},
}

// gemmOf is a product with two outputs, two operands and two reductions.
func gemmOf(name string, n []string, t emit.Target) Spec {
	s := f32Spec{Name: name, Targets: []emit.Target{t}, Epilogue: gemm.Fuse[float32, float32](fntest.Shared, []gemm.Output{gemm.Also[float32](n[0])},
		gemm.PerColumn[float32](n[1]).In(), gemm.Full[float32](n[2]).In()).RowSum(n[3]).RowArgMax(n[4])}
	if t == ptx.SM80 {
		s.GPU = groupTile // few instructions
	}
	return s
}

// why is what is wrong with a list of names, "" if nothing is.
func (k namer) why(spec string, names []string) string {
	seen := strings.Fields(k.own)
	v := unit.Lower(spec)
	for _, n := range names {
		_, typ := types.Universe.Lookup(n).(*types.TypeName)
		switch {
		case !token.IsIdentifier(n), n == "_":
			return fmt.Sprintf("called %q", n)
		case typ, n == spec+"Opt", n == v+"Fused" && k.kind == "dense", n == v+"Set" && k.kind == "gpu", n == v+"Product" && k.kind != "dense" && k.kind != "gpu":
			return fmt.Sprintf("called %q", n)
		case slices.Contains(seen, n):
			return fmt.Sprintf("two parameters are called %q", n)
		}
		seen = append(seen, n)
	}
	return ""
}

// TestNamesWork generates specs whose operands, outputs and reductions are called what
// generated code uses itself, and type-checks what is made of them: it refuses what cannot be
// with the name, and all else compiles, with assembly and without.
func TestNamesWork(t *testing.T) {
	if testing.Short() {
		t.Skip("generates some hundred packages")
	}
	c := newChecker(t)
	o := Options{Package: "p", Source: "a test", Dir: "."}
	program, err := newFunctions(o).program()
	if err != nil {
		t.Fatal(err)
	}
	generate := func(s Spec) ([]File, error) {
		funcs := newFunctions(o)
		funcs.prog, funcs.path = program, "example.com/p"
		return generateAll(o, funcs, []Spec{s})
	}
	pool := []string{"_", "func", "type", "größe", "Ⅷ", "x y", "", "9", "a.b", "len", "max", "nil", "true", "iota", "float32", "string", "error", "any",
		"KOpt", "kFused", "kSet", "kProduct", "kCase", "K", "k", "DenseOpt", "bias", "e2", "opt2", "runpkg"}
	rnd := rand.New(level.PCG(1, 2))
	for _, k := range namers {
		t.Run(k.kind, func(t *testing.T) {
			plain := strings.Fields("one two three four five")
			files, err := generate(k.spec("K", plain))
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, files, "K", plain)
			evil := slices.Concat(pool, identifiers(t, files))
			tries, refused := level.Of(4, 4, 100), 0
			for i := range tries {
				spec, names := []string{"K", "Dense", "Kb"}[rnd.IntN(3)], []string{}
				for range k.names {
					names = append(names, evil[rnd.IntN(len(evil))])
				}
				if i >= max(2, tries/4) { // else nearly all would be refused
					names = slices.DeleteFunc(names, func(n string) bool { return k.why(spec, []string{n}) != "" })
					slices.Sort(names)
					names = append(slices.Compact(names), plain...)[:k.names]
				}
				files, err := generate(k.spec(spec, names))
				why := k.why(spec, names)
				switch {
				case err == nil && why == "":
					c.check(t, files, spec, names)
				case err == nil:
					t.Errorf("%s with the names %q is accepted, want %q", spec, names, why)
				case why == "":
					t.Errorf("%s with the names %q is refused: %v", spec, names, err)
				default:
					refused++
					if !strings.Contains(err.Error(), "called") || strings.Contains(err.Error(), "\n") {
						t.Errorf("%s with the names %q: %v, want %q", spec, names, err, why)
					}
				}
			}
			if refused == 0 && tries > 10 || refused > tries/2 { // of a few, chance may refuse none
				t.Errorf("%d of %d are refused, so this tests too little", refused, tries)
			}
		})
	}
	t.Run("package", func(t *testing.T) { // that has files with such names
		const own = "package p\n\nfunc run() {}\n\nvar runpkg, layout, dense, check, slices int\n\ntype testing struct{}\n"
		o := o
		o.Dir = t.TempDir()
		if err := os.WriteFile(filepath.Join(o.Dir, "own.go"), []byte(own), 0o666); err != nil {
			t.Fatal(err)
		}
		funcs := newFunctions(o)
		funcs.prog, funcs.path = program, "example.com/p"
		files, err := generateAll(o, funcs, []Spec{gemmOf("K", strings.Fields("run layout layoutpkg four five"), amd64.AVX2)})
		if err != nil {
			t.Fatal(err)
		}
		c.check(t, files, "K", nil, own)
	})
	t.Run("spec", func(t *testing.T) { // as the name of the spec itself
		all := append(pool, "act", "Act", "run", "rows", "e", "opt", "check", "tb", "Run", "E", "Float32", "Len", "If")
		for _, i := range level.Pick(len(all), 3, 6) {
			name := all[i]
			s := f32Spec{Name: name, Targets: []emit.Target{amd64.AVX2}, Epilogue: gemm.Map1(act.ReLU[float32])}
			files, err := generate(s)
			if err == nil {
				c.check(t, files, name, nil)
			} else if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "name") {
				t.Errorf("%q: %v", name, err)
			}
		}
	})
}

// identifiers are those of the files with entry points.
func identifiers(t *testing.T, files []File) []string {
	seen := map[string]bool{}
	for _, f := range files {
		if path.Base(f.Name) != "p_gen.go" {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				seen[id.Name] = true
			}
			return true
		})
	}
	var list []string
	for n := range seen {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// checker type-checks generated packages.
type checker struct {
	fset   *token.FileSet
	export types.Importer
}

// newChecker finds the packages that generated code imports.
func newChecker(t *testing.T) *checker {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export", "embed", unit.Module + "gen/fn/testdata/fntest", unit.Module + "gemm/act"}
	for _, p := range everywhere {
		args = append(args, p)
	}
	for _, p := range []string{"cuda", "cuda/run", "cuda/driver", "tiling", "verify/gpu", "cpu/kern/gemmf", "cpu/kern/spmmf", "cpu/kern/sddmmf"} {
		args = append(args, unit.Module+p)
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		files[p.ImportPath] = p.Export
	}
	c := &checker{fset: token.NewFileSet()}
	c.export = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(files[path])
	})
	return c
}

// check type-checks the packages that files are, with assembly and without, beside other files
// of them.
func (c *checker) check(t *testing.T, files []File, spec string, names []string, others ...string) {
	t.Helper()
	for _, leave := range []string{"_gen_other.go", "_gen_amd64.go"} {
		var trees []*ast.File
		add := func(name string, text []byte) {
			tree, err := parser.ParseFile(c.fset, name, text, parser.SkipObjectResolution)
			if list, ok := err.(scanner.ErrorList); ok {
				t.Fatalf("%s with the names %q: %v", spec, names, list)
			}
			trees = append(trees, tree)
		}
		for _, f := range files {
			if strings.HasSuffix(f.Name, ".go") && !strings.HasSuffix(f.Name, leave) {
				add(f.Name, f.Data)
			}
		}
		for _, text := range others {
			add("other.go", []byte(text))
		}
		var first error
		conf := types.Config{Importer: c.export, Error: func(err error) { first = cmp.Or(first, err) }}
		conf.Check("example.com/p", c.fset, trees, nil)
		if first != nil {
			t.Errorf("%s with the names %q does not compile: %v", spec, names, first)
		}
	}
}

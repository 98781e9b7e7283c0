package gen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

func longer(x, y float32) float32 { return max(x, y) }

// TestSparseStock: what a spec shares is, but for names, what it would have of its own,
// as committed in cpu/kern, and panels are as many.
func TestSparseStock(t *testing.T) {
	if testing.Short() {
		t.Skip("stock kernels are made again and compared")
	}
	relu := gemm.Map1(act.ReLU[float32])
	cases := []struct {
		name  string
		spec  spec.SpMM[float32]
		table string // that is shared: its file and, for each target, its variable
		want  string // the targets
	}{
		{"plain", spec.SpMM[float32]{}, "spmmf/rowsF32", "avx512 avx2"},
		{"epilogue", spec.SpMM[float32]{Epilogue: relu}, "spmmf/rowsF32", "avx512 avx2"},
		{"mean", spec.SpMM[float32]{Reduce: spec.Mean, Features: 48}, "spmmf/rowsF32", "avx512 avx2"},
		{"one target", spec.SpMM[float32]{Features: 300, Targets: emit.Targets{amd64.AVX2}}, "spmmf/rowsF32", "avx2"},
		{"one column", spec.SpMM[float32]{Features: 1}, "spmmf/rowsF32", "avx512 avx2"},
		{"coo", spec.SpMM[float32]{Format: format.COO}, "spmmf/nestsF32", "avx512 avx2"},
		{"ell", spec.SpMM[float32]{Format: format.ELL(8), Features: 64}, "spmmf/nestsF32", "avx512 avx2"},
		{"sell", spec.SpMM[float32]{Format: format.SELL(8, 32), Epilogue: relu}, "spmmf/nestsF32", "avx512 avx2"},
		{"csc, narrow", spec.SpMM[float32]{Format: format.CSC, Features: 20}, "spmmf/nestsF32", "avx512 avx2"},
		{"csc, wide for one", spec.SpMM[float32]{Format: format.CSC, Features: 50}, "spmmf/nestsF32", "avx512"},
		{"csc, any width", spec.SpMM[float32]{Format: format.CSC}, "spmmf/nestsF32", ""},
		{"ell of one", spec.SpMM[float32]{Format: format.ELL(1)}, "spmmf/nestsF32", ""},
		{"sell of one row", spec.SpMM[float32]{Format: format.SELL(1, 32)}, "spmmf/nestsF32", ""},
		{"pattern", spec.SpMM[float32]{Pattern: true}, "spmmf/rowsF32", ""},
		{"max", spec.SpMM[float32]{Reduce: spec.Max}, "spmmf/rowsF32", ""},
		{"semiring", spec.SpMM[float32]{Reduce: spec.Semiring[float32]{Name: "maxplus", Zero: float32(math.Inf(-1)), Plus: longer, Times: plusBias}, Features: 16}, "spmmf/rowsF32", ""},
		{"standalone", spec.SpMM[float32]{Standalone: true}, "spmmf/rowsF32", ""},
	}
	for _, i := range level.Pick(len(cases), 0, 4) {
		c := cases[i]
		t.Run(c.name, func(t *testing.T) {
			shared, alone := c.spec, c.spec
			shared.Name, alone.Name, alone.Standalone = "Agg", "Agg", true
			compareStock(t, shared, alone, c.table, strings.Fields(c.want))
		})
	}
	t.Run("vector", func(t *testing.T) {
		compareStock(t, spec.SpMV[float64]{Name: "Agg"}, spec.SpMV[float64]{Name: "Agg", Standalone: true}, "spmmf/rowsF64", []string{"avx512", "avx2"})
	})
	sampled := []spec.SDDMM[float64]{{Name: "Agg"}, {Name: "Agg", Pattern: true}, {Name: "Agg", Features: 64}, {Name: "Agg", Features: 1000}}
	for _, i := range level.Pick(len(sampled), 0, 1) {
		s := sampled[i]
		t.Run("sampled", func(t *testing.T) {
			alone := s
			alone.Standalone = true
			compareStock(t, s, alone, "sddmmf/kernelsF64", []string{"avx512", "avx2"})
		})
	}
}

// compareStock wants spec to share the table for the targets of want, and each kernel of
// alone to be at its place in it.
func compareStock(t *testing.T, spec, alone Spec, table string, want []string) {
	t.Helper()
	o := Options{Package: "p", Source: "a test", Dir: "."}
	files, err := Generate(o, spec)
	if err != nil {
		t.Fatal(err)
	}
	own, err := Generate(o, alone)
	if err != nil {
		t.Fatal(err)
	}
	folder, name, _ := strings.Cut(table, "/")
	read := func(file string) string {
		data, err := os.ReadFile(filepath.Join("../cpu/kern", folder, file))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	stubs := fileOf(t, files, "p_gen_amd64.go")
	targets, err := TargetsOf(spec)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, target := range targets {
		variable := unit.Upper(name) + strings.ToUpper(target.Name)
		if !strings.Contains(stubs, "&"+folder+"."+variable) {
			continue
		}
		have = append(have, target.Name)
		for _, f := range files { // nothing but an epilogue is its own
			for _, line := range regexp.MustCompile("(?m)^TEXT ·.*_"+target.Name+"[_(].*").FindAllString(string(f.Data), -1) {
				if !strings.Contains(line, "_epi(SB)") {
					t.Errorf("%s has a kernel that %s has, too: %s", f.Name, variable, line)
				}
			}
		}
		mine, most := committedTable(t, fileOf(t, own, "p_gen_amd64.go"), "agg_"+target.Name, nil)
		theirs, theirMost := committedTable(t, read(folder+"_gen_amd64.go"), variable, mine)
		myCode, theirCode := codes(fileOf(t, own, "p_gen_amd64.s")), codes(read(folder+"_gen_amd64.s"))
		same := 0
		for at, n := range mine {
			if n == "" {
				continue
			}
			if myCode[n] == "" || myCode[n] != theirCode[theirs[at]] {
				t.Errorf("%s is not what %s has at %v", n, variable, at)
			}
			same++
		}
		if same == 0 {
			t.Error("no kernel is shared")
		}
		// Panels are as many, and so alike.
		if f := features(spec); f == 0 && most != theirMost || f > 0 && panels(f, target.Lanes(elemOf(spec)), most) != panels(f, target.Lanes(elemOf(spec)), theirMost) {
			t.Errorf("%d vectors at most, of its own %d, cut %d features otherwise", theirMost, most, f)
		}
	}
	if strings.Join(have, " ") != strings.Join(want, " ") {
		t.Errorf("%s is shared for %q, want %q", table, have, want)
	}
}

func features(s Spec) int { return s.(interface{ Describe() spec.Description }).Describe().Features }

func elemOf(s Spec) emit.Elem {
	if s.(interface{ Describe() spec.Description }).Describe().T.Size() == 8 {
		return emit.F64
	}
	return emit.F32
}

// panels is how many a number of features is cut into.
func panels(features, lanes, most int) int {
	vectors := (features + lanes - 1) / lanes
	return (vectors + most - 1) / most
}

// place is an entry of a table without its function.
type place struct{ op, form, nv string }

// committedTable reads the functions of a table, by their places, and the most vectors that one has. If like is not nil,
// it reads those for operations that like has, too.
func committedTable(t *testing.T, src, variable string, like map[place]string) (table map[place]string, most int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), variable, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	ops := map[string]bool{}
	for at := range like {
		ops[at.op] = true
	}
	table = map[place]string{}
	read := func(entry *ast.CompositeLit) {
		field := map[string]string{}
		for _, e := range entry.Elts {
			e := e.(*ast.KeyValueExpr)
			field[e.Key.(*ast.Ident).Name] = types.ExprString(e.Value)
		}
		at := place{field["Op"], field["Form"], field["NV"]}
		if like != nil && !ops[at.op] {
			return
		}
		n, _ := strconv.Atoi(at.nv)
		table[at], most = field["F"], max(most, n)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != variable {
			return true
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			if list, ok := e.(*ast.KeyValueExpr).Value.(*ast.CompositeLit); ok {
				for _, entry := range list.Elts {
					read(entry.(*ast.CompositeLit))
				}
			}
		}
		return false
	})
	if len(table) == 0 {
		t.Fatalf("there is no %s", variable)
	}
	return table, most
}

// codes returns the instructions of each function of an assembly file, without its name.
func codes(asm string) map[string]string {
	all := map[string]string{}
	for _, f := range strings.Split(asm, "TEXT ·")[1:] {
		name, _, _ := strings.Cut(f, "(")
		var b strings.Builder
		for line := range strings.Lines(f) {
			if strings.HasPrefix(line, "\t") || b.Len() == 0 || strings.HasSuffix(line, ":\n") { // no comments, no data
				b.WriteString(strings.ReplaceAll(line, name, "f"))
			}
		}
		all[name] = strings.TrimSpace(b.String())
	}
	return all
}

package fn

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest/lang"
	"github.com/tilesmith/tilesmith/internal/level"
)

var update = flag.Bool("update", false, "write docs/language.md in place of comparing with it")

const (
	languageFile = "../../docs/language.md"
	langPath     = "github.com/tilesmith/tilesmith/gen/fn/testdata/fntest/lang"
)

// TestLanguage compares docs/language.md with what the tables give.
func TestLanguage(t *testing.T) {
	p := newPage(t)
	p.write()
	if t.Failed() {
		return
	}
	if *update {
		if err := os.WriteFile(languageFile, p.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(languageFile)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(string(have), "\n"), strings.Split(p.String(), "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("docs/language.md is not what the tables give, from line %d on; write it by: go test ./gen/fn -run TestLanguage -update\nhave %q\nwant %q",
				i+1, a[min(i, len(a)-1)], b[min(i, len(b)-1)])
		}
	}
}

// TestLanguageExamples translates every example, runs it and compares with what Go makes of it.
func TestLanguageExamples(t *testing.T) {
	p := load(t)
	shown := map[string]bool{}
	for _, f := range allForms() {
		if f.example == "" && f.written == ";" { // gofmt takes it out; see below
			continue
		}
		if lang.All[f.example] == nil {
			t.Errorf("%q has no example in package lang", f.written+f.means)
		}
		shown[f.example] = true
	}
	for _, name := range slices.Sorted(maps.Keys(lang.All)) {
		if !shown[name] {
			t.Errorf("%s is the example of nothing", name)
		}
		t.Run(name, func(t *testing.T) {
			f := lookup(t, p, lang.All[name])
			compare(t, f, lang.All[name], false, 0)
		})
	}
}

// TestLanguageMath translates every function of package math that package vmath describes, in
// float32 and in float64, runs it and compares with the function.
func TestLanguageMath(t *testing.T) {
	type call struct {
		*vmath.Func
		t Type
	}
	var calls []call
	var funcs []string
	for full := range mathFuncs {
		if _, f, ok := described(full); ok && f != nil {
			xs := []string{"x", "y", "z"}[:f.Args]
			list, wide := strings.Join(xs, ", "), "float64("+strings.Join(xs, "), float64(")+")"
			calls = append(calls, call{f, Float32}, call{f, Float64})
			funcs = append(funcs, fmt.Sprintf("func f(%s float32) float32 { return float32(%s(%s)) }", list, full, wide),
				fmt.Sprintf("func f(%s float64) float64 { return %s(%s) }", list, full, list))
		}
	}
	for i, x := range translated(t, append(funcs, "func f(x float32) float32 { ;; return x }")) {
		if x.error != nil || i == len(calls) {
			if x.error != nil {
				t.Error(x.error)
			}
			continue
		}
		c := calls[i]
		if w := x.f.Widest(); w != c.t.Elem() {
			t.Errorf("%s of %v runs in lanes of %v", c.Name, c.t, w)
		}
		k, rnd := newKernel(t, x.f, true), rand.New(level.PCG(3, 4))
		for range 10 {
			in := inputs(rnd, x.f)
			out := k.run(t, in)[0]
			for l := range lanes {
				args := make([]float64, c.Args)
				for j := range args {
					args[j] = floatOf(c.t, in[j][l])
				}
				got, want, bound := floatOf(c.t, out[l]), c.Ref(args...), c.F32ULP+1 // Ref is rounded twice
				if c.t == Float64 {
					bound = c.F64ULP + 4 // package math is off itself
					switch c.Name {
					case "math.Pow", "math.Sin", "math.Cos", "math.Tan":
						bound = 2000 // and here farther; package vmath compares with math/big
					}
				}
				switch {
				case c.Name == "math.Acos": // which package math subtracts from Pi/2, so it is off by a part of that
					bound = max(bound, 0x1p-51/unitOf(c.t, want))
				case c.Name == "math.Atan2" && args[0] != 0 && args[0]/args[1] == 0: // a quotient below all numbers loses its sign there
					got, want = math.Abs(got), math.Abs(want)
				}
				if want = floatOf(c.t, floatBits(c.t, want)); math.Abs(args[0]) < 0x1p-1000 && c.t == Float64 && bound > 4 {
					continue // as are its logarithms of denormals
				}
				if !(got == want || got != got && want != want || math.Abs(got-want) <= bound*unitOf(c.t, want)) {
					t.Errorf("%s(%v) of %v = %v, Go says %v", c.Name, args, c.t, got, want)
				}
			}
		}
	}
}

// unitOf is the unit in the last place of x.
func unitOf(u Type, x float64) float64 {
	x = math.Abs(x)
	if u == Float32 {
		return float64(math.Nextafter32(float32(x), float32(math.Inf(1)))) - x
	}
	return math.Nextafter(x, math.Inf(1)) - x
}

// allForms are those of every table.
func allForms() []form {
	var fs []form
	for _, r := range stmtForms {
		fs = append(fs, r.form)
	}
	for _, r := range exprForms {
		fs = append(fs, r.form)
	}
	for _, r := range binaryForms {
		fs = append(fs, r.form)
	}
	for _, r := range unaryForms {
		fs = append(fs, r.form)
	}
	for _, r := range builtinForms {
		fs = append(fs, r.form)
	}
	for _, r := range conversionForms {
		fs = append(fs, r.form)
	}
	for _, name := range slices.Sorted(maps.Keys(mathMeans)) {
		fs = append(fs, mathMeans[name])
	}
	return fs
}

// shortName is a function of mathFuncs as Go code writes it.
func shortName(full string) string { return full[strings.LastIndexByte(full, '/')+1:] }

// described returns what says what a function of mathFuncs does: a row of mathMeans or a
// function of package vmath.
func described(name string) (row form, f *vmath.Func, ok bool) {
	if strings.HasPrefix(name, "bits.") { // one row for all widths
		name = strings.TrimRight(name, "0123456789")
	}
	if row, ok = mathMeans[name]; ok {
		return row, nil, true
	}
	f = vmath.Lookup(name)
	return form{}, f, f != nil
}

// TestLanguageNames wants every function described, and no other.
func TestLanguageNames(t *testing.T) {
	known := map[string]bool{}
	for full := range mathFuncs {
		name := shortName(full)
		known[name] = true
		if _, _, ok := described(name); !ok {
			t.Errorf("nothing says what %s does: add a row to mathMeans", name)
		}
	}
	for name := range storageMethods {
		known["."+name] = true
		if mathMeans["."+name].means == "" {
			t.Errorf("nothing says what the method %s does: add a row to mathMeans", name)
		}
	}
	for name := range mathMeans {
		if !known[name] {
			t.Errorf("mathMeans has %s, which is not translated", name)
		}
	}
	// Every kind of node of go/ast that can stand in a function is accepted or refused with a sentence.
	for _, n := range []ast.Node{&ast.AssignStmt{}, &ast.BlockStmt{}, &ast.BranchStmt{}, &ast.DeclStmt{}, &ast.DeferStmt{}, &ast.EmptyStmt{},
		&ast.ExprStmt{}, &ast.ForStmt{}, &ast.GoStmt{}, &ast.IfStmt{}, &ast.IncDecStmt{}, &ast.LabeledStmt{}, &ast.RangeStmt{}, &ast.ReturnStmt{},
		&ast.SelectStmt{}, &ast.SendStmt{}, &ast.SwitchStmt{}, &ast.TypeSwitchStmt{},
		&ast.BinaryExpr{}, &ast.CallExpr{}, &ast.CompositeLit{}, &ast.FuncLit{}, &ast.Ident{}, &ast.IndexExpr{}, &ast.ParenExpr{},
		&ast.SelectorExpr{}, &ast.SliceExpr{}, &ast.StarExpr{}, &ast.TypeAssertExpr{}, &ast.UnaryExpr{}} {
		node := reflect.TypeOf(n)
		rows := 0
		for _, r := range stmtForms {
			if r.node == node {
				rows++
			}
		}
		for _, r := range exprForms {
			if r.node == node {
				rows++
			}
		}
		for _, r := range refusedStmts {
			if reflect.TypeOf(r.node) == node {
				rows++
			}
		}
		for _, r := range refusedExprs {
			if reflect.TypeOf(r.node) == node {
				rows++
			}
		}
		if rows != 1 {
			t.Errorf("%v has %d rows, want 1", node, rows)
		}
	}
}

// sources are the declarations of package lang as they are written.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/fntest/lang/*.go")
	if err != nil || files == nil {
		t.Fatal(files, err)
	}
	out := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				out[d.Name.Name] = string(text[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset])
			}
		}
	}
	return out
}

// page is docs/language.md in the making.
type page struct {
	bytes.Buffer
	t       *testing.T
	sources map[string]string
}

func newPage(t *testing.T) *page { return &page{t: t, sources: sources(t)} }

func (p *page) say(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// code is text as code in a cell of a table.
func code(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }

// cell is prose in a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// table writes a table with a header.
func (p *page) table(head []string, rows [][]string) {
	p.say("| %s |\n|%s", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, r := range rows {
		p.say("| %s |", strings.Join(r, " | "))
	}
	p.say("")
}

// forms writes a table of forms, and their examples.
func (p *page) forms(fs []form) {
	var rows [][]string
	for _, f := range fs {
		written := f.written
		if !strings.Contains(written, " to ") && !strings.HasPrefix(written, "between") {
			written = code(written)
		}
		rows = append(rows, []string{written, cell(f.means)})
	}
	p.table([]string{"written", "meaning"}, rows)
	p.examples(fs)
}

// examples writes the examples of forms, each once.
func (p *page) examples(fs []form) {
	p.say("```go")
	var seen []string
	for _, f := range fs {
		name, _, _ := strings.Cut(f.example, "[")
		if name == "" || slices.Contains(seen, name) {
			continue
		}
		if seen != nil {
			p.say("")
		}
		seen = append(seen, name)
		if p.sources[name] == "" {
			p.t.Errorf("package lang has no function %q", name)
		}
		p.say("%s", p.sources[name])
	}
	p.say("```\n")
}

package tilesmith

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// A longLine is a line of .ci/long: when stage long runs tests of a package.
type longLine struct {
	when, dir string
	tests     []string
}

// TestLongList: what stage long runs is there, each line is for turns that exist, and every test that does more
// with TILESMITH_LONG is in a line.
func TestLongList(t *testing.T) {
	if _, err := os.Stat("gen/examples"); err != nil {
		t.Skip("this copy has only the main module, as the module cache has it")
	}
	var lines []longLine
	listed := map[string][]string{} // package and test: when
	for line := range strings.Lines(readFile(t, ".ci/long")) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if len(fields) != 3 || !isWhen(fields[0]) {
			t.Errorf(".ci/long: %q, want when, a package and tests", line)
			continue
		}
		lines = append(lines, longLine{fields[0], fields[1], strings.Split(fields[2], "|")})
	}
	if len(lines) < 5 {
		t.Errorf(".ci/long has %d lines", len(lines))
	}
	for _, l := range lines {
		declared := map[string]bool{}
		files, err := filepath.Glob(filepath.Join(l.dir, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Errorf(".ci/long: there are no tests in %s", l.dir)
		}
		for _, file := range files {
			for _, m := range testFunc.FindAllStringSubmatch(readFile(t, file), -1) {
				declared[m[1]] = true
			}
		}
		for _, name := range l.tests {
			if listed[l.dir+" "+name] = append(listed[l.dir+" "+name], l.when); !declared[name] {
				t.Errorf(".ci/long: package %s has no %s", l.dir, name)
			}
		}
	}
	more, shares, err := longTests(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range more {
		if len(listed[test]) == 0 {
			t.Errorf("no line of .ci/long has %s, which does more with TILESMITH_LONG=1", test)
		}
	}
	for _, test := range shares { // in a line for 3/10 it would never try the shares of other turns
		if when := listed[test]; len(when) > 0 && !slices.Contains(when, "share") {
			t.Errorf(".ci/long has %s for %v; it picks its cases by the turn, so want share", test, when)
		}
	}
}

var testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// isWhen reports whether stage long knows the word that says when: every, share, hand, elsewhere, or a turn as 3/10.
func isWhen(when string) bool {
	turn, of, ok := strings.Cut(when, "/")
	if !ok {
		return slices.Contains([]string{"every", "share", "hand", "elsewhere"}, when)
	}
	n, err := strconv.Atoi(turn)
	m, err2 := strconv.Atoi(of)
	return err == nil && err2 == nil && 0 <= n && n < m && 10%m == 0
}

// longTests returns "package test" for each test of a tree that does more in a long run: it, or a function of
// its package that it names, asks for the level. Those of shares pick cases by the turn.
func longTests(tree fs.FS) (more, shares []string, err error) {
	packages := map[string]map[string][]*ast.FuncDecl{}
	err = fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); file != "." && (base == "testdata" || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, "_test.go") || path.Dir(file) == "internal/level" {
			return nil
		}
		src, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(file)
		if packages[dir] == nil {
			packages[dir] = map[string][]*ast.FuncDecl{}
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			switch {
			case !ok || fn.Body == nil:
			case fn.Recv == nil:
				packages[dir][fn.Name.Name] = append(packages[dir][fn.Name.Name], fn)
			default: // of any type: x.name may be any of them
				packages[dir]["."+fn.Name.Name] = append(packages[dir]["."+fn.Name.Name], fn)
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		more = append(more, reaching(dir, packages[dir], asksMore)...)
		shares = append(shares, reaching(dir, packages[dir], picks)...)
	}
	return more, shares, nil
}

// reaching returns "package test" for each test that makes an expression which asks, itself or in a function that it names.
func reaching(dir string, functions map[string][]*ast.FuncDecl, asks func(ast.Expr) bool) (tests []string) {
	found := map[string]bool{} // by name; methods begin with a dot
	for grew := true; grew; {
		grew = false
		for name, list := range functions {
			if !found[name] && slices.ContainsFunc(list, func(fn *ast.FuncDecl) bool { return reaches(fn, found, asks) }) {
				found[name], grew = true, true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if strings.HasPrefix(name, "Test") {
			tests = append(tests, dir+" "+name)
		}
	}
	return tests
}

// reaches reports whether a function has an expression that asks, or names a function that was found.
func reaches(fn *ast.FuncDecl, found map[string]bool, asks func(ast.Expr) bool) (yes bool) {
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && asks(e) {
			yes = true
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			yes = yes || found["."+n.Sel.Name]
			ast.Inspect(n.X, visit) // and not n.Sel, which may be called as a function is
			return false
		case *ast.Ident:
			yes = yes || found[n.Name]
		}
		return !yes
	}
	ast.Inspect(fn.Body, visit)
	return yes
}

// picks reports whether an expression is level.Pick or level.Turn.
func picks(e ast.Expr) bool { return isLevel(e, "Pick", "Turn") }

// asksMore reports whether an expression asks whether the run is long, or takes a share of cases.
func asksMore(e ast.Expr) bool {
	if picks(e) || isLevel(e, "Long") {
		return true
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	fun := call.Fun
	if index, ok := fun.(*ast.IndexExpr); ok { // level.Of[int]
		fun = index.X
	}
	return isLevel(fun, "Of") && len(call.Args) == 3 && text(call.Args[1]) != text(call.Args[2]) ||
		len(call.Args) == 1 && text(fun) == "os.Getenv" && text(call.Args[0]) == `"TILESMITH_LONG"`
}

// isLevel reports whether an expression is a function of package level.
func isLevel(e ast.Expr, names ...string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "level" && slices.Contains(names, s.Sel.Name)
}

// text returns the source of an expression.
func text(e ast.Expr) string {
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		return err.Error()
	}
	return b.String()
}

// TestLongFound gives the search for long tests some that ask for the level, themselves or not, and some that do not.
func TestLongFound(t *testing.T) {
	got, shares, err := longTests(fstest.MapFS{
		"a/a_test.go": {Data: []byte(`package a
func TestLong(t *testing.T) { if level.Long() { t.Log() } }
func TestPick(t *testing.T) { for range level.Pick(9, 1, 2) { } }
func TestOf(t *testing.T) { level.Of(1, 2, 3) }
func TestShort(t *testing.T) { level.Of(true, false, false); other.deep() }
func TestEnv(t *testing.T) { _ = os.Getenv("TILESMITH_LONG") != "" }
func TestOtherEnv(t *testing.T) { _ = os.Getenv("TILESMITH_TURN") }
func TestHelped(t *testing.T) { t.Run("x", helper) }
func TestMethod(t *testing.T) { s.each(t) }
func (s suite) each(t *testing.T) { helper(t) }
func BenchmarkLong(b *testing.B) { deep() }
`)},
		"a/b_test.go":          {Data: []byte("package a_test\nfunc helper(t *testing.T) { deep() }\nfunc deep() { level.Long() }\n")},
		"b/b_test.go":          {Data: []byte("package b\nfunc TestHelped(t *testing.T) { helper(t) }\n")},
		"a/testdata/a_test.go": {Data: []byte("package a\nfunc TestData(t *testing.T) { level.Long() }\n")},
	})
	want := []string{"a TestEnv", "a TestHelped", "a TestLong", "a TestMethod", "a TestOf", "a TestPick"}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v, (-want +got)\n%s", err, d)
	}
	if d := cmp.Diff([]string{"a TestPick"}, shares); d != "" {
		t.Errorf("those with shares (-want +got)\n%s", d)
	}
	for when, want := range map[string]bool{"every": true, "share": true, "hand": true, "0/2": true, "9/10": true, "2/2": false, "1/3": false, "x": false, "1/x": false} {
		if isWhen(when) != want {
			t.Errorf("isWhen(%q) = %t", when, !want)
		}
	}
}

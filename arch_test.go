package tilesmith

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

const module = "github.com/tilesmith/tilesmith"

// house is the order of docs/design.md, from the ground up: a package imports from
// its own floor and from those below.
var house = []string{"internal", "layout", "tiling", "emit", "gemm", "sparse", "cpu", "cuda", "verify", "gen"}

// graph is what packages import, tests left out. Paths of this module are without
// its name: "cpu/run".
type graph map[string][]string

// isStd reports whether path is of the standard library.
func isStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// under reports whether path is one of dirs or lies in one.
func under(path string, dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return path == d || strings.HasPrefix(path, d+"/") })
}

// A reachRule says that packages under From do not depend on what is under Not,
// directly or through others.
type reachRule struct {
	why       string
	from, not []string // an empty from is every package of the module
	except    []string // these may
	but       []string // of not, these are no harm
	direct    bool     // only the import statement itself counts
}

var reachRules = []reachRule{
	{why: "what a program links with a generated kernel has no generator in it",
		from: []string{"cpu", "verify/check", "verify/roof"}, not: []string{"emit", "gemm", "sparse/lower", "gen"}, but: []string{"gemm/rand"}},
	{why: "a sparse matrix is data: what multiplies it needs no IR",
		from: []string{"sparse"}, not: []string{"emit", "gemm"}, except: []string{"sparse/lower"}},
	{why: "dense and sparse products do not know each other, and what they share knows neither",
		from: []string{"cpu/run"}, not: []string{"cpu/run/dense"}, except: []string{"cpu/run/dense"}},
	{why: "sparse products know the call and not each other",
		from: []string{"cpu/run/spblas"}, not: []string{"cpu/run/spblas"}, but: []string{"cpu/run/spblas/internal/call"}},
	{why: "a dense product has no sparse matrices in it",
		from: []string{"cpu/run"}, not: []string{"cpu/run/spblas", "sparse"}, except: []string{"cpu/run/spblas"}},
	{why: "linking purego makes a binary dynamic",
		not: []string{"github.com/ebitengine/purego"}, except: []string{"cuda/driver", "verify/peer", "cpu/comm/mpi", "sparse/part/metis", "gen/tilesmith"}},
	{why: "x/tools is for translating Go functions",
		not: []string{"golang.org/x/tools"}, except: []string{"gen/fn"}, direct: true},
	{why: "flags, subcommands and progress are the command's",
		not: []string{"github.com/spf13", "github.com/vbauerster/mpb"}, except: []string{"gen/tilesmith"}},
	{why: "level sets how often a test process collects garbage, which is nobody's business in a program",
		from: []string{"gen/tilesmith", "verify/check", "verify/sweep"}, not: []string{"internal/level"}},
	{why: "no cgo", not: []string{"C"}, direct: true},
}

// checkImports is all that verify/check, which every generated test imports, may.
var checkImports = []string{"internal/testenv", "layout", "tiling", "sparse", "verify/check/guard", "gonum.org/v1/gonum", "golang.org/x/sys"}

// violations returns one line for everything in g that breaks a rule, with the
// chain of imports that does it. own lists the packages of this module; commands
// are those that are programs.
func violations(g graph, own []string, commands map[string]bool) []string {
	var bad []string
	isOwn := map[string]bool{}
	for _, p := range own {
		isOwn[p] = true
	}
	floor := func(p string) int {
		top, _, _ := strings.Cut(p, "/")
		return slices.Index(house, top)
	}
	for _, p := range own {
		if p == "." {
			continue // arch_test.go's own package, which is documentation
		}
		at := floor(p)
		if at < 0 && !commands[p] {
			bad = append(bad, p+" is not in the house: "+strings.Join(house, ", "))
		}
		for _, q := range g[p] {
			if isOwn[q] && at >= 0 && floor(q) > at {
				bad = append(bad, "imports go down only: "+p+" -> "+q)
			}
		}
		if p == "verify/check" {
			for _, q := range g[p] {
				if (isOwn[q] || !isStd(q)) && !under(q, checkImports...) {
					bad = append(bad, "every generated test imports verify/check: "+p+" -> "+q)
				}
			}
		}
		for _, r := range reachRules {
			if len(r.from) > 0 && !under(p, r.from...) || under(p, r.except...) || at < 0 {
				continue
			}
			if c := g.chain(p, r.not, r.but, r.direct); c != nil {
				bad = append(bad, r.why+": "+strings.Join(c, " -> "))
			}
		}
	}
	return bad
}

// chain returns the shortest chain of imports from p to anything under not, but for some packages, or nil.
func (g graph) chain(p string, not, but []string, direct bool) []string {
	from := map[string]string{p: ""}
	queue := []string{p}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at != p && under(at, not...) && !slices.Contains(but, at) {
			var c []string
			for ; at != ""; at = from[at] {
				c = append(c, at)
			}
			slices.Reverse(c)
			return c
		}
		if direct && at != p {
			continue
		}
		for _, q := range g[at] {
			if _, seen := from[q]; !seen {
				from[q] = at
				queue = append(queue, q)
			}
		}
	}
	return nil
}

// TestHouse holds the import order for every platform that has files of its own.
func TestHouse(t *testing.T) {
	platforms := []struct{ os, arch, tags string }{
		{"linux", "amd64", ""}, {"linux", "amd64", "nodl,noasm"}, {"linux", "arm64", ""},
		{"darwin", "arm64", ""}, {"windows", "amd64", ""}, {"js", "wasm", ""},
	}
	for _, c := range platforms[:level.Of(1, len(platforms), len(platforms))] {
		t.Run("os="+c.os+"/arch="+c.arch+"/tags="+c.tags, func(t *testing.T) {
			g, own, commands := load(t, c.os, c.arch, c.tags)
			for _, v := range violations(g, own, commands) {
				t.Error(v)
			}
		})
	}
}

func load(t *testing.T, goos, goarch, tags string) (g graph, own []string, commands map[string]bool) {
	out, err := goCommand("GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0").run("list", "-deps", "-tags", tags,
		"-json=ImportPath,Name,Imports,Module", "./...")
	if err != nil {
		t.Fatal(err)
	}
	short := func(path string) string {
		if path == module {
			return "."
		}
		return strings.TrimPrefix(path, module+"/")
	}
	g, commands = graph{}, map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Name string
			Imports          []string
			Module           *struct{ Path string }
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		path := short(p.ImportPath)
		for _, i := range p.Imports {
			g[path] = append(g[path], short(i))
		}
		if p.Module != nil && p.Module.Path == module {
			own = append(own, path)
			commands[path] = p.Name == "main"
		}
	}
	if len(own) < 10 {
		t.Fatalf("go list shows %d packages of this module: %v", len(own), own)
	}
	return g, own, commands
}

// TestNoCgo reads every file, whatever the platform it is for, tests and ignored
// ones too.
func TestNoCgo(t *testing.T) {
	n := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || under(filepath.ToSlash(path), "testdata"):
			return nil
		}
		n++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return nil // the compiler says so better
		}
		for _, i := range f.Imports {
			if i.Path.Value == `"C"` {
				t.Errorf("%s imports \"C\"", path)
			}
		}
		return nil
	})
	if err != nil || n < 50 {
		t.Errorf("read %d files: %v", n, err)
	}
}

// TestRules gives the rules what they must refuse, and the chain they must show.
func TestRules(t *testing.T) {
	const (
		purego = "github.com/ebitengine/purego"
		tools  = "golang.org/x/tools/go/ssa"
	)
	for _, c := range []struct {
		what string
		g    graph
		want string // a part of the only violation; "" for none
	}{
		{"down", graph{"gen": {"gemm", "emit"}, "gemm": {"emit", "tiling"}, "emit": {"layout"}}, ""},
		{"own floor", graph{"cpu": {"cpu/run"}, "cpu/run": {"tiling"}, "emit/amd64": {"emit"}}, ""},
		{"up", graph{"emit": {"gemm"}, "gemm": nil}, "imports go down only: emit -> gemm"},
		{"own floor by a folder of another", graph{"sparse/lower": {"emit/unit"}, "emit/unit": {"emit"}, "gen": {"emit/unit", "sparse/lower"}, "emit": nil}, ""},
		{"up from a folder", graph{"emit/unit": {"gemm"}, "gemm": nil}, "emit/unit -> gemm"},
		{"up from a sub-package", graph{"layout/dtype": {"tiling"}, "tiling": nil}, "layout/dtype -> tiling"},
		{"unknown package", graph{"util": {"fmt"}}, "util is not in the house"},
		{"a command beside the house", graph{"main/x": {"gen"}, "gen": nil}, ""},
		{"generator in the run time", graph{"cpu/run": {"tiling"}, "tiling": {"fmt"}, "cpu/kern/x": {"cpu/run", "emit/amd64"}, "emit/amd64": nil},
			"no generator in it: cpu/kern/x -> emit/amd64"},
		{"generator behind another package", graph{"verify/roof": {"cuda"}, "cuda": {"gemm"}, "gemm": nil},
			"no generator in it: verify/roof -> cuda -> gemm"},
		{"matrices in the run time", graph{"cpu/run/spblas/rows": {"sparse", "cpu/run", "cpu/run/spblas/internal/call"}, "cpu/run/spblas/internal/call": nil, "cpu/run": nil, "sparse": {"layout"}, "verify/check": {"sparse"}}, ""},
		{"lowering in the run time", graph{"cpu/run/spblas/rows": {"sparse/lower"}, "sparse/lower": {"sparse"}, "sparse": nil},
			"no generator in it: cpu/run/spblas/rows -> sparse/lower"},
		{"matrices in dense products", graph{"cpu/run/dense": {"layout", "cpu/run"}, "cpu/run": {"cpu/run/internal/x"}, "cpu/run/internal/x": nil, "cpu/run/dense/x": {"sparse"}, "sparse": nil},
			"no sparse matrices in it: cpu/run/dense/x -> sparse"},
		{"dense products in sparse ones", graph{"cpu/run/spblas/rows": {"cpu/run/dense"}, "cpu/run/dense": nil}, "do not know each other, and what they share knows neither: cpu/run/spblas/rows -> cpu/run/dense"},
		{"sparse products in each other", graph{"cpu/run/spblas/graph": {"cpu/run/spblas/rows"}, "cpu/run/spblas/rows": nil}, "not each other: cpu/run/spblas/graph -> cpu/run/spblas/rows"},
		{"IR in a matrix", graph{"sparse/x": {"emit"}, "emit": nil, "sparse/lower": {"emit"}},
			"needs no IR: sparse/x -> emit"},
		{"purego where it may be", graph{"verify/peer": {purego}, "cuda/driver": {purego}, "gen/tilesmith": {"verify/peer"}}, ""},
		{"MPI where a program asks for it", graph{"cpu/comm/mpi": {purego, "cpu/comm"}, "cpu/comm": nil, "cpu/dist": {"cpu/comm"}, "sparse/part/metis": {purego, "sparse/part"}, "sparse/part": nil}, ""},
		{"MPI in every distributed product", graph{"cpu/dist": {"cpu/comm/mpi"}, "cpu/comm/mpi": {purego}},
			"makes a binary dynamic: cpu/dist -> cpu/comm/mpi -> " + purego},
		{"purego behind another package", graph{"verify": {"verify/peer"}, "verify/peer": {purego}},
			"makes a binary dynamic: verify -> verify/peer -> " + purego},
		{"purego behind a foreign package", graph{"cuda": {"example.com/x"}, "example.com/x": {purego + "/internal"}},
			"cuda -> example.com/x -> " + purego + "/internal"},
		{"x/tools where it may be", graph{"gen/fn": {tools}, "gen": {"gen/fn"}}, ""},
		{"x/tools elsewhere", graph{"gen": {tools}}, "gen -> " + tools},
		{"flags in the command", graph{"gen/tilesmith": {"github.com/spf13/cobra"}}, ""},
		{"flags elsewhere", graph{"verify/sweep": {"github.com/spf13/pflag"}}, "are the command's: verify/sweep -> github.com/spf13/pflag"},
		{"cgo", graph{"cuda/driver": {"C"}}, "no cgo: cuda/driver -> C"},
		{"check's imports", graph{"verify/check": {"fmt", "layout", "layout/dtype", "gonum.org/v1/gonum/blas", "golang.org/x/sys/unix"}}, ""},
		{"check imports the run time", graph{"verify/check": {"cpu/run"}, "cpu/run": nil}, "verify/check -> cpu/run"},
		{"check imports a stranger", graph{"verify/check": {"github.com/google/go-cmp/cmp"}}, "verify/check -> github.com/google"},
		{"a name that only begins like one of ours", graph{"cpu": {"emitter"}, "emitter": nil}, "emitter is not in the house"},
	} {
		var own []string
		for p := range c.g {
			if p != "example.com/x" {
				own = append(own, p)
			}
		}
		got := violations(c.g, own, map[string]bool{"main/x": true})
		switch {
		case c.want == "" && len(got) > 0:
			t.Errorf("%s: refused: %v", c.what, got)
		case c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)):
			t.Errorf("%s: %q, want one violation with %q", c.what, got, c.want)
		}
	}
}

// TestDocs: what docs/ quotes as Go stands somewhere in the code, line for line, what
// it quotes as assembly in the kernels, and links and paths lead to files.
// What is not called a sketch is compiled and run, by e2e/snippets and by TestTutorial. howto-peer.md sketches code that does not exist yet.
func TestDocs(t *testing.T) {
	lines := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".go", ".s"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			lines[strings.TrimSpace(line)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 4 {
		t.Fatalf("pages: %v, %v", pages, err)
	}
	reasons, err := filepath.Glob("docs/rationale/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, reasons...)
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		quotes := strings.HasPrefix(page, "docs") && filepath.Base(page) != "howto-peer.md"
		sketch := "```go sketch"
		if filepath.Base(page) == "language.md" {
			sketch = "```go" // TestLanguage writes it
		}
		fence, n := "", 0
		for line := range strings.Lines(string(text)) {
			n++
			if mark, ok := strings.CutPrefix(strings.TrimSpace(line), "```"); ok {
				if fence == "" {
					fence = "```" + mark
				} else {
					fence = ""
				}
				continue
			}
			line = strings.TrimSpace(line)
			code := fence == sketch && !strings.HasPrefix(line, "//") || fence == "```asm"
			if quotes && code && line != "" && !lines[line] {
				t.Errorf("%s:%d: %q is not in the code", page, n, line)
			}
			for _, m := range source.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat(m[1]); err != nil && fence == "" {
					t.Errorf("%s:%d: there is no %s", page, n, m[1])
				}
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil && fence == "" {
					t.Errorf("%s:%d: link to %s, which is not there", page, n, m[1])
				}
			}
		}
	}
}

// source matches the path of a file of ours in prose, from the root of the module.
var source = regexp.MustCompile("`((?:" + strings.Join(house, "|") + ")/[a-z0-9_./]*\\.(?:go|s|ptx|txt|md))`")

// link matches the target of a link to a file.
var link = regexp.MustCompile(`\]\(([A-Za-z][A-Za-z0-9_./-]*)\)`)

// goCommand is the go command with additions to the environment.
type goEnv []string

func goCommand(env ...string) goEnv { return env }

func (env goEnv) run(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New("go " + strings.Join(args, " ") + ": " + err.Error() + "\n" + stderr.String())
	}
	return out, nil
}

package gencmd

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
)

// genLines are command lines after tilesmith gen.
var genLines = []string{
	"", "gemm", "--name X", "gemm --name", "conv --name X", "gemm --name X y", "gemm --help", "gemm --name=Dense --targets avx2",
	"gemm --name DenseX --types f64,f64,f64,f64 --targets avx512,avx2 --out d/e",
	"gemm --name DenseX --types float32,f32,f32,f32 --check", "gemm --name mine --out .",
	"gemm --name X --types bf16,bf16,f32,bf16 --targets sm_80", "gemm --name X --types f32,f32", "gemm --name X --types i8,i8,i32,u8",
	"gemm --name X --epilogue act.GELU", "gemm --name X --epilogue example.com/x/layers.Swish --operands bias=percolumn:f32,s=perrow,r=full:i8,a=scalar --also pre:f32",
	"gemm --name X --epilogue -mod=mod.F", "gemm --name X --epilogue a\"b/c.F", "gemm --name X --epilogue ./../x.F", "gemm --name X --epilogue act.gelu",
	"gemm --name X --epilogue act.GELU --operands b*/=full", "gemm --name X --epilogue act.GELU --operands =full:f32,a=full:", "gemm --name X --also p:f32",
	"gemm --name ../x --out d", "gemm --name X_windows", "gemm --name Xtest", "gemm --name init", "gemm --name Ünder", "gemm --name X\"+os.Exit(1)+\"",
	"gemm --name X;DO --out d", "gemm --name X --out d/../../e", "gemm --name X --package a-b", "gemm --name X --package other", "gemm --name X --targets mmx,,avx2",
	"gemm --name X --epilogue a.F --operands eps=perrow:f32:0.001..1,x=full::..,i=scalar:i8:-1..", "gemm --name X --epilogue a.F --operands e=scalar:f32:1..0", "gemm --name X --epilogue a.F --operands e=scalar:f32:a\"..b",
	"gemm --name X --epilogue act.GELU --backward", "gemm --name X --backward", "gemm --name X --shape 8,8,8", "gemm --name X --shape 0,128,64 --epilogue act.GELU", "gemm --name X --shape 8,8", "gemm --name X --shape -1,0,0",
	"gemm --name X --shape 1000000000,1000000000,1000000000", "gemm --name X*/ --package pkg", "gemm --name X;~DO~NOT --out d", "gemm --name X --epilogue act.GELU --operands b~c=full", "gemm --name X --out d~e --package p", "gemm --name X --targets avx2,avx2",
	"spmm --name Aggregate --features 64 --format ell8 --reduce mean --targets avx2", "spmm --name A --format sell8_32 --reduce max --pattern",
	"spmm --name A --format ell1000000000", "spmm --name A --b bf16", "spmm --name A --b f16 --format coo", "spmm --name A --b i8", "spmm --name A --b bf16 --type f64 --epilogue act.ReLU", "spmm --name A --format bsr4", "spmm --name A --format sell8_", "spmm --name A --features -1", "spmm --name A --features 9999999999999", "spmm --name A --features 99999999999999999999",
	"spmv --name A --format dia --type f64", "spmv --name A --reduce min --epilogue act.ReLU", "sddmm --name S --features 3 --pattern --targets avx512",
	"segment --name P --reduce max --features 16", "segment --name P --reduce mean --epilogue act.ReLU --type f64", "segment --name P --format ell8", "segment --name P --pattern",
	"softmax --name E --epilogue act.ReLU", "softmax --name E --features 3", "softmax --name E", "softmax --name E --epilogue a.F --operands from=perrow,to=percolumn --also pre",
	"attention --name A --heads 4 --width 64 --scale 0.125 --causal", "attention --name A --epilogue act.ReLU --unseen-nan --type f64", "attention --name A --heads -1", "attention --name A --scale NaN",
	"attention --name A --width 99999999999 --scale 1e400", "attention --name A --epilogue a.F --operands at=perrow,of=percolumn,s=scalar --scale -2e-9", "attention --name A --features 3",
	"rgms --name R --epilogue act.ReLU --targets avx2", "rgms --name R --features 3", "sddmm --name S --type i8", "spmm --name A --reduce plus --format ragged --epilogue math.Abs --targets sm_80,avx2",
}

// FuzzGen reads command lines of gen; blanks separate words, and ~ is a blank in
// one. Whatever they say, nothing panics; what is refused gives one sentence and
// exit code 1 or 2; what is asked becomes text in which nothing but the fields of a
// spec depends on it; files are written to --out alone, and none is replaced that
// is not ours.
func FuzzGen(f *testing.F) {
	for _, line := range genLines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		if len(line) > 1000 || slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-h") || strings.HasPrefix(a, "--h") }) {
			return
		}
		r, out, err := newRequest(args)
		if err != nil {
			checkError(t, line, err)
			if cli.ExitCode(err) != 2 && !errors.Is(err, pflag.ErrHelp) {
				t.Errorf("%q: exit code %d for a wrong command line: %v", line, cli.ExitCode(err), err)
			}
			return
		}
		if strings.ContainsFunc(r.commandLine(), unicode.IsControl) {
			t.Errorf("%q becomes the line %q", line, r.commandLine())
		}
		if r.plain() == nil {
			checkProgram(t, line, r)
			return
		}
		if filepath.IsAbs(out) || strings.Count(out, "..") > 3 {
			return // not here
		}
		checkFiles(t, append(args, "--targets", "avx2"), out, r.check)
	})
}

// checkError checks that an error is one sentence.
func checkError(t *testing.T, line string, err error) {
	t.Helper()
	if s := err.Error(); s == "" || strings.ContainsFunc(s, unicode.IsControl) || strings.Contains(s, "%!") && !strings.Contains(line, "%") {
		t.Errorf("%q: the error %q", line, s)
	}
}

// specNames are the names that a spec program may use: all but those in the two
// imports and in strings.
var specNames = regexp.MustCompile(`^(main|spec|back|Backward|Check|t|err|epilogue|from|_|fmt|Fprintln|os|Stderr|Exit|emit|Targets?|gemm|gen|Main|Known|slices|DeleteFunc|Contains|` +
	`nil|true|string|bool|func|dtype|format|TargetList|Arch|Describe|gpu|simd|Options|Lower|error|Name|Epilogue|Shape|M|N|K|Spec|Fuse|Output|Also|In|Within|math|Inf|To(F16|BF16|F8E4M3|F8E5M2)|PerRow|PerColumn|Full|Scalar|` +
	`SpMM|SpMMOf|SpMV|SDDMM|RGMS|SegmentReduce|EdgeSoftmax|BlockAttention|Heads|Width|Scale|Causal|UnseenNaN|true|false|Format|Reduce|Features|Pattern|Plus|Mean|Max|Min|float32|float64|u?int(8|16|32|64)|F16|BF16|F8E4M3|F8E5M2|` +
	`CSR|CSC|COO|DCSR|DIA|Ragged|Dense|ELL|DELL|BSR|DBSR|SELL|SRBCRST?)$`)

// checkProgram checks the spec program of a request.
func checkProgram(t *testing.T, line string, r *request) {
	t.Helper()
	fn := goFunction{}
	if r.epilogue != "" {
		var err error
		if fn, err = r.function(); err != nil {
			checkError(t, line, err)
			return
		}
		if strings.HasPrefix(fn.path, "-") || strings.Contains("/"+fn.path+"/", "/../") {
			t.Errorf("%q: the go command is given the path %q", line, fn.path)
		}
	}
	text, err := r.program(fn)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments)
	if err != nil {
		t.Fatalf("%q: %v\n%s", line, err, text)
	}
	want := 2 // imports, main
	if fn.path != "" {
		want++
	}
	if len(file.Decls) != want || len(file.Comments) != 1 {
		t.Fatalf("%q: %d declarations, %d comments\n%s", line, len(file.Decls), len(file.Comments), text)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !specNames.MatchString(id.Name) && id.Name != fn.name {
			t.Fatalf("%q: the program says %s\n%s", line, id.Name, text)
		}
		return true
	})
}

var fileName = regexp.MustCompile(`^[a-z][a-z0-9_]*\.(go|s)$`)

// checkFiles runs a command in a folder that has files of others.
func checkFiles(t *testing.T, args []string, out string, check bool) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b", "c", "pkg")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"mine.go": "package pkg\n", "dense_x_gen_amd64.s": "// Mine.\n", "../../notes.txt": "Notes.\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	before := tree(t, root)
	err := dispatch(append([]string{"gen"}, args...), io.Discard)
	after := tree(t, root)
	if err != nil && !check {
		checkError(t, strings.Join(args, " "), err)
	}
	if code := cli.ExitCode(err); code < 0 || code > 2 {
		t.Errorf("%q: exit code %d", args, code)
	}
	to, _ := filepath.Rel(root, filepath.Join(dir, out))
	for name, data := range after {
		if _, had := before[name]; had {
			continue
		}
		switch {
		case err != nil || check:
			t.Errorf("%q wrote %s and said %v", args, name, err)
		case filepath.Dir(name) != to || !fileName.MatchString(filepath.Base(name)):
			t.Errorf("%q wrote %s", args, name)
		case !strings.HasPrefix(data, "// Code generated by tilesmith from tilesmith gen "):
			t.Errorf("%q wrote %s, which begins %q", args, name, data[:min(len(data), 100)])
		case filepath.Ext(name) == ".go":
			if _, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution); err != nil {
				t.Errorf("%q: %v", args, err)
			}
		}
		delete(after, name)
	}
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("%q: files of others (-before +after)\n%s", args, d)
	}
}

// tree returns the text of all files in a folder and those below.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func dispatch(args []string, out io.Writer) error { return clitest.Dispatch(args, out, Command()) }

// newRequest reads a command line of gen: what to generate, and into which folder.
func newRequest(args []string) (r *request, out string, err error) {
	err = cli.Execute(context.Background(), append([]string{"gen"}, args...), io.Discard, io.Discard, command(func(q *request, _ *cli.Console, dir string) error {
		r, out = q, dir
		return nil
	}))
	if err == nil && r == nil {
		err = pflag.ErrHelp // printed, as for gen -0h: nothing was asked
	}
	return r, out, err
}

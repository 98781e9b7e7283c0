package tilesmith

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	diff "github.com/google/go-cmp/cmp"
)

var updateNames = flag.Bool("update-names", false, "add new tests to testdata/tests.txt")

// The ledger of tests. Packages merge and tests move, so a name has no path: it has the
// number of packages that declare it.
const (
	ledgerFile  = "testdata/tests.txt"         // lines such as "TestMutants 7"; none is ever taken out
	removedFile = "testdata/tests-removed.txt" // lines such as "TestOld 1 TestNew has its cases"
)

// TestNames fails if a test of any module of this repository is gone without a reason,
// and if one is not in the ledger.
func TestNames(t *testing.T) {
	if _, err := os.Stat("gen/examples"); err != nil {
		t.Skip("this copy has only the main module, as the module cache has it")
	}
	have, err := testNames(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := readLedger(ledgerFile, false)
	if err != nil {
		t.Fatal(err)
	}
	removed, err := readLedger(removedFile, true)
	if err != nil {
		t.Fatal(err)
	}
	gone, added := compareNames(ledger, removed, have)
	for _, line := range gone {
		t.Errorf("%s; if that is meant, give the name, the count and the reason in %s", line, removedFile)
	}
	if !*updateNames {
		for _, line := range added {
			t.Errorf("%s; run: go test -run '^TestNames$' . -update-names", line)
		}
		return
	}
	if err := os.WriteFile(ledgerFile, formatLedger(grown(ledger, removed, have)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// testNames returns how often each top-level Test, Fuzz and Example is declared in the
// Go files of a tree. It counts those for other systems, and those of testdata, which
// other tests copy into modules of their own.
func testNames(tree fs.FS) (map[string]int, error) {
	have := make(map[string]int)
	err := fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := path.Base(file); d.IsDir() {
			if file != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, "_test.go") {
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
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && isTestName(fn.Name.Name) {
				have[fn.Name.Name]++
			}
		}
		return nil
	})
	return have, err
}

// isTestName reports whether go test runs a function of this name.
func isTestName(name string) bool {
	for _, kind := range []string{"Test", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, kind); ok {
			first, _ := utf8.DecodeRuneInString(rest)
			return name != "TestMain" && !unicode.IsLower(first)
		}
	}
	return false
}

// compareNames returns a line for each name with fewer declarations than the ledger less
// what was removed, and for each with more.
func compareNames(ledger, removed, have map[string]int) (gone, added []string) {
	all := make(map[string]bool)
	for _, names := range []map[string]int{ledger, removed, have} {
		for name := range names {
			all[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch want, got := ledger[name]-removed[name], have[name]; {
		case want < 0:
			gone = append(gone, fmt.Sprintf("%s: removed %d times, and it was there %d times", name, removed[name], ledger[name]))
		case got < want:
			gone = append(gone, fmt.Sprintf("%s: declared %d times, want %d", name, got, want))
		case got > want:
			added = append(added, fmt.Sprintf("%s: declared %d times, and the ledger has %d", name, got, want))
		}
	}
	return gone, added
}

// grown returns the ledger with what is new. It takes nothing out.
func grown(ledger, removed, have map[string]int) map[string]int {
	out := maps.Clone(ledger)
	for name, n := range have {
		out[name] = max(out[name], n+removed[name])
	}
	return out
}

// readLedger reads lines of a name and a count, then a reason if there has to be one. Lines may repeat a name.
func readLedger(file string, reasons bool) (map[string]int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseLedger(file, text, reasons)
}

func parseLedger(file string, text []byte, reasons bool) (map[string]int, error) {
	names := make(map[string]int)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 2 || reasons != (len(fields) > 2) || !isTestName(fields[0]) {
			return nil, fmt.Errorf("%s:%d: %q, want a name and a count, and a reason only if it was removed", file, n, lines.Text())
		}
		count, err := strconv.Atoi(fields[1])
		if err != nil || count < 1 {
			return nil, fmt.Errorf("%s:%d: %q is no count", file, n, fields[1])
		}
		names[fields[0]] += count
	}
	return names, lines.Err()
}

func formatLedger(names map[string]int) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "# Top-level tests of all modules and how many packages declare each. TestNames reads this file; -update-names adds to it.")
	for _, name := range slices.SortedFunc(maps.Keys(names), cmp.Compare[string]) {
		fmt.Fprintln(&b, name, names[name])
	}
	return b.Bytes()
}

// TestNamesNotice gives the ledger trees in which tests are gone, fewer, renamed or new.
func TestNamesNotice(t *testing.T) {
	ledger := map[string]int{"TestA": 2, "FuzzB": 1, "ExampleC": 1}
	for _, c := range []struct {
		what, a, b  string // two files
		removed     string
		gone, added string
	}{
		{"all there", "TestA FuzzB", "TestA ExampleC", "", "", ""},
		{"moved", "", "ExampleC FuzzB TestA", "TestA 1 both say the same", "", ""},
		{"missing", "TestA", "TestA ExampleC", "", "FuzzB: declared 0 times, want 1", ""},
		{"fewer", "TestA FuzzB", "ExampleC", "", "TestA: declared 1 times, want 2", ""},
		{"renamed", "TestA FuzzBee", "TestA ExampleC", "", "FuzzB: declared 0 times, want 1", "FuzzBee: declared 1 times, and the ledger has 0"},
		{"new", "TestA FuzzB TestMain Testify", "TestA ExampleC TestD", "", "", "TestD: declared 1 times, and the ledger has 0"},
		{"removed for a reason", "TestA", "TestA ExampleC", "FuzzB 1 FuzzE has its inputs", "", ""},
		{"removed and still there", "TestA FuzzB", "TestA ExampleC", "FuzzB 1 FuzzE has its inputs", "", "FuzzB: declared 1 times, and the ledger has 0"},
		{"removed more often than it was there", "TestA", "TestA ExampleC", "FuzzB 2 gone", "FuzzB: removed 2 times, and it was there 1 times", ""},
	} {
		have, err := testNames(fstest.MapFS{
			"a/a_test.go":            {Data: declared(c.a)},
			"e2e/testdata/b_test.go": {Data: declared(c.b)},
			"a/a.go":                 {Data: declared("TestA")}, // no test file
			".git/a_test.go":         {Data: declared("TestA")},
		})
		if err != nil {
			t.Fatal(err)
		}
		removed, err := parseLedger("removed", []byte(c.removed), true)
		if err != nil {
			t.Fatal(err)
		}
		gone, added := compareNames(ledger, removed, have)
		if d := diff.Diff([]string{c.gone, c.added}, []string{strings.Join(gone, "\n"), strings.Join(added, "\n")}); d != "" {
			t.Errorf("%s: gone and added (-want +got)\n%s", c.what, d)
		}
		_, again := compareNames(grown(ledger, removed, have), removed, have)
		if len(again) > 0 {
			t.Errorf("%s: an updated ledger has not: %v", c.what, again)
		}
	}
	for _, line := range []string{"FuzzB", "FuzzB 1", "FuzzB one gone", "fuzzB 1 gone", "FuzzB 0 gone"} {
		if _, err := parseLedger("removed", []byte(line), true); err == nil {
			t.Errorf("%q: want an error: it has no reason, name or count", line)
		}
	}
}

// declared is a Go file with functions and a method that is no test.
func declared(names string) []byte {
	src := "package a\n\ntype t int\n\nfunc (t) TestA() {}\n"
	for name := range strings.FieldsSeq(names) {
		src += "func " + name + "() {}\n"
	}
	return []byte(src)
}

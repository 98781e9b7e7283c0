package tilesmith

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	// Built with this test, and so not once more by the go command that it runs.
	_ "github.com/tilesmith/tilesmith/cpu"
	_ "github.com/tilesmith/tilesmith/sparse"
)

// sparseParts matches symbols that only products with sparse matrices need.
var sparseParts = regexp.MustCompile(module + `/(sparse|sparse/mtx|cpu/run/spblas|cpu/kern/(spmm|sddmm|attn|bsr|pruned)\w*)\.|gonum\.org/v1/gonum/graph`)

// TestLinked builds programs to see that the linker leaves out what they do not call: a
// package-level variable that takes an init to fill, here or below, would be in all.
func TestLinked(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	for _, c := range []struct {
		what, imports, call string
		sparse              bool
	}{
		{"a product of dense matrices", "", "cpu.MatMul(m, m, m)", false},
		// This one shows that the test can tell.
		{"a product with a sparse matrix", module + "/sparse", "cpu.SpMM(m, sparse.Matrix[float32]{}, m)", true},
	} {
		dir := t.TempDir()
		source, file := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
		if err := os.WriteFile(source, program(c.call, module+"/cpu", module+"/layout", c.imports), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := goCommand().run("build", "-ldflags=-w", "-o", file, source); err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		names, err := goCommand().run("tool", "nm", file)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for lines := bufio.NewScanner(bytes.NewReader(names)); lines.Scan(); {
			if sparseParts.MatchString(lines.Text()) {
				found = append(found, lines.Text())
			}
		}
		if len(found) > 0 != c.sparse {
			t.Errorf("%s links %d symbols of sparse products:\n%s", c.what, len(found), strings.Join(found[:min(len(found), 20)], "\n"))
		}
	}
}

// program is a main function that calls something with a matrix m.
func program(call string, imports ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "package main")
	for _, path := range imports {
		if path != "" {
			fmt.Fprintf(&b, "import %q\n", path)
		}
	}
	fmt.Fprintf(&b, "func main() { m := layout.New[float32](2, 2); %s }\n", call)
	return b.Bytes()
}

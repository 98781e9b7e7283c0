package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/e2e/internal/tool"
)

const module = "github.com/tilesmith/tilesmith"

// Symbols that only some products need.
var (
	sparseParts = regexp.MustCompile(module + `/(sparse(/[a-z/]+)?|cpu/run/spblas/[a-z/]+|cpu/kern/(spmm|sddmm|attn|bsr|pruned)\w*)\.|gonum\.org/v1/gonum/graph`)
	byteParts   = regexp.MustCompile(module + `/cpu/kern/gemmi8\.`)
	halfParts   = regexp.MustCompile(module + `/cpu/kern/gemm(bf|f)16\.`)
	narrowParts = regexp.MustCompile(module + `/cpu/kern/gemm(i8|i16|bf16|f16)\.`)
	doubleParts = regexp.MustCompile(module + `/cpu/kern/gemmf\.[dD]GEMM`)
	floatParts  = regexp.MustCompile(module + `/cpu/kern/gemmf\.`)
)

// TestLinked builds programs to see that the linker leaves out what they do not call: a
// package-level variable that takes an init to fill, here or below, would be in all. Of
// products of any two types it leaves out the kernels for operands of other sizes.
func TestLinked(t *testing.T) {
	if testing.Short() {
		t.Skip("builds some programs")
	}
	const (
		octets = "cpu.MatMulOf[int32](layout.New[int32](2, 2), layout.New[int8](2, 2), layout.New[uint8](2, 2))"
		halves = "cpu.MatMulOf[float32](m, layout.New[dtype.BF16](2, 2), layout.New[dtype.BF16](2, 2))"
	)
	root, err := tool.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, imports, call string
		without, with       []*regexp.Regexp // with shows that the test can tell
	}{
		{"a product of dense matrices", "", "cpu.MatMul(m, m, m)", []*regexp.Regexp{sparseParts, narrowParts, doubleParts}, nil},
		{"a product with a sparse matrix", module + "/sparse", "cpu.SpMM(m, sparse.Matrix[float32]{}, m)", nil, []*regexp.Regexp{sparseParts}},
		{"a product of bytes", "", octets, []*regexp.Regexp{sparseParts, floatParts, halfParts}, []*regexp.Regexp{byteParts}},
		{"a product of bfloat16", module + "/layout/dtype", halves, []*regexp.Regexp{sparseParts, doubleParts, byteParts}, []*regexp.Regexp{halfParts}},
		{"a product of float32 by its types", "", "cpu.MatMulOf[float32](m, m, m)", []*regexp.Regexp{sparseParts, narrowParts, doubleParts}, []*regexp.Regexp{floatParts}},
	} {
		dir := t.TempDir()
		source, file := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
		if err := os.WriteFile(source, program(c.call, module+"/cpu", module+"/layout", c.imports), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := tool.Go(root, nil, "build", "-ldflags=-w", "-o", file, source); err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		names, err := tool.Go(root, nil, "tool", "nm", file)
		if err != nil {
			t.Fatal(err)
		}
		for _, parts := range c.without {
			if found := matching(names, parts); len(found) > 0 {
				t.Errorf("%s links %d symbols of %v:\n%s", c.what, len(found), parts, strings.Join(found[:min(len(found), 20)], "\n"))
			}
		}
		for _, parts := range c.with {
			if len(matching(names, parts)) == 0 {
				t.Errorf("%s links no symbol of %v", c.what, parts)
			}
		}
	}
}

// matching returns the lines that match.
func matching(text string, what *regexp.Regexp) (found []string) {
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if what.MatchString(lines.Text()) {
			found = append(found, lines.Text())
		}
	}
	return found
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
	fmt.Fprintf(&b, "func main() { m := layout.New[float32](2, 2); _ = m; %s }\n", call)
	return b.Bytes()
}

package gpu

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// TestPageTypes: the page about products on a GPU lists the types of operands for which there are products.
func TestPageTypes(t *testing.T) {
	var page string
	err := filepath.WalkDir("../../docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "gpu.md" && page == "" && filepath.Base(filepath.Dir(path)) != "rationale" {
			page = path
		}
		return err
	})
	if err != nil || page == "" {
		t.Fatalf("no gpu.md under docs: %v", err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	listed := pageTypes(string(text))
	if d := cmp.Diff(productTypes(), listed); d != "" {
		t.Errorf("types that have products and those of the table \"a, b\" of %s (-code +page)\n%s", page, d)
	}
	if got, want := pageTypes("| `x` | f8 |\n\n| a, b | sums |\n|---|---|\n| bf16; f16 | f32 |\n| i8, u8 in any way | i32 |\n\n| f64 | |\n"),
		[]string{"bf16", "f16", "i8", "u8"}; !slices.Equal(got, want) {
		t.Errorf("a table lists %v, want %v", got, want)
	}
}

// pageTypes returns the types in the first column of the table "a, b".
func pageTypes(text string) (types []string) {
	_, table, _ := strings.Cut(text, "| a, b |")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		if column := strings.Split(line, "|"); len(column) > 2 {
			types = append(types, spelled.FindAllString(column[1], -1)...)
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

var spelled = regexp.MustCompile(`\b([iuf]\d+|bf16|e\dm\d)\b`)

// productTypes returns the types that some product of two matrices has.
func productTypes() (types []string) {
	for a := dtype.F32; a <= dtype.C128; a++ {
		for acc := dtype.F32; acc <= dtype.C128; acc++ {
			d := gemm.Description{A: a, B: a, Acc: acc}
			if _, err := operatorOf(d, emit.Target{Name: "sm_90", Arch: "ptx"}); err == nil {
				types = append(types, a.String())
				break
			}
		}
	}
	slices.Sort(types)
	return types
}

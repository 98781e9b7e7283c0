package rows_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/spmmf"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// TestFormatsTable: the table of docs/howto-format.md says for which formats there are stock
// kernels, and where rows end.
func TestFormatsTable(t *testing.T) {
	if len(spmmf.SetF32.Nests) == 0 {
		t.Skip("a build without assembly has no kernels")
	}
	text, err := os.ReadFile("../../../../docs/howto-format.md")
	if err != nil {
		t.Fatal(err)
	}
	m := must(sample.Uniform[float32](2000, 40, 6, 1))
	ragged := sparse.NewBuilder[float32](2000, 40)
	for i := range 2000 {
		for j := range i % 5 {
			ragged.Add(i, j, 1)
		}
	}
	prefixes := must(ragged.Matrix())
	params := strings.NewReplacer("ellW", "ell40", "llC_S", "ll4_8", "T_G", "4_2", "bsrB", "bsr4")
	seen := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		f, err := format.Parse(params.Replace(strings.TrimPrefix(cells[0], "| ")))
		if err != nil || len(cells) < 4 {
			continue
		}
		seen++
		p, err := format.Pack(m, f)
		if err != nil {
			if p, err = format.Pack(prefixes, f); err != nil {
				t.Errorf("%s: %v", f.Name, err)
				continue
			}
		}
		ends, kernels := spmmf.SetF32.EndsRows(p, 128)
		if cells[1] == "kernels of blocks" {
			kernels = !kernels && rows.Blocked(p)
		}
		if last := strings.TrimSuffix(strings.TrimSpace(cells[3]), " |"); !kernels || ends != (last == "rows" || last == "windows") {
			t.Errorf("%s: rows end before the loops do: %v, kernels: %v; the table says %q and %q", f.Name, ends, kernels, cells[1], last)
		}
		if f.Name != "sell4_8" {
			continue
		}
		if p, err = format.Pack(prefixes, format.SELL(4, 2000)); err != nil {
			t.Fatal(err)
		}
		if ends, _ := spmmf.SetF32.EndsRows(p, 128); ends {
			t.Error("one window is all rows, which end at the end")
		}
	}
	if seen != 13 {
		t.Errorf("the table has %d formats, want 13", seen)
	}
}

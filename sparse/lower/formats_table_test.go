package lower

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// formatRows are the rows of the table of what is computed in each format, by the name in it.
func formatRows(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/howto-format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "## What is computed in each format")
	if !ok {
		t.Fatal("howto-format.md has no such table")
	}
	rows := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if strings.HasPrefix(line, "## ") {
			break
		}
		if len(cells) < 4 || cells[0] == "---" || strings.TrimSpace(cells[0]) == "format" {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows[cells[0]] = cells
	}
	return rows
}

// TestFormatsTable: a spec of each operation lowers for each format that the table says has
// kernels, and the table has all formats.
func TestFormatsTable(t *testing.T) {
	rows := formatRows(t)
	if len(rows) != 14 {
		t.Errorf("the table has %d rows, not those of 13 formats and of sums", len(rows))
	}
	params := strings.NewReplacer("ellW", "ell3", "llC_S", "ll4_8", "T_G", "4_2", "bsrB", "bsr4") // dellW, dbsrB
	reducers := []spec.Reducer{spec.Plus, spec.Mean, spec.Max, spec.Min, semiring.MinPlus[float32]()}
	for at, name := range slices.Sorted(maps.Keys(rows)) {
		cells := rows[name]
		if name == "a sum of parts" {
			continue
		}
		f, err := format.Parse(params.Replace(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, reduce := range reducers {
			for p, pattern := range []bool{false, true} {
				if level.Of((i+p+at)%10 != 0, (i+p+at)%2 != 0, false) { // each format has some
					continue
				}
				p, err := Spec(spec.SpMM[float32]{Name: "Agg", Format: f, Reduce: reduce, Pattern: pattern, Features: 8}.Describe(), &translator{})
				if err == nil {
					_, err = p.Lower(amd64.AVX2)
				}
				if (err == nil) != (cells[2] == "kernels") {
					t.Errorf("%s, %v, pattern %v: the table says %q: %v", name, reduce, pattern, cells[2], err)
				}
			}
		}
	}
}

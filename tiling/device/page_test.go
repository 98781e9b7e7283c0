package device

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/tiling"
)

// rows are the lines of the table of docs/results/gpu-model.md.
func rows(t *testing.T) (lines []string) {
	var sources []string
	for _, m := range measurements(t) {
		at := -1
		for i, s := range sources {
			if s == m.source {
				at = i
			}
		}
		if at < 0 {
			at = len(sources)
			sources = append(sources, m.source)
		}
		tile := m.tile.String()
		if m.tile == (tiling.GPU{}) {
			tile = "not said"
		}
		if m.split > 1 {
			tile += fmt.Sprintf(", K in %d", m.split)
		}
		shape := fmt.Sprintf("%d x %d x %d", m.product.M, m.product.N, m.product.K)
		if m.product.Count > 1 {
			shape = fmt.Sprintf("%d of %s", m.product.Count, shape)
		}
		p := m.predict(t)
		off := 100 * (p.Rate()/1e12/m.tflops - 1)
		mark := ""
		if math.Abs(off) > 20 {
			mark = " **outside**"
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %s | %s, [%d] | %s | %.1f | %.1f | %+.0f %%%s | %v |", m.half, m.device, m.unit, shape, m.kernel, at+1, tile, m.tflops, p.Rate()/1e12, off, mark, p.Bound()))
	}
	lines = append(lines, "")
	for i, s := range sources {
		lines = append(lines, fmt.Sprintf("%d. <%s>", i+1, s))
	}
	return lines
}

// TestPage: the table that is published is that of the model. TILESMITH_UPDATE=1 writes it.
func TestPage(t *testing.T) {
	const file, begin, end = "../../docs/results/gpu-model.md", "|---|---|---|---|---|---|---|---|---|---|\n", "\n\nEnd of the table."
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	have, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table", file)
	}
	want := strings.Join(rows(t), "\n")
	if have == want {
		return
	}
	if os.Getenv("TILESMITH_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s has another table; TILESMITH_UPDATE=1 go test ./tiling/device -run TestPage writes this one:\n%s", file, want)
}

package amd64

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
)

// compile runs the backend's passes on f and prints it.
func compile(t emit.Target, f *emit.Func) (string, error) { return suite.Compile(t, f) }

// assemble compiles the body after asmtest.Head and returns the lines between
// the load of the argument block and the return, without those of Head's params,
// then the lines of data.
func assemble(t *testing.T, target emit.Target, body string) ([]string, error) {
	t.Helper()
	f, err := emit.Parse(asmtest.Head + body + "\n}\n")
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	text, err := compile(target, f)
	if err != nil {
		return nil, err
	}
	_, text, _ = strings.Cut(text, "MOVQ args+0(FP), DI\n")
	text, data, _ := strings.Cut(text, "\tVZEROUPPER\n\tRET\n")
	var lines []string
	for l := range strings.SplitSeq(text+data, "\n") {
		l = strings.TrimSpace(l)
		if l == "" || l == "MOVQ 0(DI), AX" || l == "MOVQ 16(DI), CX" || l == "MOVQ 24(DI), DX" || strings.HasPrefix(l, "//") {
			continue
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// Each row of the selection: IR in, assembly out. AX is p, CX is n and DX is k
// where they are used.
func TestRows(t *testing.T) {
	for _, c := range rowCases {
		target := AVX512
		if c.avx2 {
			target = AVX2
		}
		have, err := assemble(t, target, c.body)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(asmtest.Lines(c.want), have); d != "" {
			t.Errorf("%s (-want +have):\n%s", c.name, d)
		}
	}
}

// Every row of the table is the subject of a case.
func TestRowsComplete(t *testing.T) {
	seen := map[string]bool{"inst": true} // by the masks' rows
	for _, c := range rowCases {
		for op := range rows {
			for _, word := range strings.Fields(c.body) {
				seen[op] = seen[op] || word == op
			}
		}
	}
	for op := range rows {
		if !seen[op] {
			t.Errorf("no case has operation %q", op)
		}
	}
}

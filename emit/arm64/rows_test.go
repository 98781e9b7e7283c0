package arm64

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
)

// word is the line of an instruction that Go's assembler does not know; what it is follows.
var word = regexp.MustCompile(`^WORD \$0x[0-9a-f]{8} // `)

// assemble compiles the body after asmtest.Head and returns the lines between the load of the
// argument block and the return, without those of Head's params, then the lines of data.
// Instructions that are words are as the manual spells them, and the table of masks is left out.
func assemble(t *testing.T, body string) ([]string, error) {
	t.Helper()
	f, err := emit.Parse(asmtest.Head + body + "\n}\n")
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	text, err := suite.Compile(NEON, f)
	if err != nil {
		return nil, err
	}
	_, text, _ = strings.Cut(text, "MOVD args+0(FP), R0\n")
	text, data, _ := strings.Cut(text, "\tRET\n")
	var lines []string
	for l := range strings.SplitSeq(text+data, "\n") {
		l = strings.TrimSpace(l)
		if at := word.FindString(l); at != "" {
			l = strings.ReplaceAll(l[len(at):], ",", ", ")
		}
		if l != "" && !strings.Contains(l, "tail<>+") && !strings.HasPrefix(l, "//") && !slices.Contains([]string{"MOVD 0(R0), R1", "MOVD 16(R0), R2", "MOVD 24(R0), R3"}, l) {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// TestRows: IR in, assembly out. R1 is p, R2 is n and R3 is k where they are used.
func TestRows(t *testing.T) {
	for _, c := range rowCases {
		have, err := assemble(t, c.body)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(asmtest.Lines(c.want), have); d != "" {
			t.Errorf("%s (-want +have):\n%s", c.name, d)
		}
	}
}

// TestRowsComplete: every row of the table is the subject of a case.
func TestRowsComplete(t *testing.T) {
	seen := map[string]bool{"inst": true} // by the masks' rows
	for _, c := range rowCases {
		for _, w := range strings.Fields(c.body) {
			seen[w] = true
		}
	}
	for op := range rows {
		if !seen[op] {
			t.Errorf("no case has operation %q", op)
		}
	}
}

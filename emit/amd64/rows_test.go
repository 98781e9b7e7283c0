package amd64

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
)

// frame is the argument block of the functions in these tests.
var frame = []emit.Arg{
	{Name: "p", Type: emit.Ptr, Offset: 0}, {Name: "q", Type: emit.Ptr, Offset: 8},
	{Name: "n", Type: emit.Int64, Offset: 16}, {Name: "k", Type: emit.Int64, Offset: 24},
	{Name: "x", Type: emit.Scalar(emit.F32), Offset: 32}, {Name: "y", Type: emit.Scalar(emit.F64), Offset: 40},
}

// head opens a function with frame and loads what most rows need.
const head = `func @f(p: ptr @0, q: ptr @8, n: i64 @16, k: i64 @24, x: f32 @32, y: f64 @40) {
	%p = param {name="p"} : ptr
	%n = param {name="n"} : i64
	%k = param {name="k"} : i64
`

// compile runs the backend's passes on f and prints it.
func compile(t emit.Target, f *emit.Func) (string, error) {
	if err := emit.Run(f, Backend{}.Passes(t), nil); err != nil {
		return "", err
	}
	var b strings.Builder
	err := Backend{}.Print(&b, t, "", []*emit.Func{f})
	return b.String(), err
}

// assemble compiles the body in the frame of head and returns the lines between
// the load of the argument block and the return, without those of head's params,
// then the lines of data.
func assemble(t *testing.T, target emit.Target, body string) ([]string, error) {
	t.Helper()
	f, err := emit.Parse(head + body + "\n}\n")
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

// lines splits an indented text of the tables below.
func lines(s string) []string {
	var out []string
	for l := range strings.SplitSeq(s, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
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
		if d := cmp.Diff(lines(c.want), have); d != "" {
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

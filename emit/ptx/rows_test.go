package ptx_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/ptx"
)

var update = flag.Bool("update", false, "write what is printed to testdata")

// rowHead opens the functions of testdata/rows.txt: two pointers to global memory,
// one to shared memory, one of no space, and numbers.
const rowHead = `func @f(p: ptr.global.16 @0, q: ptr.global @8, s: ptr.shared.16 @16, g: ptr @24, n: i64 @32, k: i64 @40, i: i32 @48, x: f32 @52, y: f64 @56) {
	%P = param {name="p"} : ptr.global.16
	%Q = param {name="q"} : ptr.global
	%S = param {name="s"} : ptr.shared.16
	%G = param {name="g"} : ptr
	%N = param {name="n"} : i64
	%K = param {name="k"} : i64
	%I = param {name="i"} : i32
	%X = param {name="x"} : f32
	%Y = param {name="y"} : f64
`

// A rowCase is one part of rows.txt: a title, "name" or "name, sm_90", the IR in the
// frame of rowHead, a line of dashes, and the instructions wanted, or "! " and part
// of the refusal.
type rowCase struct {
	title, body, want string
}

func rowCases(t testing.TB) []rowCase {
	t.Helper()
	text, err := os.ReadFile("testdata/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	var cases []rowCase
	for part := range strings.SplitSeq("\n"+string(text), "\n# ") {
		title, rest, _ := strings.Cut(part, "\n")
		if title == "" {
			continue
		}
		body, want, _ := strings.Cut(rest, "---\n")
		cases = append(cases, rowCase{title, strings.TrimSpace(body), strings.TrimSpace(want)})
	}
	return cases
}

func (c rowCase) target() emit.Target {
	for _, t := range ptx.Targets() {
		if strings.HasSuffix(c.title, ", "+t.Name) {
			return t
		}
	}
	return ptx.SM80
}

func (c rowCase) list(t testing.TB) (*ptx.Listing, error) {
	t.Helper()
	f, err := emit.Parse(rowHead + c.body + "\n}\n")
	if err != nil {
		t.Fatalf("%s: %v in\n%s", c.title, err, c.body)
	}
	return listing(c.target(), f)
}

// instructions are the lines of a body without the loads of parameters.
func instructions(text string) string {
	_, text, _ = strings.Cut(text, "\n{\n")
	var out []string
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, ".reg") || strings.HasPrefix(l, "ld.param") || strings.HasPrefix(l, "cvta") || l == "}" || l == "ret;" || l == "" {
			continue
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

// Each row of the selection: IR in, PTX out.
func TestRows(t *testing.T) {
	cases := rowCases(t)
	var b strings.Builder
	for i, c := range cases {
		l, err := c.list(t)
		var have string
		switch {
		case err == nil:
			have = instructions(l.Text)
		case strings.HasPrefix(c.want, "! ") && strings.Contains(err.Error(), c.want[2:]):
			have = c.want
		default:
			have = "! " + err.Error()
		}
		if d := cmp.Diff(c.want, have); d != "" && !*update {
			t.Errorf("%s (-want +have):\n%s", c.title, d)
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "# %s\n%s\n---\n%s\n", c.title, c.body, have)
	}
	if *update {
		if err := os.WriteFile("testdata/rows.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Every operation is the subject of a case, printed or refused.
func TestRowsComplete(t *testing.T) {
	words := append(strings.Fields(rowHead), "apply") // which has a test of its own
	for _, c := range rowCases(t) {
		words = append(words, strings.Fields(c.body)...)
	}
	for _, op := range emit.OpNames() {
		if !slices.Contains(words, op) {
			t.Errorf("no case has operation %q", op)
		}
	}
}

// What the rows print is PTX: one module of all cases of a target.
func TestRowsAssemble(t *testing.T) {
	for _, target := range ptx.Targets() {
		t.Run(target.Name, func(t *testing.T) {
			var fs []*emit.Func
			for i, c := range rowCases(t) {
				if c.target() != target || strings.HasPrefix(c.want, "! ") {
					continue
				}
				f, err := emit.Parse(rowHead + c.body + "\n}\n")
				if err != nil {
					t.Fatal(err)
				}
				f.Name, f.Doc = fmt.Sprintf("f%d", i), c.title
				fs = append(fs, f)
			}
			assemble(t, target, print(t, target, fs...))
		})
	}
}

var _ = inst.BarSync // its instructions are named in rows.txt

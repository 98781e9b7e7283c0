package gen

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// TestExplainPlan reads the plans of what to expect: for each size the loop, the plan,
// and what it was chosen from, none of it faster and three at most.
func TestExplainPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("explains in a program of its own")
	}
	here := *machine.Reference("avx512")
	here.Name, here.Sizes = "somewhere", "typical values, since nothing is said of it"
	text, err := json.Marshal(here)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	e := Explanation{Target: "avx512", Machine: string(text)}
	if err := e.Print(&b, Options{Package: "p", Source: "spec.go"},
		f32Spec{Name: "Square"}, f32Spec{Name: "Few", Shape: gemm.Shape{M: 8}}); err != nil {
		t.Fatal(err)
	}
	_, out, _ := strings.Cut(b.String(), "== what to expect")
	for _, want := range []string{
		`machine +somewhere: \d+ GFLOP/s`,
		`caches +32, 1024 and \d+ KiB of a core: typical values, since nothing is said of it\n`,
		`64 x 64 x 64 .*\n  tile loop, kc 64: .*\n  > a in place, b in place, without a plan +\d+\.\d us, fma\nSquare`,
		`2048 x 2048 x 2048 .*\n  tile loop, kc 1024: 228 x 43 tiles of 9 rows and 3 vectors\n  > a .*, b packed, \d+ panels at once, \d+ tiles? a block +\d+\.\d us, fma\n(    a .*\n){3}    and \d+ more, up to \d+\.\d us\n`,
		`Few +8 x 2048 x 2048 .*\n  axpy loop along the rows of the big operand, kc \d+: \d rows at once, chunks of 2048\n  > the big operand in place +\d+\.\d us, [a-zA-Z0-9]+\n`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s is missing:\n%s", want, out)
		}
	}
	took := regexp.MustCompile(`(?m)^  ([ >]) .* ([0-9.]+) us`)
	last := 0.0
	for _, row := range took.FindAllStringSubmatch(out, -1) {
		us, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if row[1] == " " && us < last {
			t.Errorf("%q is faster than what stands above it, %.1f us", row[0], last)
		}
		last = us
	}
}

// TestExplainMachine: a machine that is none is refused, and so is one that cannot run
// the target's kernels.
func TestExplainMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("explains in a program of its own")
	}
	text, err := json.Marshal(machine.Reference("avx2"))
	if err != nil {
		t.Fatal(err)
	}
	for m, why := range map[string]string{"{}": "--machine: ", "fast": "--machine: invalid", string(text): "has no avx512"} {
		e := Explanation{Target: "avx512", Machine: m}
		if err := e.Print(new(strings.Builder), Options{Package: "p", Source: "spec.go"}, f32Spec{Name: "Square", Tile: tiling.Micro{MR: 1, NV: 1}}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.40s: %v, want an error with %q", m, err, why)
		}
	}
}

package run_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// tiny has kernels of two warps, so that a mutant is run in no time.
var tiny = cached(gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "Tiny",
	GPU: tiling.GPU{BM: 32, BN: 64, BK: 32, WM: 32, WN: 32, Stages: 3}}, nil)

// A mutation changes one line of a kernel's text; "" removes it.
type mutation struct {
	kind string
	line *regexp.Regexp
	by   string
}

var mutations = []mutation{
	{"barrier removed", regexp.MustCompile(`^\tbar\.sync .*$`), ""},
	{"wait removed", regexp.MustCompile(`^\tcp\.async\.wait_group .*$`), ""},
	{"wait for one group less", regexp.MustCompile(`^\tcp\.async\.wait_group (\d);$`), "\tcp.async.wait_group ${1}1;"},
	{"commit removed", regexp.MustCompile(`^\tcp\.async\.commit_group;$`), ""},
	{"copy removed", regexp.MustCompile(`^\tcp\.async\.c[ag]\.shared.*$`), ""},
	{"copy whole", regexp.MustCompile(`^(\tcp\.async\.cg\..*, 16), %r\d+;$`), "$1;"},
	{"swizzle dropped", regexp.MustCompile(`^\txor\.b(\d\d) (%r?d?\d+), (%r?d?\d+), .*;$`), "\tmov.b$1 $2, $3;"},
	{"bound dropped", regexp.MustCompile(`^\tmin\.s(32|64) (%rd?\d+), (%rd?\d+), .*;$`), "\tmov.b$1 $2, $3;"},
	{"predicate dropped", regexp.MustCompile(`^\t@!?%p\d+ ((?:ld|st)\..*)$`), "\t$1"},
	{"store removed", regexp.MustCompile(`^\t(?:@!?%p\d+ )?st\..*$`), ""},
}

// TestMutants: every mutant of a kernel is reported by the emulator or computes
// something else, in one of three schedules.
func TestMutants(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	type bf = dtype.BF16
	set := tiny()
	to := func(x float32) bf { return dtype.ToBF16(x) }
	schedules := []emu.Options{{}, {Seed: 1, Async: emu.Latest}, {Seed: 2, Async: emu.Random}, {Seed: 3, Async: emu.Earliest}}
	try := func(set *run.Set, name string) (err error) {
		for _, o := range schedules {
			_, s := emulator(t, o)
			for _, c := range []product{{m: 35, n: 70, k: 83}, {m: 33, n: 66, k: 127}, {m: 33, n: 66, k: 161}, {m: 64, n: 128, k: 40}, {m: 9, n: 71, k: 9, beta: 2}, {m: 2, n: 65, k: 3, beta: 3}, {m: 290, n: 65, k: 8}} {
				c.pad, c.off, c.kernel = 8, 8, name
				if strings.HasPrefix(name, "m") {
					c.aT = true
				}
				if err = call(t, s, set, c, to, c.sum); err != nil {
					return err
				}
			}
		}
		return nil
	}
	type place struct {
		kernel string
		line   int // of the text
		first  int // of the kernel
		m      mutation
	}
	kinds, all, lines := map[string][]place{}, 0, strings.Split(set.Targets[0].PTX, "\n")
	for _, name := range []string{"kn16", "mn16"} {
		if err := try(set, name); err != nil {
			t.Fatal(err)
		}
		first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, ".visible .entry tiny_sm80_"+name+"(") })
		for i := first; lines[i] != "}"; i++ {
			for _, m := range mutations {
				if m.line.MatchString(lines[i]) {
					kinds[m.kind], all = append(kinds[m.kind], place{name, i, first, m}), all+1
				}
			}
		}
	}
	tried, caught := 0, 0
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		list := kinds[kind]
		picked := level.Pick(len(list), 0, 3) // of each kind, so that none is left out
		t.Logf("%3d of %3d %s", len(picked), len(list), kind)
		for _, at := range picked {
			x := list[at]
			changed := slices.Clone(lines)
			changed[x.line] = x.m.line.ReplaceAllString(lines[x.line], x.m.by)
			target := set.Targets[0]
			target.PTX = strings.Join(changed, "\n")
			mutant := &run.Set{Name: set.Name, A: set.A, B: set.B, Slots: set.Slots, Plain: set.Plain, Targets: []run.Target{target}}
			if tried++; try(mutant, x.kernel) != nil {
				caught++
			} else {
				t.Errorf("%s survives: %s: line %d, %s", x.kernel, kind, x.line-x.first, strings.TrimSpace(lines[x.line]))
			}
		}
	}
	t.Logf("mutants tried %d of %d, caught %d", tried, all, caught)
	for _, m := range mutations {
		if len(kinds[m.kind]) == 0 {
			t.Errorf("no mutant of the kind %q", m.kind)
		}
	}
}

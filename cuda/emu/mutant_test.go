package emu

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// A goodKernel is right, and every mutant of it has to be caught.
type goodKernel struct {
	name   string
	text   string
	shared int // bytes of dynamic shared memory
	run    func(t testing.TB, o Options, text string, shared int) error
}

// A mutation is a way to break a line.
type mutation struct {
	kind string
	line *regexp.Regexp
	with string // what the match becomes
}

var mutations = []mutation{
	{"barrier", regexp.MustCompile(`^bar\.sync.*|^barrier\.sync.*`), ""},
	{"bar.warp.sync", regexp.MustCompile(`^bar\.warp\.sync.*`), ""},
	{"wait", regexp.MustCompile(`^cp\.async\.wait_(group|all).*`), ""},
	{"wait", regexp.MustCompile(`^cp\.async\.wait_group 0;`), "cp.async.wait_group 1;"},
	{"wait", regexp.MustCompile(`^cp\.async\.wait_group 1;`), "cp.async.wait_group 2;"},
	{"wait", regexp.MustCompile(`^cp\.async\.wait_group 2;`), "cp.async.wait_group 3;"},
	{"commit", regexp.MustCompile(`^cp\.async\.commit_group;`), ""},
	{"swizzle", regexp.MustCompile(`^xor\.b32 (%r\d+), (%r\d+), (%r\d+); // swizzle`), "mov.b32 $1, $3;"},
	{"edge", regexp.MustCompile(`^@!?%p\d+ ((ld|st|cp)\..*)`), "$1"},
	{"edge", regexp.MustCompile(`^selp\.b32 (%r\d+), (%r\d+), 0, %p\d+; // edge`), "mov.b32 $1, $2;"},
	{"edge", regexp.MustCompile(`^(min|max)\.s32 (%r\d+), (%r\d+), (0|16);`), ""},
	{"fence", regexp.MustCompile(`^(membar|fence)\..*`), ""},
	{"fence", regexp.MustCompile(`^((?:st|red|atom|ld)\S*)\.(release|acquire|acq_rel)\.gpu`), "$1.relaxed.gpu"},
	{"fence", regexp.MustCompile(`^(membar)\.gl;`), "$1.cta;"},
	{"mbarrier", regexp.MustCompile(`^(@%p\d+ )?mbarrier\.(arrive|init).*|^cp\.async\.mbarrier.*`), ""},
	{"mbarrier", regexp.MustCompile(`^@!?%p\d+ bra wait\w*;`), ""},
	{"mbarrier", regexp.MustCompile(`^(mbarrier\.(?:test|try)_wait\S* %p\d+, \[\S+\], )(%r\d+)(.*); // parity`), "xor.b32 $2, $2, 1;\n$1$2$3;\nxor.b32 $2, $2, 1;"},
	{"atomic", regexp.MustCompile(`^red\.(\w+)\.add\.(\w+) (\[.*\]), (\S+);`), "ld.$1.$2 %tmp, $3;\nadd.$2 %tmp, %tmp, $4;\nst.$1.$2 $3, %tmp;"},
}

// A mutant is a broken kernel.
type mutant struct {
	kind, what, text string
	shared           int
}

func (k *goodKernel) mutants() (list []mutant) {
	lines := strings.Split(k.text, "\n")
	for i, l := range lines {
		for _, m := range mutations {
			if !m.line.MatchString(l) {
				continue
			}
			with := append([]string(nil), lines...)
			with[i] = m.line.ReplaceAllString(l, m.with)
			list = append(list, mutant{m.kind, fmt.Sprintf("line %d `%s` -> `%s`", i+1, l, with[i]), strings.Join(with, "\n"), k.shared})
		}
	}
	if k.shared > 0 {
		list = append(list, mutant{"shared", "16 bytes less", k.text, k.shared - 16})
	}
	return list
}

// caught returns what gave a mutant away, or "" if nothing did.
func (k *goodKernel) caught(t testing.TB, m mutant) string {
	for _, o := range schedules {
		o.MaxSteps = 5_000_000
		if err := k.run(t, o, m.text, m.shared); err != nil {
			return err.Error()
		}
	}
	return ""
}

func TestMutants(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	caught, listed, kernels, made, tried := map[string]int{}, map[string]int{}, 0, 0, 0
	for _, k := range goodKernels() {
		t.Run(k.name, func(t *testing.T) {
			kernels++
			if how := k.caught(t, mutant{text: k.text, shared: k.shared}); how != "" {
				t.Fatalf("the kernel itself: %s", how)
			}
			list := k.mutants()
			for _, m := range list {
				listed[m.kind]++
				made++
			}
			for _, i := range level.Pick(len(list), 0, 5) {
				m := list[i]
				tried++
				how := k.caught(t, m)
				if how == "" {
					t.Errorf("not caught: %s: %s", m.kind, m.what)
					continue
				}
				if testing.Verbose() {
					t.Logf("%s: %s: %s", m.kind, m.what, how)
				}
				caught[m.kind]++
			}
		})
	}
	t.Logf("mutants tried %d of %d; caught: %v", tried, made, caught)
	for _, m := range mutations {
		if listed[m.kind] == 0 && kernels == len(goodKernels()) {
			t.Errorf("no kernel has a line for %s", m.kind)
		}
	}
}

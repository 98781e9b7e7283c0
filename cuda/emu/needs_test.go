package emu

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/needs.txt
var needsTable string

// targetVersions are the targets from sm_50 on with the first .version that has each.
var targetVersions = []struct{ sm, ptx int }{
	{50, 40}, {52, 41}, {53, 42}, {60, 50}, {61, 50}, {62, 50}, {70, 60}, {72, 61}, {75, 63}, {80, 70}, {86, 71}, {87, 74}, {89, 78}, {90, 78}, {100, 86}, {120, 87},
}

var ptxVersions = []int{40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88}

func needsHead(sm, ptx int) string {
	return fmt.Sprintf(".version %d.%d\n.target sm_%d\n.address_size 64\n", ptx/10, ptx%10, sm) + `.global .align 16 .b8 gl[64];
.const .align 16 .b8 co[64];
.visible .entry k(.param .u64 par)
{
.reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .f64 %fd<10>;
.reg .u16 %us<4>; .reg .s16 %ss<4>; .reg .u32 %ur<4>; .reg .s32 %sr<4>;
.shared .align 128 .b8 sh[1024];
.local .align 16 .b8 lo[64];
`
}

const needsTail = "\nEE: END: ret;\n}\n"

// TestNeeds: an instruction is taken from the .version and the .target on that NVIDIA's
// assembler takes it from, and not before.
func TestNeeds(t *testing.T) {
	type point struct{ sm, ptx int }
	taken, refused := map[point][]string{}, map[point][]string{}
	n := 0
	for _, l := range strings.Split(strings.TrimSpace(needsTable), "\n") {
		if l[0] == '#' {
			continue
		}
		f := strings.SplitN(l, " ", 3)
		sm, err := strconv.Atoi(f[0])
		if err != nil {
			t.Fatal(err)
		}
		ptx, err := strconv.Atoi(strings.Replace(f[1], ".", "", 1))
		if err != nil {
			t.Fatal(err)
		}
		text := f[2]
		if strings.Contains(text, "TT") {
			text = "{ TT: .branchtargets EE; @%p9 " + text + " }"
		}
		n++
		load := func(sm, ptx int) error {
			_, err := newRig(t, Options{Major: 12, Minor: 1}).d.Load(needsHead(sm, ptx) + text + needsTail)
			return err
		}
		if err := load(sm, ptx); err != nil {
			t.Error(err)
		}
		taken[point{sm, ptx}] = append(taken[point{sm, ptx}], text)
		// The version before, if it has the target, and the target before, in a version that both have.
		at := slices.IndexFunc(targetVersions, func(v struct{ sm, ptx int }) bool { return v.sm == sm })
		before := []point{}
		if i := slices.Index(ptxVersions, ptx); i > 0 && ptxVersions[i-1] >= targetVersions[at].ptx {
			before = append(before, point{sm, ptxVersions[i-1]})
		}
		if at > 0 {
			before = append(before, point{targetVersions[at-1].sm, 88})
		}
		for _, p := range before {
			if err := load(p.sm, p.ptx); err == nil || !strings.Contains(err.Error(), ": needs .") {
				t.Errorf("sm_%d, .version %d: %s: %v", p.sm, p.ptx, text, err)
			}
			refused[p] = append(refused[p], text)
		}
	}
	t.Logf("%d instructions", n)
	// Of 8 bits, conversions came to sm_90 before they came to sm_89.
	narrow := "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;"
	taken[point{89, 81}], taken[point{90, 78}] = append(taken[point{89, 81}], narrow), append(taken[point{90, 78}], narrow)
	refused[point{89, 80}] = append(refused[point{89, 80}], narrow)
	for p, want := range map[point]string{{89, 81}: "", {90, 78}: "", {89, 80}: "needs .version 8.1"} {
		_, err := newRig(t, Options{}).d.Load(needsHead(p.sm, p.ptx) + narrow + needsTail)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("sm_%d, .version %d: %s: %v", p.sm, p.ptx, narrow, err)
		}
	}
	ptxas := assembler()
	if ptxas == "" {
		t.Log("no ptxas in PATH or TILESMITH_PTXAS: the table is not assembled")
		return
	}
	path := filepath.Join(t.TempDir(), "t.ptx")
	wrong := func(p point, lines []string) (map[int]bool, string) {
		head := needsHead(p.sm, p.ptx)
		if err := os.WriteFile(path, []byte(head+strings.Join(lines, "\n")+needsTail), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(ptxas, "-arch", fmt.Sprintf("sm_%d", p.sm), "-O0", "-o", path+".cubin", path).CombinedOutput()
		bad := map[int]bool{}
		for _, m := range errorLine.FindAllStringSubmatch(string(out), -1) {
			n, _ := strconv.Atoi(m[1])
			bad[n-strings.Count(head, "\n")-1] = true
		}
		if err != nil && len(bad) == 0 {
			bad[-1] = true
		}
		return bad, string(out)
	}
	for p, lines := range taken {
		if bad, out := wrong(p, lines); bad[-1] {
			t.Logf("this ptxas does not know sm_%d or .version %d", p.sm, p.ptx)
		} else if len(bad) > 0 {
			t.Errorf("sm_%d, .version %d: the assembler refuses what the table says it takes: %s", p.sm, p.ptx, out)
		}
	}
	for p, lines := range refused {
		for len(lines) > 0 { // some errors hide others
			bad, _ := wrong(p, lines)
			if bad[-1] {
				break
			}
			if len(bad) == 0 {
				t.Errorf("sm_%d, .version %d: the assembler takes %s", p.sm, p.ptx, strings.Join(lines, " "))
				break
			}
			var rest []string
			for i, l := range lines {
				if !bad[i] {
					rest = append(rest, l)
				}
			}
			lines = rest
		}
	}
}

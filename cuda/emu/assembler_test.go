package emu

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/assembler.txt
var assemblerTable string

const assemblerHead = `.version 8.8
.target sm_90
.address_size 64
.global .align 16 .b8 gl[64];
.const .align 16 .b8 co[64];
.visible .entry k(.param .u64 par)
{
.reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .b128 %rq<4>;
.reg .f32 %f<10>; .reg .f64 %fd<10>; .reg .u16 %us<4>; .reg .s16 %ss<4>; .reg .u32 %ur<4>; .reg .s32 %sr<4>;
.shared .align 16 .b8 sh[64];
.local .align 16 .b8 lo[64];
`

const assemblerTail = "\nEND: ret;\n}\n"

// TestAssembler: what NVIDIA's assembler takes is taken here, and what it refuses is
// refused.
func TestAssembler(t *testing.T) {
	var taken, refused []string
	for _, l := range strings.Split(strings.TrimSpace(assemblerTable), "\n") {
		switch l[:2] {
		case "+ ":
			taken = append(taken, l[2:])
		case "- ":
			refused = append(refused, l[2:])
		}
	}
	load := func(l string) error {
		_, err := newRig(t, Options{}).d.Load(assemblerHead + l + assemblerTail)
		return err
	}
	for _, l := range taken {
		if err := load(l); err != nil {
			t.Errorf("%s: %v", l, err)
		}
	}
	for _, l := range refused {
		if load(l) == nil {
			t.Errorf("%s: is taken, the assembler refuses it", l)
		}
	}
	t.Logf("%d are taken, %d refused", len(taken), len(refused))
	assembleTable(t, taken, refused)
}

// assembleTable holds the table against a ptxas of version 12.9 or later, if there is
// one.
func assembleTable(t *testing.T, taken, refused []string) {
	ptxas := os.Getenv("TILESMITH_PTXAS")
	if ptxas == "" {
		var err error
		if ptxas, err = exec.LookPath("ptxas"); err != nil {
			t.Log("no ptxas in PATH or TILESMITH_PTXAS: the table is not assembled")
			return
		}
	}
	dir := t.TempDir()
	run := func(lines []string) (wrong map[int]bool, out string) {
		path := filepath.Join(dir, "t.ptx")
		if err := os.WriteFile(path, []byte(assemblerHead+strings.Join(lines, "\n")+assemblerTail), 0o666); err != nil {
			t.Fatal(err)
		}
		text, err := exec.Command(ptxas, "-arch", "sm_90", "-O0", "-o", filepath.Join(dir, "t.cubin"), path).CombinedOutput()
		wrong = map[int]bool{}
		for _, m := range errorLine.FindAllStringSubmatch(string(text), -1) {
			n, _ := strconv.Atoi(m[1])
			wrong[n-strings.Count(assemblerHead, "\n")-1] = true
		}
		if err != nil && len(wrong) == 0 {
			wrong[0] = true // a version that is too old, or a crash
		}
		return wrong, string(text)
	}
	if wrong, out := run(nil); len(wrong) > 0 {
		t.Logf("this ptxas does not know .version 8.8: %s", out)
		return
	}
	if wrong, out := run(taken); len(wrong) > 0 {
		t.Errorf("the assembler refuses what the table says it takes: %s", out)
	}
	// Some errors hide others, so that what is left is tried again.
	for len(refused) > 0 {
		wrong, _ := run(refused)
		if len(wrong) == 0 {
			t.Errorf("the assembler takes what the table says it refuses: %s", strings.Join(refused, " "))
			return
		}
		var rest []string
		for i, l := range refused {
			if !wrong[i] {
				rest = append(rest, l)
			}
		}
		refused = rest
	}
}

var errorLine = regexp.MustCompile(`line (\d+); (?:error|fatal)`)

// Instructions that the assembler and the ISA disagree about, or that no compiler
// writes, are left out: fma.rz.bf16, 16-bit addc, subc and madc, a predicate that is a
// number, 16-bit moves of special registers.

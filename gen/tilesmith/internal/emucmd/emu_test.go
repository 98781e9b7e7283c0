package emucmd

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// TestEmulatorDoc does what docs/emulator.md says: it writes its files and runs its commands,
// which have to print what stands there.
func TestEmulatorDoc(t *testing.T) {
	doc, err := os.ReadFile("../../../../docs/emulator.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	ran := 0
	for _, block := range regexp.MustCompile("(?s)```(\\S+) ?(\\S*)\n(.*?)```").FindAllStringSubmatch(string(doc), -1) {
		switch kind, name, text := block[1], block[2], block[3]; kind {
		case "ptx":
			lines := strings.SplitAfter(text, "\n")
			mended := strings.Join(slices.Insert(lines, 30, "\tbar.sync 0;\n"), "")
			for name, text := range map[string]string{name: text, "mended.ptx": mended} {
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		case "console":
			for _, command := range strings.Split(text, "$ ")[1:] {
				line, want, _ := strings.Cut(command, "\n")
				got, _ := emulate(strings.TrimPrefix(line, "tilesmith "))
				trim := regexp.MustCompile(` +\n`).ReplaceAllString(got, "\n")
				if ran++; trim != want {
					t.Errorf("%s\nprints\n%swant\n%s", line, got, want)
				}
			}
		}
	}
	if ran < 5 {
		t.Errorf("ran %d commands", ran)
	}
}

// TestEmulatorErrors: a wrong command line, text or array is said in a sentence.
func TestEmulatorErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	array := func(name string, a mtx.RawNPY) {
		if err := writeArray(name, a); err != nil {
			t.Fatal(err)
		}
	}
	array("x.npy", mtx.RawNPY{Kind: "f4", Shape: []int{2}, Data: make([]byte, 8)})
	array("u.npy", mtx.RawNPY{Kind: "u2", Shape: []int{1}, Data: []byte{0x80, 0x3f}})
	for name, text := range map[string]string{
		"k.ptx": clitest.PTX, "two.ptx": clitest.PTX + strings.Replace(clitest.PTX[strings.Index(clitest.PTX, ".visible"):], "entry k", "entry l", 1),
		"mixed.ptx": clitest.PTX + ".entry l() { wgmma.fence.sync.aligned; ret; }\n.entry m() { trap; ret; }\n",
		"none.ptx":  ".version 7.0\n.target sm_80\n", "bad.ptx": strings.Replace(clitest.PTX, "[a]", "[b]", 1), "esc.ptx": "\x1b[31m\x00\xff\n",
		"sm.ptx": strings.Replace(clitest.PTX, "sm_80", "sm_100", 1), "future.ptx": strings.Replace(clitest.PTX, "sm_80", "sm_200", 1),
		"short.npy": "\x93NUMPY\x01\x00", "huge.npy": "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 9999999,), }",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const rest = " --block 1 out:f32:1 f32:1.5 i32:-1 u8:3"
	for _, x := range []struct {
		line string
		code int
		why  string
	}{
		{"emu", 2, "a command of emu is missing"},
		{"emu walk", 2, "there is no command of emu \"walk\""},
		{"emu run", 2, "takes a PTX file and the arguments"},
		{"emu list", 2, "takes one PTX file"},
		{"emu list none.ptx", 0, ""},
		{"emu list esc.ptx", 1, "esc.ptx:1:1: "},
		{"emu run k.ptx" + rest, 0, "1.5"},
		{"emu run missing.ptx" + rest, 1, "no such file"},
		{"emu run none.ptx", 2, "has no kernel"},
		{"emu run two.ptx" + rest, 2, "has 2 kernels; pick one with --kernel: k, l"},
		{"emu run two.ptx --kernel m" + rest, 2, "two.ptx has k, l"},
		{"emu run mixed.ptx --kernel k" + rest, 0, "1.5"},
		{"emu list mixed.ptx", 0, "l, line"},
		{"emu run mixed.ptx --block 1 --kernel l", 1, "mixed.ptx:13:14: wgmma.fence.sync.aligned: the emulator does not execute wgmma: matrix products"},
		{"emu run bad.ptx" + rest, 1, "bad.ptx:8:21: ld.param.u64: b is not declared: `ld.param.u64 %rd1, [b];`"},
		{"emu run sm.ptx" + rest, 0, "1.5"},
		{"emu run sm.ptx --arch sm_100" + rest, 0, "1.5"},
		{"emu run sm.ptx --arch sm_90" + rest, 1, "sm_100"},
		{"emu run future.ptx" + rest, 1, "the PTX is for sm_200 and later, emulator (sm_90)"},
		{"emu run k.ptx --arch sm_75" + rest, 2, "there is sm_80, sm_86"},
		{"emu run k.ptx --grid 0" + rest, 2, "--grid 0; want"},
		{"emu run k.ptx --grid 1,1,1,1" + rest, 2, "--grid"},
		{"emu run k.ptx --grid 1,99999" + rest, 2, "99999"},
		{"emu run k.ptx --async never" + rest, 2, "--async never"},
		{"emu run k.ptx --shared -1" + rest, 2, "--shared -1"},
		{"emu run k.ptx --shared 1000000" + rest, 2, "shared memory"},
		{"emu run k.ptx --seeds 0" + rest, 2, "--seeds 0"},
		{"emu run k.ptx --sms 0" + rest, 2, "--sms 0"},
		{"emu run k.ptx --workers -1" + rest, 2, "--workers -1"},
		{"emu run k.ptx --max-memory 0" + rest, 2, "--max-memory 0"},
		{"emu run k.ptx --max-time 0s" + rest, 2, "--max-time"},
		{"emu run k.ptx --rtol=-1" + rest, 2, "--rtol"},
		{"emu run k.ptx out:f32:1 f32:1 i32:1 u8:1", 2, "say how many threads"},
		{"emu run k.ptx --block 65 out:f32:1 f32:1 i32:1 u8:1", 2, ".maxntid allows 64"},
		{"emu run k.ptx --block 1 out:f32:1", 2, "4 parameters and there are 1 arguments: (.u64 a, .f32 f, .s32 i, .b8 h)"},
		{"emu run k.ptx --block 1 out:f32:1 i32:1 i32:1 u8:1", 2, "argument 2, i32:1, is an i32; .f32 f of k is another kind of number"},
		{"emu run k.ptx --block 1 out:f32:1 f64:1 i32:1 u8:1", 2, "argument 2, f64:1, has 8 bytes; .f32 f of k has 4"},
		{"emu run k.ptx --block 1 out:f32:1 f32:1 x.npy u8:1", 2, "argument 3, x.npy, is a pointer, but .s32 i of k is not"},
		{"emu run k.ptx --block 1 out:f32:1 f32:1 i32:3000000000 u8:1", 2, `"3000000000" is not a number of type i32`},
		{"emu run k.ptx --block 1 ouch:f32:1 f32:1 i32:1 u8:1", 2, `there is no "ouch"`},
		{"emu run k.ptx --block 1 out:f33:1 f32:1 i32:1 u8:1", 2, "want a type and a shape"},
		{"emu run k.ptx --block 1 out:f32:1x f32:1 i32:1 u8:1", 2, `"1x" is not a shape`},
		{"emu run k.ptx --block 1 out:f32:4000000000x4000000000 f32:1 i32:1 u8:1", 2, "does not fit --max-memory"},
		{"emu run k.ptx --block 1 no.npy f32:1 i32:1 u8:1", 2, "no.npy: no such file"},
		{"emu run k.ptx --block 1 short.npy f32:1 i32:1 u8:1", 1, "short.npy: byte 8: the file ends"},
		{"emu run k.ptx --block 1 huge.npy f32:1 i32:1 u8:1", 1, "huge.npy: "},
		{"emu run k.ptx --block 1 in:x.npy=y.npy f32:1 i32:1 u8:1", 2, "only reads this array"},
		{"emu run k.ptx --block 1 inout:bf16:x.npy f32:1 i32:1 u8:1", 2, "x.npy has elements of type f4; those of bf16 are u2"},
		{"emu run k.ptx --block 1 out:f32:1~x.npy f32:1 i32:1 u8:1", 2, "x.npy has 2 elements, the array 1"},
		{"emu run k.ptx --block 1 zero:f32:2~x.npy f32:1 i32:1 u8:1", 1, "1 of 2 elements are not those of x.npy: element [0] is 1, want 0"},
		{"emu run k.ptx --block 1 out:f32:2~x.npy f32:0 i32:1 u8:1", 1, "element [1] was never written"},
		{"emu run k.ptx --block 1 zero:f32:2~x.npy f32:-0 i32:1 u8:1", 0, ""},
		{"emu run k.ptx --block 1 zero:f32:2~x.npy f32:nan i32:1 u8:1", 1, "element [0] is NaN, want 0"},
		{"emu run k.ptx --block 1 zero:f32:2=no/y.npy f32:1 i32:1 u8:1", 1, "there is no folder no/"},
		{"emu run k.ptx --block 2 zero:f32:2 f32:1 i32:1 u8:1", 0, "1 0"},
		{"emu run k.ptx --block 1 u64:0 f32:1 i32:1 u8:1", 1, "k.ptx:10: k: line 10 `st.global.f32 [%rd1], %f1;`: block 0 thread 0: bounds"},
		{"emu run k.ptx --block 1 value:x.npy f32:1 i32:1 u8:1", 1, "bounds"},
	} {
		if out, code := emulate(x.line); code != x.code || !strings.Contains(out, x.why) || strings.ContainsAny(out, "\x1b\x00") {
			t.Errorf("tilesmith %s: exit %d: %q; want %d and %q", x.line, code, out, x.code, x.why)
		}
	}
}

// TestEmulatorJSON reads what --json prints of a fault and of a result.
func TestEmulatorJSON(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(file, []byte(clitest.PTX), 0o666); err != nil {
		t.Fatal(err)
	}
	var x struct {
		OK           bool
		Fault        *struct{ Kind string }
		Instructions int64
		Results      []struct {
			Unwritten int64 `json:"unwritten_bytes"`
		}
		Lines []struct{ Line, Instructions int }
	}
	for arg, fault := range map[string]string{"out:f32:3": "", "u64:0": "bounds"} {
		var b bytes.Buffer
		err := cli.Execute(context.Background(), strings.Fields("emu run "+file+" --block 1 --json --counters "+arg+" f32:1 i32:1 u8:1"), &b, &b, Command())
		x.Fault = nil
		if e := json.Unmarshal(b.Bytes(), &x); e != nil || (err == nil) != (fault == "") || x.OK != (fault == "") || (x.Fault == nil) != (fault == "") {
			t.Errorf("%s: %v, %v\n%s", arg, e, err, &b)
		}
		if fault != "" && x.Fault.Kind != fault || fault == "" && (len(x.Results) != 1 || x.Results[0].Unwritten != 8 || x.Instructions != 4 || len(x.Lines) != 4) {
			t.Errorf("%s: %+v", arg, x)
		}
	}
}

// TestCorpus runs the kernels of a folder that cuda/emu/corpus/make.py wrote, with all checks
// and in two orders: nineteen of twenty have to be right.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("TILESMITH_CORPUS")
	if dir == "" {
		t.Skip("TILESMITH_CORPUS names no folder of cuda/emu/corpus/make.py")
	}
	t.Chdir(dir)
	files, err := filepath.Glob("*.args")
	if err != nil || len(files) < 20 {
		t.Fatalf("%s has %d kernels: %v", dir, len(files), err)
	}
	right := 0
	for _, f := range files {
		args, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(f, ".args")
		seeds := " --seeds 2 "
		if testing.Short() {
			seeds = " "
		}
		if out, code := emulate("emu run " + name + ".ptx" + seeds + string(args)); code == 0 {
			right++
		} else {
			t.Logf("%s: %s", name, out)
		}
	}
	t.Logf("%d of %d are right", right, len(files))
	if 20*right < 19*len(files) {
		t.Errorf("%d of %d are right", right, len(files))
	}
}

// emulate runs a command line in this folder and returns all that it prints.
func emulate(line string) (out string, code int) { return clitest.Output(line, Command()) }

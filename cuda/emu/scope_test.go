package emu

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// assembler returns a ptxas, or "" if there is none.
func assembler() string {
	if p := os.Getenv("TILESMITH_PTXAS"); p != "" {
		return p
	}
	p, _ := exec.LookPath("ptxas")
	return p
}

// assembled reports whether ptxas takes a module, and what it says.
func assembled(t *testing.T, ptxas, arch, text string) (ok bool, says string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.ptx")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(ptxas, "-arch", arch, "-O0", "-o", path+".cubin", path).CombinedOutput()
	return err == nil, string(out)
}

// TestScopes: what a name means, and which names are refused, as NVIDIA's assembler has it.
func TestScopes(t *testing.T) {
	ptxas := assembler()
	for _, c := range []struct{ name, body, refused string }{
		{"siblings", "{ W: add.u32 %r1, %r1, 1; @%p1 bra W; } { W: @%p1 bra W; }", ""},
		{"inner hides outer", "W: @%p1 bra W; { W: @%p1 bra W; }", ""},
		{"outer behind inner", "{ W: @%p1 bra W; } W: @%p1 bra W;", ""},
		{"out of a block, forward", "{ @%p1 bra E; } E:", ""},
		{"out of a block, back", "E: { @%p1 bra E; }", ""},
		{"nested", "{ { W: @%p1 bra W; @%p1 bra E; } W: @%p1 bra W; { W: @%p1 bra W; } } E:", ""},
		{"label at the end", "{ @%p1 bra E; E: } { @%p1 bra E; E: }", ""},
		{"two labels", "A: B: @%p1 bra A; @%p1 bra B;", ""},
		{"label of the kernel's name", "k: @%p1 bra k;", ""},
		{"label of a variable's name", ".reg .b32 x; { x: mov.u32 %r1, 0; @%p1 bra x; }", ""},
		{"variable of a label's name", "x: { .reg .b32 x; mov.u32 x, 0; }", ""},
		{"wait of an mbarrier", "{ .reg .pred P; W: setp.eq.u32 P, %r1, 1; @!P bra.uni W; } { .reg .pred P; W: setp.eq.u32 P, %r1, 1; @!P bra.uni W; }", ""},
		{"registers", "{ .reg .b64 %r1; mov.u64 %r1, 1; } mov.u32 %r1, 1;", ""},
		{"families", "{ .reg .b64 %r<3>; mov.u64 %r1, 1; mov.u32 %r5, 1; }", ""},
		{"register behind its use", "{ mov.u32 %r1, 1; .reg .b64 %r1; mov.u64 %r1, 1; } mov.u32 %r1, 1;", ""},
		{"shared", "{ .shared .b32 s; ld.shared.b32 %r1, [s]; } { .shared .b64 s; ld.shared.b64 %rd1, [s]; }", ""},
		{"shared, hidden", ".shared .b32 s; { .shared .b64 s; st.shared.b64 [s], 0; } st.shared.b32 [s], 0;", ""},
		{"local", "{ .local .b32 s; st.local.b32 [s], 0; } { .local .b64 s; st.local.b64 [s], 0; }", ""},
		{"global", "{ .global .b32 g; st.global.b32 [g], 0; } { .global .b64 g; st.global.b64 [g], 0; }", ""},
		{"parameter", "{ .reg .b32 par; mov.b32 par, 1; } ld.param.u64 %rd1, [par];", ""},
		{"lists", "{ T: .branchtargets A, B; @%p1 brx.idx %r1, T; A: B: } { T: .branchtargets A, B; @%p1 brx.idx %r1, T; A: B: }", ""},
		{"list of outer labels", "{ T: .branchtargets A, B; brx.idx %r1, T; } A: B:", ""},
		{"list of a count", "T: .branchtargets A<3>; brx.idx %r1, T; A0: A1: A2:", ""},
		{"list that hides a label", "A: { A: .branchtargets B, C; @%p1 brx.idx %r1, A; B: C: }", ""},
		{"prototypes", "{ P: .callprototype (.param .b32 _) _ (.param .b32 _); } { P: .callprototype _ (); } { P: .calltargets f; }", ""},

		{"label twice", "W: W: bra W;", "the label W is on line"},
		{"label twice in a block", "{ W: add.u32 %r1, %r1, 1; W: bra W; }", "the label W is on line"},
		{"into a block, forward", "@%p1 bra I; { I: add.u32 %r1, %r1, 1; }", "I is no label of k, or one inside of another block"},
		{"into a block, back", "{ I: add.u32 %r1, %r1, 1; } @%p1 bra I;", "I is no label of k"},
		{"into a sibling", "{ I: add.u32 %r1, %r1, 1; } { @%p1 bra I; }", "I is no label of k"},
		{"hidden by a variable", "x: { .reg .b32 x; mov.u32 x, 0; @%p1 bra x; }", "x is no label of k"},
		{"label and variable", ".reg .b32 x; x: mov.u32 %r1, 0;", "labels and variables share one name space"},
		{"variable and label", "x: .reg .b32 x; mov.u32 x, 1;", "labels and variables share one name space"},
		{"label and parameter", "par: @%p1 bra par;", "labels and variables share one name space"},
		{"register and parameter", ".reg .b32 par;", "declared twice"},
		{"use before", "{ mov.u32 y, 1; .reg .b32 y; }", "y is not declared before"},
		{"use behind the block", "{ .reg .b32 y; } mov.u32 y, 1;", "y is not declared before"},
		{"shared behind the block", "{ .shared .b32 s; } ld.shared.b32 %r1, [s];", "s is not declared"},
		{"list twice", "T: .branchtargets A; T: .branchtargets A; A:", "the label T is on line"},
		{"list and label", "A: T: .branchtargets A; T:", "the label T is on line"},
		{"list of inner labels", "T: .branchtargets A, B; brx.idx %r1, T; { A: B: }", "A is no label of k"},
		{"list behind its block", "{ T: .branchtargets A; } brx.idx %r1, T; A:", "T is no .branchtargets"},
		{"branch to a list", "T: .branchtargets A; @%p1 bra T; A:", "T is no label of k"},
		{"brx to a label", "T: @%p1 brx.idx %r1, T;", "T is no .branchtargets"},
		{"branch to a prototype", "P: .callprototype _ (.param .b32 _); @%p1 bra P;", "P is no label of k"},
		{"no label", "bra NO;", "NO is no label of k"},
		{"label of another function", "bra F;", "F is no label of k"},
		{"too many", "T: .branchtargets A<100000>;", "1 to 65536"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := ".version 8.8\n.target sm_90\n.address_size 64\n.func f() { F: ret; }\n.visible .entry k(.param .u64 par)\n{\n" +
				".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<3>;\n" + c.body + "\nadd.u32 %r8, %r8, 1;\nret;\n}\n"
			_, err := newRig(t, Options{}).d.Load(text)
			switch {
			case c.refused == "" && err != nil:
				t.Error(err)
			case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("%v; want %q", err, c.refused)
			}
			if ptxas == "" {
				return
			}
			if ok, says := assembled(t, ptxas, "sm_90", text); ok != (c.refused == "") {
				t.Errorf("ptxas takes it: %v\n%s", ok, says)
			}
		})
	}
}

// TestInnermost: a branch goes to the label of the innermost block that has one, also if that
// comes later and an outer one was there before; a register is the one declared before.
func TestInnermost(t *testing.T) {
	r := newRig(t, Options{})
	m := r.alloc(make([]byte, 16))
	err := r.launch(kernel(1, `mov.u32 %r1, 0; mov.u32 %r2, 5; setp.eq.u32 %p1, %r0, 0;
W: add.u32 %r1, %r1, 1;
{
	@%p1 bra W;
	add.u32 %r1, %r1, 10;
	W: add.u32 %r1, %r1, 100;
	mov.u32 %r3, %r2;
	.reg .b32 %r2;
	mov.u32 %r2, 7;
}
{
	mov.u32 %r5, 0;
	W: add.u32 %r5, %r5, 1;
	setp.lt.u32 %p2, %r5, 3;
	@%p2 bra W;
}
st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r5};`), "k", grid(1, 1, 0), m)
	if err != nil {
		t.Fatal(err)
	}
	got, want := toWords(r.read(m)), []uint32{101, 5, 5, 3}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("word %d is %d, want %d", i, got[i], want[i])
		}
	}
}

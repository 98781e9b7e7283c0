package emu

import (
	"errors"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
)

// Everything at the top of a module that compilers write.
const fullModule = `// made by hand
.version 7.1
.target sm_80, debug
.address_size 64
	.file	1 "x.cu"
.extern .func (.param .b32 r) elsewhere (.param .b64 a, .param .b64 b);
.visible .const .align 4 .b8 table[16] = {1, 2, 3, 4, 0x10, 0, 0, 0};
.global .align 8 .u64 counter = 7;
.global .align 4 .f32 scale[3] = {0f3F800000, 2.5, -1};
.global .b32 zeros[4];
.extern .shared .align 1024 .b8 smem[];
.shared .align 8 .b8 fixed[24];
.weak .func (.param .b32 res) twice (.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [x];
	{
		.reg .pred %p;
		setp.eq.u32 %p, %r1, 0;
		@%p bra out;
	}
	add.u32 %r1, %r1, %r1;
out:
	st.param.b32 [res], %r1;
	ret;
}
.visible .entry k(
	.param .u64 .ptr .global .align 16 out,
	.param .u8 small,
	.param .align 8 .b8 block[16],
	.param .u32 n
)
.maxntid 128, 1, 1
.minnctapersm 2
{
	.pragma "nounroll";
	.loc 1 3 5
	.reg .b32 %r<20>, %q;
	.reg .b64 %rd<9>;
	.reg .f32 %f<4>;
	.local .align 8 .b8 scratch[8];
	ld.param.u64 	%rd1, [out];
	ld.param.u8 %r1, [small];
	ld.param.u32 %r2, [block+4];
	ld.param.u32 %r3, [n];
	cvta.to.global.u64 %rd1, %rd1;
	st.global.u32 [%rd1], %r1;
	st.global.u32 [%rd1+4], %r2;
	st.global.u32 [%rd1+8], %r3;
	ld.const.u32 %r4, [table];
	ld.const.u32 %r5, [table+4];
	st.global.v2.u32 [%rd1+16], {%r4, %r5};
	ld.global.u64 %rd2, [counter];
	add.u64 %rd2, %rd2, 1;
	st.global.u64 [counter], %rd2;
	st.global.u64 [%rd1+24], %rd2;
	mov.u64 %rd3, scale;
	ld.global.f32 %f1, [%rd3+4];
	st.global.f32 [%rd1+32], %f1;
	st.local.u32 [scratch+4], %r3;
	mov.u64 %rd4, scratch;
	cvta.local.u64 %rd5, %rd4;
	ld.u32 %r6, [%rd5+4];
	st.global.u32 [%rd1+36], %r6;
	{ // a call
		.param .b32 p0;
		.param .b32 r0;
		st.param.b32 [p0+0], %r3;
		call.uni (r0), twice, (p0);
		ld.param.b32 %r7, [r0+0];
	}
	call (%r8), twice, (%r7);
	st.global.v2.u32 [%rd1+40], {%r7, %r8};
	mov.u32 %r9, fixed;
	mov.u32 %q, smem+16;
	sub.u32 %q, %q, %r9;
	st.global.u32 [%rd1+48], %q;
	mov.b32 %r10, 0b101; /* two
	lines */ mov.u32 %r11, 017; mov.u32 %r12, 0xffU;
	add.u32 %r10, %r10, %r11; add.u32 %r10, %r10, %r12;
	st.global.u32 [%rd1+52], %r10;
	exit;
}
`

func TestWholeModule(t *testing.T) {
	r := newRig(t, Options{})
	out := r.alloc(make([]byte, 64))
	params := pack(out, uint32(0x1c8), uint32(0), uint32(11), uint32(22), uint32(0), uint32(0), uint32(33))
	// small is a byte at 8, block is at 16, n at 32.
	params = append(append(append([]byte{}, params[:12]...), make([]byte, 4)...), pack(uint32(11), uint32(22), uint32(0), uint32(0), uint32(33))...)
	m, err := r.d.Load(fullModule)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function("k")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Launch(r.s, grid(1, 1, 64), params); err != nil {
		t.Fatal(err)
	}
	if err := r.s.Synchronize(); err != nil {
		t.Fatal(err)
	}
	want := []uint32{0xc8, 22, 33, 0, 0x04030201, 0x10, 8, 0, 0x40200000, 33, 66, 132, 1024 + 16, 5 + 15 + 255, 0, 0}
	for i, v := range toWords(r.read(out)) {
		if v != want[i] {
			t.Errorf("word %d = %#x, want %#x", i, v, want[i])
		}
	}
	if a := f.Attributes(); a.Static != 24 || a.Local < 8 || a.Registers < 10 {
		t.Errorf("attributes are %+v", a)
	}
}

// What is refused, where, and with what words.
func TestRefused(t *testing.T) {
	body := func(s string) string { return kernel(1, s) }
	for _, c := range []struct{ name, src, want string }{
		{"empty", "", "want .version"},
		{"version", ".version 42.0\n.target sm_80", "versions up to 9"},
		{"target", ".version 7.0\n.target gpu", "want sm_ and a number"},
		{"32 bits", ".version 7.0\n.target sm_80\n.address_size 32", "line 3, column 15: .address_size 32: only 64"},
		{"comment", header + "/* never", "*/ is missing"},
		{"character", header + "\x01", "has no place in PTX"},
		{"string", header + ".file 1 \"x", "\" is missing"},
		{"float", body("mov.f32 %f1, 0f0;"), "0f wants 8 hexadecimal digits"},
		{"integer", body("mov.u64 %rd1, 99999999999999999999;"), "no integer of 64 bits"},
		{"number", body("mov.u32 %r1, 12ab;"), "neither a number nor a name"},
		{"no instruction", body("frobnicate.u32 %r1;"), "frobnicate is no instruction of PTX"},
		{"later", body("wgmma.fence.sync.aligned;"), "wgmma.fence.sync.aligned: the emulator does not execute wgmma: matrix products"},
		{"bulk", body("cp.async.bulk.commit_group;"), "cp.async.bulk.commit_group: the emulator does not execute cp.async.bulk: bulk copies"},
		{"modifier", body("add.u32.foo %r1, %r1, 1;"), ".foo is not known here"},
		{"type", body("add.u8 %r1, %r1, 1;"), ".u8 is not one of its types"},
		{"no type", body("mov %r1, 1;"), "a type such as .b32 is missing"},
		{"operands", body("add.u32 %r1, %r1;"), "has 2 operands, wants 3"},
		{"register size", body("add.u32 %r1, %rd1, 1;"), "%rd1 is a .b64, a .u32 is wanted"},
		{"register class", body("add.u32 %r1, %f1, 1;"), "%f1 is a .f32, a .u32 is wanted"},
		{"predicate", body("@%r1 bra l;\nl:"), "%r1 is no predicate"},
		{"undeclared", body("add.u32 %r1, %x, 1;"), "%x is not declared"},
		{"beyond a family", body("add.u32 %r1, %r100, 1;"), "%r100 is not declared"},
		{"twice", body(".reg .b32 %p1;\n.reg .b64 %p1;"), "declared twice"},
		{"parameter and register", header + ".entry k(.param .u32 M) { .reg .b32 M; ret; }", "share one name space"},
		{"label", body("bra nowhere;"), "nowhere is no label of k"},
		{"label twice", body("l:\nl:"), "is on line"},
		{"address size", body("ld.global.u32 %r1, [%r2];"), "%r2 is a .b32, which is no address of .global"},
		{"space", body("ld.global.u32 %r1, [p0];"), "p0 is in .param, the instruction is for .global"},
		{"const", body("st.const.u32 [%rd0], %r1;"), "is not written"},
		{"mma shape", body("mma.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2},{%r3},{%f1,%f2,%f3,%f4};"), "not executed"},
		{"mma fragment", body("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2},{%r3,%r4},{%f1,%f2,%f3,%f4};"), "has 2 registers, wants 4"},
		{"cvt", body("cvt.u32.f32 %r1, %f1;"), "integer rounding such as .rzi is missing"},
		{"cp.async size", body("cp.async.cg.shared.global [%r1], [%rd1], 8;"), "the size is 16"},
		{"old shuffle", body("shfl.idx.b32 %r1, %r2, 0, 31;"), "without .sync"},
		{"older target", body("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};"), "needs .target sm_90, the module says sm_80"},
		{"older version", strings.Replace(body("mov.b32 %r1, 0;\nst.shared::cta.b32 [%r1], %r1;"), "8.0", "7.0", 1), "needs .version 7.8, the module says 7.0"},
		{"bfloat16 sum", body("add.bf16x2 %r1, %r1, %r1;"), "needs .target sm_90"},
		{"cvt of fp8", strings.Replace(body("cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;"), "sm_80", "sm_89", 1), "needs .version 8.1"},
		{"end", header + ".entry k() { ret;", "} is missing"},
		{"semicolon", body("add.u32 %r1, %r1, 1\nret;"), "ret where add wants , or ;"},
		{"recursion", header + ".func f() { call f; ret; }\n.entry k() { call f; ret; }", "recursive"},
		{"call of nothing", body("call g;"), "g is no function"},
		{"static shared", header + ".entry k() { .shared .b8 x[49153]; .reg .b32 r; mov.u32 r, x; ret; }", "more than"},
		{"array", header + ".global .b8 x[1000000][1000000];", "out of range"},
		{"init", header + ".global .u32 x[1] = {1, 2};", "the initialiser of x has 8 bytes"},
		{"deep", header + ".entry k() " + strings.Repeat("{", 100), "nested blocks"},
		{"deep expression", header + ".global .u32 x = " + strings.Repeat("(", 1000), "nested too deeply"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Open(Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = d.Load(c.src)
			if !errors.Is(err, cuda.ErrPTX) {
				t.Fatalf("got %v, want cuda.ErrPTX", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q does not say %q", err, c.want)
			}
		})
	}
}

// TestDirectives: what says nothing of the kernel that is executed is read over.
func TestDirectives(t *testing.T) {
	ptxas := assembler()
	for _, c := range []string{
		".visible .entry k() .reqntid 32 .reqnctapercluster 1 .blocksareclusters { ret; }",
		".visible .func f() .abi_preserve 4 { ret; } .visible .func g() .abi_preserve_control 2 { ret; } .visible .entry k() { ret; }",
		".visible .entry k() .maxntid 32 .minnctapersm 4 .maxclusterrank 4 .maxnreg 32 { ret; }", ".visible .entry k() .explicitcluster { ret; }",
		".visible .global .attribute(.managed) .b32 g; .visible .entry k() { ret; }",
		".visible .func f() { ret; } .visible .func g(); .alias g, f; .visible .entry k() { ret; }",
		".pragma \"nounroll\"; .common .global .b32 c; .weak .global .b32 w; .visible .entry k() { ret; }",
		".visible .entry k() { ret; } .section .debug_str { L: .b8 1,2\n.b32 L\n}",
	} {
		src := ".version 9.0\n.target sm_90\n.address_size 64\n" + c + "\n"
		m, err := newRig(t, Options{}).d.Load(src)
		if err == nil {
			_, err = m.Function("k")
		}
		if err != nil {
			t.Error(err)
		}
		if ptxas == "" {
			continue
		}
		if ok, says := assembled(t, ptxas, "sm_90", src); !ok && !strings.Contains(says, "Unsupported .version") {
			t.Errorf("ptxas refuses %s\n%s", c, says)
		}
	}
}

func TestBadLaunches(t *testing.T) {
	r := newRig(t, Options{})
	m, err := r.d.Load(strings.Replace(kernel(1, ""), ") {", ") .maxntid 64, 1, 1 {", 1))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function("k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Function("none"); err == nil || !strings.Contains(err.Error(), `"none"; the module has k`) {
		t.Errorf("an unknown kernel: %v", err)
	}
	for _, c := range []struct {
		grid   cuda.Grid
		params int
		want   string
	}{
		{cuda.Grid{}, 8, "want 1 to"}, {grid(1, 65, 0), 8, ".maxntid allows 64"}, {grid(1, 2048, 0), 8, "want 1 to 1024"},
		{grid(1, 32, 300000), 8, "shared memory"}, {grid(1, 32, -1), 8, "shared memory"}, {grid(1, 32, 0), 4, "4 bytes of parameters, the kernel has 8"},
	} {
		if err := f.Launch(r.s, c.grid, make([]byte, c.params)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("launch of %v: %v, want %q", c.grid, err, c.want)
		}
	}
	other := newRig(t, Options{})
	if err := f.Launch(other.s, grid(1, 32, 0), make([]byte, 8)); !errors.Is(err, cuda.ErrForeign) {
		t.Errorf("a foreign stream: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(fullModule)
	f.Add(smallGEMM.text())
	f.Add(mbarrierStages)
	f.Add(lastBlock)
	f.Add(kernel(1, "mov.b32 {%h1, %h2}, %r1;\n@!%p1 add.sat.s32 %r1, -%r2, {1};"))
	f.Fuzz(func(t *testing.T, src string) {
		d, err := Open(Options{MaxBytes: 1 << 20, MaxSteps: 20_000, Workers: 1, SMs: 1})
		if err != nil {
			t.Fatal(err)
		}
		m, err := d.Load(src)
		if err != nil {
			if !errors.Is(err, cuda.ErrPTX) && !errors.Is(err, cuda.ErrUnsupported) {
				t.Errorf("%v is neither cuda.ErrPTX nor cuda.ErrUnsupported", err)
			}
			return
		}
		// What loads runs, or ends in a fault.
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.(*module).text.funcs {
			if !f.entry {
				continue
			}
			name := f.name
			if _, err := m.Function(name); err != nil {
				if !errors.Is(err, cuda.ErrPTX) && !errors.Is(err, cuda.ErrUnsupported) {
					t.Errorf("%v is neither cuda.ErrPTX nor cuda.ErrUnsupported", err)
				}
				continue
			}
			p := m.(*module).programs[name]
			fn, err := m.Function(name)
			if err != nil {
				t.Fatal(err)
			}
			if p.fn.paramSize <= 4096 && fn.Launch(s, grid(1, 33, 256), make([]byte, p.fn.paramSize)) == nil {
				_ = s.Synchronize()
			}
		}
	})
}

package emu

import (
	"strings"
	"testing"
)

// strayKernel has two arrays in shared memory, one behind the other, and what a launch gives
// behind both; %r1 is 4 times the thread.
func strayKernel(body string) string {
	s := kernel(1, "shl.b32 %r1, %r0, 2;\ncvt.u64.u32 %rd1, %r1;\n"+body)
	s = strings.Replace(s, ".visible .entry", ".shared .align 16 .b8 one[256];\n.shared .align 16 .b8 two[256];\n.func (.reg .u32 r) inner(.reg .u32 p) { add.u32 r, p, 256; ret; }\n.visible .entry", 1)
	return strings.Replace(s, ".version 8.0\n.target sm_80", ".version 8.8\n.target sm_90", 1)
}

// first puts one before two.
const first = "st.shared.u32 [one], 0; bar.sync 0; st.shared.u32 [two], 0; bar.sync 0;\n"

// TestStray: an address that comes from an array has to stay in it.
func TestStray(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"named", "st.shared.u32 [one+256], 1;", "writes 4 bytes at offset 256 of shared memory, just past the end of one (256 bytes), which the address comes from"},
		{"named, before", "st.shared.u32 [two+-4], 1;", "4 bytes before two (256 bytes)"},
		{"in a register", "mov.u32 %r2, one; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2+128], 1;", "thread 32: bounds: writes 4 bytes at offset 256"},
		{"multiplied", "mov.u32 %r3, one; mad.lo.u32 %r2, %r0, 8, %r3; ld.shared.u32 %r4, [%r2];", "past the end of one"},
		{"several bytes", "mov.u32 %r2, one; add.u32 %r2, %r2, 240; st.shared.v4.u32 [%r2+16], {%r1, %r1, %r1, %r1};", "just past the end of one"},
		{"far", "mov.u32 %r2, one+300; st.shared.u32 [%r2], 1;", "44 bytes past the end of one"},
		{"through a generic address", "mov.u64 %rd2, one; cvta.shared.u64 %rd2, %rd2; add.u64 %rd2, %rd2, %rd1; st.u32 [%rd2+256], 1;", "past the end of one"},
		{"converted", "mov.u64 %rd2, one; cvt.u32.u64 %r2, %rd2; st.shared.u32 [%r2+256], 1;", "just past the end of one"},
		{"chosen from one", "mov.u32 %r2, one; add.u32 %r3, %r2, 4; setp.eq.u32 %p1, %r0, 0; selp.u32 %r4, %r2, %r3, %p1; st.shared.u32 [%r4+256], 1;", "past the end of one"},
		{"in a loop", "mov.u32 %r2, two; L: sub.u32 %r2, %r2, 4; st.shared.u32 [%r2], %r0; bra L;", "4 bytes before two"},
		{"with an index from memory", "ld.global.u32 %r3, [%rd0]; mov.u32 %r2, one; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2+256], 1;", "just past the end of one"},
		{"atomic", "mov.u32 %r2, one; atom.shared.add.u32 %r3, [%r2+256], 1;", "updates 4 bytes at offset 256"},
		{"matrix", "mov.u32 %r2, one; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2+256];", "reads 16 bytes at offset 256"},
		{"copy", "mov.u32 %r2, one; cp.async.cg.shared.global [%r2+256], [%rd0], 16;", "copies to 16 bytes at offset 256"},
		{"barrier", "mov.u32 %r2, one; mbarrier.init.shared.b64 [%r2+256], 1;", "makes an mbarrier of 8 bytes at offset 256"},
		{"from the launch's into the text's", "mov.u32 %r2, smem; st.shared.u32 [%r2+-4], 1;", "4 bytes before smem, which"},
		{"the last bytes", "mov.u32 %r2, one; st.shared.u64 [%r2+248], 1; .shared .align 8 .b8 odd[12]; mov.u32 %r3, odd; st.shared.u64 [%r3+8], 1;", "the last 4 of them past the end of odd (12 bytes)"},

		// What stays, or of which the text does not say where it comes from.
		{"inside", "mov.u32 %r2, one; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], 1; st.shared.u32 [two+252], 2;", ""},
		{"before, and back", "mov.u32 %r2, one; sub.u32 %r2, %r2, 512; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2+512], 1;", ""},
		{"difference of two", "mov.u32 %r2, one; mov.u32 %r3, two; sub.u32 %r4, %r3, %r2; add.u32 %r5, %r2, %r4; add.u32 %r5, %r5, %r1; st.shared.u32 [%r5], 1;", ""},
		{"index from an address", "mov.u32 %r2, one; add.u32 %r3, %r2, %r1; sub.u32 %r4, %r3, %r2; mov.u32 %r5, two; add.u32 %r5, %r5, %r4; st.shared.u32 [%r5], 1;", ""},
		{"chosen from two", "mov.u32 %r2, one; mov.u32 %r3, two; setp.eq.u32 %p1, %r0, 99; selp.u32 %r4, %r2, %r3, %p1; add.u32 %r4, %r4, %r1; st.shared.u32 [%r4], 1;", ""},
		{"one register for two", "mov.u32 %r2, one; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], 1; mov.u32 %r2, two; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], 1;", ""},
		{"stored and loaded", "mov.u32 %r2, two; add.u32 %r3, %r1, one; st.local.u32 [lo], %r2; ld.local.u32 %r4, [lo]; add.u32 %r5, %r4, %r1; st.shared.u32 [%r5], 1; .local .b32 lo;", "-"},
		{"toggled", "mov.u32 %r2, one; add.u32 %r2, %r2, %r1; xor.b32 %r3, %r2, 256; setp.lt.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r3], 1;", ""},
		{"called", "mov.u32 %r2, one; call (%r3), inner, (%r2); add.u32 %r3, %r3, %r1; st.shared.u32 [%r3], 1;", ""},
		{"the launch's", "mov.u32 %r2, smem; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], 1; st.shared.u32 [%r2+256], 1;", ""},
	} {
		if c.want == "-" { // declared before it is used
			c.want, c.body = "", ".local .b32 lo; "+strings.TrimSuffix(c.body, " .local .b32 lo;")
		}
		r := newRig(t, Options{NoChecks: true})
		m := r.alloc(make([]byte, 256))
		err := r.launch(strayKernel(first+strings.ReplaceAll(c.body, "; ", ";\n")), "k", grid(1, 64, 1024), m)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "":
			wantFault(t, err, Bounds, c.want)
		}
	}
}

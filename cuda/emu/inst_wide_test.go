package emu

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// wideKernel is a kernel for the target that came with accesses of 32 bytes.
func wideKernel(n int, body string) string {
	return strings.NewReplacer(".version 8.0", ".version 8.8", "sm_80", "sm_120").Replace(kernel(n, body))
}

const eight = "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}"

// TestWide moves 32 bytes at once.
func TestWide(t *testing.T) {
	in := words(1, 2, 3, 4, 5, 6, 7, 8)
	for name, body := range map[string]string{
		"words":      "ld.global.v8.u32 " + eight + ", [%rd0];\nst.global.v8.b32 [%rd1], " + eight + ";",
		"generic":    "ld.v8.u32 " + eight + ", [%rd0];\nst.v8.b32 [%rd1], " + eight + ";",
		"constant":   "ld.global.nc.v8.b32 " + eight + ", [%rd0];\nst.global.v8.b32 [%rd1], " + eight + ";",
		"floats":     "ld.global.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%rd0];\nst.global.v8.f32 [%rd1], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};",
		"pairs":      "ld.global.v4.b64 {%rd5,%rd6,%rd7,%rd8}, [%rd0];\nst.global.v4.u64 [%rd1], {%rd5,%rd6,%rd7,%rd8};",
		"doubles":    "ld.global.v4.f64 {%d1,%d2,%d3,%d4}, [%rd0];\nst.global.v4.f64 [%rd1], {%d1,%d2,%d3,%d4};",
		"strong":     "ld.relaxed.gpu.global.v8.u32 " + eight + ", [%rd0];\nst.release.gpu.global.v8.b32 [%rd1], " + eight + ";",
		"left out":   "ld.global.v8.u32 {_, %r2, _, _, _, _, _, %r8}, [%rd0];\nst.global.v8.b32 [%rd1], {1, %r2, 3, 4, 5, 6, 7, %r8};",
		"in between": "ld.global.L2::evict_last.v8.u32 " + eight + ", [%rd0];\nst.global.L1::no_allocate.v8.b32 [%rd1], " + eight + ";",
	} {
		r := newRig(t, Options{Major: 12})
		a, b := r.alloc(in), r.empty(32)
		if err := r.launch(wideKernel(2, body), "k", grid(1, 1, 0), a, b); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := r.read(b); !bytes.Equal(got, in) {
			t.Errorf("%s: %v", name, toWords(got))
		}
	}
}

// TestWideFaults: the last byte of 32 is looked at like the first.
func TestWideFaults(t *testing.T) {
	const load = "ld.global.v8.u32 " + eight + ", "
	for _, c := range []struct {
		body string
		kind FaultKind
		part string
	}{
		{load + "[%rd0+16];", Misaligned, "reads 32 bytes at the global address"},
		{load + "[%rd0+64];", Bounds, "past the end of the buffer of 64 bytes"},
		{"st.global.b8 [%rd1+31], 0;\n" + load + "[%rd1];", UninitMemory, "byte 0 was never written"},
		{"st.global.v4.u32 [%rd1], {0, 0, 0, 0};\nst.global.v2.u32 [%rd1+16], {0, 0};\nst.global.u32 [%rd1+24], 0;\nst.global.u8 [%rd1+28], 0;\nst.global.u16 [%rd1+30], 0;\n" + load + "[%rd1];", UninitMemory, "byte 29 was never written"},
		{"setp.eq.u32 %p1, %r0, 0;\n@%p1 st.global.u8 [%rd0+31], 7;\n" + load + "[%rd0];", Race, "thread 0 wrote"},
		{"setp.eq.u32 %p1, %r0, 0;\n@!%p1 " + load + "[%rd0];\n@%p1 st.global.v8.u32 [%rd0], {1, 2, 3, 4, 5, 6, 7, 8};", Race, "writes 32 bytes at offset 0"},
		{"st.global.v8.u32 [%rd0], {1, 2, 3, 4, 5, 6, 7, %r0};", Race, "wrote"},
		{"mov.u32 %r1, smem;\ncvt.u64.u32 %rd5, %r1;\ncvta.shared.u64 %rd5, %rd5;\nld.v8.u32 " + eight + ", [%rd5];", Bounds, "so many at once are in global memory"},
		{".local .align 32 .b8 l[32];\nst.v8.u32 [l], {1, 2, 3, 4, 5, 6, 7, 8};", Bounds, "so many at once are in global memory"},
	} {
		r := newRig(t, Options{Major: 10})
		err := r.launch(strings.Replace(wideKernel(2, c.body), "sm_120", "sm_100", 1), "k", grid(1, 2, 64), r.alloc(make([]byte, 64)), r.empty(64))
		wantFault(t, err, c.kind, c.part)
	}
	// All lanes may store the same.
	r := newRig(t, Options{Major: 12})
	if err := r.launch(wideKernel(1, "st.global.v8.u32 [%rd0], {1, 2, 3, 4, 5, 6, 7, 8};"), "k", grid(1, 64, 0), r.alloc(make([]byte, 64))); err != nil {
		t.Error(err)
	}
}

// TestWideCosts: each lane has a sector of its own, all of it.
func TestWideCosts(t *testing.T) {
	for stride, want := range map[int][2]int64{32: {32, 32}, 64: {32, 32}, 0: {1, 1}} {
		r := newRig(t, Options{Major: 12})
		body := fmt.Sprintf("mad.wide.u32 %%rd0, %%r0, %d, %%rd0;\nld.global.v8.u32 %s, [%%rd0];", stride, eight)
		if err := r.launch(wideKernel(1, body), "k", grid(1, 32, 0), r.alloc(make([]byte, 2048))); err != nil {
			t.Fatal(err)
		}
		if k := r.d.Report().Kernels[0]; k.GlobalSectors != want[0] || k.GlobalIdeal != want[1] {
			t.Errorf("stride %d: %d sectors, at least %d; want %v", stride, k.GlobalSectors, k.GlobalIdeal, want)
		}
	}
}

func TestWideRefused(t *testing.T) {
	for text, why := range map[string]string{
		"ld.shared.v8.u32 " + eight + ", [smem];":                                        "32 bytes at once are for ld and st of .global",
		"ld.param.v8.u32 " + eight + ", [p0];":                                           "32 bytes at once are for ld and st of .global",
		".local .align 32 .b8 l[32];\nst.local.v8.u32 [l], " + eight + ";":               "32 bytes at once are for ld and st of .global",
		".param .align 32 .b8 q[32];\nst.param.v8.u32 [q], " + eight + ";":               "32 bytes at once are for ld and st of .global",
		"ldu.global.v8.u32 " + eight + ", [%rd0];":                                       "32 bytes at once are for ld and st of .global",
		"ld.mmio.relaxed.sys.global.v8.u32 " + eight + ", [%rd0];":                       ".mmio is of one element",
		"ld.mmio.relaxed.sys.global.v2.u32 {%r1, %r2}, [%rd0];":                          ".mmio is of one element",
		"ld.global.L2::evict_last.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0];":                  "for 32 bytes at once",
		"st.global.L2::evict_first.u32 [%rd0], %r1;":                                     "for 32 bytes at once",
		"ld.global.v8.u16 {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}, [%rd0];":             ".v8 is of 32 bits each",
		"ld.global.v8.u64 {%rd1, %rd2, %rd3, %rd4, %rd5, %rd6, %rd7, %rd8}, [%rd0];":     "more than 32 bytes",
		"ld.global.v8.u32 {_, _, _, _, _, _, _, _}, [%rd0];":                             "every result is left out",
		"mov.v8.u16 {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8}, {%h1,%h2,%h3,%h4,%h5,%h6,%h7,1};": "mov.v8",
	} {
		_, err := newRig(t, Options{Major: 12}).d.Load(wideKernel(1, text))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
	// Before .version 8.8 and sm_100 there was none.
	src := wideKernel(1, "ld.global.v8.u32 "+eight+", [%rd0];")
	for old, with := range map[string]string{"sm_120": "sm_90", "8.8": "8.7"} {
		_, err := newRig(t, Options{Major: 12}).d.Load(strings.Replace(src, old, with, 1))
		if err == nil || !strings.Contains(err.Error(), "ld.global.v8.u32: needs .") {
			t.Errorf("%s: %v", with, err)
		}
	}
	if _, err := newRig(t, Options{}).d.Load(src); err == nil || !strings.Contains(err.Error(), "the PTX is for sm_120 and later") {
		t.Error(err)
	}
}

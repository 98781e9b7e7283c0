package emu

import (
	"errors"
	"strings"
	"testing"
)

// otherKernels is a module of which one kernel is executed, and the rest is not.
const otherKernels = `.version 8.0
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);
.extern .global .b32 elsewhere;
.global .texref picture;
.global .samplerref sampler = { addr_mode_0 = clamp_to_edge, filter_mode = linear };
.shared .b8 huge[200000];
.func deep() { wgmma.fence.sync.aligned; ret; }
.func middle() { call deep; ret; }
.func unused() { trap; ret; }
.entry products() { wgmma.fence.sync.aligned; ret; }
.entry stack() { .reg .b64 %a; alloca.u64 %a, 16; ret; }
.entry prints()
{
	.param .b64 a; .param .b64 b; .param .b32 c;
	call (c), vprintf, (a, b);
	ret;
}
.entry calls() { call middle; ret; }
.entry large() { st.shared.u32 [huge], 1; ret; }
.entry linked() { st.global.u32 [elsewhere], 1; ret; }
.entry pictures() { .reg .f32 %f<9>; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [picture, sampler, {%f5, %f6}]; ret; }
.entry good(.param .u64 p)
{
	.reg .b64 %a;
	ld.param.u64 %a, [p];
	st.global.u32 [%a], 7;
	ret;
}
`

// TestOtherKernels: what is not executed is refused with the kernel that has it, or that calls
// it, and with no other.
func TestOtherKernels(t *testing.T) {
	r := newRig(t, Options{})
	m := r.alloc(make([]byte, 4))
	if err := r.launch(otherKernels, "good", grid(1, 1, 0), m); err != nil {
		t.Fatal(err)
	}
	if got := toWords(r.read(m))[0]; got != 7 {
		t.Errorf("good stored %d, want 7", got)
	}
	mod, err := r.d.Load(otherKernels)
	if err != nil {
		t.Fatal(err)
	}
	defer mod.Unload()
	for name, want := range map[string]string{
		"products": "line 12, column 21: wgmma.fence.sync.aligned: the emulator does not execute wgmma",
		"stack":    "line 13, column 32: alloca.u64: the emulator does not execute alloca",
		"prints":   "line 17, column 12: call: vprintf has no body here",
		"calls":    "line 9, column 16: wgmma.fence.sync.aligned: the emulator does not execute wgmma",
		"large":    "the static shared memory of large is more than",
		"linked":   "elsewhere is .extern",
		"pictures": "the emulator does not execute tex: textures",
		"none":     `"none"; the module has calls, good, large, linked, pictures, prints, products, stack`,
	} {
		for range 2 {
			_, err := mod.Function(name)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
			if x := (*Refusal)(nil); name != "none" && !errors.As(err, &x) {
				t.Errorf("%s: %v is no Refusal", name, err)
			}
		}
	}
	// A module of one kernel is refused as a whole.
	_, err = r.d.Load(kernel(1, "wgmma.fence.sync.aligned;"))
	if err == nil || !strings.Contains(err.Error(), "does not execute wgmma") {
		t.Error(err)
	}
}

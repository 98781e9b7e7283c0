package emu

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// TestVectors: registers of two and four elements are loaded, moved, named and stored.
func TestVectors(t *testing.T) {
	r := newRig(t, Options{})
	m := r.alloc(words(1, 2, 3, 4))
	body := `{ .reg .v4 .u32 v; .reg .v4 .u32 w; .reg .v2 .u32 s;
ld.global.v4.u32 v, [%rd0];
add.u32 v.x, v.x, v.w;
mov.v4.u32 w, {v.y, v.x, v.w, v.z};
mov.v4.u32 w, {w.y, w.x, w.w, w.z};
st.global.v4.u32 [%rd0], w;
}`
	if err := r.launch(kernel(1, body), "k", grid(1, 1, 0), m); err != nil {
		t.Fatal(err)
	}
	if got := r.read(m); !bytes.Equal(got, words(5, 2, 3, 4)) {
		t.Errorf("%v", toWords(got))
	}
	for text, why := range map[string]string{
		"add.u32 %r1, v, 1;":                      "v is a vector of 2; one element",
		"ld.global.v4.u32 v, [%rd0];":             "wants 4",
		"mov.v2.u32 v, {%r1};":                    "wants 2",
		"ld.global.u32 v.z, [%rd0];":              "a register is wanted",
		".reg .v8 .u32 z;":                        "at most 4",
		".reg .v4 .u64 z;":                        "16 bytes",
		".reg .v2 .pred z;":                       "no vectors of predicates",
		".reg .v2 .u32 y<4>; mov.b64 y4, %rd1;":   "a register is wanted",
		".reg .v2 .u32 y<4>; mov.u32 %r1, y1.z;":  "y1.z is not declared",
		".reg .v2 .u32 y<4>; add.u32 %r1, y1, 1;": "y1 is a vector of 2",
		".reg .v2 .u32 y<4>; .reg .u32 y3;":       "y3 is declared twice",
		".reg .u32 y3; .reg .v2 .u32 y<4>;":       "y is declared twice",
		"mov.b32 v, %r1;":                         "v.x is a .u32, a .b16 is wanted",
		"mov.b64 v, v;":                           "parts on both sides",
		"mov.b64 v, {%r1, %r2};":                  "parts on both sides",
		"mov.u64 v, %rd1;":                        ".u64 is not put together",
		"mov.f64 %d1, v;":                         ".f64 is not put together",
		"st.global.v2.u32 [%rd0], v + 1;":         "nothing is added to v",
		"mov.v2.f32 v, {%f0, %f1};":               "",
		"selp.u32 %r1, 1, 2, 3.0;":                "",
		"vote.sync.all.pred %p1, !2, 0xffffffff;": "",
	} {
		_, err := r.d.Load(kernel(1, ".reg .v2 .u32 v;\n"+text))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
}

// TestVectorFamily: x<3> are three vectors; mov packs them, and takes them apart.
func TestVectorFamily(t *testing.T) {
	r := newRig(t, Options{})
	m := r.alloc(words(0x00020001, 0x00040003, 5, 6, 0, 0))
	body := `{ .reg .v2.b16 x<3>; .reg .v2 .f32 y<2>; .reg .b16 x3;
ld.global.v2.b16 x0, [%rd0];
ld.global.u32 %r1, [%rd0+4];
mov.b32 x2, %r1;
mov.b16 x1.x, x0.y;
mov.b16 x1.y, x2.x;
mov.b32 %r2, x1;
st.global.u32 [%rd0], %r2;
st.global.b16 [%rd0+4], x2.y;
ld.global.v2.f32 y1, [%rd0+8];
mov.b64 %rd5, y1;
mov.b64 y0, %rd5;
st.global.u64 [%rd0+16], %rd5;
st.global.f32 [%rd0+8], y0.y; }`
	if err := r.launch(kernel(1, body), "k", grid(1, 1, 0), m); err != nil {
		t.Fatal(err)
	}
	if got := r.read(m); !bytes.Equal(got, words(0x00030002, 0x00040004, 6, 6, 5, 6)) {
		t.Errorf("%#x", toWords(got))
	}
	// Each element is written, or not, on its own.
	err := r.launch(kernel(1, "{ .reg .v2 .u32 x<3>;\nmov.u32 x1.x, 1;\nmov.b64 %rd5, x1; }"), "k", grid(1, 1, 0), m)
	wantFault(t, err, UninitReg, "x1.y")
}

// TestVectorCall passes vectors to a function and back.
func TestVectorCall(t *testing.T) {
	src := strings.Replace(kernel(1, "{ .reg .v2 .u32 v;\nld.global.v2.u32 v, [%rd0];\ncall (v), swap, (v);\nst.global.v2.u32 [%rd0], v; }"),
		".extern", ".func (.reg .v2 .u32 o) swap(.reg .v2 .u32 i) {\nmov.u32 o.x, i.y;\nmov.u32 o.y, i.x;\nret;\n}\n.extern", 1)
	r := newRig(t, Options{})
	m := r.alloc(words(1, 2))
	if err := r.launch(src, "k", grid(1, 1, 0), m); err != nil {
		t.Fatal(err)
	}
	if got := r.read(m); !bytes.Equal(got, words(2, 1)) {
		t.Errorf("%v", toWords(got))
	}
	if _, err := r.d.Load(strings.Replace(src, "swap, (v)", "swap, (%r1)", 1)); err == nil || !strings.Contains(err.Error(), "is no vector of 2") {
		t.Error(err)
	}
}

// TestTruth: a number may stand for a predicate that is read.
func TestTruth(t *testing.T) {
	r := newRig(t, Options{})
	m := r.alloc(make([]byte, 12))
	body := "selp.u32 %r1, 5, 6, 1;\nselp.u32 %r2, 5, 6, 0;\nvote.sync.all.pred %p1, 1, 0xffffffff;\nselp.u32 %r3, 7, 8, %p1;\nst.global.u32 [%rd0], %r1;\nst.global.u32 [%rd0+4], %r2;\nst.global.u32 [%rd0+8], %r3;"
	if err := r.launch(kernel(1, body), "k", grid(1, 32, 0), m); err != nil {
		t.Fatal(err)
	}
	if got := r.read(m); !bytes.Equal(got, words(5, 6, 7)) {
		t.Errorf("%v", toWords(got))
	}
}

// TestLinks: initialisers have addresses of variables, and variables of shared and local
// memory stand in instructions without a state space.
func TestLinks(t *testing.T) {
	const src = header + `
.global .u32 x = 7;
.const .u64 at[3] = { x, generic(y), 9 };
.global .u32 y = 8;
.visible .entry k(.param .u64 p) {
.reg .b64 %rd<4>; .reg .b32 %r<4>; .shared .u32 s; .local .u32 l;
ld.param.u64 %rd0, [p];
ld.const.u64 %rd1, [at];
ld.const.u64 %rd2, [at+8];
ld.global.u32 %r1, [%rd1];
ld.u32 %r2, [%rd2];
st.u32 [s], %r1; ld.shared.u32 %r1, [s];
st.local.u32 [l], %r2; ld.u32 %r2, [l];
st.global.v2.u32 [%rd0], {%r1, %r2};
ret; }`
	r := newRig(t, Options{})
	m := r.alloc(make([]byte, 8))
	if err := r.launch(src, "k", grid(1, 1, 0), m); err != nil {
		t.Fatal(err)
	}
	if got := r.read(m); !bytes.Equal(got, words(7, 8)) {
		t.Errorf("%v", toWords(got))
	}
	for old, why := range map[string]string{"x, generic": "z, generic", ".u64 at": ".u32 at", "generic(y)": "generic(k)"} {
		if _, err := r.d.Load(strings.Replace(src, old, why, 1)); err == nil {
			t.Errorf("%s is taken", why)
		}
	}
	// Two that name each other.
	cycle := header + ".global .u64 x = y;\n.global .u64 y = x;\n.visible .entry k(.param .u64 p) {\n.reg .b64 %rd<4>;\nld.param.u64 %rd0, [p];\nld.global.u64 %rd1, [x];\nld.global.u64 %rd1, [%rd1];\nst.global.u64 [%rd0], %rd1;\nmov.u64 %rd2, x;\nsub.u64 %rd1, %rd1, %rd2;\nst.global.u64 [%rd0], %rd1;\nret; }"
	if err := r.launch(cycle, "k", grid(1, 1, 0), m); err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint64(r.read(m)); got != 0 {
		t.Errorf("%#x", got)
	}
}

// TestBorrow: behind sub.cc the flag is that of a + ^b + 1, as addc shows.
func TestBorrow(t *testing.T) {
	r := newRig(t, Options{})
	m := r.alloc(make([]byte, 16))
	body := `mov.u32 %r1, 1; mov.u32 %r2, 2;
sub.cc.u32 %r3, %r1, %r2; addc.u32 %r3, 0, 0; st.global.u32 [%rd0], %r3;
sub.cc.u32 %r3, %r2, %r1; addc.u32 %r3, 0, 0; st.global.u32 [%rd0+4], %r3;
add.cc.u32 %r3, 0xffffffff, 1; subc.u32 %r3, 10, 3; st.global.u32 [%rd0+8], %r3;
add.cc.u32 %r3, 1, 1; subc.u32 %r3, 10, 3; st.global.u32 [%rd0+12], %r3;`
	if err := r.launch(kernel(1, body), "k", grid(1, 1, 0), m); err != nil {
		t.Fatal(err)
	}
	if got := r.read(m); !bytes.Equal(got, words(0, 1, 7, 6)) {
		t.Errorf("%v", toWords(got))
	}
}

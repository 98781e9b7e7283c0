package emu

import (
	"bytes"
	"strings"
	"testing"
)

// callModule is a kernel that calls functions; its only parameter is in %rd0.
func callModule(body string) string {
	const funcs = `.func (.reg .u32 a, .reg .pred b) next(.reg .u32 x, .reg .pred p) {
add.u32 a, x, 1;
not.pred b, p;
ret;
}
.func (.reg .u32 a, .reg .pred b) half(.reg .u32 x) {
.reg .pred %p;
setp.lt.u32 %p, x, 16;
@%p mov.u32 a, x;
@%p setp.eq.u32 b, x, 3;
ret;
}
.extern`
	return strings.Replace(kernel(1, body), ".extern", funcs, 1)
}

// TestPredicateCall passes predicates to a function and back, in each lane its own.
func TestPredicateCall(t *testing.T) {
	r := newRig(t, Options{})
	m := r.alloc(make([]byte, 4*64))
	body := `setp.lt.u32 %p1, %r0, 5;
mov.u32 %r1, 7;
setp.eq.u32 %p3, %r0, 1;
setp.eq.u32 %p2, %r0, 1;
@%p3 bra out; // that lane keeps 7 and its predicate
call (%r1, %p2), next, (%r0, %p1);
call (%r2, _), next, (%r1, %p2);
call (_, %p1), next, (%r1, %p2);
selp.u32 %r3, 1000, 0, %p2;
add.u32 %r1, %r3, %r2;
selp.u32 %r3, 2000, 0, %p1;
add.u32 %r1, %r3, %r1;
out: selp.u32 %r3, 4000, 0, %p2;
add.u32 %r1, %r3, %r1;
mul.wide.u32 %rd5, %r0, 4;
add.u64 %rd5, %rd5, %rd0;
st.global.u32 [%rd5], %r1;`
	if err := r.launch(callModule(body), "k", grid(1, 64, 0), m); err != nil {
		t.Fatal(err)
	}
	for i, v := range toWords(r.read(m)) {
		want := uint32(i + 2 + 1000 + 4000)
		switch {
		case i == 1:
			want = 7 + 4000
		case i < 5:
			want = uint32(i + 2 + 2000)
		}
		if v != want {
			t.Errorf("thread %d has %d, want %d", i, v, want)
		}
	}
}

// TestUnwrittenResults: what a function did not write is not written for its caller.
func TestUnwrittenResults(t *testing.T) {
	for use, kind := range map[string]FaultKind{"add.u32 %r2, %r1, 1;": UninitReg, "selp.u32 %r2, 1, 2, %p1;": UninitReg, "": ""} {
		for threads, wrong := range map[int]bool{16: false, 17: true} {
			r := newRig(t, Options{})
			err := r.launch(callModule("mov.u32 %r1, 5;\nsetp.eq.u32 %p1, %r0, 1;\ncall (%r1, %p1), half, (%r0);\n"+use), "k", grid(1, threads, 0), r.empty(4))
			if wrong && kind != "" {
				wantFault(t, err, kind, "thread 16")
			} else if err != nil {
				t.Errorf("%d threads, %s: %v", threads, use, err)
			}
		}
	}
	r := newRig(t, Options{})
	err := r.launch(callModule("mov.u32 %r1, 5;\ncall (%r1, %p1), next, (%r1, %p2);"), "k", grid(1, 1, 0), r.empty(4))
	wantFault(t, err, UninitReg, "predicate")
}

func TestRefusedCalls(t *testing.T) {
	for text, why := range map[string]string{
		"call (%r1, %p1), next, (%r0, !%p2);":     "a predicate register is wanted",
		"call (%r1, %p1), next, (%r0, 1);":        "a predicate register is wanted",
		"call (%r1, %p1), next, (%r0, %r1);":      "%r1 is no predicate",
		"call (%r1, %r2), next, (%r0, %p1);":      "%r2 is no predicate",
		"call (%p1, %p2), next, (%r0, %p1);":      "%p1 is a predicate, a .u32 is wanted",
		"call (%r1, %p1), next, (%p0, %p1);":      "%p0 is a predicate, a .u32 is wanted",
		"call (%r1, %p1), next, (_, %p1);":        "a register or a constant is wanted",
		"call (%r1, %p1), next, (%r0, _);":        "a predicate register is wanted",
		"call (%r1, %p1), next, (%r0 + 1, %p1);":  "+ where a list wants )",
		"call (%r1, %p1), next + 1, (%r0, %p1);":  "nothing is added to next",
		"call (%r1, !%p1), next, (%r0, %p1);":     "a predicate register is wanted",
		"call (%r1, %p1, %p2), next, (%r0, %p1);": "gives 2 results",
	} {
		_, err := newRig(t, Options{}).d.Load(callModule(text))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
	for _, text := range []string{".func f(.param .pred p) { ret; }", ".func f(.reg .v2 .pred p) { ret; }", ".func f(.reg .u32 p<2>) { ret; }", ".func f(.reg .v8 .u32 p) { ret; }"} {
		if _, err := newRig(t, Options{}).d.Load(header + text); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// TestCallTwice: a function is compiled for each kernel that calls it, all of it.
func TestCallTwice(t *testing.T) {
	src := header + `.func (.reg .u32 a) f(.reg .u64 p) {
.reg .b64 %policy;
createpolicy.fractional.L2::evict_last.b64 %policy, 1.0;
ld.global.L2::cache_hint.u32 a, [p], %policy;
ret; }
.visible .entry k(.param .u64 p) { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [p]; call (%r), f, (%rd); st.global.u32 [%rd+4], %r; ret; }
.visible .entry l(.param .u64 p) { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [p]; call (%r), f, (%rd); st.global.u32 [%rd+8], %r; ret; }
`
	r := newRig(t, Options{})
	m := r.alloc(words(3, 0, 0))
	for _, name := range []string{"k", "l"} {
		if err := r.launch(src, name, grid(1, 1, 0), m); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.read(m); !bytes.Equal(got, words(3, 3, 3)) {
		t.Errorf("%v", toWords(got))
	}
}

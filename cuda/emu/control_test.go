package emu

import (
	"strings"
	"testing"
	"time"
)

// TestPatience: lanes that were let go on from where branches meet, before the others come,
// wait at an instruction of the whole warp for those that still run, and for those that
// wait for these.
func TestPatience(t *testing.T) {
	text := kernel(1, `setp.lt.u32 %p1, %r0, 8;
@%p1 bra end;
mov.u32 %r5, 0;
setp.lt.u32 %p2, %r0, 16;
@%p2 bra both;
again: add.u32 %r5, %r5, 1;
setp.lt.u32 %p2, %r5, 4000;
@%p2 bra again;
both: add.u32 %r5, %r5, 1;
end: bar.sync 0;
st.global.u32 [%rd0], 1;`)
	for seed := range uint64(8) {
		r := newRig(t, Options{Seed: seed})
		if err := r.launch(text, "k", grid(1, 32, 0), r.alloc(words(0))); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestLocks has all lanes of two warps count behind a lock that each spins for: those
// that have it must go on while others of their warp spin.
func TestLocks(t *testing.T) {
	for name, body := range map[string]string{
		// The critical section comes after the loop, where the ways meet again.
		"meet": `spin: atom.acquire.gpu.global.cas.b32 %r1, [%rd0], 0, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra spin;
ld.global.u32 %r2, [%rd0+4];
add.u32 %r2, %r2, 1;
st.global.u32 [%rd0+4], %r2;
st.release.gpu.global.u32 [%rd0], 0;`,
		// With fences, as before there was a memory model, and in an inner loop.
		"fences": `mov.u32 %r5, 0;
again: and.b32 %r6, %r5, 1;
setp.ne.u32 %p2, %r6, 0;
@%p2 bra skip;
spin: atom.global.cas.b32 %r1, [%rd0], 0, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra spin;
membar.gl;
ld.global.u32 %r2, [%rd0+4];
add.u32 %r2, %r2, 1;
st.global.u32 [%rd0+4], %r2;
membar.gl;
atom.global.exch.b32 %r1, [%rd0], 0;
skip: add.u32 %r5, %r5, 1;
setp.lt.u32 %p2, %r5, 2;
@%p2 bra again;`,
		// One after the other, in the order of lanes.
		"turns": `wait: ld.acquire.gpu.global.u32 %r1, [%rd0];
setp.ne.u32 %p1, %r1, %r0;
@%p1 bra wait;
ld.global.u32 %r2, [%rd0+4];
add.u32 %r2, %r2, 1;
st.global.u32 [%rd0+4], %r2;
add.u32 %r1, %r1, 1;
st.release.gpu.global.u32 [%rd0], %r1;`,
		// The lock is released by a function, which the holder calls.
		"call": `spin: atom.acquire.gpu.global.cas.b32 %r1, [%rd0], 0, 1;
setp.eq.u32 %p1, %r1, 0;
@!%p1 bra spin;
.param .b64 a;
st.param.b64 [a], %rd0;
call release, (a);`,
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(kernel(1, body), ".extern .shared", `.func release(.param .b64 p) {
.reg .b64 %a; .reg .b32 %x;
ld.param.b64 %a, [p];
ld.global.u32 %x, [%a+4];
add.u32 %x, %x, 1;
st.global.u32 [%a+4], %x;
st.release.gpu.global.u32 [%a], 0;
ret;
}
.extern .shared`, 1)
			for seed := range uint64(3) {
				r := newRig(t, Options{Seed: seed, MaxSteps: 10_000_000})
				m := r.alloc(words(0, 0))
				if err := r.launch(text, "k", grid(1, 40, 0), m); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if got := toWords(r.read(m))[1]; got != 40 {
					t.Errorf("seed %d: counted %d, want 40", seed, got)
				}
			}
		})
	}
	// Without an order between the holders it is a race.
	r := newRig(t, Options{})
	err := r.launch(kernel(1, `spin: atom.relaxed.gpu.global.cas.b32 %r1, [%rd0], 0, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra spin;
ld.global.u32 %r2, [%rd0+4];
add.u32 %r2, %r2, 1;
st.global.u32 [%rd0+4], %r2;
st.relaxed.gpu.global.u32 [%rd0], 0;`), "k", grid(1, 32, 0), r.alloc(words(0, 0)))
	wantFault(t, err, Race)
}

func TestLimits(t *testing.T) {
	spin := kernel(1, "l: ld.volatile.global.u32 %r1, [%rd0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra l;")
	r := newRig(t, Options{MaxTime: 50 * time.Millisecond})
	began := time.Now()
	err := r.launch(spin, "k", grid(1, 32, 0), r.alloc(words(0)))
	wantFault(t, err, Limit, "MaxTime", "threads 0-31 are at line")
	if d := time.Since(began); d > time.Minute {
		t.Errorf("it took %v to end", d)
	}
	r = newRig(t, Options{MaxSteps: 100_000})
	wantFault(t, r.launch(spin, "k", grid(1, 32, 0), r.alloc(words(0))), Limit, "MaxSteps")
	// Steps are those of a block: as many blocks as a launch may have are no endless loop.
	text := kernel(1, "mov.u32 %r1, %ctaid.z;\nmul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %rd1, %rd0;\nst.global.u32 [%rd1], %r1;")
	r = newRig(t, Options{MaxSteps: 100})
	m := r.empty(4 * 65535)
	g := grid(1, 1, 0)
	g.Blocks[2] = 65535
	if err := r.launch(text, "k", g, m); err != nil {
		t.Error(err)
	}
}

// TestFirstFault: of many blocks that do something wrong the first is reported, however
// many execute at a time.
func TestFirstFault(t *testing.T) {
	// Block 3 and all after it write beyond the buffer; early blocks take longer.
	text := kernel(1, `mov.u32 %r1, %ctaid.x;
sub.u32 %r2, 64, %r1;
mul.lo.u32 %r2, %r2, 1000;
l: sub.u32 %r2, %r2, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra l;
mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd1, %rd1, %rd0;
st.global.u32 [%rd1], %r1;`)
	for _, workers := range []int{1, 2, 4} {
		for _, sms := range []int{2, 8} {
			r := newRig(t, Options{Workers: workers, SMs: sms})
			err := r.launch(text, "k", grid(64, 1, 0), r.empty(12))
			wantFault(t, err, Bounds, "block 3 thread 0")
		}
	}
}

// TestTwins: threads may store the same value to the same place by one instruction.
func TestTwins(t *testing.T) {
	const address = "shr.u32 %r2, %r0, 2;\nshl.b32 %r3, %r2, 3;\nmov.u32 %r4, smem;\nadd.u32 %r4, %r4, %r3;\ncvt.u64.u32 %rd1, %r3;\nadd.u64 %rd1, %rd1, %rd0;\n"
	for name, c := range map[string]struct {
		body string
		kind FaultKind // "" if it is right
	}{
		"shared":     {"st.shared.u32 [%r4], %r2;\nbar.sync 0;\nld.shared.u32 %r5, [%r4];", ""},
		"own":        {"st.shared.u32 [%r4], %r2;\nld.shared.u32 %r5, [%r4];", ""}, // what a lane stored itself
		"vector":     {"st.shared.v2.u32 [%r4], {%r2, %r3};\nbar.sync 0;", ""},
		"bytes":      {"st.shared.u8 [%r4], %r2;\nbar.sync 0;\nld.shared.u8 %r5, [%r4];", ""},
		"global":     {"st.global.u64 [%rd1], %rd1;", ""},
		"constant":   {"setp.lt.u32 %p2, %r0, 32;\n@%p2 st.global.u32 [%rd0], 7;", ""},
		"other":      {"st.shared.u32 [%r4], %r0;", Race},
		"half":       {"st.shared.v2.u32 [%r4], {%r2, %r0};", Race},
		"overlap":    {"and.b32 %r5, %r0, 1;\n shl.b32 %r5, %r5, 1;\nadd.u32 %r4, %r4, %r5;\nmov.u32 %r6, 0;\n@%p1 st.shared.u32 [%r4], %r6;", Misaligned},
		"later":      {"st.shared.u32 [%r4], %r2;\nst.shared.u32 [%r4], %r3;", Race},
		"read":       {"st.shared.u32 [%r4], %r2;\nxor.b32 %r4, %r4, 8;\nld.shared.u32 %r5, [%r4];", Race},
		"two warps":  {"st.shared.u32 [%r1], 7;\nbar.sync 0;\nld.shared.u32 %r5, [%r1];", ""}, // as Triton's do with what all have computed
		"unlike":     {"shr.u32 %r5, %r0, 5;\nst.shared.u32 [%r1], %r5;", Race},
		"half alike": {"shr.u32 %r5, %r0, 5;\nmov.u32 %r6, 0;\nst.shared.v2.u32 [%r1], {%r6, %r5};", Race},
		"alike read": {"st.shared.u32 [%r1], 7;\nld.shared.u32 %r5, [%r1];", Race}, // of the other warp's
		"overwrite":  {"st.shared.u32 [%r1], 7;\nsetp.eq.u32 %p2, %r0, 0;\n@%p2 st.shared.u32 [%r1], 8;", Race},
		"two stores": {"setp.lt.u32 %p2, %r0, 16;\n@%p2 st.shared.u32 [%r1], 7;\n@!%p2 st.shared.u32 [%r1], 7;", Race},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			m := r.alloc(make([]byte, 1024))
			err := r.launch(kernel(1, "mov.u32 %r1, smem;\nsetp.eq.u32 %p1, %r0, %r0;\n"+address+c.body), "k", grid(1, 64, 1024), m)
			if c.kind == "" && err != nil {
				t.Error(err)
			}
			if c.kind != "" {
				wantFault(t, err, c.kind)
			}
		})
	}
}

// TestSwitch sends lanes to labels of a list.
func TestSwitch(t *testing.T) {
	text := func(guard, index string) string {
		return kernel(1, `mov.u32 %r2, 100;
setp.lt.u32 %p1, %r0, 30;
`+index+`
`+guard+`brx.idx %r1, list;
bra end;
list: .branchtargets zero, one,
	two, one;
zero: add.u32 %r2, %r2, 1; bra end;
one: add.u32 %r2, %r2, 10;
two: add.u32 %r2, %r2, 100; bra end;
end: mov.u32 %r3, 0xffffffff;
activemask.b32 %r3;
mul.wide.u32 %rd1, %r0, 8;
add.u64 %rd1, %rd1, %rd0;
st.global.v2.u32 [%rd1], {%r2, %r3};`)
	}
	for seed := range uint64(3) {
		for _, guard := range []string{"", "@%p1 ", "@!%p1 "} {
			for _, same := range []bool{false, true} {
				index := "and.b32 %r1, %r0, 3;"
				if same {
					index = "mov.u32 %r1, 2;"
				}
				r := newRig(t, Options{Seed: seed})
				m := r.empty(8 * 32)
				if err := r.launch(text(guard, index), "k", grid(1, 32, 0), m); err != nil {
					t.Fatal(err)
				}
				got := toWords(r.read(m))
				for i := range 32 {
					k := i & 3
					if same {
						k = 2
					}
					want := uint32([]int{101, 210, 200, 210}[k])
					if guard != "" && (i < 30) == (guard == "@!%p1 ") {
						want = 100
					}
					if got[2*i] != want || got[2*i+1] != fullMask {
						t.Errorf("seed %d %s: lane %d has %d with %#x, want %d", seed, guard, i, got[2*i], got[2*i+1], want)
					}
				}
			}
		}
	}
	r := newRig(t, Options{})
	wantFault(t, r.launch(text("", "mov.u32 %r1, %r0;"), "k", grid(1, 32, 0), r.empty(256)), Bounds, "index 4 of a list of 4")
	for what, text := range map[string]string{
		"nowhere": kernel(1, "brx.idx %r0, list;\nlist: .branchtargets a;"),
		"list":    kernel(1, "a: brx.idx %r0, a;"),
	} {
		if _, err := r.d.Load(text); err == nil {
			t.Errorf("%s: a wrong list is taken", what)
		}
	}
}

// TestGuardedCall: lanes that a guard keeps out wait behind the call.
func TestGuardedCall(t *testing.T) {
	text := strings.Replace(kernel(1, `.param .b32 a;
.param .b32 b;
mov.u32 %r2, %r0;
and.b32 %r1, %r0, 3;
setp.eq.u32 %p1, %r1, 1;
setp.eq.u32 %p2, %r1, 2;
st.param.b32 [a], %r0;
@%p1 call (b), twice, (a);
@%p1 ld.param.b32 %r2, [b];
@!%p2 call (%r2), plus, (%r2, 1000);
activemask.b32 %r3;
mul.wide.u32 %rd1, %r0, 8;
add.u64 %rd1, %rd1, %rd0;
st.global.v2.u32 [%rd1], {%r2, %r3};`), ".extern .shared", `.func (.param .b32 r) twice(.param .b32 x) {
.reg .b32 %v; .reg .pred %q;
ld.param.b32 %v, [x];
setp.gt.u32 %q, %v, 16;
@%q bra big;
add.u32 %v, %v, %v;
big: st.param.b32 [r], %v;
ret;
}
.func (.reg .b32 r) plus(.reg .b32 x, .reg .b32 y) {
.reg .pred %q;
setp.eq.u32 %q, x, 31;
@%q exit;
add.u32 r, x, y;
ret;
}
.extern .shared`, 1)
	for seed := range uint64(3) {
		r := newRig(t, Options{Seed: seed})
		m := r.alloc(make([]byte, 8*32))
		if err := r.launch(text, "k", grid(1, 32, 0), m); err != nil {
			t.Fatal(err)
		}
		got := toWords(r.read(m))
		for i := range 32 {
			want, mask := uint32(i), uint32(fullMask>>1)
			if i&3 == 1 && i <= 16 {
				want *= 2
			}
			if i&3 != 2 {
				want += 1000
			}
			if i == 31 {
				want, mask = 0, 0 // it has exited
			}
			if got[2*i] != want || got[2*i+1] != mask {
				t.Errorf("seed %d: lane %d has %d with %#x, want %d with %#x", seed, i, got[2*i], got[2*i+1], want, mask)
			}
		}
	}
}

package emu

import (
	"strings"
	"testing"
)

// onHopper is a kernel of n pointers for sm_90.
func onHopper(n int, body string) string {
	return strings.Replace(kernel(n, strings.ReplaceAll(body, "; ", ";\n")), ".version 8.0\n.target sm_80", ".version 8.8\n.target sm_90", 1)
}

// TestCluster: a cluster is one block. Its barrier orders what threads did before they
// arrived, and between arriving and waiting they go on.
func TestCluster(t *testing.T) {
	const head = "shl.b32 %r1, %r0, 2; mov.u32 %r2, smem; add.u32 %r2, %r2, %r1; xor.b32 %r3, %r1, 252; mov.u32 %r4, smem; add.u32 %r4, %r4, %r3; "
	const tail = " cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r5;"
	for _, c := range []struct {
		name, body string
		kind       FaultKind
		want       string
	}{
		{"orders", head + "st.shared::cluster.u32 [%r2], %r0; barrier.cluster.arrive.release.aligned; add.u32 %r6, %r0, 1; barrier.cluster.wait.acquire.aligned; ld.shared::cluster.u32 %r5, [%r4];" + tail, "", ""},
		{"twice", head + "st.shared.u32 [%r2], %r0; barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r5, [%r4]; barrier.cluster.arrive; barrier.cluster.wait; st.shared.u32 [%r2], 0; " + tail, "", ""},
		{"through mapa", head + "st.shared.u32 [%r2], %r0; barrier.cluster.arrive; barrier.cluster.wait; mapa.shared::cluster.u32 %r6, %r4, 0; getctarank.shared::cluster.u32 %r7, %r6; add.u32 %r6, %r6, %r7; ld.shared::cluster.u32 %r5, [%r6];" + tail, "", ""},
		{"others exit", head + "mov.u32 %r5, %r0; xor.b32 %r5, %r5, 63; setp.lt.u32 %p1, %r0, 32; @%p1 st.shared.u32 [%r2], 7; @!%p1 bra e; barrier.cluster.arrive; barrier.cluster.wait;\ne:" + tail, "", ""},
		{"relaxed", head + "st.shared.u32 [%r2], %r0; barrier.cluster.arrive.relaxed; barrier.cluster.wait; ld.shared.u32 %r5, [%r4];" + tail, Race, ""},
		{"store behind the arrival", head + "st.shared.u32 [%r2], %r0; barrier.cluster.arrive; st.shared.u32 [%r2], %r0; barrier.cluster.wait; ld.shared.u32 %r5, [%r4];" + tail, Race, ""},
		{"arrives twice", "barrier.cluster.arrive; barrier.cluster.arrive;", BadBarrier, "a second time"},
		{"never arrives", "barrier.cluster.wait;", BadBarrier, "without barrier.cluster.arrive"},
		{"some never arrive", "setp.lt.u32 %p1, %r0, 32; @!%p1 bra w; barrier.cluster.arrive; barrier.cluster.wait; bra e;\nw: bar.sync 1;\ne:", Deadlock, "the barrier of the cluster"},
		{"aligned", "setp.lt.u32 %p1, %r0, 16; @%p1 barrier.cluster.arrive.aligned;", Diverged, ""},
		{"another rank", "mapa.shared::cluster.u32 %r1, %r0, 1;", Bounds, "rank 1 of a cluster of one block"},
	} {
		for seed := range uint64(3) {
			r := newRig(t, Options{Seed: seed})
			m := r.alloc(make([]byte, 256))
			err := r.launch(onHopper(1, c.body), "k", grid(1, 64, 256), m)
			if c.kind != "" {
				wantFault(t, err, c.kind, c.want)
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			for i, got := range toWords(r.read(m)) {
				if got != uint32(63-i) {
					t.Errorf("%s: thread %d has %d, want %d", c.name, i, got, 63-i)
					break
				}
			}
		}
	}
}

// TestLop3Predicate: lop3 says whether its result is 0, joined with a predicate.
func TestLop3Predicate(t *testing.T) {
	r := newRig(t, Options{})
	m := r.alloc(make([]byte, 64*4))
	// 0x80 is a & b & c: not 0 if bit 0 of the thread is set.
	err := r.launch(onHopper(1, `setp.ge.u32 %p1, %r0, 32; mov.u32 %r1, 1; mov.u32 %r9, 0;
lop3.or.b32 %r2|%p2, %r0, %r1, %r1, 0x80, %p1; @%p2 or.b32 %r9, %r9, 1;
lop3.and.b32 %r3|%p3, %r0, %r1, %r1, 0x80, !%p1; @%p3 or.b32 %r9, %r9, 2;
lop3.and.b32 _|%p4, %r0, %r1, %r1, 0x80, %p1; @%p4 or.b32 %r9, %r9, 4;
lop3.or.b32 _|%p1, %r0, %r1, %r1, 0x80, %p1; @%p1 or.b32 %r9, %r9, 8;
shl.b32 %r2, %r2, 4; or.b32 %r9, %r9, %r2; shl.b32 %r3, %r3, 5; or.b32 %r9, %r9, %r3;
shl.b32 %r4, %r0, 2; cvt.u64.u32 %rd1, %r4; add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r9;`), "k", grid(1, 64, 0), m)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range toWords(r.read(m)) {
		odd, high, want := i&1 != 0, i >= 32, uint32(0)
		for j, set := range []bool{odd || high, odd && !high, odd && high, odd || high, odd, odd} {
			if set {
				want |= 1 << j
			}
		}
		if got != want {
			t.Errorf("thread %d has %#b, want %#b", i, got, want)
		}
	}
	for body, want := range map[string]string{
		"lop3.or.b32 %r1, %r2, %r3, %r4, 1, %p1;":       ".or wants a register and a predicate for the result",
		"lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 1;":        "has 5 operands, wants 6",
		"lop3.b32 %r1, %r2, %r3, %r4, 1, %p1;":          "has 6 operands, wants 5",
		"lop3.xor.b32 %r1|%p1, %r2, %r3, %r4, 1, %p1;":  "has 6 operands, wants 5",
		"lop3.or.b32 %r1|%r2, %r2, %r3, %r4, 1, %p1;":   "%r2 is no predicate",
		"lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 256, %p1;": "from 0 to 255",
	} {
		_, err := newRig(t, Options{}).d.Load(onHopper(1, body))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

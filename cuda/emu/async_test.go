package emu

import (
	"bytes"
	"strings"
	"testing"
)

// TestAsyncOrder: what cp.async.mbarrier.arrive lets others know is the copies before it and what its thread did before it. It lets
// know those that wait for its mbarrier, and nobody by another way. All of it is found whenever copies are carried out, and in any order of threads.
//
// Thread 0 copies 16 bytes to offset 0 of shared memory, and others of the second warp wait. There are mbarriers of
// one arrival at offsets 32 and 40.
func TestAsyncOrder(t *testing.T) {
	const (
		begin = zeroed + "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r1+32], 1; @%p1 mbarrier.init.shared.b64 [%r1+40], 1; bar.sync 0; " +
			"setp.ge.u32 %p2, %r0, 32; @%p2 bra w; @!%p1 bra e; "
		copies  = "cp.async.cg.shared.global [%r1], [%rd0], 16; "
		arrives = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1+32]; "
		other   = "mbarrier.arrive.shared.b64 %rd5, [%r1+40]; "
		waits   = "bra e; w: mbarrier.try_wait.parity.shared.b64 %p4, [%r1+32], 0; @!%p4 bra w; "
		waits40 = "bra e; w: mbarrier.try_wait.parity.shared.b64 %p4, [%r1+40], 0; @!%p4 bra w; "
		end     = " e: "
	)
	for _, c := range []struct {
		name, body string
		kind       FaultKind // none: it is in order
		part       string
	}{
		{"a wait for it", copies + arrives + waits + "ld.shared.u32 %r2, [%r1];" + end, "", ""},
		{"a wait for it, and the source is written", copies + arrives + waits + "st.global.u32 [%rd0], 7;" + end, "", ""},
		{"a store before it", "st.shared.u32 [%r1+16], 5; " + copies + arrives + waits + "ld.shared.u32 %r2, [%r1+16];" + end, "", ""},
		{"the thread waits for its group, and then arrives elsewhere", copies + arrives + "cp.async.commit_group; cp.async.wait_group 0; " + other + waits40 + "ld.shared.u32 %r2, [%r1];" + end, "", ""},
		{"the thread waits for all, and then arrives elsewhere", copies + arrives + "cp.async.wait_all; " + other + waits40 + "ld.shared.u32 %r2, [%r1];" + end, "", ""},
		{"the thread waits for the mbarrier itself", copies + arrives + "m: mbarrier.try_wait.parity.shared.b64 %p4, [%r1+32], 0; @!%p4 bra m; ld.shared.u32 %r2, [%r1]; bra e; w:" + end, "", ""},
		{"a wait that is passed on", copies + arrives + "m: mbarrier.try_wait.parity.shared.b64 %p4, [%r1+32], 0; @!%p4 bra m; " + other + waits40 + "ld.shared.u32 %r2, [%r1];" + end, "", ""},
		{"the thread spins for what follows from it", copies + arrives + "s: ld.acquire.cta.shared.u32 %r2, [%r1+16]; setp.eq.u32 %p5, %r2, 0; @%p5 bra s; ld.shared.u32 %r2, [%r1]; " + waits +
			"setp.eq.u32 %p6, %r0, 32; @%p6 st.release.cta.shared.u32 [%r1+16], 1;" + end, "", ""},

		{"a wait for another mbarrier", copies + arrives + other + waits40 + "ld.shared.u32 %r2, [%r1];" + end, InFlight, "thread 0 began to copy"},
		{"a wait for another mbarrier, and the source is written", copies + arrives + other + waits40 + "st.global.u32 [%rd0], %r0;" + end, InFlight, "still reads"},
		{"no arrival for it", copies + other + waits40 + "ld.shared.u32 %r2, [%r1];" + end, InFlight, "thread 0 began to copy"},
		{"a store after it", copies + arrives + "st.shared.u32 [%r1+16], 5; " + waits + "ld.shared.u32 %r2, [%r1+16];" + end, Race, "thread 0 wrote"},
		{"a read after it", copies + arrives + "ld.shared.u32 %r2, [%r1+16]; " + waits + "st.shared.u32 [%r1+16], %r0;" + end, Race, "thread 0 read"},
		{"a copy after it", copies + arrives + "cp.async.cg.shared.global [%r1+16], [%rd0], 16; " + waits + "ld.shared.u32 %r2, [%r1+16];" + end, InFlight, "thread 0 began to copy"},
		{"its thread does not wait", copies + arrives + "ld.shared.u32 %r2, [%r1]; bra e; w:" + end, InFlight, "thread 0 began to copy"},
		{"its thread waits for older groups", "cp.async.cg.shared.global [%r1+16], [%rd0], 16; cp.async.commit_group; " + copies + "cp.async.commit_group; " + arrives +
			"cp.async.wait_group 1; ld.shared.u32 %r2, [%r1+16]; ld.shared.u32 %r2, [%r1]; bra e; w:" + end, InFlight, "reads 4 bytes at offset 0"},
		{"a wait for the group, and no barrier", copies + "cp.async.wait_all; bra e; w: ld.shared.u32 %r2, [%r1];" + end, "", "either"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for async := Earliest; async <= Random; async++ {
				for seed := range uint64(8) {
					r := newRig(t, Options{Seed: seed, Async: async, MaxSteps: 1_000_000})
					a, b := r.alloc(make([]byte, 256)), r.empty(256)
					src := strings.Replace(kernel(2, strings.ReplaceAll(begin+c.body, "; ", ";\n")), "sm_80", "sm_90", 1)
					err := r.launch(src, "k", grid(1, 64, 64), a, b)
					switch {
					case c.part == "either":
						if err == nil {
							t.Errorf("async %d, seed %d: no fault", async, seed)
						}
					case c.kind != "":
						wantFault(t, err, c.kind, c.part)
					case err != nil:
						t.Errorf("async %d, seed %d: %v", async, seed, err)
					}
				}
			}
		})
	}
}

// TestAsyncBlocks: what a block leaves behind says nothing in the next ones: an arrival is not theirs, whose copies nobody waits for, nor are waits that gave up.
func TestAsyncBlocks(t *testing.T) {
	r := newRig(t, Options{Async: Latest, NoChecks: true, SMs: 1, Workers: 1})
	a, b := r.alloc(bytes.Repeat([]byte{7}, 16)), r.alloc(make([]byte, 4))
	const body = "mov.u32 %r1, smem; mov.u32 %r2, 0; mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0; st.shared.u32 [%r1], %r2; mbarrier.init.shared.b64 [%r1+32], 1; " +
		"cp.async.cg.shared.global [%r1], [%rd0], 16; @!%p1 bra w; cp.async.mbarrier.arrive.noinc.shared.b64 [%r1+32]; bra e; " +
		"w: mbarrier.try_wait.parity.shared.b64 %p2, [%r1+32], 0; ld.shared.u32 %r2, [%r1]; st.global.u32 [%rd1], %r2; e: "
	src := strings.Replace(kernel(2, strings.ReplaceAll(body, "; ", ";\n")), "sm_80", "sm_90", 1)
	if err := r.launch(src, "k", grid(60, 1, 64), a, b); err != nil {
		t.Fatal(err)
	}
	if got := r.read(b); !bytes.Equal(got, make([]byte, 4)) {
		t.Errorf("the second block reads %v before the copy, want zeros", got)
	}
}

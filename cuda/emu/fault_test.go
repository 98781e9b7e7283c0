package emu

import (
	"errors"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
)

// zeroed makes all dynamic shared memory zero, with its address in %r1.
const zeroed = "mov.u32 %r1, smem; shl.b32 %r90, %r0, 2; add.u32 %r90, %r90, %r1; setp.lt.u32 %p9, %r0, 16; @%p9 st.shared.u32 [%r90], 0; bar.sync 0; "

// TestFaults runs small kernels with one mistake each. They have 64 threads, 64
// bytes of dynamic shared memory and two buffers of 256 bytes, the second of which
// was never written.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, body string
		kind       FaultKind
		parts      []string
	}{
		{"bounds global", "ld.global.u32 %r1, [%rd0+256];", Bounds, []string{"just past the end of the buffer of 256 bytes"}},
		{"bounds before", "ld.global.u32 %r1, [%rd0+-4];", Bounds, []string{"4 bytes before the buffer"}},
		{"bounds across", "ld.global.v2.u32 {%r1, %r2}, [%rd0+256];", Bounds, []string{"reads 8 bytes"}},
		{"bounds shared", "mov.u32 %r1, smem; st.shared.u32 [%r1+64], %r0;", Bounds, []string{"offset 64 of shared memory, which has 64 bytes"}},
		{"bounds below shared", "mov.u32 %r1, 0; st.shared.u32 [%r1], %r0;", Bounds, []string{"offset -1024"}},
		{"bounds local", ".local .align 4 .b8 l[16]; st.local.u32 [l+16], %r0;", Bounds, []string{"local memory, which has 16"}},
		{"misaligned", "ld.global.u32 %r1, [%rd0+2];", Misaligned, []string{"no multiple of 4"}},
		{"misaligned vector", "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd0+8];", Misaligned, []string{"no multiple of 16"}},
		{"uninit register", "add.u32 %r1, %r2, 1;", UninitReg, []string{"%r2"}},
		{"uninit in half of the threads", "setp.lt.u32 %p1, %r0, 16; @%p1 mov.u32 %r2, 5; add.u32 %r1, %r2, 1;", UninitReg, []string{"thread 16"}},
		{"uninit predicate", "@%p1 mov.u32 %r2, 5;", UninitReg, []string{"predicate"}},
		{"uninit shared", "mov.u32 %r1, smem; ld.shared.u32 %r2, [%r1+4];", UninitMemory, []string{"offset 4 of shared", "byte 4"}},
		{"uninit global", "ld.global.u32 %r2, [%rd1+4];", UninitMemory, []string{"byte 4"}},
		{"uninit local", ".local .align 4 .b8 l[16]; ld.local.u32 %r1, [l];", UninitMemory, nil},
		{"uninit copied", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 cp.async.ca.shared.global [%r1], [%rd1], 8;", UninitMemory, []string{"copies 8 bytes"}},

		{"race in a warp", "mov.u32 %r1, smem; st.shared.u32 [%r1], %r0;", Race, []string{"thread 1", "thread 0 wrote it on line"}},
		{"race through lockstep", zeroed + "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r1], %r0; ld.shared.u32 %r2, [%r1];", Race, []string{"thread 0 wrote"}},
		{"race after a shuffle", zeroed + "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r1], %r0; shfl.sync.idx.b32 %r3, %r0, 0, 31, 0xffffffff; ld.shared.u32 %r2, [%r1];", Race, nil},
		{"race of bytes", "mov.u32 %r1, smem; and.b32 %r2, %r0, 31; add.u32 %r1, %r1, %r2; cvt.u16.u32 %h1, %r0; st.shared.u8 [%r1], %h1;", Race, []string{"thread 32", "thread 0"}},
		{"race of blocks", "setp.eq.u32 %p1, %r0, 0; mov.u32 %r3, %ctaid.x; @%p1 st.global.u32 [%rd0], %r3;", Race, []string{"of block"}},
		{"constant written before", "setp.eq.u32 %p1, %r0, 0; @%p1 st.global.u32 [%rd0], %r0; @%p1 ld.global.nc.u32 %r2, [%rd0];", Race, []string{".nc promises", "thread 0 wrote it"}},
		{"constant written after", "setp.eq.u32 %p1, %r0, 0; @%p1 ld.global.nc.v2.u32 {%r2, %r3}, [%rd0]; bar.sync 0; setp.eq.u32 %p2, %r0, 40; @%p2 st.global.u32 [%rd0+4], %r0;", Race, []string{"thread 40", ".nc promises", "thread 0 read it"}},
		{"constant updated", "setp.eq.u32 %p1, %r0, 0; @%p1 red.global.add.u32 [%rd0], 1; bar.sync 0; @%p1 ld.global.nc.u32 %r2, [%rd0];", Race, []string{".nc promises"}},
		{"race with an atomic", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r1], 0; bar.sync 0; red.shared.add.u32 [%r1], 1; @%p1 ld.shared.u32 %r2, [%r1];", Race, []string{"updated it"}},
		{"write after read", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r1], 0; bar.sync 0; ld.shared.u32 %r2, [%r1]; @%p1 st.shared.u32 [%r1], 1;", Race, []string{"read it"}},
		{"arrive is no wait", "mov.u32 %r1, smem; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1; setp.lt.u32 %p1, %r0, 32;\n" +
			"@!%p1 bra other; and.b32 %r3, %r0, 15; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r1; setp.lt.u32 %p2, %r0, 16; bar.arrive 1, 64; @%p2 st.shared.u32 [%r3], 1; bra end;\n" +
			"other: bar.sync 1, 64; ld.shared.u32 %r4, [%r1];\nend:", "", nil},

		{"divergent barrier", "setp.lt.u32 %p1, %r0, 16; @%p1 bra skip; bar.sync 0; skip:", Diverged, []string{"thread 16", "16 do not"}},
		{"guarded barrier", "setp.lt.u32 %p1, %r0, 16; @%p1 bar.sync 0;", Diverged, nil},
		{"divergent ldmatrix", "mov.u32 %r1, smem; setp.lt.u32 %p1, %r0, 16; @%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];", Diverged, nil},
		{"exited lanes", "setp.lt.u32 %p1, %r0, 16; @%p1 ret; mov.b32 %r1, 0; mov.f32 %f1, 0f00000000; mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1,%f1,%f1,%f1}, {%r1,%r1}, {%r1}, {%f1,%f1,%f1,%f1};", Diverged, []string{"16 have exited"}},
		{"bra.uni", "setp.lt.u32 %p1, %r0, 16; @%p1 bra.uni skip; skip:", Diverged, []string{"two ways"}},
		{"shuffle from nowhere", "setp.lt.u32 %p1, %r0, 16; @!%p1 bra skip; shfl.sync.idx.b32 %r3, %r0, 20, 31, 0xffff; skip:", "", nil},
		{"not a member", "shfl.sync.idx.b32 %r3, %r0, 0, 31, 0xffff;", BadBarrier, []string{"without lane 16"}},

		{"no such barrier", "mov.u32 %r1, 16;\nbar.sync %r1;", BadBarrier, []string{"there are 0 to 15"}},
		{"odd number", "mov.u32 %r1, 33;\nbar.sync 1, %r1;", BadBarrier, []string{"multiple of 32"}},
		{"too many", "bar.sync 1, 96;", BadBarrier, []string{"the block has 64"}},
		{"two numbers", "setp.lt.u32 %p1, %r0, 32; selp.b32 %r1, 32, 64, %p1; @%p1 bra a; bar.sync 1, 64; bra e; a: bar.sync 1, 32; e:", "", nil},
		{"barriers crossed", "setp.lt.u32 %p1, %r0, 32; @%p1 bra a; bar.sync 1, 64; bar.sync 2, 64; bra e; a: bar.sync 2, 64; bar.sync 1, 64; e:", Deadlock, []string{"threads 0-31", "threads 32-63", "barrier 1: 32 threads have come"}},
		{"barrier of two, one came", "setp.lt.u32 %p1, %r0, 32; @%p1 bra e; bar.sync 1, 64; e:", Deadlock, []string{"waits for 64 threads"}},
		{"lanes that never come", "setp.lt.u32 %p1, %r0, 16; @%p1 bra e; bar.warp.sync 0xffffffff; e: bar.warp.sync 0xffffffff;", Deadlock, nil},
		{"endless", "l: bra l;", Limit, []string{"MaxSteps"}},
		{"trap", "trap;", Trapped, nil},

		{"copy read too early", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 cp.async.cg.shared.global [%r1], [%rd0], 16; @%p1 ld.shared.u32 %r2, [%r1];", InFlight, []string{"thread 0", "began to copy"}},
		{"copy waited for by one", zeroed + "setp.eq.u32 %p1, %r0, 0; @%p1 cp.async.cg.shared.global [%r1], [%rd0], 16; cp.async.wait_all; setp.eq.u32 %p2, %r0, 40; @%p2 ld.shared.u32 %r2, [%r1];", Race, []string{"thread 40", "thread 0 wrote"}},
		{"copy never committed", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 cp.async.cg.shared.global [%r1], [%rd0], 16; cp.async.wait_group 0; @%p1 ld.shared.u32 %r2, [%r1];", InFlight, nil},
		{"copy onto copy", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 cp.async.cg.shared.global [%r1], [%rd0], 16; @%p1 cp.async.cg.shared.global [%r1], [%rd0], 16;", InFlight, nil},
		{"copy overwritten", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 cp.async.cg.shared.global [%r1], [%rd0], 16; @%p1 st.shared.u32 [%r1+4], %r0;", InFlight, nil},
		{"source changed", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 cp.async.cg.shared.global [%r1], [%rd0], 16; @%p1 st.global.u32 [%rd0+4], %r0;", InFlight, []string{"still reads"}},
		{"copy misaligned", "mov.u32 %r1, smem; cp.async.cg.shared.global [%r1+8], [%rd0], 16;", Misaligned, nil},
		{"copy out of bounds", "mov.u32 %r1, smem; cp.async.cg.shared.global [%r1+64], [%rd0], 16;", Bounds, nil},
		{"copy from out of bounds", "mov.u32 %r1, smem; cp.async.cg.shared.global [%r1], [%rd0+256], 16;", Bounds, nil},
		{"copy too long", "mov.u32 %r1, smem; mov.u32 %r2, 17; cp.async.cg.shared.global [%r1], [%rd0], 16, %r2;", Bounds, []string{"src-size is 17"}},

		{"mbarrier not made", "mov.u32 %r1, smem; mbarrier.arrive.shared.b64 %rd5, [%r1];", BadBarrier, []string{"mbarrier.init"}},
		{"mbarrier made twice", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r1], 1; @%p1 mbarrier.init.shared.b64 [%r1], 1;", BadBarrier, []string{"already"}},
		{"mbarrier of none", "mov.u32 %r1, smem; mbarrier.init.shared.b64 [%r1], 0;", BadBarrier, nil},
		{"mbarrier overrun", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r1], 2; mov.u32 %r2, 3; @%p1 mbarrier.arrive.noComplete.shared.b64 %rd5, [%r1], %r2;", BadBarrier, []string{"waits for 2 more"}},
		{"mbarrier used before others know", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r1], 64; setp.lt.u32 %p2, %r0, 32; @%p2 mbarrier.arrive.shared.b64 %rd5, [%r1];", Race, nil},
		{"mbarrier of bytes that never come", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r1], 1; bar.sync 0; @%p1 mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r1], 512;\nw: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 0; @!%p2 bra w;", Deadlock, []string{"512 bytes pending"}},
		{"mbarrier of one lane", zeroed + "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r1+32], 1; bar.sync 0; setp.ge.u32 %p2, %r0, 32; @%p2 bra w; setp.eq.u32 %p3, %r0, 1; @%p3 st.shared.u32 [%r1], 5; @%p1 mbarrier.arrive.shared.b64 %rd5, [%r1+32]; bra e;\n" +
			"w: mbarrier.try_wait.parity.shared.b64 %p4, [%r1+32], 0; @!%p4 bra w; ld.shared.u32 %r2, [%r1]; e:", Race, []string{"thread 1 wrote"}},
		{"a relaxed store ends a release", zeroed + "setp.ge.u32 %p2, %r0, 32; @%p2 bra w; setp.eq.u32 %p3, %r0, 0; setp.eq.u32 %p4, %r0, 1; @%p3 st.shared.u32 [%r1], 5; @%p3 st.release.cta.shared.u32 [%r1+4], 1; bar.warp.sync -1; @%p4 st.relaxed.cta.shared.u32 [%r1+4], 2; bra e;\n" +
			"w: ld.relaxed.cta.shared.u32 %r3, [%r1+4]; setp.ne.u32 %p5, %r3, 2; @%p5 bra w; ld.acquire.cta.shared.u32 %r3, [%r1+4]; ld.shared.u32 %r2, [%r1]; e:", Race, []string{"thread 0 wrote"}},
		{"ldmatrix misaligned", "mov.u32 %r1, smem; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1+8];", Misaligned, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, seed := range []uint64{0, 1, 2} {
				r := newRig(t, Options{Seed: seed, MaxSteps: 1_000_000})
				a, b := r.alloc(make([]byte, 256)), r.empty(256)
				blocks := 1
				if strings.Contains(c.name, "blocks") {
					blocks = 2
				}
				src := strings.Replace(kernel(2, strings.ReplaceAll(c.body, "; ", ";\n")), "sm_80", "sm_90", 1)
				err := r.launch(src, "k", grid(blocks, 64, 64), a, b)
				if seed > 0 {
					c.parts = nil // which thread is first depends on the seed
				}
				if c.kind == "" {
					if err == nil {
						t.Error("no fault")
					}
				} else {
					wantFault(t, err, c.kind, c.parts...)
				}
			}
		})
	}
}

// What the rules allow is not reported.
func TestNoFaults(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"constant beside what is written", "ld.global.nc.u32 %r2, [%rd0]; ld.global.nc.u32 %r3, [%rd0+8]; ld.global.u32 %r4, [%rd0]; setp.eq.u32 %p1, %r0, 0; @%p1 st.global.u32 [%rd0+4], %r0;"},
		{"bytes of a word", "mov.u32 %r1, smem; and.b32 %r2, %r0, 63; add.u32 %r1, %r1, %r2; cvt.u16.u32 %h1, %r0; st.shared.u8 [%r1], %h1; ld.shared.u8 %h2, [%r1];"},
		{"halves of a word in global memory", "mul.wide.u32 %rd2, %r0, 2; add.u64 %rd2, %rd2, %rd1; cvt.u16.u32 %h1, %r0; st.global.u16 [%rd2], %h1;"},
		{"one writes, all read after a barrier", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 5; @%p1 st.shared.u32 [%r1], %r0; bar.sync 0; ld.shared.u32 %r2, [%r1]; bar.sync 0; @%p1 st.shared.u32 [%r1], %r0;"},
		{"lanes after bar.warp.sync", "mov.u32 %r1, smem; shr.u32 %r2, %r0, 5; shl.b32 %r2, %r2, 2; add.u32 %r1, %r1, %r2; and.b32 %r3, %r0, 31; setp.eq.u32 %p1, %r3, 7; @%p1 st.shared.u32 [%r1], %r0; bar.warp.sync 0xffffffff; ld.shared.u32 %r2, [%r1];"},
		{"some lanes of a warp", "mov.u32 %r1, smem; and.b32 %r3, %r0, 31; setp.lt.u32 %p1, %r3, 8; setp.eq.u32 %p2, %r0, 3; @!%p1 bra e; @%p2 st.shared.u32 [%r1], %r0; bar.warp.sync 0xff; setp.eq.u32 %p3, %r0, 5; @%p3 ld.shared.u32 %r2, [%r1]; e:"},
		{"lanes that come by two ways", "setp.lt.u32 %p1, %r0, 16; @%p1 bra a; mov.u32 %r1, 1; bra b; a: mov.u32 %r1, 2; b: bar.sync 0; add.u32 %r1, %r1, 1;"},
		{"ways that meet further up", "bra start; meet: bar.sync 0; bra end; start: setp.lt.u32 %p1, %r0, 16; @%p1 bra a; mov.u32 %r1, 1; bra meet; a: mov.u32 %r1, 2; bra meet; end: add.u32 %r1, %r1, 1;"},
		{"a side of a branch that exits", "setp.lt.u32 %p1, %r0, 16; @%p1 bra a; mov.u32 %r1, 1; bra b; a: mov.u32 %r2, 5; add.u32 %r2, %r2, 1; ret; b: bar.sync 0; add.u32 %r1, %r1, 1;"},
		{"some of a side exit", "setp.lt.u32 %p1, %r0, 16; setp.lt.u32 %p2, %r0, 8; @%p1 bra a; mov.u32 %r1, 1; bra b; a: mov.u32 %r1, 5; @%p2 ret; b: bar.sync 0; add.u32 %r1, %r1, 1;"},
		{"two exits", "setp.lt.u32 %p1, %r0, 16; setp.lt.u32 %p2, %r0, 8; @%p1 bra a; mov.u32 %r1, 1; bra b; a: @%p2 bra x; mov.u32 %r1, 5; bra b; x: exit; b: bar.sync 0; add.u32 %r1, %r1, 1;"},
		{"named barriers", "setp.lt.u32 %p1, %r0, 32; @%p1 bra a; bar.sync 1, 32; bra b; a: bar.sync 2, 32; b: bar.sync 0;"},
		{"arrive and sync", "mov.u32 %r1, smem; setp.lt.u32 %p1, %r0, 32; setp.eq.u32 %p2, %r0, 0; @!%p1 bra other; @%p2 st.shared.u32 [%r1], 7; bar.arrive 3, 64; bra e; other: bar.sync 3, 64; ld.shared.u32 %r2, [%r1]; e:"},
		{"early exit", "setp.lt.u32 %p1, %r0, 40; @%p1 ret; bar.sync 0;"},
		{"atomics", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r1], 0; bar.sync 0; red.shared.add.u32 [%r1], 1; atom.shared.add.u32 %r2, [%r1], 1; bar.sync 0; ld.shared.u32 %r3, [%r1];"},
		{"a thread's own copy", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 9; @!%p1 bra e; cp.async.ca.shared.global [%r1], [%rd0], 8; cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %r2, [%r1]; e:"},
		{"a source written after its copy", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 9; @!%p1 bra e; cp.async.ca.shared.global [%r1], [%rd0], 8; cp.async.wait_all; st.global.u32 [%rd0], %r0; e:"},
		{"a copy of nothing", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 9; @!%p1 bra e; mov.u32 %r2, 0; cp.async.ca.shared.global [%r1], [%rd1+100000], 8, %r2; cp.async.wait_all; ld.shared.u32 %r2, [%r1]; e:"},
		{"copies in two groups", "mov.u32 %r1, smem; setp.eq.u32 %p1, %r0, 9; @!%p1 bra e; cp.async.ca.shared.global [%r1], [%rd0], 8; cp.async.commit_group; cp.async.ca.shared.global [%r1+8], [%rd0], 8; cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r2, [%r1]; e:"},
		{"a loop that lanes leave one by one", "mov.u32 %r1, 0; l: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r0; @%p1 bra l; bar.sync 0;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, o := range schedules {
				o.MaxSteps = 1_000_000
				r := newRig(t, o)
				a, b := r.alloc(make([]byte, 256)), r.empty(256)
				src := strings.Replace(kernel(2, strings.ReplaceAll(c.body, "; ", ";\n")), "sm_80", "sm_90", 1)
				if err := r.launch(src, "k", grid(1, 64, 64), a, b); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// An error stays in its stream; another stream goes on.
func TestStreamErrors(t *testing.T) {
	r := newRig(t, Options{})
	a := r.alloc(make([]byte, 16))
	err := r.launch(kernel(1, "ld.global.u32 %r1, [%rd0+16];"), "k", grid(1, 1, 0), a)
	wantFault(t, err, Bounds)
	if got := r.s.Write(a, 0, make([]byte, 4)); got == nil || got.Error() != err.Error() {
		t.Errorf("Write after a fault: %v", got)
	}
	if got := r.d.Synchronize(); !errors.Is(got, cuda.ErrLaunch) {
		t.Errorf("the device says %v", got)
	}
	if got := r.d.Synchronize(); got != nil {
		t.Errorf("the device says it twice: %v", got)
	}
	s, err := r.d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(a, 0, make([]byte, 4)); err != nil {
		t.Error(err)
	}
	if err := a.Free(); err != nil {
		t.Fatal(err)
	}
	other := newRig(t, Options{})
	other.d = r.d
	other.s = s
	wantFault(t, other.launch(kernel(1, "ld.global.u32 %r1, [%rd0];"), "k", grid(1, 1, 0), a.Address()), Bounds, "freed buffer of 16 bytes")
}

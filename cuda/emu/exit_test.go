package emu

import (
	"fmt"
	"testing"
)

// TestExitedLanes: what lanes of a warp do together waits for those of the mask that have
// not exited (ISA, vote.sync, match.sync, redux.sync and shfl.sync; of bar.warp.sync the
// programming guide says so, at __syncwarp). Four lanes go to the end, where they would
// meet the others, and exit; nobody may wait for them there.
func TestExitedLanes(t *testing.T) {
	for body, want := range map[string]uint32{
		"vote.sync.ballot.b32 %r10, %p3, -1;":                          0xfffffff0,
		"vote.sync.ballot.b32 %r10, %p3, 0xfffffff1;":                  0xfffffff0,
		"vote.sync.all.pred %p2, %p3, -1;\nselp.u32 %r10, 1, 2, %p2;":  1,
		"vote.sync.any.pred %p2, !%p3, -1;\nselp.u32 %r10, 1, 2, %p2;": 2,
		"vote.sync.uni.pred %p2, %p3, -1;\nselp.u32 %r10, 1, 2, %p2;":  1,
		"match.any.sync.b32 %r10, %r1, -1;":                            0xfffffff0,
		"match.all.sync.b32 %r10|%p2, %r1, -1;\n@!%p2 trap;":           0xfffffff0,
		"redux.sync.add.u32 %r10, 2, -1;":                              56,
		"shfl.sync.idx.b32 %r10, %r0, 9, 31, -1;":                      9,
		"bar.warp.sync -1;\nmov.u32 %r10, 5;":                          5,
		"mov.u32 %r2, 0;\nl: vote.sync.ballot.b32 %r10, %p3, -1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p4, %r2, 3;\n@%p4 bra l;": 0xfffffff0,
	} {
		text := kernel(1, fmt.Sprintf(`mov.u32 %%r1, 7;
setp.ge.u32 %%p3, %%r0, 4;
mul.wide.u32 %%rd5, %%r0, 4;
add.u64 %%rd5, %%rd5, %%rd0;
mov.u32 %%r10, 0;
@!%%p3 bra end;
%s
end: st.global.u32 [%%rd5], %%r10;`, body))
		for seed := range uint64(4) {
			r := newRig(t, Options{Seed: seed})
			m := r.empty(4 * 32)
			if err := r.launch(text, "k", grid(1, 32, 0), m); err != nil {
				t.Errorf("%s: seed %d: %v", body, seed, err)
				continue
			}
			for i, v := range toWords(r.read(m)) {
				if i >= 4 && v != want || i < 4 && v != 0 {
					t.Errorf("%s: seed %d: lane %d has %#x, want %#x", body, seed, i, v, want)
				}
			}
		}
	}
}

// TestWaitingForLanes: lanes that wait where branches meet go on if those that they wait
// for wait for them, even while other warps run, and if nobody else can go on.
func TestWaitingForLanes(t *testing.T) {
	const some = "and.b32 %r1, %r0, 31;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra end;\n"
	for body, kind := range map[string]FaultKind{
		// The second warp spins until the first has voted.
		`mov.u32 %r1, smem;
setp.eq.u32 %p1, %r0, 0;
@%p1 st.volatile.shared.u32 [%r1], 0;
bar.sync 0;
setp.ge.u32 %p2, %r0, 32;
@%p2 bra spin;
@%p1 bra end;
vote.sync.all.pred %p3, 1, -1;
st.volatile.shared.u32 [%r1], 1;
bra end;
spin: ld.volatile.shared.u32 %r2, [%r1];
setp.eq.u32 %p4, %r2, 0;
@%p4 bra spin;
end: mov.u32 %r3, 0;`: "",
		// Two barriers that are not for whole warps; some lanes are at either.
		some + "barrier.sync 0;\nend: barrier.sync 0;": "",
		// Lanes wait for each other at different places, and an exited lane has no value.
		some + "vote.sync.all.pred %p3, 1, -1;\nend: bar.warp.sync -1;":       Deadlock,
		some + "vote.sync.all.pred %p3, 1, -1;\nend: bar.sync 0;":             Diverged,
		some + "shfl.sync.idx.b32 %r2, %r0, 0, 31, -1;\nend: mov.u32 %r3, 0;": UninitReg,
	} {
		for seed := range uint64(4) {
			r := newRig(t, Options{Seed: seed, MaxSteps: 1_000_000})
			err := r.launch(kernel(1, body), "k", grid(1, 64, 64), r.empty(4))
			if kind != "" {
				wantFault(t, err, kind)
			} else if err != nil {
				t.Errorf("%s: seed %d: %v", body, seed, err)
			}
		}
	}
}

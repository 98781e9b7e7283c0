package emu

import (
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestShadow compares the shadow with a list of every access that ever was: with few
// threads nothing is forgotten, so both find the same accesses to be races.
func TestShadow(t *testing.T) {
	rng := rand.New(level.PCG(9, 9))
	for round := range 20000 {
		const threads = 64
		var s shadow
		s.reset(4, sharedCrowd)
		v := newVclock(0, 2*threads) // threads and those that copy for them
		var seq [2]uint32
		var waited [threads]uint32
		vc := [threads]*vclock{}
		for i := range vc {
			vc[i] = v
		}
		clock := [2]uint32{1, 1}
		type access struct {
			thread int
			clock  uint32
			kind   accessKind
			bytes  uint8
		}
		var all []access
		for step := range 40 {
			if rng.IntN(6) == 0 {
				// A few threads meet.
				sum := newVclock(0, 2*threads)
				var who []int
				for range 1 + rng.IntN(6) {
					i := rng.IntN(8) * 8
					who = append(who, i)
					sum.merge(vc[i])
					sum.at[i] = max(sum.at[i], clock[i/32])
					sum.at[threads+i] = max(sum.at[threads+i], waited[i])
				}
				sum.seal()
				for _, i := range who {
					vc[i] = sum
					clock[i/32]++
				}
				continue
			}
			if rng.IntN(8) == 0 { // one waits for copies
				i := rng.IntN(8) * 8
				waited[i] = max(waited[i], seq[i/32]-uint32(rng.IntN(2)))
				if seq[i/32] == 0 {
					waited[i] = 0
				}
				continue
			}
			n := access{thread: rng.IntN(8) * 8, kind: []accessKind{plainRead, plainRead, plainWrite, atomicOp, strongRead, asyncWrite, asyncRead}[rng.IntN(7)], bytes: []uint8{15, 15, 3, 12, 1}[rng.IntN(5)]}
			n.clock = clock[n.thread/32]
			copies := n.kind >= asyncWrite
			agent := uint16(2 + n.thread/32)
			a := actor{vc: vc[n.thread], warp: uint16(n.thread / 32), agent: agent, waited: waited[n.thread],
				t: trace{lanes: 1 << (n.thread % 32), warp: uint16(n.thread / 32), kind: n.kind}}
			if copies {
				seq[n.thread/32]++
				n.clock = seq[n.thread/32]
				a.t.warp = agent
			}
			a.t.clock = n.clock
			race := false
			for _, o := range all {
				known := o.thread == n.thread || vc[n.thread].at[o.thread] >= o.clock
				if o.kind >= asyncWrite {
					known = o.thread == n.thread && waited[o.thread] >= o.clock || vc[n.thread].at[threads+o.thread] >= o.clock
				}
				if o.bytes&n.bytes != 0 && conflicts[o.kind][n.kind] && !known {
					race = true
				}
			}
			if got := s.touch(0, &a, n.bytes); (got != nil) != race {
				t.Fatalf("round %d step %d: %+v: the shadow says %+v, want a race: %v", round, step, n, got, race)
			}
			if race {
				break
			}
			all = append(all, n)
		}
	}
}

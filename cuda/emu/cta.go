package emu

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"time"
)

const (
	maxShared = 227 << 10 // bytes of shared memory a block may have
	maxStatic = 48 << 10  // of them in the text, on every target
	maxLocal  = 512 << 10 // bytes of local memory a thread may have
	// quantum bounds the instructions that a warp executes before others may.
	quantum = 2000
	// patience is how many instructions lanes of a warp execute before those that wait
	// for them at the end of a branch go on without them.
	patience = 2000
	// slice is how many instructions a block executes before another may have its
	// place on the host.
	slice = 200_000
	// graceSlices is how many slices a block may go on for when a later one has failed.
	graceSlices = 50
)

// A cta is one block that runs.
type cta struct {
	launch   *launch
	prog     *program
	checks   bool
	order    int // number of the block
	id       [3]int
	sm       int
	warps    []*warp
	alive    int
	shared   sharedMemory
	bars     [16]barrier
	cluster  clusterBarrier
	mbars    map[int]*mbarrier
	strong   map[uint64]*location // of shared memory
	rng      *rand.Rand
	ready    []*split
	steps    int64         // of all blocks that it ran
	began    int64         // steps when this one began
	spent    int64         // steps at the last yield
	slept    uint64        // nanoseconds of nanosleep
	ran      time.Duration // that this one executed
	since    time.Time     // the last yield
	grace    int           // yields since another block failed
	bufs     []*buffer
	counts   []lineCount
	bank     bankScratch
	flips    int
	deferred []deferred // arrivals of asynchronous copies
	idle     int        // times that waiters were woken for nothing
	seen     int64      // events then
	events   int64      // changes that a waiting thread may be waiting for
}

// run executes block number order. It returns the fault of it, or nil.
func (c *cta) run(order int) (f *Fault) {
	l := c.launch
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Fault:
			f = e
		default:
			panic(e)
		}
		for _, w := range c.warps {
			w.release()
		}
	}()
	c.order, c.id = order, coordinates(order, l.grid.Blocks)
	c.shared.reset(l.shared)
	c.rng = newRand(l.dev.opt.Seed, order)
	c.bars = [16]barrier{}
	c.cluster = clusterBarrier{}
	c.mbars, c.strong, c.deferred, c.idle = nil, nil, nil, 0
	c.alive = l.threads
	c.ready = c.ready[:0]
	v := l.newVclock(order)
	for _, w := range c.warps {
		w.start(v)
		c.ready = append(c.ready, w.splits[0])
	}
	c.began, c.spent, c.ran, c.since, c.grace = c.steps, c.steps, 0, time.Now(), 0
	for c.alive > 0 {
		if len(c.ready) == 0 && !c.wake() && !c.disband() {
			c.deadlock()
		}
		if len(c.ready) == 0 {
			continue
		}
		i := 0
		if c.rng != nil {
			i = c.rng.IntN(len(c.ready))
		}
		s := c.ready[i]
		c.ready = append(c.ready[:i], c.ready[i+1:]...)
		c.step(s)
		c.deliverOverdue()
		if c.steps-c.spent > slice {
			c.yield()
		}
	}
	c.limits()
	return nil
}

// spend counts an instruction.
func (c *cta) spend(pc int) {
	c.counts[pc].Instructions++
	c.steps++
}

// limits faults if the block has executed for too long.
func (c *cta) limits() {
	o := &c.launch.dev.opt
	c.ran += time.Since(c.since)
	what := ""
	switch {
	case c.steps-c.began > o.MaxSteps:
		what = fmt.Sprintf("more than %d instructions of warps: raise Options.MaxSteps", o.MaxSteps)
	case c.ran > o.MaxTime:
		what = fmt.Sprintf("for more than %v: raise Options.MaxTime", o.MaxTime)
	default:
		return
	}
	panic(&Fault{Kind: Limit, Kernel: c.prog.name, Block: c.id, Thread: [3]int{-1},
		Msg: fmt.Sprintf("the block executed %s if it is not an endless loop%s", what, c.whereabouts())})
}

// whereabouts says where the first threads of the block are that did not end.
func (c *cta) whereabouts() string {
	for _, w := range c.warps {
		if len(w.splits) > 0 {
			s := w.splits[0]
			line := c.prog.code[min(s.pc, len(c.prog.code)-1)].line
			return fmt.Sprintf("; threads %s are at line %d `%s`", laneRange(w.id, s.mask), line, c.prog.lineText(line))
		}
	}
	return ""
}

// yield ends the block if it has executed for too long, or if a block before it has
// failed, and lets another one go on.
func (c *cta) yield() {
	c.limits()
	c.spent = c.steps
	l := c.launch
	switch failed := l.failed.Load(); {
	case failed < int64(c.order):
		panic(&Fault{Kind: stopped})
	case failed != noBlock:
		// A fault of this one would come first, but it may be waiting for the other.
		if c.grace++; c.grace > graceSlices {
			panic(&Fault{Kind: stopped})
		}
	}
	<-l.tokens
	l.tokens <- struct{}{}
	c.since = time.Now()
}

// stopped is the kind of the fault of a block that ended because another one failed.
const stopped FaultKind = "stopped"

// exited lets those go on that waited for threads that are gone.
func (c *cta) exited(w *warp) {
	// A barrier or a group of lanes may have waited for those that are gone.
	for i := range c.bars {
		c.complete(i)
	}
	c.clusterComplete()
	for _, s := range w.splits {
		if s.wait == waitWarp {
			s.wait = waitNone
			c.ready = append(c.ready, s)
		}
	}
	for _, s := range w.splits {
		if s.wait == waitLanes {
			c.regroup(s)
			break
		}
	}
}

// deadlock is the fault of a block of which no thread can go on.
func (c *cta) deadlock() {
	var b strings.Builder
	b.WriteString("no thread can go on")
	lines := 0
	var first *split
	for _, w := range c.warps {
		for _, s := range w.splits {
			if s.wait == waitWarp {
				w.pc = s.pc
				w.diverged(s.mask)
			}
			if first == nil {
				first = s
			}
			if lines++; lines > 12 {
				continue
			}
			line := c.prog.code[s.pc].line
			fmt.Fprintf(&b, "; threads %s wait on line %d `%s`", laneRange(w.id, s.mask), line, c.prog.lineText(line))
			switch s.wait {
			case waitBarrier:
				b.WriteString(c.bars[s.bar].state(s.bar))
			case waitCluster:
				b.WriteString(" (the barrier of the cluster: others have not arrived)")
			case waitMbarrier:
				b.WriteString(s.at.state())
			case waitLanes:
				fmt.Fprintf(&b, " for lanes %#x of the warp, of which %#x are there", s.need, s.has)
			}
		}
		w.dumpJoins(&b)
	}
	if lines > 12 {
		fmt.Fprintf(&b, "; and %d more", lines-12)
	}
	w, lane := c.warps[0], 0
	if first != nil {
		w, lane = first.w, trailing(first.mask)
		w.pc = first.pc
	}
	w.fault(Deadlock, lane, "%s", b.String())
}

// dumpJoins lists lanes that wait for others of their warp after a branch.
func (w *warp) dumpJoins(b *strings.Builder) {
	seen := map[*join]bool{}
	for _, s := range w.splits {
		for j := s.join; j != nil; j = j.outer {
			if j.here != 0 && !seen[j] {
				seen[j] = true
				fmt.Fprintf(b, "; threads %s wait for the rest of their warp on line %d", laneRange(w.id, j.here), w.cta.prog.code[j.pc].line)
			}
		}
	}
}

func leading(m uint32) int { return bits.LeadingZeros32(m) }

// laneRange names the threads of lanes of a warp.
func laneRange(warp int, m uint32) string {
	if m == 0 {
		return "none"
	}
	first, n := trailing(m), popcount(m)
	last := 31 - leading(m)
	switch {
	case n == 1:
		return fmt.Sprint(32*warp + first)
	case last-first+1 == n:
		return fmt.Sprintf("%d-%d", 32*warp+first, 32*warp+last)
	}
	return fmt.Sprintf("%d…%d (%d of them)", 32*warp+first, 32*warp+last, n)
}

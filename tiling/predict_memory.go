package tiling

import (
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// hit is the part of repeated passes over size bytes that L1 or L2 of so many bytes
// serves. A line survives if none of the misses of a pass falls on it, as if victims
// were chosen at random: hit = exp(-(1-hit)*size/cache). That is 1 up to the size of the
// cache, .42 at one and a half times, .2 at twice, .06 at three times. Measurements are
// closer to that than to the 0 of a cache that forgets the oldest line.
//
// It is asked for some hundred times a plan: hits has the solutions.
func hit(size, cache float64) float64 {
	if size <= cache {
		return 1
	}
	at := (size/cache - 1) * hitSteps
	i := int(min(at, float64(len(hits))))
	if i+1 >= len(hits) {
		return 0
	}
	return hits[i] + (at-float64(i))*(hits[i+1]-hits[i])
}

// hits[i] is hit of a cache that is 1+i/hitSteps times too small.
var hits = [...]float64{
	1, 0.7863, 0.6286, 0.5093, 0.4172, 0.3449, 0.2873, 0.2409,
	0.2032, 0.1722, 0.1466, 0.1252, 0.1074, 0.0923, 0.07956, 0.06874,
	0.05952, 0.05163, 0.04486, 0.03904, 0.03402, 0.02968, 0.02592, 0.02266,
	0.01983, 0.01736, 0.01522, 0.01334, 0.01171, 0.01028, 0.009031, 0.007936,
	0.006977, 0.006136, 0.005398, 0.004751, 0.004182, 0.003682, 0.003243, 0.002856,
	0.002516,
}

const hitSteps = 8

// slowly is the part of L3 that counts for what comes in pieces: a pass that takes long
// lets in what others read meanwhile. On Zen 4 a line in pieces took 3 ns from 8 MB of
// 10 MB, 7 ns from 16 MB, and 8 ns from what no cache holds. A line of L3 takes 1 ns.
const slowly = .5

// kept is hit for L3, which keeps a part of what is too large for it. Read bandwidths
// of one to four times its size show cache/size.
func kept(size, cache float64) float64 { return min(1, cache/max(1, size)) }

// share is from which level bytes come.
type share struct{ l2, l3, memory float64 } // the rest from L1

// from returns where bytes are found that were last used so many bytes ago.
func from(m *machine.Machine, ago float64, how pattern) share {
	sets, last := how.in(), float64(m.Caches[machine.L3].Size)
	if !how.inOrder() {
		last *= slowly
	}
	h1, h2 := hit(ago, sets*float64(m.Caches[machine.L1].Size)), hit(ago, sets*float64(m.Caches[machine.L2].Size))
	h2 = max(h1, h2)
	h3 := max(h2, kept(ago, last))
	return share{h2 - h1, h3 - h2, 1 - h3}
}

// A pattern is how bytes follow each other: pieces of so many bytes, stride bytes apart.
// The zero pattern is one piece. alone says that nothing but these pieces was used since
// they were last used. They then have the sets of a cache that they lie in and no others.
type pattern struct {
	piece, stride int
	alone         bool
}

// in is the share of the sets of a cache that counts.
func (t pattern) in() float64 {
	if t.alone {
		return t.sets()
	}
	return 1
}

// inOrder reports whether a core prefetches the next lines by itself. It follows lines
// that come one after another on a page, not some here and some there.
func (t pattern) inOrder() bool { return t.stride <= 2*t.piece }

// aliased reports whether all pieces fall into the same few sets of L1.
func (t pattern) aliased() bool { return t.stride > 0 && t.stride%page == 0 }

// pages is how many pages are looked up for so many bytes.
func (t pattern) pages(bytes float64) float64 {
	return bytes / float64(max(t.piece, line)) * min(1, float64(t.stride)/page)
}

// sets is the share of the sets of a cache that the pieces lie in. The bits of an address
// within a page choose a set as they are, and those above about at random.
func (t pattern) sets() float64 {
	if t.stride == 0 {
		return 1
	}
	apart := 1 // how many places within a page a piece may begin at
	for apart < page/line && t.stride%(page/apart) != 0 {
		apart *= 2
	}
	return min(1, float64(apart*max(t.piece, line))/page)
}

const (
	page = 4096
	line = machine.Line
)

// What moves is told.
const reads, writes = false, true

// moves adds what it takes to read bytes that were used so many bytes ago, or to write or change
// them: a line is fetched either way. What is in no order waits for lines, and for pages.
func (t pattern) moves(c *cost.Spent, m *machine.Machine, bytes, ago float64, write bool) {
	if bytes == 0 {
		return
	}
	f := from(m, ago, t)
	each := func(level int) float64 { return m.Caches[level].Apiece(write, t.inOrder()) }
	c[cost.L2] += bytes * f.l2 * each(machine.L2)
	c[cost.L3] += bytes * f.l3 * each(machine.L3)
	c[cost.Memory] += bytes * f.memory * each(machine.Memory)
	if !t.inOrder() {
		c[cost.Pages] += t.pages(bytes) * t.lookup(m, ago)
	}
}

// since is how many pages were used in so many bytes.
func (t pattern) since(m *machine.Machine, ago float64) float64 {
	if t.alone {
		return t.pages(ago)
	}
	return ago / float64(m.Pages.Size)
}

// lookup is the seconds of finding a page that was used so many bytes ago.
func (t pattern) lookup(m *machine.Machine, ago float64) float64 {
	switch pages := t.since(m, ago); {
	case pages > float64(m.Pages.Far):
		return m.Pages.Walk
	case pages > float64(m.Pages.Near):
		return m.Pages.Lookup
	}
	return 0
}

package roof

import (
	"math"
	"math/rand/v2"
	"time"
)

// A chain is memory in which each visited line says which comes next, so that nothing is
// known of it before it is there.
type chain struct {
	next  []uint32 // of the first word of a visited line: the word where the next begins
	order []uint32 // the same words, in order
	at    uint32   // where a walk is
	done  int      // of order
}

// words is how many words of a chain lie in a line.
const words = 64 / 4

// near is how many pages a chain visits before it goes on to others. They are few
// enough for the first TLB, so that the cache is measured and not the search for pages.
const near = 32

// newChain chains lines of so many bytes. Lines are in random order, but page by page of
// near pages. Every second line is left out, since processors fetch two at a time, but
// not of what is smaller than a window.
func newChain(size, page int) *chain {
	window, step := near*page, 2*words
	if size <= window {
		window, step = size, words
	}
	c := &chain{next: make([]uint32, size/4)}
	random := rand.New(rand.NewPCG(1, 2))
	for from := 0; from+window <= size; from += window {
		first := len(c.order)
		for word := from / 4; word < (from+window)/4; word += step {
			c.order = append(c.order, uint32(word))
		}
		shuffle(random, c.order[first:])
	}
	c.link()
	return c
}

// newPages chains one line of each of so many pages, in random order.
func newPages(pages, page int) *chain {
	c := &chain{next: make([]uint32, pages*page/4)}
	for i := range pages {
		line := i * 5 % (page / 64) // spread over the sets of a cache
		c.order = append(c.order, uint32(i*page/4+line*words))
	}
	shuffle(rand.New(rand.NewPCG(1, 2)), c.order)
	c.link()
	return c
}

func shuffle(r *rand.Rand, x []uint32) {
	r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
}

func (c *chain) link() {
	for i, word := range c.order {
		c.next[word] = c.order[(i+1)%len(c.order)]
	}
	c.at = c.order[0]
}

// steps is how many lines one timed run of a chain visits, of memory some 20 ms.
const steps = 1 << 17

// measure returns the seconds from one line to the next, and the seconds that a line takes
// if all may be fetched at once. Each is the least that was seen in about d. The two
// alternate. An L3 that takes what L2 evicts keeps lines that are soon asked for again,
// which a walk that waits for each line does not do.
func (c *chain) measure(d time.Duration) (latency, apiece float64) {
	latency, apiece = math.Inf(1), math.Inf(1)
	for start := time.Now(); math.IsInf(latency, 1) || time.Since(start) < d; { // once at least, however long this process had to wait
		t := time.Now()
		c.fetch()
		apiece = min(apiece, time.Since(t).Seconds()/steps)
		t = time.Now()
		c.walk()
		latency = min(latency, time.Since(t).Seconds()/steps)
	}
	return latency, apiece
}

// walk goes from line to line.
func (c *chain) walk() {
	at, next := c.at, c.next
	for range steps {
		at = next[at]
	}
	c.at = at
}

// fetch reads the same lines, whose order is known.
func (c *chain) fetch() {
	var s0, s1, s2, s3 uint32
	for n := 0; n < steps; {
		part := c.order[c.done:min(len(c.order), c.done+steps-n)]
		n += len(part)
		c.done = (c.done + len(part)) % len(c.order)
		for next := c.next; len(part) >= 4; part = part[4:] {
			s0 += next[part[0]]
			s1 += next[part[1]]
			s2 += next[part[2]]
			s3 += next[part[3]]
		}
	}
	sink.Store(uint64(s0 + s1 + s2 + s3))
}

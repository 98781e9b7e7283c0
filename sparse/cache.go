package sparse

import "math/bits"

// line is what caches move, in bytes.
const line = 64

// The levels of memory, by number.
const (
	inL1 = iota
	inL2
	inL3
	inMemory
	levels
)

// cache simulates three levels that keep what was used last: what falls out of one
// goes to the next, and from the third to memory. Objects all have one size, and a
// level holds so many of them:
//
//	most recent                                              least
//	[ L1 . . ][ L2 . . . . . . . ][ L3 . . . . . . . . . . . ]   memory
//
// That is the stack of Mattson et al. (IBM Systems J. 9, 1970): one walk counts the
// hits of all levels. An access takes constant time.
type cache struct {
	next, prev []int32 // circular lists of objects, one a level; behind the objects the levels themselves
	at         []uint8 // the level of each object
	room       [inMemory]int
}

// newCache returns an empty cache for objects 0 to n-1; room is how many each level
// holds, at least 1.
func newCache(n int, room [inMemory]int) *cache {
	c := &cache{next: make([]int32, n+inMemory), prev: make([]int32, n+inMemory), at: make([]uint8, n), room: room}
	for x := range c.at {
		c.at[x] = inMemory
	}
	for l := range inMemory {
		c.next[n+l], c.prev[n+l] = int32(n+l), int32(n+l)
	}
	return c
}

// touch uses object x and returns the level that it was found in.
func (c *cache) touch(x int32) int {
	from := int(c.at[x])
	if from != inMemory {
		c.unlink(x, from)
	}
	// It comes first in L1. Each level above the one that it leaves passes its oldest
	// on.
	for l := 0; l < from; l++ {
		c.push(x, l)
		if c.room[l] >= 0 {
			return from
		}
		x = c.prev[len(c.at)+l]
		c.unlink(x, l)
	}
	if c.at[x] = uint8(from); from != inMemory {
		c.push(x, from)
	}
	return from
}

func (c *cache) unlink(x int32, l int) {
	p, n := c.prev[x], c.next[x]
	c.next[p], c.prev[n] = n, p
	c.room[l]++
}

// push makes x the most recent of level l.
func (c *cache) push(x int32, l int) {
	head := int32(len(c.at) + l)
	n := c.next[head]
	c.next[head], c.prev[x] = x, head
	c.next[x], c.prev[n] = n, x
	c.at[x] = uint8(l)
	c.room[l]--
}

// sampler thins a stream of accesses out: it follows one object in 2^shift, picked
// by a hash, in caches that are smaller by the same factor. How soon an object is met
// again does not depend on its hash, so about the same share is found in each level:
// SHARDS (Waldspurger et al., FAST'15).
type sampler struct {
	*cache
	width, shift uint // objects are numbered by width bits
}

// What is simulated at most, about: accesses for their time, objects for memory.
const (
	maxFollowed = 1 << 20
	maxObjects  = 1 << 22
)

// newSampler is for that many accesses to objects 0 to n-1.
func newSampler(n, accesses int64, room [inMemory]int) *sampler {
	s := &sampler{width: uint(bits.Len64(uint64(max(n-1, 1))))}
	for accesses>>s.shift > maxFollowed || n>>s.shift > maxObjects {
		s.shift++
	}
	s.shift = min(s.shift, s.width)
	for l := range room {
		room[l] = max(1, room[l]>>s.shift)
	}
	if s.shift > 0 {
		n = 1 << (s.width - s.shift)
	}
	s.cache = newCache(int(n), room)
	return s
}

// touch uses object x and returns the level that it was found in, or -1 if it is not
// followed.
func (s *sampler) touch(x int64) int {
	if s.shift == 0 {
		return s.cache.touch(int32(x))
	}
	// A permutation of the numbers of so many bits; the first ones are followed.
	mask := uint64(1)<<s.width - 1
	h := uint64(x)
	h ^= h >> (s.width/2 + 1)
	h = h * 0x9E3779B1 & mask
	h ^= h >> (s.width/2 + 1)
	h = h * 0x85EBCA6B & mask
	if h>>(s.width-s.shift) != 0 {
		return -1
	}
	return s.cache.touch(int32(h))
}

// estimate turns what was seen of the followed ones among all accesses into what all of
// them would have seen. Whether the few objects that are used most are among the
// followed makes a difference, to L1 above all: what is missing there or too much is
// set right by the number of accesses, as SHARDS-adj does.
func (s *sampler) estimate(seen [levels]int64, all int64) [levels]int64 {
	expected := all >> s.shift
	for _, n := range seen {
		expected -= n
	}
	seen[inL1] = max(0, seen[inL1]+expected)
	sum := int64(0)
	for _, n := range seen {
		sum += n
	}
	if s.shift == 0 || sum == 0 {
		return seen
	}
	for l, n := range seen {
		seen[l] = int64(float64(n) / float64(sum) * float64(all))
	}
	return seen
}

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
//
// L1 is cut into sets by the low bits of an address, so that rows of B that are a power
// of two apart share a few of them. The larger ones are, too, but by addresses of memory,
// in which pages lie anywhere.
type cache struct {
	next, prev []int32 // circular lists of objects; behind the objects L2, L3 and the sets of L1
	at         []uint8 // the level of each object
	room       []int   // that is left in L2, L3 and each set of L1
}

// shape is how many objects each level holds, those of L1 in so many sets; all are at
// least 1.
type shape struct {
	sets int
	room [inMemory]int // of L1 that of a set
}

// newCache returns an empty cache for objects 0 to n-1.
func newCache(n int, s shape) *cache {
	lists := inMemory - 1 + s.sets
	c := &cache{next: make([]int32, n+lists), prev: make([]int32, n+lists), at: make([]uint8, n), room: make([]int, lists)}
	for x := range c.at {
		c.at[x] = inMemory
	}
	for l := range lists {
		c.next[n+l], c.prev[n+l] = int32(n+l), int32(n+l)
		c.room[l] = s.room[min(l+1, inMemory)%inMemory]
	}
	return c
}

// touch uses object x, which belongs to a set of L1, and returns the level that it was
// found in. An object that changes its set is a mistake.
func (c *cache) touch(x int32, set int) int {
	from := int(c.at[x])
	list := func(l int) int {
		if l == inL1 {
			return inMemory - 1 + set
		}
		return l - 1
	}
	if from != inMemory {
		c.unlink(x, list(from))
	}
	// It comes first in L1. Each level above the one that it leaves passes its oldest
	// on.
	for l := 0; l < from; l++ {
		c.at[x] = uint8(l)
		c.push(x, list(l))
		if c.room[list(l)] >= 0 {
			return from
		}
		x = c.prev[len(c.at)+list(l)]
		c.unlink(x, list(l))
	}
	if c.at[x] = uint8(from); from != inMemory {
		c.push(x, list(from))
	}
	return from
}

func (c *cache) unlink(x int32, list int) {
	p, n := c.prev[x], c.next[x]
	c.next[p], c.prev[n] = n, p
	c.room[list]++
}

// push makes x the most recent of a list.
func (c *cache) push(x int32, list int) {
	head := int32(len(c.at) + list)
	n := c.next[head]
	c.next[head], c.prev[x] = x, head
	c.next[x], c.prev[n] = n, x
	c.room[list]--
}

// sampler thins a stream of accesses out: it follows one object in 2^shift, picked
// by a hash, in caches that are smaller by the same factor. How soon an object is met
// again does not depend on its hash, so about the same share is found in each level:
// SHARDS (Waldspurger et al., FAST'15).
type sampler struct {
	*cache
	width, shift uint // objects are numbered by width bits
	sets         int  // of L1
}

// What is simulated at most, about: accesses for their time, objects for memory.
const (
	maxFollowed = 1 << 20
	maxObjects  = 1 << 22
)

// newSampler is for that many accesses to objects 0 to n-1.
func newSampler(n, accesses int64, room shape) *sampler {
	s := &sampler{width: uint(bits.Len64(uint64(max(n-1, 1))))}
	for accesses>>s.shift > maxFollowed || n>>s.shift > maxObjects {
		s.shift++
	}
	s.shift = min(s.shift, s.width)
	// Fewer sets, and when there is one, smaller ones.
	ways := s.shift - min(s.shift, uint(bits.Len(uint(room.sets))-1))
	room.sets = max(1, room.sets>>s.shift)
	room.room[inL1] = max(1, room.room[inL1]>>ways)
	for l := inL2; l < inMemory; l++ {
		room.room[l] = max(1, room.room[l]>>s.shift)
	}
	if s.shift > 0 {
		n = 1 << (s.width - s.shift)
	}
	s.cache, s.sets = newCache(int(n), room), room.sets
	return s
}

// touch uses object x of a set of L1 and returns the level that it was found in, or -1
// if it is not followed.
func (s *sampler) touch(x int64, set int) int {
	if s.shift == 0 {
		return s.cache.touch(int32(x), set)
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
	return s.cache.touch(int32(h), min(set>>s.shift, s.sets-1))
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

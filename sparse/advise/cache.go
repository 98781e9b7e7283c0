package advise

import (
	"math/bits"

	"github.com/tilesmith/tilesmith/tiling/machine"
)

// line is what caches move, in bytes.
const line = machine.Line

// cache simulates three levels: what falls out of one goes to the next, and from the
// third to memory. Objects all have one size, and a level holds so many of them.
//
// No processor tells which line makes room, and none evicts exactly the line that was used
// least recently. If it did, a product a little larger than a cache, repeated, would find
// nothing in it, and one a little smaller all. Here it is drawn at random. In L1 it is drawn
// among lines not used since all of the set had been, which a bit for each line can tell. In
// L2 and L3 it is drawn among all, so [tiling.Kept] is the part of a scan that they keep.
//
// L1 is cut into sets by the low bits of an address, so rows of B that are a power of two
// apart share a few of them. The larger ones are, too, but by addresses of memory, in
// which pages lie anywhere.
type cache struct {
	lists [][]int32 // of objects: L2, L3 and the sets of L1, in any order
	room  []int     // of each list
	slots []int32   // where each object is in its list
	at    []uint8   // the level of each object
	used  []bool    // lately, of those in L1
	fresh []int     // how many of each set of L1 were
	draw  uint32    // the state of the generator: every simulation draws the same
}

// shape is how many objects each level holds, those of L1 in so many sets; all are at
// least 1.
type shape struct {
	sets int
	room [machine.Memory]int // of L1 that of a set
}

// newCache returns an empty cache for objects 0 to n-1.
func newCache(n int, s shape) *cache {
	lists := machine.Memory - 1 + s.sets
	c := &cache{lists: make([][]int32, lists), room: make([]int, lists), slots: make([]int32, n), at: make([]uint8, n), used: make([]bool, n), fresh: make([]int, s.sets), draw: 1}
	for x := range c.at {
		c.at[x] = machine.Memory
	}
	for l := range lists {
		c.room[l] = s.room[min(l+1, machine.Memory)%machine.Memory]
	}
	return c
}

// touch uses object x, which belongs to a set of L1, and returns the level that it was
// found in. An object that changes its set is a mistake.
func (c *cache) touch(x int32, set int) int {
	from := int(c.at[x])
	if from == machine.L1 {
		c.use(x, set)
		return from
	}
	if from != machine.Memory {
		list, last := c.lists[from-1], len(c.lists[from-1])-1
		moved := list[last]
		list[c.slots[x]], c.slots[moved] = moved, c.slots[x]
		c.lists[from-1] = list[:last]
	}
	// It goes to L1. Each level above the one that it leaves passes one of its own on,
	// if it is full.
	new := x
	for l := range from {
		k := l - 1
		if l == machine.L1 {
			k = machine.Memory - 1 + set
		}
		list := c.lists[k]
		c.at[x] = uint8(l)
		if len(list) < c.room[k] {
			c.slots[x] = int32(len(list))
			c.lists[k] = append(list, x)
			c.use(new, set)
			return from
		}
		i := c.random(len(list))
		for l == machine.L1 && c.used[list[i]] && c.room[k] > 1 {
			i = c.random(len(list))
		}
		c.slots[x] = int32(i)
		list[i], x = x, list[i]
	}
	if c.at[x] = uint8(from); from != machine.Memory {
		c.slots[x] = int32(len(c.lists[from-1]))
		c.lists[from-1] = append(c.lists[from-1], x)
	}
	c.use(new, set)
	return from
}

// use notes that x is used, which is in a set of L1. In a full set at least one line
// was not.
func (c *cache) use(x int32, set int) {
	if c.used[x] {
		return
	}
	if list := c.lists[machine.Memory-1+set]; c.fresh[set]+1 >= c.room[machine.Memory-1+set] {
		for _, y := range list {
			c.used[y] = false
		}
		c.fresh[set] = 0
	}
	c.used[x] = true
	c.fresh[set]++
}

// random returns a number below n, by Marsaglia's xorshift (J. Stat. Softw. 8, 2003).
func (c *cache) random(n int) int {
	c.draw ^= c.draw << 13
	c.draw ^= c.draw >> 17
	c.draw ^= c.draw << 5
	return int(uint64(c.draw) * uint64(n) >> 32)
}

// sampler thins a stream of accesses out. It follows one object in 2^shift, picked by a
// hash, in caches that are smaller by the same factor. The time until an object is met
// again does not depend on its hash, so about the same share is found in each level:
// SHARDS (Waldspurger et al., FAST'15).
type sampler struct {
	*cache
	width, shift uint // objects are numbered by width bits
	sets         int  // of L1
}

// About how much is simulated at most: accesses to limit time, objects to limit memory.
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
	room.room[machine.L1] = max(1, room.room[machine.L1]>>ways)
	for l := machine.L2; l < machine.Memory; l++ {
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
// them would have seen. It makes a difference, to L1 above all, whether the few objects
// that are used most are among the followed. The number of accesses corrects what is
// missing there or too much, as in SHARDS-adj.
func (s *sampler) estimate(seen Moved, all int64) Moved {
	expected := all >> s.shift
	for _, n := range seen {
		expected -= n
	}
	seen[machine.L1] = max(0, seen[machine.L1]+expected)
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

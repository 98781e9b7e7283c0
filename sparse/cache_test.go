package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// stack is the plain way to say what cache does: lists, most recent first.
type stack struct {
	sets [][]int32 // of L1
	list []int32   // of L2 and then L3
	shape
}

func (s *stack) touch(x int32, set int) int {
	found := inMemory
	if s.sets == nil {
		s.sets = make([][]int32, s.shape.sets)
	}
	near := s.sets[set]
	if at := slices.Index(near, x); at >= 0 {
		near, found = slices.Delete(near, at, at+1), inL1
	} else if at := slices.Index(s.list, x); at >= 0 {
		s.list = slices.Delete(s.list, at, at+1)
		switch {
		case at < s.room[inL2]:
			found = inL2
		default:
			found = inL3
		}
	}
	near = slices.Insert(near, 0, x)
	if n := s.room[inL1]; len(near) > n {
		s.list = slices.Insert(s.list, 0, near[n])
		near = near[:n]
	}
	s.sets[set] = near
	s.list = s.list[:min(len(s.list), s.room[inL2]+s.room[inL3])]
	return found
}

func TestCache(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, room := range []shape{
		{1, [inMemory]int{1, 1, 1}}, {1, [inMemory]int{1, 2, 3}}, {1, [inMemory]int{3, 1, 8}}, {1, [inMemory]int{4, 16, 40}}, {1, [inMemory]int{100, 1, 1}},
		{2, [inMemory]int{1, 1, 1}}, {4, [inMemory]int{2, 3, 9}}, {8, [inMemory]int{1, 16, 40}},
	} {
		for _, n := range []int{1, 2, 5, 20, 90} {
			c, want := newCache(n, room), &stack{shape: room}
			for k := range 2000 {
				x := int32(r.IntN(n))
				if r.IntN(2) == 0 {
					x = int32(r.IntN(1 + int(x)/2)) // some are more common
				}
				set := int(x*x+x/3) % room.sets
				if have, want := c.touch(x, set), want.touch(x, set); have != want {
					t.Fatalf("%+v, %d objects, access %d to %d: found in level %d, want %d", room, n, k, x, have, want)
				}
			}
		}
	}
}

// A sample of the objects sees about the shares of hits that all of them see.
func TestSampler(t *testing.T) {
	const n, accesses = 40_000, 400_000
	room := shape{1, [inMemory]int{400, 4000, 12_000}}
	r := rand.New(rand.NewPCG(3, 4))
	draw := func() int { // some objects are far more common than others
		u := r.Float64()
		return int(u * u * u * n)
	}
	all := newSampler(n, 1, room)
	part := newSampler(n, 5*maxFollowed, room)
	if all.shift != 0 || part.shift != 3 {
		t.Fatalf("of one access 1 in %d is followed, of five times too many 1 in %d; want 1 and 8", 1<<all.shift, 1<<part.shift)
	}
	var want, have [levels]int64
	for range accesses {
		x := draw()
		want[all.touch(int64(x), 0)]++
		if l := part.touch(int64(x), 0); l >= 0 {
			have[l]++
		}
	}
	have = part.estimate(have, accesses)
	sum := int64(0)
	for l, n := range have {
		if sum += n; math.Abs(float64(n-want[l])) > .03*accesses {
			t.Errorf("level %d has %d of %d accesses, by a sample %d", l, want[l], accesses, n)
		}
	}
	if sum < accesses-levels || sum > accesses {
		t.Errorf("%d accesses became %d", accesses, sum)
	}
	if all.estimate(want, accesses) != want {
		t.Error("a sample of everything is not everything")
	}
}

// Sampled objects have numbers of their own.
func TestSamplerNumbers(t *testing.T) {
	const n = 5000
	s := newSampler(n, 20*maxFollowed, shape{1, [inMemory]int{n, n, n}})
	met := 0
	for x := range n {
		if l := s.touch(int64(x), 0); l == inMemory {
			met++
		} else if l >= 0 {
			t.Fatalf("object %d shares its number with another", x)
		}
	}
	if met == 0 {
		t.Error("no object is followed")
	}
}

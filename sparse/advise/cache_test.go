package advise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// shelves is the plain way to say what cache does: a list for each level, which are searched.
type shelves struct {
	sets  [][]int32 // of L1
	lists [machine.Memory][]int32
	used  map[int32]bool
	draw  *cache // for its generator only
	shape
}

func (s *shelves) touch(x int32, set int) int {
	if s.sets == nil {
		s.sets, s.used = make([][]int32, s.shape.sets), map[int32]bool{}
	}
	s.lists[machine.L1] = s.sets[set]
	found := s.move(x)
	s.sets[set] = s.lists[machine.L1]
	if s.used[x] = true; !slices.ContainsFunc(s.sets[set], func(y int32) bool { return !s.used[y] }) && len(s.sets[set]) == s.room[machine.L1] {
		for _, y := range s.sets[set] {
			s.used[y] = y == x
		}
	}
	return found
}

func (s *shelves) move(x int32) int {
	found := machine.Memory
	for l, list := range s.lists {
		at := slices.Index(list, x)
		switch {
		case at < 0:
			continue
		case l == machine.L1:
			return l
		}
		found = l
		list[at] = list[len(list)-1]
		s.lists[l] = list[:len(list)-1]
	}
	s.used[x] = false
	for l := range found {
		if len(s.lists[l]) < s.room[l] {
			s.lists[l] = append(s.lists[l], x)
			return found
		}
		i := s.draw.random(len(s.lists[l]))
		for l == machine.L1 && s.used[s.lists[l][i]] && s.room[l] > 1 {
			i = s.draw.random(len(s.lists[l]))
		}
		s.lists[l][i], x = x, s.lists[l][i]
	}
	if found != machine.Memory {
		s.lists[found] = append(s.lists[found], x)
	}
	return found
}

func TestCache(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	for _, room := range []shape{
		{1, [machine.Memory]int{1, 1, 1}}, {1, [machine.Memory]int{1, 2, 3}}, {1, [machine.Memory]int{3, 1, 8}}, {1, [machine.Memory]int{4, 16, 40}}, {1, [machine.Memory]int{100, 1, 1}},
		{2, [machine.Memory]int{1, 1, 1}}, {4, [machine.Memory]int{2, 3, 9}}, {8, [machine.Memory]int{1, 16, 40}},
	} {
		for _, n := range []int{1, 2, 5, 20, 90} {
			c, want := newCache(n, room), &shelves{draw: newCache(0, room), shape: room}
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

// Of a scan again and again L3 holds what tiling.Kept says.
func TestCacheScan(t *testing.T) {
	for _, times := range []float64{.5, 1, 1.2, 1.5, 2, 3} {
		h := tiling.Kept(times)
		room := shape{1, [machine.Memory]int{1, 1, 2000}}
		n := int(2000 * times)
		c, hits := newCache(n, room), 0
		for k := range 60 * n {
			if c.touch(int32(k%n), 0) < machine.Memory && k >= 40*n {
				hits++
			}
		}
		if have := float64(hits) / float64(20*n); math.Abs(have-h) > .02+.05*h {
			t.Errorf("a scan of %v times the cache found %.3f of it, want %.3f", times, have, h)
		}
	}
}

// A sample of the objects sees about the shares of hits that all of them see.
func TestSampler(t *testing.T) {
	const n, accesses = 40_000, 400_000
	room := shape{1, [machine.Memory]int{400, 4000, 12_000}}
	r := rand.New(level.PCG(3, 4))
	draw := func() int { // some objects are far more common than others
		u := r.Float64()
		return int(u * u * u * n)
	}
	all := newSampler(n, 1, room)
	part := newSampler(n, 5*maxFollowed, room)
	if all.shift != 0 || part.shift != 3 {
		t.Fatalf("of one access 1 in %d is followed, of five times too many 1 in %d; want 1 and 8", 1<<all.shift, 1<<part.shift)
	}
	var want, have Moved
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
	if sum < accesses-machine.Levels || sum > accesses {
		t.Errorf("%d accesses became %d", accesses, sum)
	}
	if all.estimate(want, accesses) != want {
		t.Error("a sample of everything is not everything")
	}
}

// Sampled objects have numbers of their own.
func TestSamplerNumbers(t *testing.T) {
	const n = 5000
	s := newSampler(n, 20*maxFollowed, shape{1, [machine.Memory]int{n, n, n}})
	met := 0
	for x := range n {
		if l := s.touch(int64(x), 0); l == machine.Memory {
			met++
		} else if l >= 0 {
			t.Fatalf("object %d shares its number with another", x)
		}
	}
	if met == 0 {
		t.Error("no object is followed")
	}
}

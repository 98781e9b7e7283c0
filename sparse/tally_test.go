package sparse

import (
	"slices"
	"testing"
)

// TestTally: the array and the map say the same, keys in order.
func TestTally(t *testing.T) {
	array, more := newTally(1000, 1000), newTally(1<<20, 1)
	if array.array == nil || more.array != nil {
		t.Fatal("which is which")
	}
	for _, c := range []*tally{array, more} {
		for _, k := range []int{900, 3, 77, 3, 500, 900, 3, 1, 12, 600, 601} {
			c.add(k)
		}
		c.set(500, 0)
		keys := slices.Collect(c.keys())
		if want := []int{1, 3, 12, 77, 600, 601, 900}; !slices.Equal(keys, want) || c.of(3) != 3 || c.of(900) != 2 || c.of(2) != 0 {
			t.Errorf("keys %v, want %v; 3 comes %d times", keys, want, c.of(3))
		}
		for range c.keys() {
			break
		}
	}
}

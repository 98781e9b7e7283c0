package runs

import (
	"slices"
	"testing"
)

// TestTally: the array and the map say the same, keys in order.
func TestTally(t *testing.T) {
	array, more := NewTally(1000, 1000), NewTally(1<<20, 1)
	if array.array == nil || more.array != nil {
		t.Fatal("which is which")
	}
	for _, c := range []*Tally{array, more} {
		for _, k := range []int{900, 3, 77, 3, 500, 900, 3, 1, 12, 600, 601} {
			c.Add(k)
		}
		c.Set(500, 0)
		keys := slices.Collect(c.Keys())
		if want := []int{1, 3, 12, 77, 600, 601, 900}; !slices.Equal(keys, want) || c.Of(3) != 3 || c.Of(900) != 2 || c.Of(2) != 0 {
			t.Errorf("keys %v, want %v; 3 comes %d times", keys, want, c.Of(3))
		}
		for range c.Keys() {
			break
		}
	}
}

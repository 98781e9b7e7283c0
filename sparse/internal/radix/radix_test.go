package radix

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestSortBy compares with the standard library, for keys in one pass and by digits.
func TestSortBy(t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	for _, size := range []int{1, 2, 3, 256, 257, 2047, 2048, 2049, 1 << 20, 1<<22 - 1, 1 << 27, 2*1<<27 - 1} {
		for _, n := range []int{0, 1, 2, 100, 5000} {
			keys := make([]int, n)
			for k := range keys {
				keys[k] = r.IntN(size)
				if r.IntN(4) == 0 {
					keys[k] = size - 1
				}
			}
			key := func(k int32) int { return keys[k] }
			want := Sequence(n)
			r.Shuffle(n, func(i, j int) { want[i], want[j] = want[j], want[i] })
			got := Sort(slices.Clone(want), size, key)
			slices.SortStableFunc(want, func(a, b int32) int { return keys[a] - keys[b] })
			if !slices.Equal(got, want) {
				t.Errorf("%d keys below %d", n, size)
			}
		}
	}
}

package sparse

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestSortBy compares with the standard library, for keys in one pass and by digits.
func TestSortBy(t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	for _, size := range []int{1, 2, 3, 256, 257, 2047, 2048, 2049, 1 << 20, 1<<22 - 1, MaxDim, 2*MaxDim - 1} {
		for _, n := range []int{0, 1, 2, 100, 5000} {
			keys := make([]int, n)
			for k := range keys {
				keys[k] = r.IntN(size)
				if r.IntN(4) == 0 {
					keys[k] = size - 1
				}
			}
			key := func(k int32) int { return keys[k] }
			want := sequence(n)
			r.Shuffle(n, func(i, j int) { want[i], want[j] = want[j], want[i] })
			got := sortBy(slices.Clone(want), size, key)
			slices.SortStableFunc(want, func(a, b int32) int { return keys[a] - keys[b] })
			if !slices.Equal(got, want) {
				t.Errorf("%d keys below %d", n, size)
			}
		}
	}
}

// TestMemory: what a few entries of a very wide matrix take does not depend on its
// width.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := must(FromCOO(3, MaxDim, []int{2, 0, 2}, []int{MaxDim - 1, 7, 1 << 20}, []float64{1, 2, 3}))
	for _, f := range []Format{CSR, COO, DCSR, ELL(2), SELL(2, 2), BSR(4), DBSR(4), SRBCRS(2, 2)} {
		if _, err := m.To(f); err != nil {
			t.Error(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes for 3 entries", n)
	}
}

package runs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestSetRange compares with bits set one by one.
func TestSetRange(t *testing.T) {
	r := rand.New(level.PCG(2, 9))
	for range 3000 {
		const n = 300
		mask, want := make([]uint64, n/64+1), make([]uint64, n/64+1)
		for range 1 + r.IntN(6) {
			lo := r.IntN(n)
			hi := lo + r.IntN(min(n-lo, 1+r.IntN(200)))
			free := true
			for k := lo; k < hi; k++ {
				free = free && !Has(want, k)
			}
			if SetRange(mask, lo, hi) != free {
				t.Fatalf("bits %d to %d: free %v", lo, hi-1, free)
			}
			if !free {
				break // what it set by then is not said
			}
			for k := lo; k < hi; k++ {
				SetBit(want, k)
			}
			if !slices.Equal(mask, want) {
				t.Fatalf("bits %d to %d: %x, want %x", lo, hi-1, mask, want)
			}
		}
	}
}

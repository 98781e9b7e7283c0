package mem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// Volume is what arbitrary precision says, up to the largest int.
func TestVolume(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	most := big.NewInt(math.MaxInt)
	for range 100000 {
		sizes := make([]int, 1+r.IntN(4))
		want := big.NewInt(1)
		for i := range sizes {
			sizes[i] = int(r.Uint64()>>1>>r.IntN(64)) & math.MaxInt
			want.Mul(want, big.NewInt(int64(sizes[i])))
		}
		if want.Cmp(most) > 0 {
			want = most
		}
		if have := Volume(sizes...); int64(have) != want.Int64() {
			t.Fatalf("Volume(%d) = %d, want %d", sizes, have, want)
		}
	}
}

func TestCeil(t *testing.T) {
	for _, c := range [][3]int{{0, 3, 0}, {1, 3, 1}, {3, 3, 1}, {4, 3, 2}, {math.MaxInt, 2, math.MaxInt/2 + 1}, {math.MaxInt, 1, math.MaxInt}, {math.MaxInt, math.MaxInt, 1}} {
		if have := Ceil(c[0], c[1]); have != c[2] {
			t.Errorf("Ceil(%d, %d) = %d, want %d", c[0], c[1], have, c[2])
		}
	}
}

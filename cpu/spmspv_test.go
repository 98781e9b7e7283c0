package cpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse"
)

// TestSpMSpV holds products of sparse vectors to the definition, to the bit.
func TestSpMSpV(t *testing.T) {
	vectorsOf(t, func(r *rand.Rand) float32 { return r.Float32() - 0.5 }, minFirst(float32(1e30)))
	vectorsOf(t, func(r *rand.Rand) int64 { return int64(r.Uint64()) }, minFirst(int64(1<<62)))
	vectorsOf(t, func(r *rand.Rand) complex128 { return complex(r.Float64(), r.Float64()) }, semiring.PlusPair[complex128]())
}

// minFirst is a semiring whose Zero is not 0.
func minFirst[T float32 | int64](most T) semiring.Semiring[T] {
	return semiring.Semiring[T]{Name: "minfirst", Zero: most, Plus: func(x, y T) T { return min(x, y) }, Times: func(x, _ T) T { return x }}
}

func vectorsOf[T dtype.Value](t *testing.T, draw func(r *rand.Rand) T, other semiring.Semiring[T]) {
	t.Run(dtype.Name[T](), func(t *testing.T) {
		r := rand.New(level.PCG(6, 6))
		for _, s := range []struct{ k, n, z, x, mask int }{{1, 1, 1, 1, 1}, {9, 4, 0, 5, 2}, {300, 5000, 3000, 20, 40}, {40, 90000, 200, 1, level.Of(8000, 80000, 80000)}, {5000, 200000, 20000, 60, 150000}, {4000, 900, 30000, 2000, 500}}[:level.Of(4, 6, 6)] {
			a := randomValues(r, s.k, s.n, s.z, draw)
			x, err := sparse.VectorOf(randomValues(r, 1, s.k, s.x, draw))
			if err != nil {
				t.Fatal(err)
			}
			mask := randomValues(r, 1, s.n, s.mask, draw)
			for what, spec := range map[string]SpGEMMSpec[T]{
				"plain":            {},
				"other":            {Semiring: other},
				"masked":           {Mask: &mask},
				"complement":       {Mask: &mask, Complement: true},
				"other complement": {Mask: &mask, Complement: true, Semiring: other},
			} {
				y, err := SpMSpVOpt(Options{}, spec, x, a)
				if err != nil {
					t.Fatal(err)
				}
				sameProduct(t, fmt.Sprint(what, " ", s), true, y.Row(), spgemmOracle(spec, x.Row(), a))
			}
			if y, err := SpMSpV(x, a); err != nil || y.Len() != s.n {
				t.Fatalf("%v, %v", y, err)
			}
		}
	})
}

func TestSpMSpVRefuses(t *testing.T) {
	a, _ := sparse.Identity[int8](3)
	x, _ := sparse.NewVector(4, []int{0}, []int8{1})
	if _, err := SpMSpV(x, a); !errors.Is(err, sparse.ErrShape) || err.Error() != "cpu.SpMSpV: a is 1 x 4, b is 3 x 3; want m x k and k x n" {
		t.Error(err)
	}
}

// BenchmarkSpMSpV is a step of a search on graphs of 2^14 and of 2^20 nodes, from 16 nodes with 8 edges each when many
// were seen: times that go with the graph would be 64 times apart.
func BenchmarkSpMSpV(b *testing.B) {
	for _, log := range []int{14, 20} {
		n := 1 << log
		r := rand.New(level.PCG(1, 1))
		draw := func(r *rand.Rand) uint8 { return 1 }
		a := randomValues(r, n, n, 8*n, draw)
		x, _ := sparse.VectorOf(randomValues(r, 1, n, 16, draw))
		seen := randomValues(r, 1, n, n/4, draw)
		for what, spec := range map[string]SpGEMMSpec[uint8]{"plain": {}, "orand": {Semiring: semiring.OrAnd[uint8](), Mask: &seen, Complement: true}} {
			b.Run(fmt.Sprintf("%s/%d", what, log), func(b *testing.B) {
				for b.Loop() {
					if _, err := SpMSpVOpt(Options{Threads: 1}, spec, x, a); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

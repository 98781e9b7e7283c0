package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

func TestSegmentMax(t *testing.T) {
	rng := rand.New(level.PCG(1, 2))
	offsets := []int{0}
	for range 600 {
		offsets = append(offsets, offsets[len(offsets)-1]+rng.IntN(4))
	}
	m, n, h := len(offsets)-1, offsets[len(offsets)-1], 5
	x := smallInts(rng, guarded[float64](t, n, h))
	x.Set(3, 1, math.NaN())
	out, arg := guarded[float64](t, m, h), make([]int32, m*h)
	for threads := 1; threads <= 3; threads++ {
		SegmentMax(Options{Threads: threads}, out, arg, offsets, x)
		for s := range m {
			for j := range h {
				best, from := math.Inf(-1), int32(-1)
				for k := offsets[s]; k < offsets[s+1]; k++ {
					if v := x.At(k, j); !math.IsNaN(best) && (v > best || math.IsNaN(v)) {
						best, from = v, int32(k)
					}
				}
				if have := out.At(s, j); arg[s*h+j] != from || have != best && !(math.IsNaN(have) && math.IsNaN(best)) {
					t.Fatalf("element (%d, %d) is %v of row %d, want %v of row %d", s, j, have, arg[s*h+j], best, from)
				}
			}
		}
	}
	dout, dx, want := smallInts(rng, layout.New[float64](m, h)), guarded[float64](t, n, h), layout.New[float64](n, h)
	SegmentMaxBack(Options{}, dx, arg, dout)
	for s := range m {
		for j := range h {
			if k := arg[s*h+j]; k >= 0 {
				want.Set(int(k), j, dout.At(s, j))
			}
		}
	}
	for i, x := range want.Data {
		if dx.Data[i] != x {
			t.Fatalf("gradient %d is %v, want %v", i, dx.Data[i], x)
		}
	}
}

func TestSegmentMaxRefuses(t *testing.T) {
	out, x, arg := layout.New[float32](2, 3), layout.New[float32](4, 3), make([]int32, 6)
	call := func(offsets []int, arg []int32) func() {
		return func() { SegmentMax(Options{}, out, arg, offsets, x) }
	}
	const name = "cpu.SegmentMax"
	refuses(t, name, "out is 2 x 3, x is 4 x 3, there are 2 offsets; want m x h, n x h, m+1", call([]int{0, 4}, arg))
	for offsets, what := range map[[3]int]string{{1, 2, 4}: "offset 0 is 1", {0, 5, 4}: "offset 2 is 4", {0, 2, 3}: "offset 2 is 3", {0, -1, 4}: "offset 1 is -1"} {
		refuses(t, name, what+"; want 0 first, 4 last, and none less than the one before", call(offsets[:], arg))
	}
	refuses(t, name, "arg has 5 elements; want one for each of 2 x 3", call([]int{0, 2, 4}, arg[:5]))
	arg[4] = 4
	refuses(t, name+"Back", "row 4 at place 4 of arg; want rows from 0 to 3, or -1 for none", func() { SegmentMaxBack(Options{}, x, arg, out) })
}

func ExampleSegmentMax() {
	x := layout.RowMajor([]float32{1, 9, 5, 2, 7, 7}, 3, 2)
	out, arg := layout.New[float32](2, 2), make([]int32, 4)
	SegmentMax(Options{}, out, arg, []int{0, 2, 3}, x)
	fmt.Println(out.Data, arg)
	// Output: [5 9 7 7] [1 0 2 2]
}

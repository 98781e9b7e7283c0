package layout_test

import (
	"testing"

	"github.com/tilesmith/tilesmith/layout"
)

// lanes returns the addresses that f gives for n lanes.
func lanes(n int, f func(lane int) int) []int {
	a := make([]int, n)
	for i := range a {
		a[i] = f(i)
	}
	return a
}

func TestWavefronts(t *testing.T) {
	rows := func(pitch int) []int { return lanes(32, func(l int) int { return l * pitch }) }
	for _, c := range []struct {
		what    string
		address []int
		bytes   int
		want    layout.Banks
	}{
		{"neighbours of 4 bytes", rows(4), 4, layout.Banks{Wavefronts: 1, Ideal: 1}},
		{"neighbours of 2 bytes share words", rows(2), 2, layout.Banks{Wavefronts: 1, Ideal: 1}},
		{"neighbours of 1 byte", rows(1), 1, layout.Banks{Wavefronts: 1, Ideal: 1}},
		{"every other word", rows(8), 4, layout.Banks{Wavefronts: 2, Ideal: 1}},
		{"a column of 32 words", rows(128), 4, layout.Banks{Wavefronts: 32, Ideal: 1}},
		{"a column, padded by a word", rows(132), 4, layout.Banks{Wavefronts: 1, Ideal: 1}},
		{"one word for all", rows(0), 4, layout.Banks{Wavefronts: 1, Ideal: 1}},
		{"two words of one bank", lanes(32, func(l int) int { return l % 2 * 128 }), 4, layout.Banks{Wavefronts: 2, Ideal: 1}},
		{"neighbours of 8 bytes", rows(8), 8, layout.Banks{Wavefronts: 2, Ideal: 2}},
		{"8 bytes at stride 16", rows(16), 8, layout.Banks{Wavefronts: 4, Ideal: 2}},
		{"8 bytes, the halves of the warp collide only with themselves", lanes(32, func(l int) int { return l % 16 * 8 }), 8, layout.Banks{Wavefronts: 2, Ideal: 2}},
		{"neighbours of 16 bytes", rows(16), 16, layout.Banks{Wavefronts: 4, Ideal: 4}},
		{"rows of 128 bytes", rows(128), 16, layout.Banks{Wavefronts: 32, Ideal: 4}},
		{"rows of 64 bytes", rows(64), 16, layout.Banks{Wavefronts: 16, Ideal: 4}},
		{"rows of 128 bytes and 16 of padding", rows(144), 16, layout.Banks{Wavefronts: 4, Ideal: 4}},
		{"one matrix", rows(128)[:8], 16, layout.Banks{Wavefronts: 8, Ideal: 1}},
		{"lanes that do nothing", lanes(32, func(l int) int { return -1 + l%2*(1+l*64) }), 4, layout.Banks{Wavefronts: 16, Ideal: 1}},
		{"a phase that does nothing", lanes(32, func(l int) int { return max(l-8, -1) / 8 * 16 }), 16, layout.Banks{Wavefronts: 4, Ideal: 4}},
		{"nobody", lanes(32, func(int) int { return -1 }), 16, layout.Banks{}},
		{"no lanes", nil, 4, layout.Banks{}},
	} {
		got, err := layout.Wavefronts(c.address, c.bytes)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.what, got, err, c.want)
		}
		if got.Conflicts() != got.Wavefronts-got.Ideal {
			t.Errorf("%s: %d conflicts", c.what, got.Conflicts())
		}
	}
	for _, c := range []struct {
		address []int
		bytes   int
		want    string
	}{
		{make([]int, 33), 4, "layout.Wavefronts: 33 lanes, more than 32"},
		{[]int{0}, 12, "layout.Wavefronts: 12 bytes a lane, not 1, 2, 4, 8 or 16"},
		{[]int{0}, 0, "layout.Wavefronts: 0 bytes a lane, not 1, 2, 4, 8 or 16"},
		{[]int{0, 24}, 16, "layout.Wavefronts: lane 1: address 24 is not a multiple of 16"},
	} {
		if _, err := layout.Wavefronts(c.address, c.bytes); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestSwizzleFreesBanks: with the swizzle of its row length, a tile of 16-bit
// elements is written by rows in 16 bytes and read by ldmatrix without a conflict;
// without it ldmatrix meets as many rows as share a bank.
func TestSwizzleFreesBanks(t *testing.T) {
	// The rows that the lanes of ldmatrix.x4 point at: row + 16*column.
	a := layout.MustParse("(16,2):(1,128)")
	b := layout.MustParse("((8,2),2):((1,128),8)")
	for _, c := range []struct {
		tile      string
		conflicts int // of each ldmatrix.x4 without the swizzle
	}{
		{"Sw<3,3,3> o (128,64):(64,1)", 28},
		{"Sw<2,3,3> o (128,32):(32,1)", 12},
		{"Sw<1,3,3> o (128,16):(16,1)", 4},
	} {
		tile, err := layout.ParseSwizzled(c.tile)
		if err != nil {
			t.Fatal(err)
		}
		cols := tile.Layout().Mode(1).Size()
		for name, lane := range map[string]layout.Layout{"A": a, "B": b} {
			for k := 0; k < cols; k += 16 {
				for m := 0; m < 128; m += 16 {
					at := func(s layout.Map) []int {
						return lanes(32, func(l int) int { e := lane.At(l); return 2 * s.At(m+e%16, k+e/16) })
					}
					for _, x := range []struct {
						m    layout.Map
						want int
					}{{tile, 0}, {tile.Layout(), c.conflicts}} {
						got, err := layout.Wavefronts(at(x.m), 16)
						if err != nil || got.Ideal != 4 || got.Conflicts() != x.want {
							t.Fatalf("%v, %s from (%d, %d): %+v, %v; want %d conflicts", x.m, name, m, k, got, err, x.want)
						}
					}
				}
			}
		}
		for first := 0; first < tile.Size(); first += 32 * 8 {
			got, err := layout.Wavefronts(lanes(32, func(l int) int {
				e := first + 8*l
				return 2 * tile.At(e/cols, e%cols)
			}), 16)
			if err != nil || got.Conflicts() != 0 {
				t.Fatalf("%v, rows written from %d on: %+v, %v", tile, first, got, err)
			}
		}
	}
}

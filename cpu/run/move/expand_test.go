package move_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/move"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

func TestExpand(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	for _, n := range []int{0, 1, 7, 8, 9, 30, 64} {
		for kind := range 16 {
			const m = 5
			out, want := spread(m, n, kind/4, float32(99)), spread(m, n, kind/4, float32(99))
			mask := spread(m, (n+7)/8, kind%4, uint8(0xff)) // bits beyond the columns stay
			var values []float32
			for i := range m {
				for j := range n {
					v, p := float32(0), mask.At(i, j/8)
					if full := i == 2; full || r.IntN(2) == 1 {
						v = float32(1 + len(values)%90)
						values = append(values, v)
					} else {
						mask.Set(i, j/8, p&^(1<<(j%8)))
					}
					want.Set(i, j, v)
				}
			}
			move.Expand(out, mask, values)
			if !slices.Equal(out.Data, want.Data) {
				t.Fatalf("%d columns, %d: %v, want %v", n, kind, out.Data, want.Data)
			}
			back := make([]float32, len(values))
			if move.Compress(back, out, mask); !slices.Equal(back, values) {
				t.Fatalf("%d columns, %d: back %v, want %v", n, kind, back, values)
			}
		}
	}
}

func TestExpandRefused(t *testing.T) {
	out, mask, values := layout.New[uint8](2, 9), layout.New[uint8](2, 2), make([]uint8, 3)
	mask.Data[0], mask.Data[1], mask.Data[2] = 3, 0xfe, 1 // of the second byte one bit is a column's, which is not set
	odd := layout.Matrix[uint8]{Data: mask.Data, Rows: 2, Cols: 2, RowStride: math.MaxInt / 2, ColStride: 1}
	refused(t, []refusal{
		{"move.Expand: mask has 3 bits and there are 2 values; want as many", func() { move.Expand(out, mask, values[:2]) }},
		{"move.Compress: mask has 3 bits and there are 0 values; want as many", func() { move.Compress(nil, out, mask) }},
		{"move.Expand: mask is 2 x 1 and out 2 x 9; want rows of 2 bytes, one for eight columns", func() { move.Expand(out, mask.Slice(0, 2, 0, 1), values) }},
		{"move.Expand: out shares memory with values; copy values first", func() { move.Expand(out, mask, out.Data[:3]) }},
		{"move.Expand: out shares memory with mask; copy mask first", func() {
			move.Expand(out, layout.Matrix[uint8]{Data: out.Data, Rows: 2, Cols: 2, RowStride: 2, ColStride: 1}, nil)
		}},
		{"move.Compress: values share memory with x; copy x first", func() { move.Compress(out.Data[:3], out, mask) }},
		{"move.Expand: " + fmt.Sprint(odd.Check("mask")), func() { move.Expand(out, odd, values) }},
	})
	if left(out.Data, 0) != len(out.Data) {
		t.Error("something was written")
	}
	move.Expand(out, mask, values)
}

func ExampleExpand() {
	out := layout.New[float32](2, 4)
	move.Expand(out, layout.RowMajor([]uint8{0b1001, 0b0010}, 2, 1), []float32{1, 2, 3})
	fmt.Println(out.Data)
	// Output: [1 0 0 2 0 3 0 0]
}

// BenchmarkExpand expands 4096 x 1024 float32 of which each fourth is stored, and copies as many.
func BenchmarkExpand(b *testing.B) {
	const m, n = 4096, 1024
	out, x, mask := layout.New[float32](m, n), layout.New[float32](m, n), layout.New[uint8](m, n/8)
	for i := range mask.Data {
		mask.Data[i] = 1<<(i*5%8) | 1<<(i*3%8)
	}
	values := x.Data[: 0 : m*n]
	for _, v := range mask.Data {
		for ; v != 0; v &= v - 1 {
			values = append(values, 1)
		}
	}
	b.Run("expand", func(b *testing.B) {
		for b.Loop() {
			move.Expand(out, mask, values)
		}
	})
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			copy(out.Data, x.Data)
		}
	})
}

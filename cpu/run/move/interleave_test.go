package move_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/move"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

func interleaved[T dtype.Any](t *testing.T, by int, number func(int) T) {
	for _, m := range []int{0, 1, by - 1, by, by + 1, 3 * by, 16*by + 1} {
		for _, n := range []int{0, 1, 15, 16, 32, 33, 70, 1030} {
			if n > 1000 && m > 3*by {
				continue
			}
			for kind := range 16 {
				rows := (m + by - 1) / by
				x, out, back := spread(m, n, kind/4, number(99)), spread(rows, by*n, kind%4, number(99)), spread(m, n, kind/4, number(99))
				for i := range m {
					for j := range n {
						x.Set(i, j, number(1+(i*n+j)%98))
					}
				}
				move.Interleave(out, x, by)
				for k := range rows * by {
					for j := range n {
						var want T
						if k < m {
							want = x.At(k, j)
						}
						if have := out.At(k/by, j*by+k%by); have != want {
							t.Fatalf("%s by %d, %d x %d, %d: (%d, %d) is %v, want %v", dtype.Name[T](), by, m, n, kind, k, j, have, want)
						}
					}
				}
				if left(out.Data, number(99)) != len(out.Data)-rows*by*n {
					t.Fatalf("%s by %d, %d x %d, %d: wrote in a gap", dtype.Name[T](), by, m, n, kind)
				}
				move.Deinterleave(back, out, by)
				for i := range x.Data {
					if back.Data[i] != x.Data[i] {
						t.Fatalf("%s by %d, %d x %d, %d: back, place %d is %v, want %v", dtype.Name[T](), by, m, n, kind, i, back.Data[i], x.Data[i])
					}
				}
			}
		}
	}
}

func TestInterleave(t *testing.T) {
	eachVariant(t, func(t *testing.T) {
		interleaved(t, 2, func(i int) dtype.BF16 { return dtype.BF16FromBits(uint16(i * 257)) })
		interleaved(t, 4, func(i int) dtype.BF16 { return dtype.BF16FromBits(uint16(i * 257)) })
		interleaved(t, 4, func(i int) int8 { return int8(i) })
		interleaved(t, 8, func(i int) int8 { return int8(i) })
		interleaved(t, 3, func(i int) float32 { return float32(i) })
		interleaved(t, 1, func(i int) float64 { return float64(i) })
	})
}

func TestInterleaveRefused(t *testing.T) {
	x, out := layout.New[int16](5, 3), layout.New[int16](3, 6)
	odd := layout.Matrix[int16]{Data: x.Data, Rows: 5, Cols: 3, RowStride: math.MaxInt / 2, ColStride: 1}
	refused(t, []refusal{
		{"move.Interleave: by is 0; want 1 or more", func() { move.Interleave(out, x, 0) }},
		{"move.Deinterleave: by is -2; want 1 or more", func() { move.Deinterleave(x, out, -2) }},
		{"move.Interleave: x is 5 x 3 and out 3 x 6; want out of 2 rows, with 3 elements for each column of x", func() { move.Interleave(out, x, 3) }},
		{"move.Deinterleave: out is 5 x 3 and x 3 x 5; want x of 3 rows, with 2 elements for each column of out", func() { move.Deinterleave(x, out.Slice(0, 3, 0, 5), 2) }},
		{"move.Interleave: out shares memory with x; copy x first", func() {
			move.Interleave(layout.Matrix[int16]{Data: out.Data, Rows: 1, Cols: 12, RowStride: 12, ColStride: 1}, out.Slice(0, 2, 0, 6), 2)
		}},
		{"move.Interleave: " + fmt.Sprint(odd.Check("x")), func() { move.Interleave(out, odd, 2) }},
		{"move.Deinterleave: " + fmt.Sprint(odd.Check("out")), func() { move.Deinterleave(odd, out, 2) }},
	})
	// A group of more rows than there are: one row, and no loop over what is not there.
	move.Interleave(layout.Matrix[int16]{Rows: 1}, layout.Matrix[int16]{Rows: 1}, math.MaxInt)
}

func ExampleInterleave() {
	x := layout.RowMajor([]int16{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3)
	out := layout.New[int16](2, 6)
	move.Interleave(out, x, 2)
	fmt.Println(out.Data[:6], out.Data[6:])
	// Output: [1 4 2 5 3 6] [7 0 8 0 9 0]
}

// BenchmarkInterleave weaves 2048 x 1504 elements, by rows and of columns, and copies as many.
func BenchmarkInterleave(b *testing.B) {
	interleaveBars[dtype.BF16](b, 2)
	interleaveBars[int8](b, 4)
}

func interleaveBars[T dtype.Any](b *testing.B, by int) {
	const m, n = 2048, 1504
	x, out := layout.New[T](m, n), layout.New[T](m/by, by*n)
	columns := layout.ColMajor(x.Data, m, n)
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"weave", func() { move.Interleave(out, x, by) }}, {"columns", func() { move.Interleave(out, columns, by) }},
		{"unravel", func() { move.Deinterleave(x, out, by) }}, {"copy", func() { copy(out.Data, x.Data) }},
	} {
		b.Run(fmt.Sprintf("%s-by-%d/%s", dtype.Name[T](), by, c.name), func(b *testing.B) {
			for b.Loop() {
				c.f()
			}
		})
	}
}

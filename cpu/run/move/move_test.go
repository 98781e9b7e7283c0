package move_test

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/move"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// views are ways for m x n numbers to lie, with gaps that hold 99.
func views(m, n int) []layout.Matrix[float32] {
	var list []layout.Matrix[float32]
	for _, s := range [][2]int{{n, 1}, {n + 3, 1}, {2*n + 1, 2}, {1, m}} {
		x := layout.Matrix[float32]{Data: make([]float32, (m+1)*(2*n+3)), Rows: m, Cols: n, RowStride: max(1, s[0]), ColStride: max(1, s[1])}
		for i := range x.Data {
			x.Data[i] = 99
		}
		list = append(list, x)
	}
	return list
}

// gaps counts elements of the memory that are as they were.
func gaps(x layout.Matrix[float32]) (n int) {
	for _, v := range x.Data {
		if v == 99 {
			n++
		}
	}
	return n
}

func TestMove(t *testing.T) {
	rows := []int32{3, 0, 3, 4, 1}
	for _, n := range []int{0, 1, 5, 17} {
		for _, x := range views(5, n) {
			for i := range 5 {
				for j := range n {
					x.Set(i, j, float32(10*i+j)/100)
				}
			}
			for k := range views(5, n) {
				out := views(5, n)[k]
				move.Gather(out, x, rows)
				for i, r := range rows {
					for j := range n {
						if out.At(i, j) != x.At(int(r), j) {
							t.Fatalf("gather: (%d, %d) is %v", i, j, out.At(i, j))
						}
					}
				}
				if gaps(out) != len(out.Data)-5*n {
					t.Fatal("gather wrote in a gap")
				}
				out = views(5, n)[k]
				move.Scatter(out, x, rows)
				for j := range n {
					if out.At(3, j) != x.At(2, j) || out.At(0, j) != x.At(1, j) || out.At(4, j) != x.At(3, j) || out.At(1, j) != x.At(4, j) || out.At(2, j) != 99 {
						t.Fatalf("scatter: column %d", j)
					}
				}
				if gaps(out) != len(out.Data)-4*n {
					t.Fatal("scatter wrote in a gap")
				}
				large := views(7, n+2)[k]
				move.Pad(large, x, -1)
				for i := range 7 {
					for j := range n + 2 {
						want := float32(-1)
						if i < 5 && j < n {
							want = x.At(i, j)
						}
						if large.At(i, j) != want {
							t.Fatalf("pad: (%d, %d) is %v, want %v", i, j, large.At(i, j), want)
						}
					}
				}
				if gaps(large) != len(large.Data)-7*(n+2) {
					t.Fatal("pad wrote in a gap")
				}
			}
		}
	}
	// Elements are moved, not computed with: bits of a NaN stay.
	x, out := layout.New[dtype.BF16](1, 1), layout.New[dtype.BF16](1, 1)
	x.Data[0] = dtype.BF16FromBits(0x7f81)
	move.Gather(out, x, []int32{0})
	if out.Data[0] != x.Data[0] {
		t.Error("a NaN became another")
	}
}

func TestRefused(t *testing.T) {
	x, out := layout.New[float32](4, 3), layout.New[float32](2, 3)
	refused(t, []refusal{
		{"move.Gather: rows[1] is 4, and x has rows 0 to 3", func() { move.Gather(out, x, []int32{0, 4}) }},
		{"move.Gather: rows[0] is -1, and x has rows 0 to 3", func() { move.Gather(out, x, []int32{-1, 0}) }},
		{"move.Gather: there are 3 numbers of rows, and out has 2 rows; want as many", func() { move.Gather(out, x, []int32{0, 1, 2}) }},
		{"move.Gather: out has 2 columns, x has 3; want as many", func() { move.Gather(out.Slice(0, 2, 0, 2), x, []int32{0, 1}) }},
		{"move.Gather: out shares memory with x; copy x first", func() { move.Gather(x.Slice(0, 2, 0, 3), x, []int32{0, 1}) }},
		{"move.Scatter: rows[1] is 4, and out has rows 0 to 3", func() { move.Scatter(x, out, []int32{0, 4}) }},
		{"move.Pad: x is 4 x 3 and out 2 x 3; want an out that is no smaller", func() { move.Pad(out, x, 0) }},
	})
}

func ExampleGather() {
	table := layout.RowMajor([]float32{0, 0, 1, 10, 2, 20}, 3, 2)
	words := layout.New[float32](4, 2)
	move.Gather(words, table, []int32{2, 0, 1, 2})
	fmt.Println(words.Data)
	// Output: [2 20 0 0 1 10 2 20]
}

// BenchmarkGather copies 4096 rows of 1024 float32, and a matrix of as many, in turns.
func BenchmarkGather(b *testing.B) {
	const m, n = 4096, 1024
	x, out, rows := layout.New[float32](m, n), layout.New[float32](m, n), make([]int32, m)
	for i := range rows {
		rows[i] = int32(i * 1031 % m)
	}
	b.Run("gather", func(b *testing.B) {
		for b.Loop() {
			move.Gather(out, x, rows)
		}
	})
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			copy(out.Data, x.Data)
		}
	})
}

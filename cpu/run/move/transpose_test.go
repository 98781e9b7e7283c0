package move_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/move"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// transposed compares a transposed of every view with the other's elements.
func transposed[T dtype.Any](t *testing.T, number func(int) T) {
	sizes := []int{0, 1, 7, 8, 16, 19, 33, 70}
	for _, m := range sizes {
		for _, n := range sizes {
			for kind := range 16 {
				x, out := spread(m, n, kind/4, number(99)), spread(n, m, kind%4, number(99))
				for i := range m {
					for j := range n {
						x.Set(i, j, number(1+(i*n+j)%98))
					}
				}
				move.Transpose(out, x)
				if left(out.Data, number(99)) != len(out.Data)-m*n {
					t.Fatalf("%s, %d x %d, %d: wrote in a gap", dtype.Name[T](), m, n, kind)
				}
				for i := range m {
					for j := range n {
						if out.At(j, i) != x.At(i, j) {
							t.Fatalf("%s, %d x %d, %d: (%d, %d) is %v, want %v", dtype.Name[T](), m, n, kind, j, i, out.At(j, i), x.At(i, j))
						}
					}
				}
			}
		}
	}
}

func TestTranspose(t *testing.T) {
	eachVariant(t, func(t *testing.T) {
		transposed(t, func(i int) float32 { return float32(i) })
		transposed(t, func(i int) float64 { return float64(i) })
		transposed(t, func(i int) dtype.BF16 { return dtype.BF16FromBits(uint16(i * 257)) })
		transposed(t, func(i int) uint8 { return uint8(i) })
		transposed(t, func(i int) complex128 { return complex(float64(i), -1) })
	})
}

func TestTransposeRefused(t *testing.T) {
	x, out := layout.New[float32](4, 3), layout.New[float32](3, 4)
	odd := layout.Matrix[float32]{Data: x.Data, Rows: 4, Cols: 3, RowStride: math.MaxInt / 2, ColStride: 1}
	same := layout.Matrix[float32]{Data: out.Data, Rows: 3, Cols: 4, RowStride: 0, ColStride: 1}
	refused(t, []refusal{
		{"move.Transpose: out is 4 x 3 and x 4 x 3; want an out of 3 x 4", func() { move.Transpose(layout.New[float32](4, 3), x) }},
		{"move.Transpose: out shares memory with x; copy x first", func() { move.Transpose(x.T(), x) }},
		{"move.Transpose: " + fmt.Sprint(odd.Check("x")), func() { move.Transpose(out, odd) }},
		{"move.Transpose: " + fmt.Sprint(same.CheckOut("out")), func() { move.Transpose(same, x) }},
	})
	// Rows that repeat may be read, and the stride of a single row may be any.
	move.Transpose(out, layout.Matrix[float32]{Data: []float32{1, 2, 3}, Rows: 4, Cols: 3, RowStride: 0, ColStride: 1})
	if fmt.Sprint(out.Data) != "[1 1 1 1 2 2 2 2 3 3 3 3]" {
		t.Error(out.Data)
	}
	move.Transpose(layout.ColMajor(out.Data[:3], 3, 1), layout.Matrix[float32]{Data: x.Data, Rows: 1, Cols: 3, RowStride: math.MaxInt, ColStride: 1})
}

func ExampleTranspose() {
	x := layout.RowMajor([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	out := layout.New[float32](3, 2)
	move.Transpose(out, x)
	fmt.Println(out.Data)
	// Output: [1 4 2 5 3 6]
}

// BenchmarkTranspose transposes matrices, and copies as many elements, in turns: some whose rows begin in
// many sets of a cache, and some in few.
func BenchmarkTranspose(b *testing.B) {
	for _, s := range [][2]int{{2000, 1504}, {2048, 1536}, {96, 96}} {
		transposeBars[float32](b, s[0], s[1])
		transposeBars[float64](b, s[0], s[1])
		transposeBars[dtype.BF16](b, s[0], s[1])
		transposeBars[uint8](b, s[0], s[1])
	}
}

func transposeBars[T dtype.Any](b *testing.B, m, n int) {
	x, out := layout.New[T](m, n), layout.New[T](n, m)
	name := fmt.Sprintf("%s/%dx%d/", dtype.Name[T](), m, n)
	b.Run(name+"transpose", func(b *testing.B) {
		for b.Loop() {
			move.Transpose(out, x)
		}
	})
	b.Run(name+"copy", func(b *testing.B) {
		for b.Loop() {
			copy(out.Data, x.Data)
		}
	})
}

package move_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run/move"
	"github.com/tilesmith/tilesmith/layout"
)

// TestColumns holds columns to rows of the transposed, and elements to both.
func TestColumns(t *testing.T) {
	cols := []int32{3, 0, 3, 4, 1}
	for _, m := range []int{0, 1, 5, 17} {
		for kind := range 16 {
			x, out, want := spread(m, 5, kind/4, float32(99)), spread(m, 5, kind%4, float32(99)), spread(m, 5, kind%4, float32(99))
			at := layout.New[int64](m, 5)
			for i := range m {
				for j := range 5 {
					x.Set(i, j, float32(10*i+j)/100)
					at.Set(i, j, int64(5*i)+int64(cols[j]))
				}
			}
			same := func(what string) {
				t.Helper()
				for i := range want.Data {
					if out.Data[i] != want.Data[i] {
						t.Fatalf("%s, %d rows, %d: place %d is %v, want %v", what, m, kind, i, out.Data[i], want.Data[i])
					}
				}
			}
			move.Gather(want.T(), x.T(), cols)
			move.GatherColumns(out, x, cols)
			same("gathered columns")
			out = spread(m, 5, kind%4, float32(99))
			move.GatherElements(out, x, at)
			same("gathered elements")
			want, out = spread(m, 5, kind%4, float32(99)), spread(m, 5, kind%4, float32(99))
			move.Scatter(want.T(), x.T(), cols)
			move.ScatterColumns(out, x, cols)
			same("scattered columns")
			out = spread(m, 5, kind%4, float32(99))
			move.ScatterElements(out, x, at)
			same("scattered elements")
		}
	}
}

func TestElementsRefused(t *testing.T) {
	x, out, at := layout.New[int32](4, 3), layout.New[int32](2, 3), layout.New[int32](2, 3)
	odd := layout.Matrix[int32]{Data: at.Data, Rows: 2, Cols: 3, RowStride: math.MaxInt / 2, ColStride: 1}
	wrong := layout.RowMajor([]int32{0, 1, 2, 3, 12, 5}, 2, 3)
	negative := layout.RowMajor([]int32{-1, 1, 2, 3, 4, 5}, 2, 3)
	refused(t, []refusal{
		{"move.GatherColumns: cols[1] is 3, and x has columns 0 to 2", func() { move.GatherColumns(x.Slice(0, 4, 0, 2), layout.New[int32](4, 3), []int32{0, 3}) }},
		{"move.GatherColumns: there are 2 numbers of columns, and out has 3 columns; want as many", func() { move.GatherColumns(out, x.Slice(0, 2, 0, 3), []int32{0, 1}) }},
		{"move.GatherColumns: out has 2 rows, x has 4; want as many", func() { move.GatherColumns(out, x, []int32{0, 1, 2}) }},
		{"move.ScatterColumns: cols[0] is -1, and out has columns 0 to 2", func() { move.ScatterColumns(x, layout.New[int32](4, 1), []int32{-1}) }},
		{"move.ScatterColumns: out shares memory with x; copy x first", func() { move.ScatterColumns(x, x.Slice(0, 4, 0, 1), []int32{1}) }},
		{"move.GatherElements: at is 2 x 3 and out 4 x 3; want one shape", func() { move.GatherElements(layout.New[int32](4, 3), x, at) }},
		{"move.GatherElements: at(1, 1) is 12, and x has 4 x 3 elements", func() { move.GatherElements(out, x, wrong) }},
		{"move.ScatterElements: at(0, 0) is -1, and out has 4 x 3 elements", func() { move.ScatterElements(x, out, negative) }},
		{"move.GatherElements: out shares memory with at; copy at first", func() { move.GatherElements(at, x, at) }},
		{"move.GatherElements: " + fmt.Sprint(odd.Check("at")), func() { move.GatherElements(out, x, odd) }},
		{"move.GatherElements: at(0, 0) is 0, and x has 0 x 3 elements", func() { move.GatherElements(out, layout.Matrix[int32]{Cols: 3}, at) }},
	})
	for _, v := range append(out.Data, x.Data...) {
		if v != 0 {
			t.Fatal("something was written")
		}
	}
	// Rows that repeat have numbers of their own, as many as there are.
	long := layout.Matrix[int32]{Data: []int32{7, 8, 9}, Rows: math.MaxInt, Cols: 3, RowStride: 0, ColStride: 1}
	move.GatherElements(layout.RowMajor(out.Data[:1], 1, 1), long, layout.RowMajor([]int64{math.MaxInt32 + 1}, 1, 1))
	if out.Data[0] != 9 {
		t.Error(out.Data[0])
	}
}

func ExampleGatherElements() {
	x := layout.RowMajor([]float32{0, 1, 2, 10, 11, 12}, 2, 3)
	out := layout.New[float32](1, 4)
	move.GatherElements(out, x, layout.RowMajor([]int32{5, 0, 3, 3}, 1, 4))
	fmt.Println(out.Data)
	// Output: [12 0 10 10]
}

// BenchmarkColumns gathers 1024 columns of 4096 rows, as many elements by number, and copies them, in turns.
func BenchmarkColumns(b *testing.B) {
	const m, n = 4096, 1024
	x, out, cols, at := layout.New[float32](m, n), layout.New[float32](m, n), make([]int32, n), layout.New[int32](m, n)
	for j := range cols {
		cols[j] = int32(j * 331 % n)
	}
	for i := range m {
		for j := range n {
			at.Set(i, j, int32(i*n)+cols[j])
		}
	}
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"gather", func() { move.GatherColumns(out, x, cols) }}, {"scatter", func() { move.ScatterColumns(out, x, cols) }},
		{"elements", func() { move.GatherElements(out, x, at) }}, {"copy", func() { copy(out.Data, x.Data) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f()
			}
		})
	}
}

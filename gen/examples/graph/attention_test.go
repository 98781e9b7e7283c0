package graph

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// Operands that heads share, and those that each has, give what these elements are, bit for bit.
func TestAttendHeads(t *testing.T) {
	const n, width, heads = 50, 8, 4
	mask, err := sparse.BandMask(n, 8, 2)
	if err != nil {
		t.Fatal(err)
	}
	q, k, v := random[float32](1, n, heads*width), random[float32](2, n, heads*width), random[float32](3, n, heads*width)
	at, of := random[float32](4, 1, n).Data, random[float32](5, 1, n).Data
	call := func(at, of, slope []float32) []float32 {
		out := layout.New[float32](n, heads*width)
		Attend(out, mask, q, k, v, at, of, slope)
		return out.Data
	}
	want := call(at, of, []float32{.5})
	each := slices.Repeat(at, heads)
	if have := call(each, slices.Repeat(of, heads), slices.Repeat([]float32{.5}, heads)); !slices.Equal(have, want) {
		t.Error("operands of each head give another result than those of all")
	}
	each[2*n+7]++ // row 7 of head 2
	have := call(each, of, []float32{.5})
	for i := range have {
		row, head := i/(heads*width), i%(heads*width)/width
		if other := row == 7 && head == 2; !other && have[i] != want[i] {
			t.Fatalf("row %d of head %d changed", row, head)
		}
	}
	sums := make([]float64, heads*n)
	AttendOpt(spblas.BlockAttentionOptions{LogSums: sums}, layout.New[float32](n, heads*width), mask, q, k, v, at, of, []float32{.5})
	if slices.Contains(sums, 0) {
		t.Error("a row has no log of its sum")
	}
}

func TestAttendRefuses(t *testing.T) {
	mask, err := sparse.FullMask(6, 5, 2)
	if err != nil {
		t.Fatal(err)
	}
	out, q, k, v := layout.New[float32](6, 8), layout.New[float32](6, 8), layout.New[float32](5, 8), layout.New[float32](5, 8)
	at, of, slope := make([]float32, 6), make([]float32, 5), make([]float32, 1)
	for _, c := range []struct {
		what, want string
		call       func()
	}{
		{"row", "graph.Attend: at has 5 elements; want one for each of 6 rows, or for each of 4 heads as many", func() { Attend(out, mask, q, k, v, of, of, slope) }},
		{"column", "of has 6 elements; want one for each of 5 columns, or", func() { Attend(out, mask, q, k, v, at, at, slope) }},
		{"scalar", "slope has 6 elements; want 1, or one for each of 4 heads", func() { Attend(out, mask, q, k, v, at, of, at) }},
		{"heads", "q has 6 columns; want a multiple of 4 heads", func() { Attend(out, mask, layout.New[float32](6, 6), k, v, at, of, slope) }},
		{"shape", "the mask is 6 x 5, q is 6 x 2, k is 6 x 2", func() { Attend(out, mask, q, q, v, at, of, slope) }},
		{"short", "4 elements", func() {
			Attend(out, mask, layout.Matrix[float32]{Data: make([]float32, 4), Rows: 6, Cols: 8, RowStride: 8, ColStride: 1}, k, v, at, of, slope)
		}},
		{"shared", "out shares memory with at; copy it first", func() { Attend(out, mask, q, k, v, out.Data[42:], of, slope) }},
		{"shared heads", "out shares memory with slope; copy it first", func() { Attend(out, mask, q, k, v, at, of, out.Data[47:]) }},
		{"options", "graph.AttendOpt: Options.Heads is for specs without; this one has 4, side by side", func() {
			AttendOpt(spblas.BlockAttentionOptions{Heads: spblas.Heads{Count: 2}}, out, mask, q, k, v, at, of, slope)
		}},
		{"scaling", "attention has Scale, and no beta", func() {
			AttendOpt(spblas.BlockAttentionOptions{Options: run.Options{Scaling: run.Scale(1, 1)}}, out, mask, q, k, v, at, of, slope)
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			defer func() {
				err, _ := recover().(error)
				var shape layout.ShapeError
				var option run.OptionError
				if !errors.As(err, &shape) && !errors.As(err, &option) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
			}()
			c.call()
		})
	}
}

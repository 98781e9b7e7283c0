package graph

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/attention"
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
	queryPos, keyPos := random[float32](4, 1, n).Data, random[float32](5, 1, n).Data
	call := func(queryPos, keyPos, slope []float32) []float32 {
		out := layout.New[float32](n, heads*width)
		ALiBiAttention(out, mask, q, k, v, queryPos, keyPos, slope)
		return out.Data
	}
	want := call(queryPos, keyPos, []float32{.5})
	each := slices.Repeat(queryPos, heads)
	if have := call(each, slices.Repeat(keyPos, heads), slices.Repeat([]float32{.5}, heads)); !slices.Equal(have, want) {
		t.Error("operands of each head give another result than those of all")
	}
	each[2*n+7]++ // row 7 of head 2
	have := call(each, keyPos, []float32{.5})
	for i := range have {
		row, head := i/(heads*width), i%(heads*width)/width
		if other := row == 7 && head == 2; !other && have[i] != want[i] {
			t.Fatalf("row %d of head %d changed", row, head)
		}
	}
	sums := make([]float64, heads*n)
	ALiBiAttentionOpt(attention.Options{LogSums: sums}, layout.New[float32](n, heads*width), mask, q, k, v, queryPos, keyPos, []float32{.5})
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
	queryPos, keyPos, slope := make([]float32, 6), make([]float32, 5), make([]float32, 1)
	for _, c := range []struct {
		what, want string
		call       func()
	}{
		{"row", "graph.ALiBiAttention: queryPos has 5 elements; want one for each of 6 rows, or for each of 4 heads as many", func() { ALiBiAttention(out, mask, q, k, v, keyPos, keyPos, slope) }},
		{"column", "keyPos has 6 elements; want one for each of 5 columns, or", func() { ALiBiAttention(out, mask, q, k, v, queryPos, queryPos, slope) }},
		{"scalar", "slope has 6 elements; want 1, or one for each of 4 heads", func() { ALiBiAttention(out, mask, q, k, v, queryPos, keyPos, queryPos) }},
		{"heads", "q has 6 columns; want a multiple of 4 heads", func() { ALiBiAttention(out, mask, layout.New[float32](6, 6), k, v, queryPos, keyPos, slope) }},
		{"shape", "the mask is 6 x 5, q is 6 x 2, k is 6 x 2", func() { ALiBiAttention(out, mask, q, q, v, queryPos, keyPos, slope) }},
		{"short", "4 elements", func() {
			ALiBiAttention(out, mask, layout.Matrix[float32]{Data: make([]float32, 4), Rows: 6, Cols: 8, RowStride: 8, ColStride: 1}, k, v, queryPos, keyPos, slope)
		}},
		{"shared", "out shares memory with queryPos; copy it first", func() { ALiBiAttention(out, mask, q, k, v, out.Data[42:], keyPos, slope) }},
		{"shared heads", "out shares memory with slope; copy it first", func() { ALiBiAttention(out, mask, q, k, v, queryPos, keyPos, out.Data[47:]) }},
		{"options", "graph.ALiBiAttentionOpt: Options.Heads is for specs without; this one has 4, side by side", func() {
			ALiBiAttentionOpt(attention.Options{Heads: attention.Heads{Count: 2}}, out, mask, q, k, v, queryPos, keyPos, slope)
		}},
		{"scaling", "attention has Scale, and no beta", func() {
			ALiBiAttentionOpt(attention.Options{Options: run.Options{Scaling: run.Scale(1, 1)}}, out, mask, q, k, v, queryPos, keyPos, slope)
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

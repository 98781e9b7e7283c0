package conv

import (
	"slices"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// exactOf is exact for one of the three pairs of types.
func exactOf(kind int, s Shape, opt run.Options) error {
	switch kind % 3 {
	case 0:
		return exact[float32, float32](s, opt)
	case 1:
		return exact[float64, float64](s, opt)
	}
	return exact[dtype.BF16, float32](s, opt)
}

// A line is a shape in one dimension, rows or columns.
type line struct{ size, taps, stride, dilation, pad int }

// lines returns all combinations in which the filter fits into the line.
func lines(sizes, taps, strides, dilations, pads []int) (list []line) {
	for _, size := range sizes {
		for _, taps := range taps {
			for _, stride := range strides {
				for _, dilation := range dilations {
					for _, pad := range pads {
						same := taps == 1 && dilation > 1 // one tap has no dilation
						if !same && countPlaces(size, taps, stride, dilation, pad) > 0 {
							list = append(list, line{size, taps, stride, dilation, pad})
						}
					}
				}
			}
		}
	}
	return list
}

// smallLines have sizes around strides and spans of filters, and taps that see nothing but padding. wideLines have sizes around the rows of
// a kernel's tile, at which the plan changes.
var (
	smallLines = lines([]int{1, 2, 3, 4, 5}, []int{1, 2, 3}, []int{1, 2, 3}, []int{1, 2, 6}, []int{0, 1, 2, 6})
	fewLines   = lines([]int{1, 2, 3}, []int{1, 2}, []int{1, 2}, []int{1}, []int{0, 1})
	wideLines  = lines([]int{6, 7, 13, 14, 15, 28, 31, 32, 33, 55, 56, 57}, []int{1, 3}, []int{1, 2}, []int{1, 30}, []int{0, 1, 30})
)

// channels are those of images and of results: narrower than a panel of weights, or wider.
type channels struct {
	c, k      int
	depthwise bool
}

var (
	narrow = []channels{{1, 1, false}, {3, 2, false}, {2, 2, true}}
	wider  = []channels{{32, 1, false}, {33, 17, false}, {1, 33, false}}
)

// shapesOf calls f for shapes with one to three images, for each pair of lines. Every eleventh pair has wider channels too.
func shapesOf(rows, columns []line, f func(s Shape)) {
	i := 0
	for _, v := range rows {
		for _, h := range columns {
			for n := 1; n <= 3; n++ {
				use := narrow
				if i++; i%11 == 0 {
					use = slices.Concat(narrow, wider[i%3:][:1])
				}
				for _, x := range use {
					f(Shape{N: n, H: v.size, W: h.size, C: x.c, K: x.k, R: v.taps, S: h.taps, Depthwise: x.depthwise,
						Stride: [2]int{v.stride, h.stride}, Dilation: [2]int{v.dilation, h.dilation}, Pad: [2]int{v.pad, h.pad}})
				}
			}
		}
	}
}

// TestExhaustive compares small shapes with plain loops: a sample of them, each in one type and instruction set. TILESMITH_LONG=1 compares
// all of them, in float32 and in another type: 920,000 shapes, 5 minutes.
func TestExhaustive(t *testing.T) {
	all, sets, start := level.Long(), isas(), time.Now()
	i, count, failed := 0, 0, 0
	try := func(s Shape) {
		kinds := []int{0, 1 + i%2}
		if i++; !all {
			if kinds = []int{i / 7}; i%level.Of(1655, 331, 1) != 0 {
				return
			}
		}
		count++
		for k, kind := range kinds {
			opt := run.Options{ISA: sets[(i/3+k)%len(sets)], Threads: 1 + i/5%2*2}
			if err := exactOf(kind, s, opt); err != nil {
				t.Error(err)
				if failed++; failed == 20 {
					t.Fatalf("%d of the first %d shapes", failed, count)
				}
			}
		}
	}
	shapesOf(smallLines, smallLines, try)
	shapesOf(fewLines, wideLines, try)
	t.Logf("%d of %d shapes, in %v", count, i, time.Since(start).Round(time.Millisecond))
}

// TestMergeable: rows and images that merge or nearly do, taps that see nothing but padding, more rows than one task computes.
func TestMergeable(t *testing.T) {
	one, two, three, sets := [2]int{1, 1}, [2]int{2, 2}, [2]int{3, 3}, isas()
	for i, s := range []Shape{
		{N: 2, H: 1, W: 1, C: 1, K: 1, R: 1, S: 1, Stride: one, Dilation: one, Pad: [2]int{1, 0}},
		{N: 2, H: 2, W: 1, C: 1, K: 1, R: 1, S: 1, Stride: three, Dilation: one},
		{N: 2, H: 3, W: 1, C: 1, K: 1, R: 1, S: 1, Stride: three, Dilation: one},
		{N: 8, H: 101, W: 1, C: 64, K: 64, R: 1, S: 1, Stride: two, Dilation: one},
		{N: 8, H: 100, W: 1, C: 64, K: 64, R: 1, S: 1, Stride: two, Dilation: one},
		{N: 3, H: 500, W: 1, C: 64, K: 70, R: 1, S: 1, Stride: one, Dilation: one},
		{N: 3, H: 901, W: 1, C: 64, K: 7, R: 1, S: 1, Stride: three, Dilation: one},
		{N: 3, H: 401, W: 2, C: 64, K: 3, R: 3, S: 1, Stride: one, Dilation: one, Pad: [2]int{1, 0}},
		{N: 3, H: 8, W: 12, C: 5, K: 33, R: 1, S: 4, Stride: [2]int{1, 4}, Dilation: one},
		{N: 3, H: 8, W: 12, C: 5, K: 33, R: 2, S: 4, Stride: [2]int{2, 4}, Dilation: one},
		{N: 1, H: 33, W: 33, C: 16, K: 32, R: 3, S: 3, Stride: one, Dilation: [2]int{36, 36}, Pad: [2]int{36, 36}},
		{N: 1, H: 8, W: 8, C: 4, K: 4, R: 3, S: 3, Stride: one, Dilation: [2]int{12, 12}, Pad: [2]int{12, 12}},
		{N: 2, H: 8, W: 3, C: 4, K: 4, R: 3, S: 3, Stride: one, Dilation: [2]int{4, 4}, Pad: [2]int{4, 4}},
	} {
		for kind := range 3 {
			if err := exactOf(kind, s, run.Options{ISA: sets[(i+kind)%len(sets)], Threads: 1 + i%2*2}); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestMergeableByHand has results that are known without a loop.
func TestMergeableByHand(t *testing.T) {
	s := Shape{N: 2, H: 1, W: 1, C: 1, K: 1, R: 1, S: 1, Stride: [2]int{1, 1}, Dilation: [2]int{1, 1}, Pad: [2]int{1, 0}}
	c, err := New[float32, float32](s)
	if err != nil {
		t.Fatal(err)
	}
	have := make([]float32, 2)
	if c.BackwardData(run.Options{}, have, []float32{1, 2, 3, 4, 5, 6}, c.PackBackward([]float32{1})); !slices.Equal(have, []float32{2, 5}) {
		t.Errorf("%v by images: %v, want 2 and 5", s, have)
	}
	s.H, s.Stride, s.Pad = 2, [2]int{3, 3}, [2]int{}
	if c, err = New[float32, float32](s); err != nil {
		t.Fatal(err)
	}
	if c.Forward(run.Options{}, have, []float32{1, 2, 3, 4}, c.Pack([]float32{1})); !slices.Equal(have, []float32{1, 3}) {
		t.Errorf("%v: %v, want 1 and 3", s, have)
	}
}

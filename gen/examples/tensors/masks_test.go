package tensors

import (
	"math"
	randv2 "math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/equation"
	"github.com/tilesmith/tilesmith/layout"
)

// TestMasks holds masks to the elements that they are of: of rows that lie end to end and do not, that are cut among goroutines and
// chopped, and bytes that are apart.
func TestMasks(t *testing.T) {
	r := randv2.New(randv2.NewPCG(7, 8))
	for _, c := range []struct{ m, n, pad, apart int }{
		{300, 264, 0, 1}, {300, 264, 3, 1}, {301, 263, 0, 1}, {3, 70003, 0, 1}, {2, 65536 + 24, 1, 1}, {70000, 8, 0, 1}, {70, 8, 5, 2}, {70, 8, 0, 2}, {70, 20, 1, 3}, {0, 9, 0, 1}, {9, 0, 0, 1},
	} {
		x, out, dx := layout.New[float32](c.m, c.n), layout.New[float32](c.m, c.n), layout.New[float32](c.m, c.n)
		for i := range x.Data {
			x.Data[i] = float32(r.NormFloat64())
		}
		bytes := (c.n + 7) / 8
		mask := layout.Matrix[uint8]{Data: make([]uint8, c.m*(bytes*c.apart+c.pad)), Rows: c.m, Cols: bytes, RowStride: max(1, bytes*c.apart+c.pad), ColStride: c.apart}
		for _, isa := range append(run.PlainISAs(), run.Portable) {
			for i := range mask.Data {
				mask.Data[i] = 0xaa
			}
			opt := run.Options{ISA: isa, Threads: 2}
			ReLUMaskOpt(opt, out, mask, x)
			MaskBackwardOpt(opt, dx, mask, x, 2)
			for i := range c.m {
				for j := range c.n {
					set, v := mask.At(i, j/8)>>(j%8)&1 == 1, x.At(i, j)
					if set != (v > 0) || out.At(i, j) != max(v, 0) || dx.At(i, j) != 2*max(v, 0) {
						t.Fatalf("%s, %v: (%d, %d), of %v, is %v, %v and back %v", isa, c, i, j, v, set, out.At(i, j), dx.At(i, j))
					}
				}
				if c.n%8 > 0 && mask.At(i, bytes-1)>>(c.n%8) != 0 {
					t.Fatalf("%s, %v: row %d ends with bits", isa, c, i)
				}
			}
		}
	}
}

// TestMaskOfDropout wants the mask of what dropout keeps, also where that is 0 or NaN.
func TestMaskOfDropout(t *testing.T) {
	const m, n, drop = 5, 77, 1 << 30
	x, out, want, mask := layout.New[float32](m, n), layout.New[float32](m, n), layout.New[float32](m, n), layout.New[uint8](m, (n+7)/8)
	for i := range x.Data {
		x.Data[i] = 1
	}
	stream := equation.Stream{Seed: 5, Number: 6, First: 8}
	for _, isa := range append(run.PlainISAs(), run.Portable) {
		DropoutOpt(run.Options{ISA: isa}, want, x, drop, 3, stream)
		x.Data[7], x.Data[8] = 0, float32(math.NaN())
		DropoutMaskOpt(run.Options{ISA: isa}, out, mask, x, drop, 3, stream)
		x.Data[7], x.Data[8] = 1, 1
		for i := range m {
			for j := range n {
				if set := mask.At(i, j/8)>>(j%8)&1 == 1; set != (want.At(i, j) == 3) {
					t.Fatalf("%s: (%d, %d) is %v, and %v was kept", isa, i, j, set, want.At(i, j))
				}
			}
		}
	}
}

func TestMaskMisuse(t *testing.T) {
	x, out, mask := layout.New[float32](4, 9), layout.New[float32](4, 9), layout.New[uint8](4, 2)
	odd := layout.Matrix[uint8]{Data: mask.Data, Rows: 4, Cols: 2, RowStride: math.MaxInt / 2, ColStride: 1}
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"ReLUMask: mask is 4 x 1 bytes, the product is 4 x 9; want rows of 2 bytes, one for eight columns", func() { ReLUMask(out, mask.Slice(0, 4, 0, 1), x) }},
		{"ReLUMask: " + odd.Check("mask").Error(), func() { ReLUMask(out, odd, x) }},
		{"MaskBackwardF64: greater shares memory with mask; an output may only be the very same matrix as a full operand", func() {
			d := layout.New[float64](4, 9)
			MaskBackwardF64(d, mask, mask, d, d)
		}},
		{"ReLUMask: mask: strides (1, 1) put several elements of 4 x 2 in one place; want one to step over all that the other spans", func() {
			ReLUMask(out, layout.Matrix[uint8]{Data: mask.Data, Rows: 4, Cols: 2, RowStride: 1, ColStride: 1}, x)
		}},
	} {
		if have := panics(c.f); have != c.want {
			t.Errorf("%q, want %q", have, c.want)
		}
	}
}

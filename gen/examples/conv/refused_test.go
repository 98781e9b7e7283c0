package conv

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
)

// Sizes that are none, or that overflow, are refused with what would be right.
func TestShapeRefused(t *testing.T) {
	for _, c := range []struct {
		change func(s *Shape)
		want   string
	}{
		{func(s *Shape) { s.N = 0 }, "N is 0; want 1 to 536870911"},
		{func(s *Shape) { s.H = -1 }, "H is -1; want 1 to 536870911"},
		{func(s *Shape) { s.K = 0 }, "K is 0; want 1 to 536870911"},
		{func(s *Shape) { s.R = 0 }, "R is 0; want 1 to 536870911"},
		{func(s *Shape) { s.Stride[1] = 0 }, "Stride[1] is 0; want 1 to 536870911"},
		{func(s *Shape) { s.Dilation[0] = 0 }, "Dilation[0] is 0; want 1 to 536870911"},
		{func(s *Shape) { s.Pad[0] = -1 }, "Pad[0] is -1; want 0 to 536870911"},
		{func(s *Shape) { s.Pad[1] = math.MaxInt32 }, "Pad[1] is 2147483647; want 0 to 536870911"},
		{func(s *Shape) { s.Dilation[0] = 9 }, "the filter spans 19 rows, and a padded image has 12; want a padding of at least 5"},
		{func(s *Shape) { s.S = 13 }, "the filter spans 13 columns, and a padded image has 12; want a padding of at least 2"},
		{func(s *Shape) { s.Depthwise = true }, "K is 5 and C 4; want as many, since each channel has a filter of its own"},
		{func(s *Shape) { s.N, s.H, s.W, s.C = 1<<29-1, 1<<29-1, 1<<29-1, 1<<29-1 }, "in has [536870911 536870913 536870913 536870911] elements; want at most"},
		{func(s *Shape) { s.C, s.K, s.R, s.S, s.H, s.W = 1<<29-1, 1<<29-1, 3, 3, 1, 1 }, "w has [3 3 536870911 536870911] elements; want at most"},
	} {
		s := Square(2, 10, 4, 5, 3, 1)
		c.change(&s)
		_, err := New[float32, float32](s)
		var shape layout.ShapeError
		if !errors.As(err, &shape) || !strings.HasPrefix(shape.Why, c.want) {
			t.Errorf("have %v\nwant %s", err, c.want)
		}
	}
	if _, err := New[float32, float64](Square(1, 4, 4, 4, 1, 1)); err == nil {
		t.Error("sums of f64 for elements of f32: no error")
	}
}

// Operands that do not fit are refused before an element is written.
func TestOperandsRefused(t *testing.T) {
	s := Square(1, 6, 4, 5, 3, 1)
	c, err := New[float32, float32](s)
	if err != nil {
		t.Fatal(err)
	}
	other, err := New[float32, float32](s)
	if err != nil {
		t.Fatal(err)
	}
	in, out, w := make([]float32, s.In()), make([]float32, s.Out()), make([]float32, s.Weights())
	both := make([]float32, s.In()+s.Out())
	packed, back := c.Pack(w), c.PackBackward(w)
	var none run.Options
	for _, x := range []struct {
		what string
		call func()
		want string
	}{
		{"short weights", func() { c.Pack(w[1:]) }, "w has 179 elements; want 180"},
		{"short weights", func() { c.PackBackward(w[1:]) }, "w has 179 elements; want 180"},
		{"a short result", func() { c.Forward(none, out[1:], in, packed) }, "out has 179 elements; want 180"},
		{"a long image", func() { c.Forward(none, out, both, packed) }, "in has 324 elements; want 144"},
		{"weights of another", func() { c.Forward(none, out, in, other.Pack(w)) }, "w was packed by another Conv or for another direction"},
		{"weights of another direction", func() { c.Forward(none, out, in, back) }, "w was packed by another Conv or for another direction"},
		{"no weights", func() { c.BackwardData(none, in, out, nil) }, "w was packed by another Conv or for another direction"},
		{"shared memory", func() { c.Forward(none, both[100:][:s.Out()], both[:s.In()], packed) }, "out shares memory with in"},
		{"shared memory", func() { c.BackwardData(none, both[100:][:s.In()], both[:s.Out()], back) }, "din shares memory with dout"},
		{"a short bias", func() { c.ForwardBiasReLU(none, out, in, packed, make([]float32, 4)) }, "bias has 4 elements; want 5"},
		{"short derivatives", func() { c.BackwardWeights(none, w[1:], in, out) }, "dw has 179 elements; want 180"},
		{"derivatives that are the images", func() { c.BackwardWeights(none, both[:s.Weights()], both[:s.In()], out) }, "dw shares memory with in or dout"},
		{"a short image", func() { c.BackwardWeights(none, w, in[1:], out) }, "in has 143 elements; want 144"},
	} {
		func() {
			defer func() {
				e, ok := recover().(layout.ShapeError)
				if !ok || !strings.HasPrefix(e.Why, x.want) {
					t.Errorf("%s: panic with %v; want %s", x.what, e, x.want)
				}
			}()
			x.call()
			t.Errorf("%s: no panic", x.what)
		}()
	}
	for _, opt := range []run.Options{{Threads: -1}, {Scaling: run.Scale(2, 0)}, {NoWrap: true}} {
		func() {
			defer func() {
				if _, ok := recover().(run.OptionError); !ok {
					t.Errorf("%+v: no run.OptionError", opt)
				}
			}()
			c.Forward(opt, out, in, packed)
		}()
	}
	for _, threads := range []int{1, 4} {
		func() {
			defer func() {
				if _, ok := recover().(run.ISAError); !ok {
					t.Errorf("an unknown ISA with %d threads: no run.ISAError", threads)
				}
			}()
			c.Forward(run.Options{ISA: "vax", Threads: threads}, out, in, packed)
		}()
	}
}

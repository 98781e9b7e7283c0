package check

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// steps is a right product of narrow types, and what the wrong ones are made from: hooks
// replace its parts. It takes depth k a step, as dot products do.
type steps[A, B dtype.Elem, Acc dtype.Sum] struct {
	depth int
	ks    func(k int) int
	step  func(acc Acc, x []A, y []B) Acc // of as many k as there are
	widen bool                            // read a whole step where fewer are left, with zeros of b
}

func (f steps[A, B, Acc]) sum(a layout.Matrix[A], b layout.Matrix[B], i, j int) (acc Acc) {
	k := a.Cols
	if f.ks != nil {
		k = f.ks(k)
	}
	for l := 0; l < k; l += f.depth {
		var x []A
		var y []B
		for d := range f.depth {
			at := i*a.RowStride + (l+d)*a.ColStride
			switch {
			case l+d < k:
				x, y = append(x, a.Data[at]), append(y, b.At(l+d, j))
			case f.widen && at < len(a.Data):
				x, y = append(x, a.Data[at]), append(y, Elem[B](0))
			}
		}
		acc = f.step(acc, x, y)
	}
	return acc
}

// intSteps adds products as int32 does.
func intSteps[A, B dtype.Elem](depth int) steps[A, B, int32] {
	return steps[A, B, int32]{depth: depth, step: func(acc int32, x []A, y []B) int32 {
		for d := range x {
			acc += int32(Float64(x[d])) * int32(Float64(y[d]))
		}
		return acc
	}}
}

// floatSteps widens and adds products one by one.
func floatSteps[A, B dtype.Elem](depth int) steps[A, B, float32] {
	return steps[A, B, float32]{depth: depth, step: func(acc float32, x []A, y []B) float32 {
		for d := range x {
			acc += float32(Float64(x[d])) * float32(Float64(y[d]))
		}
		return acc
	}}
}

// dotBF16 is VDPBF16PS: two products are joined, then added, and no denormal number goes
// in or comes out.
func dotBF16(acc float32, x, y []dtype.BF16) float32 {
	sum := float32(0)
	for d := range x {
		sum = flush(sum + flush(flush(x[d].Float32())*flush(y[d].Float32())))
	}
	return flush(flush(acc) + sum)
}

// denormals is what a case makes of them.
type denormals int

const (
	kept denormals = iota
	flushed
	either
)

// mixedOf is a case of a product by steps.
func mixedOf[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem](f steps[A, B, Acc], den denormals, store func(Acc) Out) MixedCase[A, B, Acc, Out] {
	return MixedCase[A, B, Acc, Out]{
		Name: fmt.Sprintf("%v.%v", dtype.Of[A](), dtype.Of[B]()), MR: 3, NR: 8, KC: 16, Flushes: den == flushed, MayFlush: den == either, Store: store, Threads: true,
		Call: func(_ int, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B]) {
			for i := range out.Rows {
				for j := range out.Cols {
					out.Set(i, j, store(f.sum(a, b, i, j)))
				}
			}
		},
	}
}

func same[T any](x T) T { return x }

func saturated(x int32) int8 { return int8(max(-128, min(127, x))) }

// checked puts a case to the suite on smaller shapes than kernels have, and returns what
// it finds.
func failures[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem](c MixedCase[A, B, Acc, Out]) *Recorder {
	r := &Recorder{}
	Mixed(r, c)
	return r
}

// passing tests that a right product passes.
func passing[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem](c MixedCase[A, B, Acc, Out]) func(t *testing.T) {
	return func(t *testing.T) {
		if r := failures(c); r.Failed() {
			t.Errorf("%s: a right product fails: %v", c.Name, r)
		}
	}
}

// failing is failures, once it is asked for.
func failing[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem](c MixedCase[A, B, Acc, Out]) func() *Recorder {
	return func() *Recorder { return failures(c) }
}

func TestMixedRight(t *testing.T) {
	all := []func(t *testing.T){
		passing(mixedOf(intSteps[uint8, int8](4), 0, same[int32])),
		passing(mixedOf(intSteps[int8, int8](4), 0, saturated)),
		passing(mixedOf(intSteps[uint8, uint8](4), 0, same[int32])),
		passing(mixedOf(floatSteps[dtype.BF16, dtype.BF16](2), kept, dtype.ToBF16[float32])),
		passing(mixedOf(intSteps[int16, int16](2), 0, same[int32])),
		passing(mixedOf(steps[dtype.BF16, dtype.BF16, float32]{depth: 2, step: dotBF16}, flushed, same[float32])),
		passing(mixedOf(intSteps[int8, int16](2), 0, func(x int32) float32 { return float32(x) })),
		passing(mixedOf(floatSteps[dtype.F16, dtype.F16](1), kept, same[float32])),
		passing(mixedOf(floatSteps[dtype.BF16, float32](1), either, same[float32])),
		passing(mixedOf(steps[dtype.BF16, dtype.BF16, float32]{depth: 2, step: dotBF16}, either, dtype.ToF16[float32])),
	}
	for _, i := range level.Pick(len(all), 1, 3) {
		all[i](t)
	}
}

// TestMixedWrong: each mistake that kernels of narrow types may have is noticed, by the
// check that is meant for it among others.
func TestMixedWrong(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	u8 := intSteps[uint8, int8](4)
	with := func(change func(f *steps[uint8, int8, int32])) steps[uint8, int8, int32] {
		f := u8
		change(&f)
		return f
	}
	bf := floatSteps[dtype.BF16, dtype.BF16](2)
	half := floatSteps[dtype.F16, dtype.F16](2)
	all := []struct {
		what, by string
		failures func() *Recorder
	}{
		{"the last step is left out if it is not whole", "exact", failing(mixedOf(with(func(f *steps[uint8, int8, int32]) {
			f.ks = func(k int) int { return k &^ 3 }
		}), 0, same[int32]))},
		{"pairs of products saturate to int16, as VPMADDUBSW has it", "exact", failing(mixedOf(with(func(f *steps[uint8, int8, int32]) {
			f.step = func(acc int32, x []uint8, y []int8) int32 {
				for d := 0; d < len(x); d += 2 {
					pair := int32(0)
					for e := d; e < min(d+2, len(x)); e++ {
						pair += int32(x[e]) * int32(y[e])
					}
					acc += max(math.MinInt16, min(math.MaxInt16, pair))
				}
				return acc
			}
		}), 0, same[int32]))},
		{"sums saturate, as VPDPBUSDS has it", "extremes", failing(mixedOf(with(func(f *steps[uint8, int8, int32]) {
			f.step = func(acc int32, x []uint8, y []int8) int32 {
				sum := int64(acc)
				for d := range x {
					sum += int64(x[d]) * int64(y[d])
				}
				return int32(max(math.MinInt32, min(math.MaxInt32, sum)))
			}
		}), 0, same[int32]))},
		{"a is taken to have a sign", "exact", failing(mixedOf(with(func(f *steps[uint8, int8, int32]) {
			f.step = func(acc int32, x []uint8, y []int8) int32 {
				for d := range x {
					acc += int32(int8(x[d])) * int32(y[d])
				}
				return acc
			}
		}), 0, same[int32]))},
		{"-32768 squared twice is made -2^31 and negated", "extremes", failing(mixedOf(steps[int16, int16, int32]{depth: 2, step: func(acc int32, x, y []int16) int32 {
			pair := int64(0)
			for d := range x {
				pair += int64(x[d]) * int64(y[d])
			}
			return acc + int32(min(pair, math.MaxInt32))
		}}, 0, same[int32]))},
		{"a result wraps where it should saturate", "exact", failing(MixedCase[int8, int8, int32, int8]{
			Name: "wraps", MR: 3, NR: 8, KC: 16, Store: saturated,
			Call: mixedOf(intSteps[int8, int8](4), 0, func(x int32) int8 { return int8(x) }).Call,
		})},
		{"what follows a row is multiplied by the zero that pads b", "nonfinite", failing(mixedOf(steps[dtype.BF16, dtype.BF16, float32]{
			depth: 2, step: bf.step, widen: true}, 0, same[float32]))},
		{"sums are of bf16", "exact", failing(mixedOf(steps[dtype.BF16, dtype.BF16, float32]{depth: 2, step: func(acc float32, x, y []dtype.BF16) float32 {
			return dtype.ToBF16(bf.step(acc, x, y)).Float32()
		}}, 0, same[float32]))},
		{"sums are of f16", "exact", failing(mixedOf(steps[dtype.F16, dtype.F16, float32]{depth: 2, step: func(acc float32, x, y []dtype.F16) float32 {
			return dtype.ToF16(half.step(acc, x, y)).Float32()
		}}, 0, same[float32]))},
		{"products are rounded to bf16", "exact", failing(mixedOf(steps[dtype.BF16, dtype.BF16, float32]{depth: 2, step: func(acc float32, x, y []dtype.BF16) float32 {
			for d := range x {
				acc += dtype.ToBF16(x[d].Float32() * y[d].Float32()).Float32()
			}
			return acc
		}}, 0, same[float32]))},
		{"small parts of sums are lost", "interval", failing(mixedOf(steps[dtype.BF16, dtype.BF16, float32]{depth: 2, step: func(acc float32, x, y []dtype.BF16) float32 {
			return float32(math.Float32frombits(math.Float32bits(bf.step(acc, x, y)) &^ 0xff))
		}}, 0, same[float32]))},
		{"results are cut to bf16 and not rounded", "interval", failing(MixedCase[dtype.BF16, dtype.BF16, float32, dtype.BF16]{
			Name: "cut", MR: 3, NR: 8, KC: 16, Store: dtype.ToBF16[float32],
			Call: mixedOf(bf, 0, func(x float32) dtype.BF16 { return dtype.BF16FromBits(uint16(math.Float32bits(x) >> 16)) }).Call,
		})},
		{"denormal numbers are flushed by what widens", "denormal", failing(mixedOf(steps[dtype.BF16, dtype.BF16, float32]{depth: 2, step: dotBF16}, kept, same[float32]))},
		{"denormal numbers are kept by what flushes", "denormal", failing(mixedOf(bf, flushed, same[float32]))},
		{"denormal operands of f16 are flushed", "denormal", failing(mixedOf(steps[dtype.F16, dtype.F16, float32]{depth: 1, step: func(acc float32, x, y []dtype.F16) float32 {
			if math.Abs(x[0].Float64()) < 0x1p-14 {
				return acc
			}
			return half.step(acc, x, y)
		}}, 0, same[float32]))},
	}
	picked := level.Pick(len(all), 0, 4)
	t.Logf("mutants tried %d of %d", len(picked), len(all))
	for _, at := range picked {
		x := all[at]
		r := x.failures()
		if !r.Failed() {
			t.Errorf("%s: not noticed", x.what)
			continue
		}
		found := false
		for _, f := range r.Failures {
			found = found || len(f) > 6+len(x.by) && f[6:6+len(x.by)] == x.by
		}
		if !found {
			t.Errorf("%s: check=%s does not notice; %s", x.what, x.by, r.Failures[0])
		}
	}
}

// TestMixedMemory: writing past a row, and reading past an operand, are noticed.
func TestMixedMemory(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("tests the tests")
	}
	right := mixedOf(intSteps[int8, int8](4), 0, same[int32])
	call := right.Call
	right.Call = func(threads int, out layout.Matrix[int32], a layout.Matrix[int8], b layout.Matrix[int8]) {
		call(threads, out, a, b)
		if i := out.Cols; out.ColStride == 1 && out.Rows > 1 && out.RowStride > out.Cols && i > 0 {
			out.Data[i] = 0
		}
	}
	if r := failures(right); !r.Failed() {
		t.Error("a write into the gap after a row is not noticed")
	}
	right.Call = func(threads int, out layout.Matrix[int32], a layout.Matrix[int8], b layout.Matrix[int8]) {
		call(threads, out, a, b)
		if len(a.Data) > 2 {
			a.Data[0]++
		}
	}
	if r := failures(right); !r.Failed() {
		t.Error("a changed operand is not noticed")
	}
}

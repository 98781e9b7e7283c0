package cpu_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/quant"
)

func quantised[T quant.Int](t *testing.T) {
	rnd := rand.New(level.PCG(8, 9))
	least, greatest := quant.Limits[T]()
	for range 40 {
		m, n := rnd.IntN(9), rnd.IntN(9)
		src, dst, back := layout.New[float32](m, n), layout.New[T](m, n), layout.New[float32](n, m).T()
		if rnd.IntN(2) == 0 {
			src, dst = layout.New[float32](n, m).T(), layout.New[T](n, m).T()
		}
		for i := range src.Data {
			src.Data[i] = float32(rnd.NormFloat64()) + 1
		}
		axis := cpu.QuantAxis(rnd.IntN(3))
		if m*n == 0 {
			axis = cpu.QuantPerTensor // several scales of nothing are refused
		}
		q := cpu.Calibrate[T](src, axis)
		cpu.Quantise(dst, src, q)
		cpu.Dequantise(back, dst, q)
		for i := range m {
			for j := range n {
				at := []int{0, i, j}[q.Axis]
				zero := int32(0)
				if q.Zero != nil {
					zero = q.Zero[at]
				}
				if want := quant.Quantise(src.At(i, j), q.Scale[at], T(zero)); dst.At(i, j) != want {
					t.Fatalf("%v: [%d,%d] %v is %d, want %d", q, i, j, src.At(i, j), dst.At(i, j), want)
				}
				if want := quant.Restore(dst.At(i, j), q.Scale[at], T(zero)); back.At(i, j) != want {
					t.Fatalf("%v: [%d,%d] %d is %v, want %v", q, i, j, dst.At(i, j), back.At(i, j), want)
				}
				// Nothing saturates: a calibrated number is half a step off, or a little more.
				if off := math.Abs(float64(back.At(i, j) - src.At(i, j))); off > 0.51*float64(q.Scale[at]) {
					t.Fatalf("%v: [%d,%d] %v is restored as %v", q, i, j, src.At(i, j), back.At(i, j))
				}
			}
		}
	}
	zeros := cpu.Calibrate[T](layout.New[float32](3, 2), cpu.QuantPerTensor)
	if zeros.Scale[0] != 1 {
		t.Errorf("of zeros the scale is %v", zeros.Scale[0])
	}
	for _, top := range []float32{math.SmallestNonzeroFloat32, math.MaxFloat32} {
		m := layout.RowMajor([]float32{-top, top}, 1, 2)
		q, dst := cpu.Calibrate[T](m, cpu.QuantPerTensor), layout.New[T](1, 2)
		cpu.Quantise(dst, m, q)
		cpu.Dequantise(m, dst, q)
		for _, x := range m.Data {
			if math.IsInf(float64(x), 0) || math.Abs(float64(x)) < float64(top)*(1-1.0/64) && top > 1 {
				t.Errorf("of +-%v an end comes back as %v with %v", top, x, q)
			}
		}
		if top > 1 && (int32(dst.Data[0]) != max(least, -greatest) || int32(dst.Data[1]) != greatest) {
			t.Errorf("of +-%v the ends are %v with %v", top, dst.Data, q)
		}
	}
}

// special is NaN, infinities, numbers half between two and beyond the ends, and the rest.
func special(rnd *rand.Rand) float32 {
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)),
		math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-40, 127, 128, -128, -129, 255, 256}
	switch rnd.IntN(3) {
	case 0:
		return odd[rnd.IntN(len(odd))]
	case 1:
		return float32(rnd.IntN(600)-300) / 2
	}
	return float32(rnd.NormFloat64() * 100)
}

// TestQuantiseSpecial: whatever the numbers are, they become what the scalar function says, to
// the bit, and nothing beside the matrix changes. Package narrowf32 tests each kernel.
func TestQuantiseSpecial(t *testing.T) {
	t.Run("i8", quantisedSpecial[int8])
	t.Run("u8", quantisedSpecial[uint8])
}

func quantisedSpecial[T quant.Int](t *testing.T) {
	rnd := rand.New(level.PCG(1, 2))
	least, greatest := quant.Limits[T]()
	for round := range 300 {
		m, n, gap := 1+rnd.IntN(5), 1+rnd.IntN(70), rnd.IntN(3)
		whole, src := layout.New[T](m, n+gap), layout.New[float32](m, n+gap).Slice(0, m, 0, n)
		for i := range whole.Data {
			whole.Data[i] = 77
		}
		dst := whole.Slice(0, m, 0, n)
		byColumns := round%3 == 0
		if byColumns {
			whole, src = layout.New[T](n, m), layout.New[float32](n, m).T()
			dst, gap = whole.T(), 0
		}
		for i := range m {
			for j := range n {
				src.Set(i, j, special(rnd))
			}
		}
		q := cpu.Quant{Axis: cpu.QuantAxis(rnd.IntN(3))}
		for range []int{1, m, n}[q.Axis] {
			q.Scale = append(q.Scale, []float32{1, 2, 0.5, 3, 1e-30, math.SmallestNonzeroFloat32}[rnd.IntN(6)])
			q.Zero = append(q.Zero, least+rnd.Int32N(greatest-least+1))
		}
		cpu.Quantise(dst, src, q)
		for i := range m {
			for j := range n {
				at := []int{0, i, j}[q.Axis]
				if want := quant.Quantise(src.At(i, j), q.Scale[at], T(q.Zero[at])); dst.At(i, j) != want {
					t.Fatalf("%d x %d, %+v: [%d,%d] %v is %d, want %d", m, n, q, i, j, src.At(i, j), dst.At(i, j), want)
				}
			}
			for j := n; j < n+gap; j++ {
				if whole.At(i, j) != 77 {
					t.Fatalf("%d x %d: [%d,%d] was written", m, n, i, j)
				}
			}
		}
	}
}

// TestQuantise: every element is what the scalar function says, whatever the strides and the
// axis, and a calibrated matrix comes back but for half a step.
func TestQuantise(t *testing.T) {
	t.Run("i8", quantised[int8])
	t.Run("u8", quantised[uint8])
	t.Run("i16", quantised[int16])
}

// TestQuantiseRefused: scales and zero points that are none are refused by name, before
// anything is written.
func TestQuantiseRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	dst, src := layout.New[uint8](2, 3), layout.New[float32](2, 3)
	for _, c := range []struct {
		q    cpu.Quant
		want string // of a QuantError; "" is accepted
	}{
		{cpu.Quant{Scale: []float32{0.1}}, ""},
		{cpu.Quant{Scale: []float32{0.1}, Zero: []int32{255}}, ""},
		{cpu.Quant{Scale: []float32{math.SmallestNonzeroFloat32}, Zero: []int32{0}}, ""},
		{cpu.Quant{}, "cpu.Quantise: Scale has 0 elements; want 1, one for all elements of a matrix of 2 x 3"},
		{cpu.Quant{Scale: []float32{1, 1, 1}, Axis: cpu.QuantPerRow}, "cpu.Quantise: Scale has 3 elements; want 2, one for each row of a matrix of 2 x 3"},
		{cpu.Quant{Scale: []float32{1, 0, 1}, Axis: cpu.QuantPerColumn}, "cpu.Quantise: Scale[1] is 0; want a positive finite number"},
		{cpu.Quant{Scale: []float32{1, 1, nan}, Axis: cpu.QuantPerColumn}, "cpu.Quantise: Scale[2] is NaN; want"},
		{cpu.Quant{Scale: []float32{inf}}, "cpu.Quantise: Scale[0] is +Inf; want"},
		{cpu.Quant{Scale: []float32{-1}}, "cpu.Quantise: Scale[0] is -1; want"},
		{cpu.Quant{Scale: []float32{1}, Zero: []int32{256}}, "cpu.Quantise: Zero[0] is 256; want a number of uint8, between 0 and 255"},
		{cpu.Quant{Scale: []float32{1}, Zero: []int32{-1}}, "cpu.Quantise: Zero[0] is -1; want a number of uint8"},
		{cpu.Quant{Scale: []float32{1, 1}, Zero: []int32{0}, Axis: cpu.QuantPerRow}, "cpu.Quantise: Zero has 1 elements; want 2, one for each row of a matrix of 2 x 3, or none"},
		{cpu.Quant{Scale: []float32{1}, Axis: 7}, "cpu.Quantise: Axis is QuantAxis(7); want QuantPerTensor, "},
	} {
		dst.Data[0] = 77
		err := refused(func() { cpu.Quantise(dst, src, c.q) })
		var typed cpu.QuantError
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("%v is refused: %v", c.q, err)
			}
		case !errors.As(err, &typed) || !strings.HasPrefix(err.Error(), c.want):
			t.Errorf("%v: %v, want %s", c.q, err, c.want)
		case dst.Data[0] != 77:
			t.Errorf("%v: something was written", c.q)
		}
	}
	q := cpu.Quant{Scale: []float32{1}}
	for _, c := range []struct {
		call func()
		want string
	}{
		{func() { cpu.Quantise(dst, layout.New[float32](3, 2), q) }, "cpu.Quantise: dst is 2 x 3, src is 3 x 2; want two of one shape"},
		{func() { cpu.Quantise(layout.Matrix[uint8]{Rows: 2, Cols: 3, RowStride: 3, ColStride: 1}, src, q) }, "cpu.Quantise: dst"},
		{func() {
			cpu.Dequantise(layout.Matrix[float32]{Data: make([]float32, 3), Rows: 2, Cols: 3, ColStride: 1}, dst, q)
		}, "cpu.Dequantise: dst"},
		{func() { cpu.Calibrate[int8](layout.Matrix[float32]{Rows: 1, Cols: 1}, 0) }, "cpu.Calibrate: src"},
		{func() { cpu.Calibrate[int8](layout.RowMajor([]float32{1, nan}, 1, 2), 0) }, "cpu.Calibrate: src[0,1] is NaN; want finite numbers"},
		{func() { cpu.Calibrate[int8](src, 3) }, "cpu.Calibrate: axis is QuantAxis(3); want"},
	} {
		if err := refused(c.call); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// refused returns the error that a call panics with.
func refused(call func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = r
		default:
			err = fmt.Errorf("%v", r)
		}
	}()
	call()
	return nil
}

func BenchmarkQuantise(b *testing.B) {
	src, dst := layout.New[float32](1024, 1024), layout.New[int8](1024, 1024)
	for i := range src.Data {
		src.Data[i] = float32(i%1000) / 10
	}
	for _, axis := range []cpu.QuantAxis{cpu.QuantPerTensor, cpu.QuantPerColumn} {
		q := cpu.Calibrate[int8](src, axis)
		b.Run(axis.String(), func(b *testing.B) {
			b.SetBytes(int64(len(src.Data)))
			for b.Loop() {
				cpu.Quantise(dst, src, q)
			}
		})
	}
}

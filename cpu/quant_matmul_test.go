package cpu_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/quant"
)

// randomQuant is a Quant of a matrix of T with scales near size.
func randomQuant[T quant.Int](rnd *rand.Rand, axis cpu.QuantAxis, n int, size float64) cpu.Quant {
	if axis == cpu.QuantPerTensor {
		n = 1
	}
	q := cpu.Quant{Axis: axis}
	zero := int32(T(rnd.Uint32()))
	for range n {
		q.Scale = append(q.Scale, float32(size*math.Exp(rnd.NormFloat64())))
		if rnd.IntN(3) > 0 && len(q.Zero) == len(q.Scale)-1 {
			q.Zero = append(q.Zero, zero)
		}
	}
	if len(q.Zero) != n {
		q.Zero = nil
	}
	return q
}

func zeroOf(q cpu.Quant) int64 {
	if len(q.Zero) == 0 {
		return 0
	}
	return int64(q.Zero[0])
}

func scaleAt(q cpu.Quant, at int) float64 {
	if q.Axis == cpu.QuantPerTensor {
		at = 0
	}
	return float64(q.Scale[at])
}

// quantProducts compares products of one triple of types with a loop over int64 and the scalar
// functions, to the bit.
func quantProducts[Out cpu.QuantOut, A cpu.QuantIn](t *testing.T, finish func(sum, bias int32, scale float32, zero int64) Out, zeros func(rnd *rand.Rand) cpu.Quant) {
	rnd := rand.New(level.PCG(uint64(dtype.Of[Out]()), uint64(dtype.Of[A]())))
	isas := cpu.ISAs()
	for try := range level.Of(2, 4, 12) * len(isas) {
		isa := isas[try%len(isas)]
		m, n, k := rnd.IntN(40), rnd.IntN(120), rnd.IntN(90)
		if try < len(isas) {
			m, n, k = level.Of(3, 7, 33), level.Of(20, 50, 100), 1100
		}
		a, b, out := layout.New[A](m, k), layout.New[int8](k, n), layout.New[Out](m, n)
		if rnd.IntN(2) == 0 {
			a, b = layout.New[A](k, m).T(), layout.New[int8](n, k).T()
		}
		if rnd.IntN(4) == 0 {
			out = layout.New[Out](n, m).T()
		}
		for i := range a.Data {
			a.Data[i] = A(rnd.Uint32())
		}
		for i := range b.Data {
			b.Data[i] = int8(rnd.Uint32())
		}
		q := cpu.QuantProduct{
			A: randomQuant[A](rnd, cpu.QuantAxis(rnd.IntN(2)), m, 0.01), B: randomQuant[int8](rnd, cpu.QuantAxis(rnd.IntN(2)*2), n, 0.01), Out: zeros(rnd),
		}
		if rnd.IntN(2) == 0 {
			q.Bias = make([]int32, n)
			for j := range q.Bias {
				q.Bias[j] = int32(rnd.Uint32()) >> 14
			}
		}
		opt := cpu.Options{ISA: isa, Threads: 1 + rnd.IntN(2)}
		if rnd.IntN(2) == 0 && isa == isas[0] { // QuantPack packs for the best one
			opt.ISA, opt.B = "", cpu.QuantPack[Out, A](b)
		}
		cpu.QuantMatMulOpt(opt, out, a, b, q)
		za, zb, last := zeroOf(q.A), zeroOf(q.B), 1.0
		if len(q.Out.Scale) > 0 {
			last = float64(q.Out.Scale[0])
		}
		for i := range m {
			for j := range n {
				sum := int64(0)
				for p := range k {
					sum += (int64(a.At(i, p)) - za) * (int64(b.At(p, j)) - zb)
				}
				scale := float32(scaleAt(q.A, 0) / last * scaleAt(q.B, j))
				if q.A.Axis == cpu.QuantPerRow {
					scale = float32(scaleAt(q.A, i)/last) * float32(scaleAt(q.B, j))
				}
				bias := int32(0)
				if q.Bias != nil {
					bias = q.Bias[j]
				}
				if want := finish(int32(sum), bias, scale, zeroOf(q.Out)); out.At(i, j) != want {
					t.Fatalf("%s, %d x %d x %d, packed %v, %+v: [%d,%d] is %v, want %v of sum %d", isa, m, n, k, opt.B != nil, q, i, j, out.At(i, j), want, sum)
				}
			}
		}
	}
}

func finishAs[T quant.Int](sum, bias int32, scale float32, zero int64) T {
	return quant.RequantiseBias(sum, bias, scale, T(zero))
}

// TestQuantMatMul: every product is that of the scalar functions to the bit, on every
// instruction set.
func TestQuantMatMul(t *testing.T) {
	i8 := func(rnd *rand.Rand) cpu.Quant { return randomQuant[int8](rnd, 0, 1, 0.1) }
	u8 := func(rnd *rand.Rand) cpu.Quant { return randomQuant[uint8](rnd, 0, 1, 0.1) }
	none := func(*rand.Rand) cpu.Quant { return cpu.Quant{} }
	float := func(sum, bias int32, scale float32, _ int64) float32 { return quant.DequantiseBias(sum, bias, scale) }
	t.Run("u8_i8", func(t *testing.T) { quantProducts[int8, uint8](t, finishAs[int8], i8) })
	t.Run("u8_u8", func(t *testing.T) { quantProducts[uint8, uint8](t, finishAs[uint8], u8) })
	t.Run("u8_f32", func(t *testing.T) { quantProducts[float32, uint8](t, float, none) })
	t.Run("i8_i8", func(t *testing.T) { quantProducts[int8, int8](t, finishAs[int8], i8) })
	t.Run("i8_u8", func(t *testing.T) { quantProducts[uint8, int8](t, finishAs[uint8], u8) })
	t.Run("i8_f32", func(t *testing.T) { quantProducts[float32, int8](t, float, none) })
}

// TestQuantMatMulRefused: what does not fit is refused by name, before anything is written.
func TestQuantMatMulRefused(t *testing.T) {
	one := func(s float32, z ...int32) cpu.Quant { return cpu.Quant{Scale: []float32{s}, Zero: z} }
	several := func(axis cpu.QuantAxis, s ...float32) cpu.Quant { return cpu.Quant{Scale: s, Axis: axis} }
	nan, a, b, out := float32(math.NaN()), layout.New[uint8](2, 5), layout.New[int8](5, 3), layout.New[int8](2, 3)
	const what = "cpu.QuantMatMul: "
	for _, c := range []struct {
		q    cpu.QuantProduct
		want string
	}{
		{cpu.QuantProduct{A: one(1), B: one(1), Out: one(1)}, ""},
		{cpu.QuantProduct{A: several(cpu.QuantPerRow, 1, 2), B: several(cpu.QuantPerColumn, 1, 2, 3), Out: one(1, -128), Bias: make([]int32, 3)}, ""},
		{cpu.QuantProduct{B: one(1), Out: one(1)}, "A.Scale has 0 elements; want 1, one for all elements of a matrix of 2 x 5"},
		{cpu.QuantProduct{A: one(nan), B: one(1), Out: one(1)}, "A.Scale[0] is NaN; want a positive finite number"},
		{cpu.QuantProduct{A: one(1), B: several(cpu.QuantPerColumn, 1, -2, 1), Out: one(1)}, "B.Scale[1] is -2; want"},
		{cpu.QuantProduct{A: one(1), B: one(1), Out: one(0)}, "Out.Scale[0] is 0; want"},
		{cpu.QuantProduct{A: one(1, 256), B: one(1), Out: one(1)}, "A.Zero[0] is 256; want a number of uint8, between 0 and 255"},
		{cpu.QuantProduct{A: one(1), B: one(1, 128), Out: one(1)}, "B.Zero[0] is 128; want a number of int8, between -128 and 127"},
		{cpu.QuantProduct{A: one(1), B: one(1), Out: one(1, -129)}, "Out.Zero[0] is -129; want a number of int8"},
		{cpu.QuantProduct{A: several(cpu.QuantPerColumn, 1, 1, 1, 1, 1), B: one(1), Out: one(1)}, "A.Axis is QuantPerColumn; a product has"},
		{cpu.QuantProduct{A: one(1), B: several(cpu.QuantPerRow, 1, 1, 1, 1, 1), Out: one(1)}, "B.Axis is QuantPerRow; a product has"},
		{cpu.QuantProduct{A: one(1), B: one(1), Out: several(cpu.QuantPerRow, 1, 1)}, "Out.Axis is QuantPerRow; a product has"},
		{cpu.QuantProduct{A: cpu.Quant{Scale: []float32{1, 1}, Zero: []int32{3, 4}, Axis: cpu.QuantPerRow}, B: one(1), Out: one(1)}, "A.Zero[1] is 4 and Zero[0] is 3; a product has one"},
		{cpu.QuantProduct{A: one(1), B: one(1), Out: one(1), Bias: make([]int32, 2)}, "Bias has 2 elements; want 3, one for each column, or none"},
		{cpu.QuantProduct{A: one(1e30), B: several(cpu.QuantPerColumn, 1, 1e10, 1), Out: one(1)}, "A.Scale[0]*B.Scale[1]/Out.Scale[0] is 1e+40; want at most 3.4e+38, so that it is a float32"},
		{cpu.QuantProduct{A: several(cpu.QuantPerRow, 1, 1e38), B: one(1e-38), Out: one(1e-38)}, "A.Scale[1]/Out.Scale[0] is 1e+76; want at most 3.4e+38"},
		{cpu.QuantProduct{A: several(cpu.QuantPerRow, 1, 1e30), B: one(1e30), Out: one(1)}, "A.Scale[1]*B.Scale[0]/Out.Scale[0] is 1e+60; want"},
		{cpu.QuantProduct{A: several(cpu.QuantPerRow, 1, 1e-25), B: one(1e35), Out: one(1e20)}, "A.Scale[1]/Out.Scale[0] is 1e-45, below the least normal float32, and B.Scale[0] is 1e+35; want"},
		{cpu.QuantProduct{A: several(cpu.QuantPerRow, 1, 1e-25), B: one(1e10), Out: one(1e20)}, ""},
	} {
		out.Data[0] = 77
		err := refused(func() { cpu.QuantMatMul(out, a, b, c.q) })
		var typed cpu.QuantError
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("%+v is refused: %v", c.q, err)
			}
		case !errors.As(err, &typed) || !strings.HasPrefix(err.Error(), what+c.want):
			t.Errorf("%+v: %v, want %s", c.q, err, c.want)
		case out.Data[0] != 77:
			t.Errorf("%+v: something was written", c.q)
		}
	}
	fine := cpu.QuantProduct{A: one(1), B: one(1), Out: one(1)}
	float := cpu.QuantProduct{A: one(1), B: one(1)}
	var isa run.ISAError
	var shape layout.ShapeError
	var wrap run.WrapError
	biased := func(za, zb, bias int32) cpu.QuantProduct {
		return cpu.QuantProduct{A: one(1, za), B: one(1, zb), Bias: []int32{0, bias, 1}}
	}
	// deep is a product of so many ks that no sum may wrap in.
	deep := func(k int, q cpu.QuantProduct) func() {
		a, b := layout.Matrix[uint8]{Data: []uint8{1}, Rows: 1, Cols: k}, layout.Matrix[int8]{Data: []int8{1}, Rows: k, Cols: 3}
		return func() { cpu.QuantMatMulOpt(cpu.Options{NoWrap: true}, layout.New[float32](1, 3), a, b, q) }
	}
	for _, call := range []func(){ // (1<<31-1-1e9)/(255*127), (1<<31-1e9)/(255*128), and (1<<31-1-1e9)/(-200*-100)
		deep(35432, biased(0, 0, 1e9)), deep(35155, biased(0, 0, -1e9)), deep(57374, biased(200, -28, 1e9)),
	} {
		if err := refused(call); err != nil {
			t.Errorf("a product whose sums cannot wrap is refused: %v", err)
		}
	}
	for i, c := range []struct {
		call func()
		as   any
		want string
	}{
		{func() { cpu.QuantMatMul(out, a, layout.New[int8](4, 3), fine) }, &shape, what + "out is 2 x 3, a is 2 x 5, b is 4 x 3; want m x n, m x k, k x n"},
		{func() { cpu.QuantMatMul(layout.New[int8](2, 2), a, b, fine) }, &shape, what + "out is 2 x 2"},
		{func() { cpu.QuantMatMul(out, layout.Matrix[uint8]{Rows: 2, Cols: 5, ColStride: 1}, b, fine) }, &shape, what + "a"},
		{func() {
			cpu.QuantMatMul(layout.RowMajor(a.Data, 2, 3), a, b, cpu.QuantProduct{A: one(1), B: one(1), Out: one(1)})
		}, &shape, what + "out shares memory with a"},
		{func() { cpu.QuantMatMul(layout.New[float32](2, 3), a, b, fine) }, new(cpu.QuantError), what + "Out is set, and a result of float32 is not quantised"},
		{func() {
			cpu.QuantMatMulOpt(cpu.Options{Scaling: cpu.Scale(1, 1)}, layout.New[float32](2, 3), a, b, float)
		}, new(run.OptionError), "cpu.QuantMatMulOpt: Options.Scaling is for other products; this one has"},
		{func() { cpu.QuantPack[int8, uint8](layout.Matrix[int8]{Rows: 5, Cols: 3, RowStride: 3, ColStride: 1}) }, &shape, "cpu.QuantPack: b"},
		{func() { cpu.QuantMatMulOpt(cpu.Options{ISA: "z80"}, layout.New[float32](2, 3), a, b, float) }, &isa, "cpu.QuantMatMulOpt"},
		{func() {
			cpu.QuantMatMulOpt(cpu.Options{NoWrap: true}, layout.New[float32](1, 1), layout.New[uint8](1, 65794), layout.New[int8](65794, 1), float)
		}, &wrap, "cpu.QuantMatMulOpt: k is 65794, and sums of products of uint8 and int8 may leave int32 if it is more than 65793; split k"},
		{deep(35433, biased(0, 0, 1e9)), &wrap, "cpu.QuantMatMulOpt: k is 35433, and sums of products of uint8 and int8, with a bias of 1000000000, may leave int32 if it is more than 35432; split k"},
		{deep(35156, biased(0, 0, -1e9)), &wrap, "cpu.QuantMatMulOpt: k is 35156, and sums of products of uint8 and int8, with a bias of -1000000000, may leave int32 if it is more than 35155;"},
		{deep(70000, biased(3, -1, 0)), &wrap, "cpu.QuantMatMulOpt: k is 70000, and sums of products of uint8 less 3 and int8 less -1 may leave int32 if it is more than 66576;"},
		{func() {
			cpu.QuantMatMulOpt(cpu.Options{B: cpu.QuantPack[int8, int8](b)}, layout.New[float32](2, 3), a, b, float)
		}, &shape, "cpu.QuantMatMulOpt: Options.B was packed by quant8.I8ToI8Pack for another kernel"},
	} {
		if err := refused(c.call); err == nil || !errors.As(err, c.as) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("call %d: %v, want %s", i, err, c.want)
		}
	}
}

// TestQuantMatMulAllocs: once buffers have grown, a call allocates nothing.
func TestQuantMatMulAllocs(t *testing.T) {
	a, b, out := layout.New[uint8](20, 30), layout.New[int8](30, 40), layout.New[int8](20, 40)
	q := cpu.QuantProduct{A: cpu.Quant{Scale: []float32{0.1}, Zero: []int32{3}}, B: cpu.Quant{Scale: []float32{0.1}, Zero: []int32{1}}, Out: cpu.Quant{Scale: []float32{0.1}}}
	n := 1.0
	for try := 0; try < 20 && n > 0; try++ { // the race detector drops some of what is pooled
		n = testing.AllocsPerRun(4, func() { cpu.QuantMatMulOpt(cpu.Options{Threads: 1}, out, a, b, q) })
	}
	if n > 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// A layer of a quantised network: weights of int8 with a scale for each column, activations of
// uint8, a bias in the unit of the sums.
func ExampleQuantMatMul() {
	x := layout.RowMajor([]float32{1, 0.5, -0.25, 2}, 2, 2)
	w := layout.RowMajor([]float32{0.5, -1, 2, 0.25, 1, 0}, 2, 3)

	q := cpu.QuantProduct{
		A:   cpu.Calibrate[uint8](x, cpu.QuantPerTensor),
		B:   cpu.Calibrate[int8](w, cpu.QuantPerColumn),
		Out: cpu.Quant{Scale: []float32{0.025}},
	}
	a, b := layout.New[uint8](2, 2), layout.New[int8](2, 3)
	cpu.Quantise(a, x, q.A)
	cpu.Quantise(b, w, q.B)

	out := layout.New[int8](2, 3)
	cpu.QuantMatMul(out, a, b, q)
	y := layout.New[float32](2, 3)
	cpu.Dequantise(y, out, q.Out)
	fmt.Printf("%.2f\n", y.Data)

	exact := layout.New[float32](2, 3)
	cpu.MatMul(exact, x, w)
	fmt.Printf("%.2f\n", exact.Data)
	// Output:
	// [0.62 -0.50 2.00 0.38 2.25 -0.50]
	// [0.62 -0.50 2.00 0.38 2.25 -0.50]
}

package cpu

import (
	"fmt"
	"math"
	"sync"

	"github.com/tilesmith/tilesmith/cpu/kern/quant8"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// QuantIn is what the first operand of [QuantMatMul] may be of, such as activations.
type QuantIn interface{ int8 | uint8 }

// QuantOut is what the result of [QuantMatMul] may be of: quantised again, or not.
type QuantOut interface{ int8 | uint8 | float32 }

// QuantProduct says what the matrices of [QuantMatMul] stand for.
type QuantProduct struct {
	// A has scales for all elements or for each row, B for all or for each column, Out for
	// all. All zero points of a matrix are the same. If there is a scale for each row or
	// column, quantise to int8, for which [Calibrate] needs no zero point. For a float32
	// result Out is zero.
	A, B, Out Quant
	// Bias is what is added to the sums of each column, in their unit: A.Scale*B.Scale. It
	// has an element for each column of the result, or none.
	Bias []int32
}

// QuantMatMul computes out = a*b of quantised matrices: a is m x k, b is k x n and out is
// m x n, each with any strides. An element of out is
//
//	(sum of (a-za)*(b-zb) + bias) * scale + zero of out
//
// where the sum and the bias are int32, which wrap, and the rest is float32. The sum is
// rounded to nearest even, and so is its product with the scale. The product is rounded to an
// integer, halves to even, and saturates, as in [quant.RequantiseBias]. A float32 result is
// the product with the scale. The scale is A.Scale*B.Scale/Out.Scale in float64, rounded to
// float32. If A has a scale for each row, it is the product of A.Scale/Out.Scale and B.Scale,
// each in float32. The result has the same bits for any number of threads and on every machine.
//
// It panics with a [QuantError] that says which scale, zero point or bias does not fit. It
// panics where [MatMul] does, before it reads an element of a or b.
func QuantMatMul[Out QuantOut, A QuantIn](out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[int8], q QuantProduct) {
	QuantMatMulOpt(Options{Caller: "cpu.QuantMatMul"}, out, a, b, q)
}

// QuantMatMulOpt is [QuantMatMul] with options: threads, a forced ISA, a b that [QuantPack] has
// packed, and NoWrap. NoWrap takes the zero points and the bias into account: a sum wraps
// neither without nor with its bias.
func QuantMatMulOpt[Out QuantOut, A QuantIn](opt Options, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[int8], q QuantProduct) {
	opt.Caller = opt.Name("cpu.QuantMatMulOpt")
	if opt.Scaling.On() {
		panic(run.OptionError{What: opt.Caller, Why: "Options.Scaling is for other products; this one has the scales and zero points of its matrices"})
	}
	f := quantFactorsPool.Get().(*quantFactors)
	defer f.release()
	for _, err := range []error{out.CheckOut("out"), a.Check("a"), b.Check("b")} { // their sizes are what factors take
		if err != nil {
			panic(layout.ShapeError{What: opt.Caller, Why: err.Error()})
		}
	}
	f.fill(opt.Caller, &q, dtype.Of[A](), dtype.Of[Out](), shape{a.Rows, a.Cols}, shape{b.Rows, b.Cols}, shape{out.Rows, out.Cols})
	if opt.NoWrap {
		dense.CheckWrap(opt.Caller, dtype.Of[A](), dtype.I8, a.Cols, f.a, f.b, q.Bias)
	}
	if out.Rows == 0 || out.Cols == 0 { // the other of which may be any number
		out.Rows, out.Cols, a.Rows, b.Cols, opt.B = 0, 0, 0, 0, nil
	}
	if p := quantProductOf[Out, A](); p.wide != nil {
		p.wide(opt, out, a, b, A(f.a), int8(f.b), f.bias, f.row, f.column)
	} else {
		p.multiply(opt, out, a, b, A(f.a), int8(f.b), f.bias, f.row, f.column, Out(f.out))
	}
}

// QuantPack packs b, such as the weights of a layer, for calls of [QuantMatMulOpt] of these
// types that have it in Options.B; see [Pack]. It also keeps the sums of b's columns, which
// a zero point of a needs. It panics with a [layout.ShapeError] if b is too short.
func QuantPack[Out QuantOut, A QuantIn](b layout.Matrix[int8]) *run.Packed {
	if err := b.Check("b"); err != nil {
		panic(layout.ShapeError{What: "cpu.QuantPack", Why: err.Error()})
	}
	return quantProductOf[Out, A]().pack(b)
}

// A quantProduct is the product of some types in package quant8. One whose result is not quantised has no zero
// point for it, and is wide.
type quantProduct[Out QuantOut, A QuantIn] struct {
	multiply func(opt Options, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[int8], az A, bz int8, bias []int32, row, column []float32, zero Out)
	wide     func(opt Options, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[int8], az A, bz int8, bias []int32, row, column []float32)
	pack     func(b layout.Matrix[int8]) *run.Packed
}

// quantProductOf is the table of the products.
func quantProductOf[Out QuantOut, A QuantIn]() (of quantProduct[Out, A]) {
	switch p := any(&of).(type) {
	case *quantProduct[int8, int8]:
		p.multiply, p.pack = quant8.I8ToI8Opt, quant8.I8ToI8Pack
	case *quantProduct[int8, uint8]:
		p.multiply, p.pack = quant8.U8ToI8Opt, quant8.U8ToI8Pack
	case *quantProduct[uint8, int8]:
		p.multiply, p.pack = quant8.I8ToU8Opt, quant8.I8ToU8Pack
	case *quantProduct[uint8, uint8]:
		p.multiply, p.pack = quant8.U8ToU8Opt, quant8.U8ToU8Pack
	case *quantProduct[float32, int8]:
		p.wide, p.pack = quant8.I8ToF32Opt, quant8.I8ToF32Pack
	case *quantProduct[float32, uint8]:
		p.wide, p.pack = quant8.U8ToF32Opt, quant8.U8ToF32Pack
	}
	return of
}

// shape is that of a matrix.
type shape struct{ rows, cols int }

// quantFactors are what a product's kernels take of its scales, for each row and each column,
// and its zero points. They are kept between calls.
type quantFactors struct {
	row, column []float32
	bias        []int32
	none        []int32 // zeros, if there is no bias
	a, b, out   int32   // zero points
}

var quantFactorsPool = sync.Pool{New: func() any { return new(quantFactors) }}

// release keeps f for another call, without the caller's memory.
func (f *quantFactors) release() {
	f.bias = nil
	quantFactorsPool.Put(f)
}

// fill checks a product of elements of ta with a result of to, and computes its factors.
func (f *quantFactors) fill(what string, q *QuantProduct, ta, to dtype.Type, a, b, out shape) {
	fail := func(param, format string, args ...any) {
		panic(QuantError{what, param, fmt.Sprintf(format, args...)})
	}
	if a.cols != b.rows || out.rows != a.rows || out.cols != b.cols {
		panic(layout.ShapeError{What: what, Why: fmt.Sprintf("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n",
			out.rows, out.cols, a.rows, a.cols, b.rows, b.cols)})
	}
	q.A.check(what, "A.", ta, a.rows, a.cols)
	q.B.check(what, "B.", dtype.I8, b.rows, b.cols)
	scale := float32(1)
	if to == dtype.F32 {
		if len(q.Out.Scale)+len(q.Out.Zero) > 0 || q.Out.Axis != 0 {
			fail("Out", "is set, and a result of float32 is not quantised; leave it out")
		}
	} else {
		q.Out.check(what, "Out.", to, out.rows, out.cols)
		if q.Out.Axis == QuantPerTensor {
			scale = q.Out.Scale[0]
		}
	}
	for _, c := range []struct {
		name  string
		of    *Quant
		other QuantAxis
	}{{"A", &q.A, QuantPerColumn}, {"B", &q.B, QuantPerRow}, {"Out", &q.Out, QuantPerRow}, {"Out", &q.Out, QuantPerColumn}} {
		if c.of.Axis == c.other {
			fail(c.name+".Axis", "is %v; a product has scales for all elements or for each row of a, for all or for each column of b, and for all of out", c.other)
		}
	}
	f.a, f.b, f.out = oneZero(what, "A", &q.A), oneZero(what, "B", &q.B), oneZero(what, "Out", &q.Out)
	if len(q.Bias) != 0 && len(q.Bias) != out.cols {
		fail("Bias", "has %d elements; want %d, one for each column, or none", len(q.Bias), out.cols)
	}
	f.row, f.column = f.row[:0], f.column[:0]
	if out.rows == 0 || out.cols == 0 {
		return
	}
	if f.bias = q.Bias; len(q.Bias) == 0 {
		for len(f.none) < out.cols {
			f.none = append(f.none, 0)
		}
		f.bias = f.none[:out.cols]
	}
	for i := range out.rows {
		x := float32(1)
		if q.A.Axis == QuantPerRow {
			x = float32(float64(q.A.Scale[i]) / float64(scale))
		}
		f.row = append(f.row, x)
	}
	for j := range out.cols {
		at := 0
		if q.B.Axis == QuantPerColumn {
			at = j
		}
		x := float64(q.B.Scale[at])
		if q.A.Axis == QuantPerTensor {
			x = float64(q.A.Scale[0]) * x / float64(scale) // the product is exact
		}
		f.column = append(f.column, float32(x))
	}
	q.checkFactors(f.row, f.column, fail)
	q.checkUnderflow(f.row, f.column, fail)
}

// checkFactors refuses factors of rows and columns whose product is not a finite number.
func (q *QuantProduct) checkFactors(row, column []float32, fail func(param, format string, args ...any)) {
	i, j := largest(row), largest(column)
	if i < 0 || j < 0 || row[i]*column[j] <= math.MaxFloat32 {
		return
	}
	param, x := "", 1.0
	times := func(of string, s []float32, at int) {
		at = min(at, len(s)-1) // one for all
		param, x = fmt.Sprintf("%s%s.Scale[%d]", param, of, at), x*float64(s[at])
	}
	times("A", q.A.Scale, i)
	if row[i] <= math.MaxFloat32 {
		times("*B", q.B.Scale, j)
	}
	if len(q.Out.Scale) > 0 {
		by := x / float64(q.Out.Scale[0])
		times("/Out", q.Out.Scale, 0)
		x = by
	}
	fail(param, "is %.3g; want at most %.3g, so that it is a float32", x, math.MaxFloat32)
}

// checkUnderflow refuses a factor of a row that is 0 or too small to have all of a float32's bits,
// together with one of a column so large that the missing bits would show in the result. Below
// 2^-126 a float32 is wrong by up to 2^-150, and a sum is less than 2^31.
func (q *QuantProduct) checkUnderflow(row, column []float32, fail func(param, format string, args ...any)) {
	const normal, large = 0x1p-126, 0x1p100
	j := largest(column)
	if j < 0 || column[j] <= large {
		return
	}
	for i, x := range row {
		if x < normal {
			param, x := fmt.Sprintf("A.Scale[%d]", i), float64(q.A.Scale[i])
			if len(q.Out.Scale) > 0 {
				param, x = param+"/Out.Scale[0]", x/float64(q.Out.Scale[0])
			}
			fail(param, "is %.3g, below the least normal float32, and B.Scale[%d] is %.3g; want scales of a and b nearer to each other", x, min(j, len(q.B.Scale)-1), column[j])
		}
	}
}

// oneZero returns the zero point of all elements of a matrix.
func oneZero(what, name string, q *Quant) int32 {
	if len(q.Zero) == 0 {
		return 0
	}
	for i, z := range q.Zero {
		if z != q.Zero[0] {
			panic(QuantError{what, fmt.Sprintf("%s.Zero[%d]", name, i), fmt.Sprintf("is %d and Zero[0] is %d; a product has one zero point for all elements of a matrix; quantise to int8, for which Calibrate needs none", z, q.Zero[0])})
		}
	}
	return q.Zero[0]
}

// largest returns where the largest number is, -1 if there is none.
func largest(xs []float32) int {
	at := -1
	for i, x := range xs {
		if at < 0 || x > xs[at] {
			at = i
		}
	}
	return at
}

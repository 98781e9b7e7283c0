package kernels

import (
	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// DenseGELU queues out = GELU(a*b + bias), bias being one element for each column.
func DenseGELU(stream cuda.Stream, opt run.Options, out, a, b cuda.Matrix[dtype.BF16], bias cuda.Slice[float32]) error {
	call := run.Begin(DenseGELUKernels(), stream, opt)
	run.Out(call, out)
	run.A(call, a)
	run.B(call, b)
	run.PerColumn(call, bias)
	return call.Launch()
}

// DenseGELUKernels describes the kernels of [DenseGELU].
func DenseGELUKernels() *run.Set { return denseGELU() }

var denseGELU = once(gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "DenseGELU",
	Epilogue: gemm.Map2(biasGELU, gemm.PerColumn[float32]("bias"))}, biasGELUIR)

func biasGELU(acc, bias float32) dtype.BF16 { return dtype.ToBF16(act.GELU(acc + bias)) }

// biasGELUIR is what gen/fn makes of biasGELU: the source of package act is not where
// the command runs. Constants stand where they are first needed, as there.
func biasGELUIR(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
	const a, end = 1.5957691669464111, 9.75 // a is geluA of package act in f32, and below geluB
	x := b.Add(op.Args[0], op.Args[1])
	c := func(v float64) *emit.Value { return b.Const(x.Type, v) }
	x = vmath.Max(b, x, c(-end))
	y := vmath.Min(b, x, c(end))
	square := b.Mul(c(0.07135481387376785), y)
	y = b.Mul(y, b.FMA(c(a), square, y))
	// The logistic function of y.
	one := c(1)
	t := vmath.ExpNear(b, b.NegF(y), -82, 82)
	x = b.Mul(x, b.DivNear(one, b.Add(one, t)))
	return []*emit.Value{b.Cvt(emit.BF16, "rne", x)}, nil
}

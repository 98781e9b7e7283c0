package run_test

import (
	"sync"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

// cached makes a set once for all tests.
func cached(s kernels.Spec, translate kernels.Translate) func() *run.Set {
	return sync.OnceValue(func() *run.Set {
		set, err := kernels.Set("test", s, translate)
		if err != nil {
			panic(err)
		}
		return set
	})
}

// The functions below are what generated code looks like.

// matMulBF16 is the stock set under another name.
var matMulBF16 = sync.OnceValue(func() *run.Set {
	set := kernels.MatMulBF16.Kernels()
	return &run.Set{Name: "test.MatMulBF16", A: set.A, B: set.B, Acc: set.Acc, Slots: set.Slots, Plain: set.Plain, Work: set.Work, Targets: set.Targets}
})

func MatMulBF16(s cuda.Stream, opt run.Options, out, a, b cuda.Matrix[dtype.BF16]) error {
	c := run.Begin(matMulBF16(), s, opt)
	run.Out(c, out)
	run.A(c, a)
	run.B(c, b)
	return c.Launch()
}

// addBias is an epilogue; addBiasIR is what gen makes of it.
func addBias(acc, bias float32) float32 { return acc + bias }

func addBiasIR(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
	return []*emit.Value{b.Add(op.Args[0], op.Args[1])}, nil
}

var biased = cached(gemm.Spec[float32, float32, float32, float32]{Name: "Biased",
	Epilogue: gemm.Map2(addBias, gemm.PerColumn[float32]("bias")).RowMax("peak").RowArgMax("at").ColSum("sums")}, addBiasIR)

func Biased(s cuda.Stream, out cuda.Matrix[float32], peak cuda.Slice[float32], at cuda.Slice[int32], sums cuda.Slice[float32], a, b cuda.Matrix[float32], bias cuda.Slice[float32]) error {
	c := run.Begin(biased(), s, run.Options{})
	run.Out(c, out)
	run.Reduced(c, peak)
	run.Reduced(c, at)
	run.Reduced(c, sums)
	run.A(c, a)
	run.B(c, b)
	run.PerColumn(c, bias)
	return c.Launch()
}

var matMulF32 = cached(gemm.Spec[float32, float32, float32, float32]{Name: "MatMulF32"}, nil)

func MatMulF32(s cuda.Stream, out, a, b cuda.Matrix[float32]) error {
	c := run.Begin(matMulF32(), s, run.Options{})
	run.Out(c, out)
	run.A(c, a)
	run.B(c, b)
	return c.Launch()
}

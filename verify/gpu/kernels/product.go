package kernels

import (
	"sync"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The products, without an epilogue.
var (
	MatMulBF16  = productOf[dtype.BF16](gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "MatMulBF16"})
	MatMulF16   = productOf[dtype.F16](gemm.Spec[dtype.F16, dtype.F16, float32, dtype.F16]{Name: "MatMulF16"})
	MatMulF32   = productOf[float32](gemm.Spec[float32, float32, float32, float32]{Name: "MatMulF32"})
	LongestPath = productOf[float32](gemm.Spec[float32, float32, float32, float32]{Name: "LongestPath", Operator: gemm.MaxPlus})
)

// Product is the function of a spec without an epilogue.
type Product[T dtype.Elem] struct {
	// Kernels describes the kernels, which it makes on the first call.
	Kernels func() *run.Set
}

func productOf[T dtype.Elem](s Spec) Product[T] { return Product[T]{once(s, nil)} }

// once returns what makes a set on its first call.
func once(s Spec, translate Translate) func() *run.Set {
	return sync.OnceValue(func() *run.Set {
		set, err := Set("gpu", s, translate)
		if err != nil {
			panic(err) // the specs are those above; a test makes all of them
		}
		return set
	})
}

// Call queues out = a*b.
func (p Product[T]) Call(stream cuda.Stream, opt run.Options, out, a, b cuda.Matrix[T]) error {
	call := run.Begin(p.Kernels(), stream, opt)
	run.Out(call, out)
	run.A(call, a)
	run.B(call, b)
	return call.Launch()
}

// All returns the kernels of all products.
func All() []*run.Set {
	return []*run.Set{MatMulBF16.Kernels(), MatMulF16.Kernels(), MatMulF32.Kernels(), DenseGELUKernels(), LongestPath.Kernels()}
}

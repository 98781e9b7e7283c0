package kernels_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/sparse24"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

// Weights of which half are zero, two of each four, times a matrix. What is here the function
// product is in generated code the function of the spec.
func Example_sparse() {
	set, err := kernels.Set("example", gemm.Spec[int8, int8, int32, int32]{Name: "Layer", Sparse: gemm.Sparse24}, nil)
	if err != nil {
		panic(err)
	}
	product := func(s cuda.Stream, out cuda.Matrix[int32], a cuda.Sparse24[int8], b cuda.Matrix[int8]) error {
		call := run.Begin(set, s, run.Options{})
		run.Out(call, out)
		run.A24(call, a)
		run.B(call, b)
		return call.Launch()
	}

	weights := layout.RowMajor([]int8{
		1, 0, 0, 2, 0, 3,
		0, 4, 5, 0, 6, 0,
	}, 2, 6)
	packed, err := sparse24.Pack(weights)
	if err != nil {
		panic(err)
	}
	dev, err := emu.Open(emu.Options{})
	if err != nil {
		panic(err)
	}
	defer dev.Close()
	stream, err := dev.NewStream()
	if err != nil {
		panic(err)
	}
	w, err := cuda.UploadSparse24(stream, packed)
	if err != nil {
		panic(err)
	}
	x, err := cuda.From(stream, layout.RowMajor([]int8{1, 1, 1, 10, 1, 100, 1, 0, 1, 0, 1, 0}, 6, 2))
	if err != nil {
		panic(err)
	}
	out, err := cuda.New[int32](dev, 2, 2)
	if err != nil {
		panic(err)
	}
	if err := product(stream, out, w, x); err != nil {
		panic(err)
	}
	fmt.Println(out.Data.Download(stream))
	// Output:
	// [6 1 15 540] <nil>
}

package cpu_test

import (
	"errors"
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Weights as bfloat16 take half the memory. They are packed once, sums are of float32, and
// the result is what its matrix says: float32, or bfloat16 for the next layer.
func ExampleMatMulOf() {
	weights := layout.New[dtype.BF16](3, 2)
	for i := range weights.Data {
		weights.Data[i] = dtype.ToBF16(float32(i) / 2)
	}
	x := layout.New[dtype.BF16](1, 3)
	for i := range x.Data {
		x.Data[i] = dtype.ToBF16(float32(i + 1))
	}

	y := layout.New[float32](1, 2)
	cpu.MatMulOf[float32](y, x, weights)
	fmt.Println(y.Data)

	next := layout.New[dtype.BF16](1, 2)
	packed := cpu.PackOf[float32, dtype.BF16](weights)
	cpu.MatMulOfOpt[float32](cpu.Options{B: packed}, next, x, weights)
	fmt.Println(next.Data)
	// Output:
	// [8 11]
	// [8 11]
}

// Products of bytes are summed in int32. Sums wrap as Go's do, so an option refuses a k at
// which some could.
func ExampleMatMulOfOpt() {
	x := layout.RowMajor([]uint8{255, 2, 3}, 1, 3)
	weights := layout.RowMajor([]int8{-128, 127, 1, 0, 0, 1}, 3, 2)
	sums := layout.New[int32](1, 2)
	cpu.MatMulOfOpt[int32](cpu.Options{NoWrap: true}, sums, x, weights)
	fmt.Println(sums.Data)

	fmt.Println(cpu.SafeDepth[uint8, int8](), cpu.SafeDepth[int8, int8]())
	defer func() {
		var wraps run.WrapError
		err, _ := recover().(error)
		fmt.Println(errors.As(err, &wraps), wraps.K)
	}()
	deep, tall := layout.New[uint8](1, 70000), layout.New[int8](70000, 2)
	cpu.MatMulOfOpt[int32](cpu.Options{NoWrap: true}, sums, deep, tall)
	// Output:
	// [-32638 32388]
	// 65793 131071
	// true 70000
}

// One matrix of weights for a batch of inputs: a stride of 0.
func ExampleMatMulBatchOf() {
	x := layout.RowMajor([]int8{1, 2, 3, 4, 5, 6}, 1, 2) // the first of three
	weights := layout.RowMajor([]int16{1000, 0, 0, 1}, 2, 2)
	out := layout.RowMajor(make([]int32, 6), 1, 2)
	cpu.MatMulBatchOf[int32](cpu.Options{}, cpu.Batch{Count: 3, Out: 2, A: 2}, out, x, weights)
	fmt.Println(out.Data)
	// Output: [1000 2 3000 4 5000 6]
}

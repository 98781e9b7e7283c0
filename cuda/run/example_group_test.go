package run_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout"
)

// Products of different shapes are one launch. The function called here stands for the one that
// is generated of a spec with Grouped: true.
func ExampleGrouped() {
	device, err := emu.Open(emu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	stream, _ := device.NewStream()
	matrix := func(x layout.Matrix[float32]) cuda.Matrix[float32] {
		m, err := cuda.From(stream, x)
		if err != nil {
			panic(err)
		}
		return m
	}
	// Rows of one matrix belong to two products, with a b each.
	rows := matrix(layout.RowMajor([]float32{1, 2, 3, 4, 5, 6}, 3, 2))
	out := matrix(layout.RowMajor([]float32{0, 0, 0, 0, 100, 100}, 3, 2))
	problems := []problem[float32, float32]{
		{Out: out.RowSlice(0, 2), A: rows.RowSlice(0, 2), B: matrix(layout.RowMajor([]float32{1, 0, 0, 1}, 2, 2))},
		{Out: out.RowSlice(2, 3), A: rows.RowSlice(2, 3), B: matrix(layout.RowMajor([]float32{1, 1, 1, 1}, 2, 2)), Scaling: run.Scale(2, 1)},
	}
	if err := grouped(groupedF32(), stream, run.Options{}, problems); err != nil {
		fmt.Println(err)
		return
	}
	result, _ := out.To(stream)
	fmt.Println(result.Data)

	problems[1].Out = problems[0].Out.RowSlice(1, 2)
	fmt.Println(grouped(groupedF32(), stream, run.Options{}, problems))
	// Output:
	// [1 2 3 4 122 122]
	// test.GroupF32: out of problem 1: shares memory with out of problem 0; products of a group are done in no order
}

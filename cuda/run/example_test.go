package run_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/layout"
)

// matMulF32Set stands for the literal in generated code; this is the function that
// is generated with it. A program calls it with matrices on a device, real or, as
// here, emulated.
func Example() {
	device, err := emu.Open(emu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	stream, _ := device.NewStream()
	a, _ := cuda.From(stream, layout.RowMajor([]float32{1, 2, 3, 4}, 2, 2))
	b, _ := cuda.From(stream, layout.RowMajor([]float32{10, 20, 30, 40}, 2, 2))
	out, _ := cuda.New[float32](device, 2, 2)

	if err := MatMulF32(stream, out, a, b); err != nil {
		fmt.Println(err)
		return
	}
	result := layout.New[float32](2, 2)
	if err := out.Read(stream, result); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Data)

	fmt.Println(MatMulF32(stream, out, a, b.Slice(0, 1, 0, 2)))
	// Output:
	// [70 100 150 220]
	// test.MatMulF32: shapes: out is 2 x 2, a is 2 x 2 and b is 1 x 2; want m x n, m x k and k x n
}

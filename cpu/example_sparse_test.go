package cpu_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

func ExampleSpMM() {
	b := sparse.NewBuilder[float32](3, 4)
	b.Add(0, 1, 2)
	b.Add(0, 3, 1)
	b.Add(2, 0, 5) // row 1 is empty
	a, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	x := layout.RowMajor([]float32{1, 10, 2, 20, 3, 30, 4, 40}, 4, 2)
	out := layout.New[float32](3, 2)
	cpu.SpMM(out, a, x)
	fmt.Println(out.Data)

	// The same matrix in another format.
	sell, err := format.Pack(a, format.SELL(2, 2))
	if err != nil {
		panic(err)
	}
	cpu.SpMM(out, sell, x)
	fmt.Println(out.Data)
	// Output:
	// [8 80 0 0 5 50]
	// [8 80 0 0 5 50]
}

func ExampleSpMV() {
	a, err := sparse.FromCSR(2, 3, []int{0, 2, 3}, []int{0, 2, 1}, []float64{1, 2, 3})
	if err != nil {
		panic(err)
	}
	y := make([]float64, 2)
	cpu.SpMV(y, a, []float64{1, 10, 100})
	fmt.Println(y)

	// y = 2*a*x - y
	cpu.SpMVOpt(cpu.Options{Scaling: cpu.Scale(2, -1)}, y, a, []float64{1, 10, 100})
	fmt.Println(y)
	// Output:
	// [201 30]
	// [201 30]
}

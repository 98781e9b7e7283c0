package layout_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
)

// A transposed matrix and a part of one are views: the strides say it all.
func ExampleMatrix() {
	m := layout.RowMajor([]float32{
		1, 2, 3,
		4, 5, 6,
	}, 2, 3)
	fmt.Println(m.At(0, 2), m.T().At(2, 0))

	s := m.Slice(0, 2, 1, 3) // both rows, the last two columns
	s.Set(1, 1, 60)
	fmt.Println(s.Rows, s.Cols, s.RowStride, s.ColStride, m.At(1, 2))
	// Output:
	// 3 3
	// 2 2 3 1 60
}

// Elements are printed by the verb, below one another; of large matrices the corners.
func ExampleMatrix_Format() {
	m := layout.RowMajor([]float64{1, 0.5, 0.25, 100}, 2, 2)
	fmt.Printf("%.2f\n", m)
	fmt.Printf("%+v\n", m.T())
	fmt.Println(layout.New[float32](1000, 20))
	// Output:
	// [1.00    0.50]
	// [0.25  100.00]
	// 2 x 2 of f64, strides (1, 2)
	// [  1  0.25]
	// [0.5   100]
	// 1000 x 20 of f32
	// [0  0  0  0  ...  0  0  0  0]
	// [0  0  0  0  ...  0  0  0  0]
	// [0  0  0  0  ...  0  0  0  0]
	// [0  0  0  0  ...  0  0  0  0]
	// ...
	// [0  0  0  0  ...  0  0  0  0]
	// [0  0  0  0  ...  0  0  0  0]
	// [0  0  0  0  ...  0  0  0  0]
	// [0  0  0  0  ...  0  0  0  0]
}

// A check that does not overflow stands before every kernel.
func ExampleMatrix_Check() {
	m := layout.Matrix[float64]{Data: make([]float64, 9), Rows: 3, Cols: 3, RowStride: 4, ColStride: 1}
	fmt.Println(m.Check("a"))
	// Output:
	// a: 9 elements do not hold 3 x 3 with strides (4, 1); want at least 11
}

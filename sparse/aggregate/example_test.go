package aggregate_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
)

// SciPy: norm(a, 1), norm(a, inf), norm(a) and abs(a).max().
func ExampleNorm1() {
	a, _ := sparse.FromDense(layout.RowMajor([]float64{3, -4, 0, 12}, 2, 2))
	fmt.Println(aggregate.Norm1(a), aggregate.NormInf(a), aggregate.NormFrobenius(a), aggregate.NormMax(a))
	// Output: 16 12 13 12
}

// SciPy: a.max(axis=1) and a.argmax(axis=1). What is not stored counts as 0.
func ExampleRowMax() {
	a, _ := sparse.FromCOO(2, 3, []int{0, 0, 1, 1, 1}, []int{0, 2, 0, 1, 2}, []float64{-1, -2, -3, -1, -2})
	fmt.Println(aggregate.RowMax(a), aggregate.RowArgMax(a), aggregate.RowMin(a), aggregate.ColMin(a))
	// Output: [0 -1] [1 1] [-2 -3] [-3 -1 -2]
}

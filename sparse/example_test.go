package sparse_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
)

// Edges in any order make a matrix; those that come twice are added.
func ExampleFromCOO() {
	from := []int{2, 0, 0, 2}
	to := []int{2, 3, 1, 2}
	m, err := sparse.FromCOO(3, 4, from, to, []float32{3, 2, 1, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m)
	for e, v := range m.All() {
		fmt.Println(e.I, e.J, v)
	}
	// Output:
	// 3 x 4 with 3 entries of f32
	// 0 1 1
	// 0 3 2
	// 2 2 7
}

// What is wrong is said with the place and the numbers.
func ExampleFromCSR() {
	_, err := sparse.FromCSR(2, 3, []int{0, 2, 1}, []int{0, 5}, []float32{1, 2})
	fmt.Println(err)
	_, err = sparse.FromCSR(2, 3, []int{0, 1, 2}, []int{0, 5}, []float32{1, 2})
	fmt.Println(err)
	// Output:
	// sparse.FromCSR: pointers[2] is 1, with 2 entries; the last is the number of entries
	// sparse.FromCSR: indices[1] is 5, outside 2 x 3
}

func ExampleBuilder() {
	b := sparse.NewBuilder[float64](1000, 1000)
	for i := range 999 {
		b.Add(i, i+1, 0.5)
		b.Add(i+1, i, 0.5)
	}
	m, err := b.Matrix()
	fmt.Println(m, err)
	fmt.Println(m.At(7, 8), m.At(7, 7), aggregate.RowSums(m)[7])
	// Output:
	// 1000 x 1000 with 1998 entries of f64 <nil>
	// 0.5 0 1
}

// The values of a transposed matrix follow those of the matrix without another
// transposition.
func ExampleMatrix_TransposeFrom() {
	m, _ := sparse.FromCOO(2, 3, []int{0, 0, 1}, []int{0, 2, 0}, []float32{1, 2, 3})
	t, from := m.TransposeFrom()
	weights := []float32{10, 20, 30} // new values of m
	moved := make([]float32, len(from))
	for k, f := range from {
		moved[k] = weights[f]
	}
	t, _ = t.WithValues(moved)
	fmt.Println(from, t.At(2, 0), t.At(0, 1))
	// Output: [0 2 1] 20 30
}

package sparse_test

import (
	"fmt"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
)

// show prints a small matrix, a dot for what is not stored.
func show(m sparse.Matrix[float64]) {
	for i := range m.Rows() {
		at := 0
		for j, v := range m.Row(i) {
			for ; at < j; at++ {
				fmt.Print(" .")
			}
			fmt.Printf(" %v", v)
			at = j + 1
		}
		for ; at < m.Cols(); at++ {
			fmt.Print(" .")
		}
		fmt.Println()
	}
}

// two are a matrix and another of the same size.
func two() (a, b sparse.Matrix[float64]) {
	a, _ = sparse.FromCOO(2, 3, []int{0, 0, 1}, []int{0, 2, 1}, []float64{1, 2, 3})
	b, _ = sparse.FromCOO(2, 3, []int{0, 1, 1}, []int{2, 0, 1}, []float64{5, 6, 2})
	return a, b
}

// SciPy: a.maximum(b), of matrices without negative elements; GraphBLAS: eWiseAdd with
// max.
func ExampleMatrix_Union() {
	a, b := two()
	c, err := a.Union(b, func(x, y float64) float64 { return max(x, y) })
	show(c)
	fmt.Println(err)
	// Output:
	//  1 . 5
	//  6 3 .
	// <nil>
}

// SciPy: a - b.
func ExampleMatrix_Combine() {
	a, b := two()
	c, _ := a.Combine(b, func(x, y float64) float64 { return x - y })
	show(c)
	// Output:
	//  1 . -3
	//  -6 1 .
}

// GraphBLAS: eWiseMult with min.
func ExampleMatrix_Intersect() {
	a, b := two()
	c, _ := a.Intersect(b, func(x, y float64) float64 { return min(x, y) })
	show(c)
	// Output:
	//  . . 2
	//  . 2 .
}

// SciPy: a.multiply(b).
func ExampleMatrix_Multiply() {
	a, b := two()
	c, _ := a.Multiply(b)
	show(c)
	// Output:
	//  . . 10
	//  . 6 .
}

// SciPy: the Laplacian of a grid, kron(eye(2), t) + kron(u, eye(3)).
func ExampleKron() {
	t, _ := sparse.FromCOO(3, 3, []int{0, 0, 1, 1, 1, 2, 2}, []int{0, 1, 0, 1, 2, 1, 2}, []float64{2, -1, -1, 2, -1, -1, 2})
	u, _ := sparse.FromCOO(2, 2, []int{0, 1}, []int{1, 0}, []float64{-1, -1})
	two, _ := sparse.Identity[float64](2)
	three, _ := sparse.Identity[float64](3)
	x, _ := sparse.Kron(two, t)
	y, _ := sparse.Kron(u, three)
	grid, _ := x.Add(y)
	show(grid)
	// Output:
	//  2 -1 . -1 . .
	//  -1 2 -1 . -1 .
	//  . -1 2 . . -1
	//  -1 . . 2 -1 .
	//  . -1 . -1 2 -1
	//  . . -1 . -1 2
}

// SciPy: hstack([a, b]).
func ExampleHStack() {
	a, b := two()
	c, _ := sparse.HStack(a, b)
	show(c)
	// Output:
	//  1 . 2 . . 5
	//  . 3 . 6 2 .
}

// SciPy: vstack([a, b]).
func ExampleVStack() {
	a, b := two()
	c, _ := sparse.VStack(a, b)
	show(c)
	// Output:
	//  1 . 2
	//  . 3 .
	//  . . 5
	//  6 2 .
}

// SciPy: bmat([[None, a], [a.T, None]]), the bipartite graph of a.
func ExampleBlock() {
	a, _ := two()
	none := sparse.Matrix[float64]{}
	c, _ := sparse.Block([][]sparse.Matrix[float64]{{none, a}, {a.Transpose(), none}})
	show(c)
	// Output:
	//  . . 1 . 2
	//  . . . 3 .
	//  1 . . . .
	//  . 3 . . .
	//  2 . . . .
}

// SciPy: eye(3).
func ExampleIdentity() {
	id, _ := sparse.Identity[float64](3)
	show(id)
	// Output:
	//  1 . .
	//  . 1 .
	//  . . 1
}

// SciPy: diags([1, 2], 1), and diagonal(1) of it.
func ExampleFromDiagonal() {
	d, _ := sparse.FromDiagonal([]float64{1, 2}, 1)
	show(d)
	fmt.Println(d.DiagonalAt(1))
	// Output:
	//  . 1 .
	//  . . 2
	//  . . .
	// [1 2]
}

// SciPy: a[0:2, 1:3].
func ExampleMatrix_Slice() {
	a, _ := two()
	show(a.Slice(0, 2, 1, 3))
	// Output:
	//  . 2
	//  3 .
}

// SciPy: a[[1, 0, 1], :] and a[:, [2, 2]].
func ExampleMatrix_TakeRows() {
	a, _ := two()
	rows, _ := a.TakeRows([]int{1, 0, 1})
	show(rows)
	cols, _ := a.TakeCols([]int{2, 2})
	show(cols)
	_, err := a.TakeRows([]int{2})
	fmt.Println(err)
	// Output:
	//  . 3 .
	//  1 . 2
	//  . 3 .
	//  2 2
	//  . .
	// sparse.Matrix.TakeRows: list[0] is 2, the matrix is 2 x 3
}

// Rows of a graph in another order, and its columns likewise, are the same graph with
// other numbers.
func ExampleMatrix_PermuteRows() {
	g, _ := sparse.FromCOO(3, 3, []int{0, 1}, []int{1, 2}, []float64{1, 1})
	order := []int{2, 0, 1}
	g, _ = g.PermuteRows(order)
	g, _ = g.PermuteCols(order)
	show(g)
	// Output:
	//  . . .
	//  . . 1
	//  1 . .
}

// SciPy: tril(a, -1) and triu(a, 1).
func ExampleMatrix_Tril() {
	a, _ := sparse.FromDense(matrixOf(3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9))
	show(a.Tril(-1))
	show(a.Triu(1))
	// Output:
	//  . . .
	//  4 . .
	//  7 8 .
	//  . 2 3
	//  . . 6
	//  . . .
}

// SciPy: diags(1 / a.sum(axis=1)) @ a, the steps of a random walk.
func ExampleMatrix_ScaleRows() {
	a, _ := sparse.FromDense(matrixOf(2, 3, 1, 0, 3, 0, 5, 0))
	s := aggregate.RowSums(a)
	for i := range s {
		s[i] = 1 / s[i]
	}
	walk, _ := a.ScaleRows(s)
	show(walk)
	// Output:
	//  0.25 . 0.75
	//  . 1 .
}

// Edges that are heavy enough, and all others dropped. GraphBLAS: select.
func ExampleMatrix_Select() {
	a, b := two()
	heavy := a.Select(func(i, j int, v float64) bool { return v >= 2 && i != j })
	show(heavy)
	// GraphBLAS: apply.
	show(b.Apply(func(i, j int, v float64) float64 { return v*v + float64(j) }))
	// Output:
	//  . . 2
	//  . . .
	//  . . 27
	//  36 5 .
}

func matrixOf(rows, cols int, elements ...float64) layout.Matrix[float64] {
	return layout.RowMajor(elements, rows, cols)
}

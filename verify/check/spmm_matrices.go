package check

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// panels are the widths of every kernel of a family, full and masked.
func (c *SpMMCase[T]) panels() []int {
	if c.Features > 0 {
		return []int{c.Features}
	}
	var widths []int
	half := max(c.VL/2, 1) // the vectors of another ISA
	for n := half; n <= maxVectors*c.VL; n += half {
		widths = append(widths, n)
		if half > 1 {
			widths = append(widths, n-1)
		}
	}
	return widths
}

// degree is how many entries a row may have in the format, of those tried.
func (c *SpMMCase[T]) degree() int {
	for _, d := range []int{20, 8, 4, 2} {
		if c.Format.Name == "" {
			return d
		}
		if _, err := format.Pack(must(sample.EmptyRows[T](60, 100, d, 1)), c.Format); err == nil {
			return d
		}
	}
	return 1
}

// maxVectors is the most vectors of a row that a kernel holds. wideBytes is what b
// takes so that a kernel fetches its rows early: more than half of an L2.
const (
	maxVectors = 16
	wideBytes  = 5 << 18
)

// wideMatrix has a few entries in each of its rows and so many columns that b with n
// columns does not fit L2.
func wideMatrix[T dtype.Float](n, degree int) namedMatrix[T] {
	var z T
	return namedMatrix[T]{name: "wide", matrix: must(sample.EmptyRows[T](60, max(wideBytes/(n*int(unsafe.Sizeof(z))), 40), degree, uint64(n)))}
}

// must returns m, whose arguments are known to be right.
func must[M any](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}

// namedMatrix is a matrix under test. With edges it is tried with every number of
// columns.
type namedMatrix[T dtype.Float] struct {
	name   string
	matrix sparse.Matrix[T]
	edges  bool
}

// sparseMatrices are the structures under test, small but for one row that is long
// enough to be cut among goroutines.
func sparseMatrices[T dtype.Float]() []namedMatrix[T] {
	empty := func(rows, cols int) sparse.Matrix[T] { return must(sparse.FromCOO[T, int](rows, cols, nil, nil, nil)) }
	return []namedMatrix[T]{
		{"no rows", empty(0, 5), false},
		{"no columns", empty(5, 0), false},
		{"no entries", empty(7, 9), true},
		{"one entry", must(sample.Uniform[T](1, 1, 1, 1)), false},
		{"one row", must(sample.Uniform[T](1, 300, 250, 2)), false},
		{"one column", must(sample.EmptyRows[T](40, 1, 1, 3)), false},
		{"empty rows", must(sample.EmptyRows[T](61, 53, 4, 4)), true},
		{"dense column", must(sample.DenseColumn[T](150, 130, 3, 5)), false},
		{"dense row", must(sample.DenseRow[T](400, 3000, 3, 6)), false},
		{"power law", must(sample.RMAT[T](256, 2000, 0.57, 0.19, 0.19, 7)), true},
		{"uniform", must(sample.Uniform[T](90, 70, 4, 8)), true},
		{"band", must(sample.Banded[T](70, 2)), false},
	}
}

// widths are the numbers of columns of b to try.
func (c *SpMMCase[T]) widths(m namedMatrix[T]) []int {
	switch vl := c.VL; {
	case c.Features > 0:
		return []int{c.Features}
	case m.edges:
		return []int{0, 1, vl - 1, vl, vl + 1, 4*vl + 3, 16*vl + 5}
	case m.matrix.NNZ() > 2500:
		return []int{vl/2 + 1}
	default:
		return []int{vl/2 + 1, 2 * vl}
	}
}

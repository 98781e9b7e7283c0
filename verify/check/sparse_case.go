package check

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// A matrix is a sparse factor as oracles know it, whatever its type.
type matrix = sparse.Matrix[float64]

// numbers gives the entries of m values that a type has: small integers or random ones.
func numbers(m matrix, t dtype.Type, exact bool, salt uint64) matrix {
	if exact {
		return sample.Integers(m, 3, salt)
	}
	return sample.Random(m, salt).Apply(func(_, _ int, v float64) float64 { return roundTo(t, v) })
}

// sparse puts a factor into its slot. Where a call reads its pattern only, values are NaN. The error says that the format
// or the parts do not hold the matrix.
func (p *Problem) sparse(m matrix, pattern bool, format format.Format, parts []format.Format) (err error) {
	t := p.c.A
	p.bytes = 4*m.NNZ() + 4*(m.Rows()+1)
	if !pattern {
		p.bytes += t.Size() * m.NNZ()
	} else {
		m = must(m.WithValues(slices.Repeat([]float64{nan}, m.NNZ())))
	}
	o := &operand{}
	if p.slots[S] = o; t == dtype.F32 {
		o.views, err = views[float32](m, format, parts)
	} else {
		o.views, err = views[float64](m, format, parts)
	}
	return err
}

// views are the forms of a sparse factor: as it is, in a format, as a sum of parts.
func views[T dtype.Float](m matrix, f format.Format, parts []format.Format) ([]any, error) {
	x := must(sparse.Convert[T](m))
	views := []any{x, offsets(m)}
	if f.Name != "" {
		y, err := format.Pack(x, f)
		if err != nil {
			return nil, err
		}
		views = append(views, y)
	}
	if parts != nil {
		y, err := sample.Decomposed(x, parts)
		if err != nil {
			return nil, err
		}
		views = append(views, y)
	}
	return views, nil
}

// offsets are where the entries of rows begin, and where the last end.
func offsets(m matrix) []int {
	offsets := make([]int, m.Rows()+1)
	for i := range m.Rows() {
		offsets[i+1] = offsets[i] + m.RowNNZ(i)
	}
	return offsets
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
type namedMatrix struct {
	name string
	matrix
	edges bool
}

// sparseMatrices are the structures under test, small but for one row that is long
// enough to be cut among goroutines.
func sparseMatrices() []namedMatrix {
	empty := func(rows, cols int) matrix { return must(sparse.FromCOO[float64, int](rows, cols, nil, nil, nil)) }
	return []namedMatrix{
		{"no rows", empty(0, 5), false},
		{"no columns", empty(5, 0), false},
		{"no entries", empty(7, 9), true},
		{"one entry", must(sample.Uniform[float64](1, 1, 1, 1)), false},
		{"one row", must(sample.Uniform[float64](1, 300, 250, 2)), false},
		{"one column", must(sample.EmptyRows[float64](40, 1, 1, 3)), false},
		{"empty rows", must(sample.EmptyRows[float64](61, 53, 4, 4)), true},
		{"dense column", must(sample.DenseColumn[float64](150, 130, 3, 5)), false},
		{"dense row", must(sample.DenseRow[float64](400, 3000, 3, 6)), false},
		{"power law", must(sample.RMAT[float64](256, 2000, 0.57, 0.19, 0.19, 7)), true},
		{"uniform", must(sample.Uniform[float64](90, 70, 4, 8)), true},
		{"band", must(sample.Banded[float64](70, 2)), false},
	}
}

// benchFeatures is the number of columns of benchmarks, if none is fixed.
const benchFeatures = 128

// benchMatrix is the matrix of benchmarks of sparse products: a graph of the size of pubmed, with a power law.
func benchMatrix() matrix { return must(sample.RMAT[float64](1<<14, 100_000, 0.57, 0.19, 0.19, 1)) }

// timedOf are the matrix and the columns of a product to time.
func timedOf(of any, size, features int) (matrix, int) {
	m, ok := of.(matrix)
	switch {
	case of != nil && !ok:
		panic(fmt.Sprintf("check: %T is no matrix to time", of))
	case !ok:
		m, size = benchMatrix(), benchFeatures
	}
	if features > 0 {
		size = features
	}
	return m, size
}

// trials tries the sample matrices with each of some widths, exactly and with random numbers.
func trials(widths func(m namedMatrix) []int, problem func(m matrix, n, turn int, exact bool) (*Problem, error),
	yield func(name string, p *Problem, err error) bool) bool {
	for k, m := range sparseMatrices() {
		for at, n := range some(widths(m)) {
			for _, exact := range []bool{true, false} {
				p, err := problem(m.matrix, n, k+13*at, exact)
				if !yield(fmt.Sprintf("%s n=%d exact=%v", m.name, n, exact), p, err) {
					return false
				}
			}
		}
	}
	return true
}

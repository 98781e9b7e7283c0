package nn

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Edges is a sparse matrix whose values may change while its structure stays, and its transpose.
type Edges[T dtype.Float] struct {
	To, Back sparse.Matrix[T] // Back is To transposed
	from     []int32          // value k of Back is value from[k] of To
	moved    []T
}

// NewEdges returns a with its transpose.
func NewEdges[T dtype.Float](a sparse.Matrix[T]) *Edges[T] {
	back, from := a.TransposeFrom()
	return &Edges[T]{To: a, Back: back, from: from}
}

// Set gives the edges other values, in the order of To.CSR. They are copied.
func (e *Edges[T]) Set(values []T) {
	moved := room(&e.moved, len(values))
	for k, from := range e.from {
		moved[k] = values[from]
	}
	e.To, e.Back = with(e.To, values), with(e.Back, moved)
}

// with returns m with other values.
func with[T dtype.Float](m sparse.Matrix[T], values []T) sparse.Matrix[T] {
	out, err := m.WithValues(values)
	if err != nil {
		panic(err) // one for each entry, as all callers have them
	}
	return out
}

// WithSelf returns the structure of a graph, with an edge from each node to itself; all values are 1.
func WithSelf[T dtype.Float](graph sparse.Matrix[T]) (sparse.Matrix[T], error) {
	self, err := sparse.Identity[T](graph.Rows())
	if err != nil {
		return self, err
	}
	return graph.Union(self, func(x, y T) T { return 1 })
}

// Normalised returns D^-1/2 A D^-1/2 of a graph, D being the degrees on either side: Kipf and Welling,
// "Semi-supervised classification with graph convolutional networks", 2017. Only structure counts.
func Normalised[T dtype.Float](graph sparse.Matrix[T]) sparse.Matrix[T] {
	ones := graph.Apply(func(i, j int, v T) T { return 1 })
	rows, cols := ones.RowSums(), ones.ColSums()
	return ones.Apply(func(i, j int, v T) T { return T(1 / math.Sqrt(float64(rows[i])*float64(cols[j]))) })
}

// Mean returns the matrix that averages the neighbours of each node; of a node without any that is 0.
func Mean[T dtype.Float](graph sparse.Matrix[T]) sparse.Matrix[T] {
	return graph.Apply(func(i, j int, v T) T { return 1 / T(graph.RowNNZ(i)) })
}

package nn

import (
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
)

// Edges is a sparse matrix whose values may change while its structure stays, and its transpose.
type Edges[T dtype.Float] struct {
	To, Back sparse.Matrix[T] // Back is To transposed, but for Set without UpdateTranspose
	from     []int32          // value k of Back is value from[k] of To
	to, back structure
	values   []T // of To
	moved    []T
}

// A structure is where the entries of a matrix are.
type structure struct{ pointers, indices []int32 }

// NewEdges returns a with its transpose.
func NewEdges[T dtype.Float](a sparse.Matrix[T]) *Edges[T] {
	e := &Edges[T]{To: a}
	e.Back, e.from = a.TransposeFrom()
	e.to.pointers, e.to.indices, e.values = a.CSR()
	e.back.pointers, e.back.indices, e.moved = e.Back.CSR()
	e.To, e.Back = with(e.To, e.to, e.values), with(e.Back, e.back, e.moved) // the arrays of a need not stay
	return e
}

// Set gives To other values, in the order of To.CSR. They are not copied, and must stay until the next Set.
func (e *Edges[T]) Set(values []T) {
	e.To, e.values = with(e.To, e.to, values), values
}

// UpdateTranspose gives Back the values of the last Set.
func (e *Edges[T]) UpdateTranspose() {
	moved := resize(&e.moved, len(e.values))
	for k, from := range e.from {
		moved[k] = e.values[from]
	}
	e.Back = with(e.Back, e.back, moved)
}

// with returns m, whose structure is s, with other values, which it shares: an epoch allocates none. Kernels form addresses of structure
// only, so values that change later are no danger.
func with[T dtype.Float](m sparse.Matrix[T], s structure, values []T) sparse.Matrix[T] {
	return sparse.Trusted(m.Rows(), m.Cols(), s.pointers, s.indices, values, m.Sorted())
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
	rows, cols := aggregate.RowSums(ones), aggregate.ColSums(ones)
	return ones.Apply(func(i, j int, v T) T { return T(1 / math.Sqrt(float64(rows[i])*float64(cols[j]))) })
}

// Mean returns the matrix that averages the neighbours of each node; of a node without any that is 0.
func Mean[T dtype.Float](graph sparse.Matrix[T]) sparse.Matrix[T] {
	return graph.Apply(func(i, j int, v T) T { return 1 / T(graph.RowNNZ(i)) })
}

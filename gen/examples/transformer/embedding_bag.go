package transformer

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// An EmbeddingBag sums rows of a table: an embedding bag. For bags of one number each it is an
// embedding.
type EmbeddingBag[S dtype.Elem, P dtype.Float] struct {
	Table *Param[S, P] // numbers x width

	bags sparse.Matrix[P]
	out  layout.Matrix[P]
}

// NewEmbeddingBag returns a bag whose table is zero.
func NewEmbeddingBag[S dtype.Elem, P dtype.Float](k *Kernels[S, P], name string, numbers, width int) *EmbeddingBag[S, P] {
	b := &EmbeddingBag[S, P]{Table: newParam(k, name, numbers, width, 0)}
	b.Table.Decay = false
	return b
}

// Bags makes a matrix of lists of rows of a table: a row for each list, and how often each number is in it. A number that the table
// does not have is an error.
func Bags[P dtype.Float](numbers int, lists [][]int) (sparse.Matrix[P], error) {
	b := sparse.NewBuilder[P](len(lists), numbers)
	for i, list := range lists {
		for _, n := range list {
			b.Add(i, n, 1)
		}
	}
	return b.Matrix()
}

// ones is Bags of lists of one number each.
func ones[P dtype.Float](numbers int, list []int32) (sparse.Matrix[P], error) {
	pointers, values := make([]int32, len(list)+1), make([]P, len(list))
	for i := range list {
		pointers[i+1], values[i] = int32(i+1), 1
	}
	return sparse.FromCSR(len(list), numbers, pointers, list, values)
}

// Forward returns for each row of bags the sum of the table's rows times the row's values. It is the mean if
// each value is one over their number. bags has a column for each row of the table.
func (b *EmbeddingBag[S, P]) Forward(p *Pass, bags sparse.Matrix[P]) layout.Matrix[P] {
	b.bags = bags
	cpu.SpMMOpt(p.options(), sized(&b.out, bags.Rows(), b.Table.Value.Cols), bags, b.Table.Value)
	return b.out
}

// Backward takes the gradient of what the last Forward returned, and sets that of the table.
func (b *EmbeddingBag[S, P]) Backward(p *Pass, g layout.Matrix[P]) {
	cpu.SpMMOpt(p.options(), b.Table.Grad, b.bags.Transpose(), g)
}

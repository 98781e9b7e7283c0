package spblas

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// MultiplyRaw is Multiply of arrays that a test puts where it likes.
func (s *SpMM[T]) MultiplyRaw(opt run.Options, out layout.Matrix[T], a sparse.Raw, b layout.Matrix[T]) {
	s.multiply(opt, out, a, b)
}

// Begins returns where the tasks of a product begin: row and entry.
func (s *SpMM[T]) Begins(a sparse.Raw, n int) (starts [][2]int) {
	p := new(rowProduct)
	p.init(s.pickRows(&run.Options{}), 4, a, n)
	for t := range p.perPass + 1 {
		at := p.begin(t)
		starts = append(starts, [2]int{at.row, at.entry})
	}
	return starts
}

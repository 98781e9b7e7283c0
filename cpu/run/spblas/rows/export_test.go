package rows

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
)

// MultiplyRaw is Multiply of arrays that a test puts where it likes.
func (s *SpMM[T]) MultiplyRaw(opt run.Options, out layout.Matrix[T], a sparse.Raw, b layout.Matrix[T]) {
	store(s, opt, out, &Rows[T]{raw: a}, b)
}

// Begins returns where the tasks of a product begin: row and entry.
func (s *SpMM[T]) Begins(a sparse.Raw, n int) (starts [][2]int) {
	p := new(rowProduct)
	p.init(s.pickRows(&run.Options{}), 4, 4, 0, a, n)
	for t := range p.perPass + 1 {
		at := p.begin(t)
		starts = append(starts, [2]int{at.row, at.entry})
	}
	return starts
}

// EndsRows reports whether the loops of a hand on rows while they go on, rather than at the
// end, and whether a has loops of its own and kernels for them.
func (s *SpMM[T]) EndsRows(a format.Packed[T], n int) (ends, kernels bool) {
	if _, ok := rawRows(&a); ok {
		return true, true
	}
	p := &nestProduct{kern: s.Nests[0], size: dtype.Of[T]().Size(), n: n, ends: new(nestEnd)}
	p.ends.begin(nil, false, mem.Operand{}, a.Rows(), n, p.size)
	set, masked := findNest(p.kern, a)
	kernels = set.full != nil
	if !kernels {
		set.full, set.tail, _ = p.kern.Loops(0)
	}
	p.set = set
	traversal, outer := nestPlan(p, a, masked)
	return cutRows(p, a, outer, traversal), kernels
}

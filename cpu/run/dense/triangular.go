package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/cpu/run/internal/sums"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// MulTriangular computes b = alpha*a*b in place for a triangular a. It reads triangle t of a. b*a is the transpose of
// a.T()*b.T(), with t.T(). Options.Conj may have run.ConjA. It panics as [Set.Gemm] does, with a [run.OptionError]
// for a bad triangle and for a beta, since b is read as an operand.
func (s *Set[T]) MulTriangular(opt run.Options, t Triangle, a, b layout.Matrix[T]) {
	s.triangular(opt, t, a, b, false)
}

// SolveTriangular solves a*x = alpha*b for a triangular a and sets b to x. It reads triangle t of a; x*a = alpha*b is
// the transpose of a.T()*x.T() = alpha*b.T(), with t.T(). Rows are multiplied by the reciprocals of the diagonal.
// Plain Go solves a triangle of up to some 256 rows if a diagonal element has no precise reciprocal. A zero is such
// an element; dividing by it gives Inf or NaN. Plain Go also serves operators without kernels for triangles. It
// panics as [Set.MulTriangular] does.
func (s *Set[T]) SolveTriangular(opt run.Options, t Triangle, a, b layout.Matrix[T]) {
	s.triangular(opt, t, a, b, true)
}

func (s *Set[T]) triangular(opt run.Options, t Triangle, a, b layout.Matrix[T], solve bool) {
	name := opt.Name(s.Name)
	run.CheckThreads(name, opt.Threads)
	own := dtype.Of[T]()
	s.checkTypes(name, own, own, own)
	if s.Semiring != nil {
		checkSemiring(name, &opt, Structure{A: t})
	}
	checkTriangle(name, "a", t, a.Rows, a.Cols, true)
	if a.Cols != b.Rows {
		check.Call(name).Refuse("a is %d x %d, b is %d x %d; want m x m and m x n", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	check.Read(check.Call(name), "a", &a)
	check.Written(check.Call(name), "b", &b)
	if touches(t, &a, &b) {
		check.Call(name).Refuse("b shares elements with a; want it in memory of its own")
	}
	check.Call(name).Unpacked(&opt, general)
	alpha, beta := sums.Factors[T](name, &opt)
	if beta != 0 {
		check.Call(name).RefuseOption("beta is not 0; b is an operand, and only alpha belongs to it")
	}
	kern := s.pick(name, opt.ISA)
	switch {
	case b.Rows == 0 || b.Cols == 0:
		return
	case alpha == 0:
		mem.Scale(b, 0)
		return
	}
	mem.Normalize(&b)
	c := inPlace[T]{set: s, kern: kern, threads: work.Allowed(opt.Threads), t: t, solve: solve, conj: opt.Conj & run.ConjA}
	c.apply(alpha, a, b)
}

// inPlace is a call that multiplies b by a triangular a, or by its inverse.
type inPlace[T dtype.AnySum] struct {
	set     *Set[T]
	kern    *kernel.Kernels
	threads int
	t       Triangle
	solve   bool
	conj    run.Conjugates // of a
}

// mostTriangle is the most rows of a triangle that is not cut. In larger ones half of the
// additions are in a product. In smaller ones the rows of a panel stay in the second cache
// together with it.
const mostTriangle = 256

// apply does a triangle by cutting it,
//
//	a11  .     b1
//	a21 a22    b2
//
// and doing the smaller ones and a product, in the order in which each reads what it
// needs. To solve, that is b1 before b2 if a is lower; to multiply, b2 before b1.
func (c *inPlace[T]) apply(alpha T, a, b layout.Matrix[T]) {
	n, mr := a.Rows, 1
	if c.kern != nil {
		mr = c.kern.MR
	}
	if n < mostTriangle+mr {
		c.block(alpha, a, b)
		return
	}
	// Halves in whole tiles, or nearly so.
	h := mem.Ceil(n/2, mr) * mr
	first, other := mem.Extent{From: 0, To: h}, mem.Extent{From: h, To: n}
	if c.t.IsLower() != c.solve {
		first, other = other, first
	}
	part := func(r, k mem.Extent) layout.Matrix[T] { return a.Slice(r.From, r.To, k.From, k.To) }
	b1, b2 := b.Slice(first.From, first.To, 0, b.Cols), b.Slice(other.From, other.To, 0, b.Cols)
	c.apply(alpha, part(first, first), b1)
	if c.solve {
		c.multiply(-1, part(other, first), b1, alpha, b2)
		c.apply(1, part(other, other), b2)
	} else {
		c.multiply(alpha, part(first, other), b2, 1, b1)
		c.apply(alpha, part(other, other), b2)
	}
}

// multiply computes out = alpha*a*b + beta*out.
func (c *inPlace[T]) multiply(alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
	gemm[T]{set: c.set, kern: c.kern, conj: c.conj, alpha: alpha, beta: beta}.run(c.threads, plain.Of(out), plain.Of(a), plain.Of(b))
}

// block does a triangle that is not cut.
func (c *inPlace[T]) block(alpha T, a, b layout.Matrix[T]) {
	j := jobs.Get()
	d := diagonalOf[T](j)
	d.kern, d.alpha, d.t, d.solve, d.n, d.a, d.b = c.kern, alpha, c.t, c.solve, a.Rows, a, b
	d.conj = c.conj != 0 && dtype.Of[T]().Complex()
	if c.kern == nil || c.kern.Triangles == nil || !d.prepare(&j.self) {
		d.kern, d.panel = nil, portableRowsAtOnce
	}
	threads := c.threads
	if float64(a.Rows)*float64(a.Rows)*float64(b.Cols)/2 < work.Threaded {
		threads = 1
	}
	d.tasks.Begin(mem.Ceil(b.Cols, d.panel))
	j.rare = rareTask{d, workOnDiagonal}
	j.run(threads)
	d.a, d.b, d.kern = layout.Matrix[T]{}, layout.Matrix[T]{}, nil
	putJob(j)
}

package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/plain"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// gemm is a checked product out = alpha*a*b + beta*out, less its operands.
type gemm[T dtype.AnySum] struct {
	set         *Set[T]
	alpha, beta T
	kern        *kernel.Kernels // nil: the portable code
	pre         *run.Packed     // b, packed beforehand; or nil
	conj        run.Conjugates  // of complex numbers
	is          Structure
	to          *Each // rounds sums; or nil
}

// run computes the product on up to so many goroutines.
func (g gemm[T]) run(threads int, out, a, b plain.Operand[T]) {
	switch {
	case out.Rows == 0 || out.Cols == 0:
		return
	case g.kern == nil || a.Cols == 0 || g.alpha == 0:
		g.portable(threads, out, a, b)
		return
	}
	if !out.Narrow() {
		g.byRows(&out, &a, &b)
		g.compute(threads, out, a, b)
		return
	}
	if f := g.to.of(g.kern); f != nil && g.alpha == 1 && g.beta == 0 {
		t, to, x, y := g, out, a, b
		if t.byRows(&to, &x, &y); to.ColStride == 1 {
			t.rounded(f, threads, to, x, y)
			return
		}
	}
	// Sums of another type than the result are made apart, some rows of them at once.
	j := jobs.Get()
	size := dtype.Of[T]().Size()
	rows := max(1, min(out.Rows, budget.Panel/mem.Volume(out.Cols, size)))
	j.partial.Grow(mem.Volume(rows, out.Cols, size))
	sum := g
	sum.alpha, sum.beta = 1, 0
	for i := 0; i < out.Rows; i += rows {
		end := min(i+rows, out.Rows)
		sums := layout.RowMajor(unsafe.Slice((*T)(j.partial.P), (end-i)*out.Cols), end-i, out.Cols)
		s, to, x, y := sum, plain.Of(sums), a.Slice(i, end, 0, a.Cols), b
		s.byRows(&to, &x, &y)
		s.compute(threads, to, x, y)
		for from := 0; from < out.Cols; from += plain.NC {
			to := min(from+plain.NC, out.Cols)
			part := out.Slice(i, end, from, to)
			part.Finish(g.alpha, sums.Slice(0, end-i, from, to), g.beta)
		}
	}
	putJob(j)
}

// byRows makes a product whose result lies by columns one of transposes, whose result lies
// by rows, if that is possible.
func (g *gemm[T]) byRows(out, a, b *plain.Operand[T]) {
	out.Normalize()
	a.Normalize()
	b.Normalize()
	if out.ColStride == 1 || out.RowStride != 1 || a.Elem() != b.Elem() || g.set.Shape != (tiling.Shape{}) ||
		g.set.Semiring != nil && !g.set.Semiring().Laws.Commutative {
		return
	}
	g.pre = nil // it is of the operand that comes first now
	g.conj = g.conj.T()
	if g.is.Symmetric { // a as it is, now on the right
		*out, *a, *b = out.T(), b.T(), *a
		g.is = Structure{B: g.is.A, Symmetric: true, Hermitian: g.is.Hermitian}
		if g.is.Hermitian { // whose transpose is its conjugate
			g.conj ^= run.ConjB
		}
		return
	}
	*out, *a, *b = out.T(), b.T(), a.T()
	g.is.Out = g.is.Out.T()
}

// compute computes a product whose result is of the type of the sums.
func (g *gemm[T]) compute(threads int, out, a, b plain.Operand[T]) {
	j := jobs.Get()
	g.fill(&j.product, out.Place(), out.Rows, out.Cols, &a, &b)
	j.deepen()
	j.compute(threads)
	putJob(j)
}

// rounded computes the product with an epilogue f that rounds the sums of a tile while they are in L1.
func (g *gemm[T]) rounded(f kernel.Func[kernel.EpiArgs], threads int, out, a, b plain.Operand[T]) {
	j := jobs.Get()
	to := out.Place()
	g.fill(&j.product, to, out.Rows, out.Cols, &a, &b)
	j.deepen()
	j.fused = epi.Fusion{On: true, Asm: f, Portable: g.to.Portable, N: 1, Contiguous: true}
	j.fused.Slots[0] = kernel.Slot{P: to.P, Rs: int64(to.RS), Cs: int64(to.CS)}
	j.fused.Prepare(&j.partial, out.Rows, out.Cols, 0, 0, g.kern.VL)
	j.compute(threads)
	putJob(j)
}

// fill sets p to the product of operands for an m x n result at c.
func (g *gemm[T]) fill(p *product, c mem.Operand, m, n int, a, b *plain.Operand[T]) {
	*p = product{
		kern: g.kern, size: dtype.Of[T]().Size(), ta: a.Elem(), tb: b.Elem(), c: c, m: m, n: n, k: a.Cols, pre: g.pre,
		alpha: mem.BitsOf(g.alpha), beta: mem.BitsOf(g.beta), one: mem.BitsOf(T(1)), mode: kernel.ModeOf(g.alpha, g.beta),
		integers: dtype.Of[T]() == dtype.I32, joins: g.set.Semiring != nil,
		exists: g.is.Out, bs: g.is.B, hermitian: g.is.Hermitian,
	}
	if a.Cols > 0 {
		p.a, p.b = a.Place(), b.Place()
	}
	if p.bs != 0 {
		p.source = mirror{}
	}
	if g.is.Symmetric {
		p.as = g.is.A
	} else {
		p.at = g.is.A
	}
	if g.kern != nil && g.kern.Paired() {
		p.pair = pairingOf(complexNumbers, g.conj, g.alpha, g.beta)
		if p.joins && g.set.Semiring().TimesBy == semiring.DualBy {
			p.pair.square = 0
		}
		var f kernel.Pair
		p.mode = p.pair.set(&f, p.size, false)
	}
}

// portable is run in plain Go.
func (g *gemm[T]) portable(threads int, out, a, b plain.Operand[T]) {
	switch {
	case g.set.Semiring != nil:
		ring := g.set.Semiring()
		portable(threads, &ring, 1, a, b, 0, out)
	case g.is.Out != 0:
		g.portableTriangle(threads, out, a, b)
	case g.is.A != 0 && g.alpha != 0:
		g.portableSymmetric(threads, out, a, b)
	default:
		portable(threads, nil, g.alpha, a.Conjugated(g.conj&run.ConjA), b.Conjugated(g.conj&run.ConjB), g.beta, out)
	}
}

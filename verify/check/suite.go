package check

import (
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A Gemm sets out = alpha*a*b + beta*out. With beta == 0 it never reads out.
type Gemm[T dtype.Float] func(alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T])

// Options describe the kernel under test, so that the suite aims at its edges.
type Options struct {
	Name   string // of the subtest; may be empty
	MR, NR int    // rows and columns of the register tile
	KC     int    // elements of the smallest k-block but the last; 0 means that k is not blocked

	// Alphas and Betas are the scales to test, multiples of 1/256. By default both
	// are 0, 1, -1 and 2.5. A kernel without alpha and beta has Alphas {1} and
	// Betas {0}.
	Alphas, Betas []float64

	// Threads says that f may use several goroutines and be called by several:
	// concurrent calls must not disturb each other.
	Threads bool

	// Checked says that f checks its operands: it must panic with a
	// layout.ShapeError, and write nothing, if they do not fit together.
	Checked bool
}

// Suite puts f through every check of this package. With the usual tiles it costs
// under a second for loops of 2 GFLOP/s; TILESMITH_LONG=1 adds exhaustive small
// shapes and larger big ones. f is called from this goroutine, unless o.Threads is
// set.
func Suite[T dtype.Float](t TB, f Gemm[T], o Options) {
	t.Helper()
	op := newGemm(o.Alphas, o.Betas)
	op.callers, op.checked = o.Threads, o.Checked
	c := gemmCase(f, o.MR, o.NR, o.KC)
	c.Op = op
	run := func(t TB) { op.run(t, func(int) Case { return c }) }
	if o.Name != "" {
		group(t, "kernel="+o.Name, run)
		return
	}
	run(t)
}

// gemmCase describes a kernel, all but its operation.
func gemmCase[T dtype.Float](f Gemm[T], mr, nr, kc int) Case {
	typ := dtype.Of[T]()
	return Case{MR: mr, NR: nr, KC: kc, A: typ, B: typ, Acc: typ, Slots: []Slot{{Type: typ, Out: true}}, Call: func(p *Problem) {
		matrix := Get[layout.Matrix[T]]
		f(T(real(p.Alpha)), matrix(p, A), matrix(p, B), T(real(p.Beta)), matrix(p, 0))
	}}
}

// newGemm is the operation with some scales, or the usual ones.
func newGemm(alphas, betas []float64) *gemm {
	op := &gemm{alphas: alphas, betas: betas}
	usual := []float64{0, 1, -1, 2.5}
	if op.alphas == nil {
		op.alphas = usual
	}
	if op.betas == nil {
		op.betas = usual
	}
	return op
}

// run checks a case, and says what was done.
func (op *gemm) run(t TB, of func(threads int) Case) {
	t.Helper()
	if c := of(1); c.MR < 1 || c.NR < 1 || c.KC < 0 {
		t.Errorf("check: %s MR=%d NR=%d KC=%d: MR and NR must be positive, KC not negative", c.Name, c.MR, c.NR, c.KC)
		return
	}
	Run(t, of)
	t.Logf("%d calls, %.1f million multiply-adds", op.calls, float64(op.mac)/1e6)
	if op.worst > 0 {
		t.Logf("the largest accumulator error is %.2g of its bound", op.worst)
	}
}

// MixedCase is a product under test whose operands need not have the type of its
// sums: out = a*b.
type MixedCase[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem] struct {
	Name       string
	MR, NR, KC int // the tile, and the depth up to which sums are made in one go; KC 0: any
	// Flushes says that denormal operands count as zeros, and that a sum that is denormal
	// becomes one after each addition, as VDPBF16PS has it. MayFlush says that some are kept and some flushed, as where a
	// variant has kernels of both kinds and chooses by shape. Else they are numbers like others.
	Flushes, MayFlush bool
	Odd               bool // as in [Case]
	// Threads says that Call heeds its argument: any number must give the same bits.
	Threads bool
	// Call computes the product with so many threads.
	Call func(threads int, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B])
	// Store is what the product makes of a sum. It must not decrease where sums grow.
	Store func(sum Acc) Out
}

// Mixed is [Suite] for such a product. It must match bit for bit on small integers, for which sums of floats
// are exact, and on integers of all sizes, whose sums wrap. Denormal numbers must be as c says.
func Mixed[X, Y dtype.Elem, Acc dtype.Sum, Out dtype.Elem](t TB, c MixedCase[X, Y, Acc, Out]) {
	t.Helper()
	op := &gemm{alphas: []float64{1}, betas: []float64{0}, stored: true, mayFlush: c.MayFlush, many: c.Threads}
	op.run(t, func(threads int) Case {
		return Case{
			Name: c.Name, MR: c.MR, NR: c.NR, KC: c.KC, Op: op, Flushes: c.Flushes, Odd: c.Odd,
			A: dtype.Of[X](), B: dtype.Of[Y](), Acc: dtype.Of[Acc](), Slots: []Slot{{Type: dtype.Of[Out](), Out: true}},
			Results: func(_ *Problem, sum float64, _, _ int) []float64 { return []float64{Float64(c.Store(Acc(sum)))} },
			Call: func(p *Problem) {
				c.Call(threads, Get[layout.Matrix[Out]](p, 0), Get[layout.Matrix[X]](p, A), Get[layout.Matrix[Y]](p, B))
			},
		}
	})
}

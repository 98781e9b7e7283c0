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
	r := runnerOf(f, o)
	if o.Checked {
		r.refused = func(t TB) { shapeErrors(t, f) }
	}
	if o.Threads {
		r.fresh = func() *runner { return runnerOf(f, o) }
	}
	run := r.run
	if o.Name != "" {
		run = func(t TB) { group(t, "kernel="+o.Name, r.run) }
	}
	run(t)
}

// runnerOf is what checks a kernel.
func runnerOf[T dtype.Float](f Gemm[T], o Options) *runner {
	a, b, out := &guarded[T]{}, &guarded[T]{}, &guarded[T]{}
	r := &runner{
		mr: o.MR, nr: o.NR, kc: o.KC, alphas: o.Alphas, betas: o.Betas, acc: dtype.Of[T](), a: a, b: b, out: out,
		call: func(c call) { f(T(c.alpha), a.m, b.m, T(c.beta), out.m) },
	}
	usual := []float64{0, 1, -1, 2.5}
	if r.alphas == nil {
		r.alphas = usual
	}
	if r.betas == nil {
		r.betas = usual
	}
	return r
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
	// Threads says that Call heeds its argument: any number must give the same bits.
	Threads bool
	// Call computes the product with so many threads.
	Call func(threads int, out layout.Matrix[Out], a layout.Matrix[A], b layout.Matrix[B])
	// Store is what the product makes of a sum. It must not decrease where sums grow.
	Store func(sum Acc) Out
}

// Mixed is [Suite] for such a product. It must match bit for bit on small integers, for which sums of floats
// are exact, and on integers of all sizes, whose sums wrap. Denormal numbers must be as c says.
func Mixed[A, B dtype.Elem, Acc dtype.Sum, Out dtype.Elem](t TB, c MixedCase[A, B, Acc, Out]) {
	t.Helper()
	a, b, out := &guarded[A]{}, &guarded[B]{}, &guarded[Out]{}
	r := &runner{
		name: c.Name + " ", mr: c.MR, nr: c.NR, kc: c.KC, alphas: []float64{1}, betas: []float64{0},
		acc: dtype.Of[Acc](), flushes: c.Flushes, mayFlush: c.MayFlush, many: c.Threads, a: a, b: b, out: out,
		call:  func(x call) { c.Call(x.threads, out.m, a.m, b.m) },
		store: func(sum float64) float64 { return Float64(c.Store(Acc(sum))) },
	}
	r.run(t)
}

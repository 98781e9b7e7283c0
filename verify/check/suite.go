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
	if o.MR < 1 || o.NR < 1 || o.KC < 0 {
		t.Errorf("check: Options MR=%d NR=%d KC=%d: MR and NR must be positive, KC not negative", o.MR, o.NR, o.KC)
		return
	}
	if o.KC == 0 {
		o.KC = 1 << 30
	}
	if o.Alphas == nil {
		o.Alphas = []float64{0, 1, -1, 2.5}
	}
	if o.Betas == nil {
		o.Betas = []float64{0, 1, -1, 2.5}
	}
	if o.Name != "" {
		group(t, "kernel="+o.Name, func(t TB) { suite(t, f, o) })
		return
	}
	suite(t, f, o)
}

func suite[T dtype.Float](t TB, f Gemm[T], o Options) {
	r := &runner[T]{f: f, o: o}
	defer r.close(t)
	for _, g := range []struct {
		name string
		run  func(TB)
	}{
		// In the order of what one wants to know first.
		{"exact", r.exact},
		{"layouts", r.layouts},
		{"guard", r.guard},
		{"repeated", r.repeated},
		{"nonfinite", r.nonfinite},
		{"denormal", r.denormal},
		{"interval", r.interval},
		{"big", r.big},
		{"shapeerror", r.shapeErrors},
		{"threads", r.threads},
	} {
		if r.dead {
			t.Logf("the kernel panicked: the checks from %s on are left out", g.name)
			return
		}
		group(t, "check="+g.name, func(t TB) {
			r.failures = 0
			r.calls, r.mac = 0, 0
			g.run(t)
			t.Logf("%d calls, %.1f million multiply-adds", r.calls, float64(r.mac)/1e6)
		})
	}
}

// kc is where the shapes turn around k-blocks.
func (r *runner[T]) kc() int {
	if r.o.KC > 4096 {
		return 256
	}
	return r.o.KC
}

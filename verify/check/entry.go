package check

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// shapeErrors hands over operands that do not fit together.
func shapeErrors[T dtype.Float](t TB, f Gemm[T]) {
	short := func(m layout.Matrix[T]) layout.Matrix[T] { m.Data = m.Data[:len(m.Data)-1]; return m }
	strides := func(m layout.Matrix[T], rs, cs int) layout.Matrix[T] { m.RowStride, m.ColStride = rs, cs; return m }
	m := layout.New[T]
	for _, x := range []struct {
		what      string
		a, b, out layout.Matrix[T]
	}{
		{"a has more columns than b has rows", m(3, 5), m(4, 6), m(3, 6)},
		{"out has too few rows", m(3, 4), m(4, 6), m(2, 6)},
		{"out has too many columns", m(3, 4), m(4, 6), m(3, 7)},
		{"a is too short", short(m(3, 4)), m(4, 6), m(3, 6)},
		{"b is too short", m(3, 4), short(m(4, 6)), m(3, 6)},
		{"out is too short", m(3, 4), m(4, 6), short(m(3, 6))},
		{"a has a negative stride", strides(m(3, 4), -4, 1), m(4, 6), m(3, 6)},
		{"the strides of b overflow", m(3, 4), strides(m(4, 6), farStride, 1), m(3, 6)},
		{"the rows of out are one", m(3, 4), m(4, 6), strides(m(3, 6), 0, 1)},
		{"the columns of out are one", m(3, 4), m(4, 6), strides(m(3, 6), 1, 1)},
	} {
		refuses(t, x.what, x.out.Data, func() { f(1, x.a, x.b, 0, x.out) })
	}
}

// refuses wants f to panic with a layout.ShapeError before it writes out.
func refuses[T dtype.Elem](t TB, what string, out []T, f func()) {
	t.Helper()
	guard.Paint(out)
	if err := refusal(caught(f), wrongShape); err != nil {
		t.Errorf("%s: want a layout.ShapeError: %v", what, err)
	}
	if i := guard.Unpainted(out); i >= 0 {
		t.Errorf("%s: out was written before the panic, at Data[%d]", what, i)
	}
}

// wrongShape accepts the refusal of operands that do not fit.
func wrongShape(err error) bool { return errors.As(err, new(layout.ShapeError)) }

// refusal wants a call to have ended with a panic of the right kind.
func refusal(err error, right func(error) bool) error {
	switch {
	case err == nil:
		return fmt.Errorf("no panic")
	case !right(err):
		return fmt.Errorf("not a refusal but a %w", err)
	}
	return nil
}

// threads wants the same result of several threads, and of several callers at once, each with its own operands.
func (r *runner) threads(t TB) {
	if r.many {
		i := 0
		r.each(t, []Shape{{97, 101, 103}, {1, 1031, 260}, {300, 7, 130}}, func(p *problem) {
			for _, threads := range []int{2, 4} {
				c := call{arrangements[i%len(arrangements)], arrangements[0], arrangements[0], 1, 0, middle, i, threads}
				if r.try(t, p, c, r.exactly(p, c)); r.done() {
					return
				}
			}
			i++
		})
	}
	if r.fresh == nil {
		return
	}
	var shapes []Shape
	for i := range 4 {
		shapes = append(shapes, Shape{97 + 10*i, 101 + 7*i, 103 + 5*i})
	}
	c := call{arrangements[0], arrangements[0], arrangements[0], r.alphas[len(r.alphas)-1], r.betas[len(r.betas)-1], middle, 0, 1}
	errs := make([]error, len(shapes))
	var wg sync.WaitGroup
	for i, s := range shapes {
		wg.Go(func() {
			own := r.fresh()
			defer own.close(t)
			p, err := own.integers(s)
			for range 3 {
				if err == nil {
					err = own.attempt(p, c, own.exactly(p, c))
				}
			}
			if err != nil {
				errs[i] = fmt.Errorf("%v %v, %d callers at once: %w", s, c, len(shapes), err)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Errorf("%v", err)
	}
}

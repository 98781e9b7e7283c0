package check

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/layout"
)

// shapeErrors hands over operands that do not fit together.
func (r *runner[T]) shapeErrors(t TB) {
	if !r.o.Checked {
		return
	}
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
		paint(x.out.Data)
		r.calls++
		var shape layout.ShapeError
		if e := panicOf(func() { r.f(1, x.a, x.b, 0, x.out) }); e == nil {
			t.Errorf("%s: no panic", x.what)
		} else if err, ok := e.(error); !ok || !errors.As(err, &shape) {
			t.Errorf("%s: panic with %T %v, want a layout.ShapeError", x.what, e, e)
		}
		if i := unpainted(x.out.Data); i >= 0 {
			t.Errorf("%s: out was written before the panic, at Data[%d]", x.what, i)
		}
	}
}

func panicOf(f func()) (e any) {
	defer func() { e = recover() }()
	f()
	return nil
}

// threads calls f from several goroutines at once, each with its own operands.
func (r *runner[T]) threads(t TB) {
	if !r.o.Threads {
		return
	}
	const callers, rounds = 4, 3
	alpha, beta := r.o.Alphas[len(r.o.Alphas)-1], r.o.Betas[len(r.o.Betas)-1]
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for i := range callers {
		s := Shape{97 + 10*i, 101 + 7*i, 103 + 5*i}
		p := r.integers(t, s, true)
		if p == nil {
			return
		}
		r.calls += rounds
		wg.Go(func() {
			for range rounds {
				out := append([]T(nil), p.c...)
				r.f(T(alpha), layout.RowMajor(p.a, s.M, s.K), layout.RowMajor(p.b, s.K, s.N), T(beta), layout.RowMajor(out, s.M, s.N))
				if err := p.compare(out, alpha, beta); err != nil {
					errs[i] = fmt.Errorf("%v alpha=%v beta=%v, %d callers at once: %w", s, alpha, beta, callers, err)
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Errorf("%v", err)
	}
}

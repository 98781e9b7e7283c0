package check

import "github.com/tilesmith/tilesmith/layout/dtype"

// integers makes a problem for Oracle 1 or reports why there is none.
func (r *runner[T]) integers(t TB, s Shape, full bool) *integers[T] {
	p, err := newIntegers[T](s, r.o.Alphas, r.o.Betas, 1, 0, full)
	if err != nil {
		t.Errorf("%v: %v", s, err)
		r.failures = maxFailures
		return nil
	}
	return p
}

// exact is Oracle 1 on all shapes, a few layouts and scales for each.
func (r *runner[T]) exact(t TB) {
	c := combos{o: &r.o}
	for _, s := range some(Shapes(r.o.MR, r.o.NR, r.kc(), Long())) {
		p := r.integers(t, s, true)
		if p == nil {
			return
		}
		for range min(max(50_000/(s.MACs()+1), 2), 6) {
			c := c.next()
			r.try(t, &p.problem, c, func(have []T) error { return p.compare(have, c.alpha, c.beta) })
			if r.done() {
				return
			}
		}
	}
}

// layouts is Oracle 1 on a few shapes, all layouts and scales for each.
func (r *runner[T]) layouts(t TB) {
	mr, nr := r.o.MR, r.o.NR
	for _, s := range []Shape{{1, 1, 1}, {1, nr + 1, 5}, {mr + 1, 1, 5}, {mr, nr, 4}, {mr + 1, nr + 1, 3}, {2*mr + 1, 2*nr - 1, 9}} {
		p := r.integers(t, s, true)
		if p == nil {
			return
		}
		c := combos{o: &r.o}
		for range c.total() {
			c := c.next()
			r.try(t, &p.problem, c, func(have []T) error { return p.compare(have, c.alpha, c.beta) })
			if r.done() {
				return
			}
		}
	}
}

// big is Oracle 1 by Freivalds' method on shapes beyond every cache block.
func (r *runner[T]) big(t TB) {
	for i, s := range bigShapes(r.o.MR, r.o.NR, r.kc(), Long()) {
		p := r.integers(t, s, false)
		if p == nil {
			return
		}
		n := len(Layouts)
		c := call{Layouts[i%n], Layouts[(i+1)%n], Layouts[2*i%n], r.o.Alphas[len(r.o.Alphas)-1], r.o.Betas[i%len(r.o.Betas)], middle, i}
		r.try(t, &p.problem, c, func(have []T) error { return p.compare(have, c.alpha, c.beta) })
		if r.done() {
			return
		}
	}
}

// guard is Oracle 1 with all operands flush right, then flush left, at
// inaccessible pages.
func (r *runner[T]) guard(t TB) {
	mr, nr, kc := r.o.MR, r.o.NR, r.kc()
	shapes := cross([]Shape{{0, 0, 0}, {1, 1, 0}}, tidy([]int{1, mr - 1, mr, mr + 1}),
		tidy([]int{1, nr/2 + 1, nr - 1, nr, nr + 1}), tidy([]int{1, 3, 8}))
	shapes = append(shapes, Shape{mr + 1, nr + 1, kc + 1}, Shape{2*mr - 1, 3, kc - 1}, Shape{3, 2*nr - 1, kc})
	c := combos{o: &r.o}
	for _, s := range some(shapes) {
		p := r.integers(t, s, true)
		if p == nil {
			return
		}
		for range max(min(len(Layouts), 200_000/(s.MACs()+1)), 2) {
			c := c.next()
			for _, c.at = range [...]position{right, left} {
				r.try(t, &p.problem, c, func(have []T) error { return p.compare(have, c.alpha, c.beta) })
				if r.done() {
					return
				}
			}
		}
	}
}

// repeated has strides of 0, which are allowed in operands that are only read.
func (r *runner[T]) repeated(t TB) {
	sameRow := Layout{"sameRow", func(_, _ int) (int, int) { return 0, 1 }}
	sameCol := Layout{"sameCol", func(_, _ int) (int, int) { return 1, 0 }}
	same := Layout{"same", func(_, _ int) (int, int) { return 0, 0 }}
	kinds := []Layout{sameRow, sameCol, same}
	for _, s := range []Shape{{r.o.MR + 1, r.o.NR + 1, 7}, {2*r.o.MR + 1, 3, 4}, {3, 2*r.o.NR + 1, 9}} {
		for i := range 9 {
			p := r.integers(t, s, false)
			if p == nil {
				return
			}
			c := call{kinds[i%3], kinds[i/3], Layouts[i%len(Layouts)], r.o.Alphas[i%len(r.o.Alphas)], r.o.Betas[i*3%len(r.o.Betas)], middle, i}
			spread(p.ai, p.a, p.M, p.K, c.la)
			spread(p.bi, p.b, p.K, p.N, c.lb)
			p.multiply()
			r.try(t, &p.problem, c, func(have []T) error { return p.compare(have, c.alpha, c.beta) })
			if r.done() {
				return
			}
		}
	}
}

// spread gives elements that share a place in layout l the same value.
func spread[T dtype.Float](ints []int64, vals []T, rows, cols int, l Layout) {
	rs, cs := l.Strides(rows, cols)
	for i := range rows {
		for j := range cols {
			from := min(rs, 1)*i*cols + min(cs, 1)*j
			ints[i*cols+j], vals[i*cols+j] = ints[from], vals[from]
		}
	}
}

// denormal is Oracle 1 in units of the smallest denormal, where everything is just
// as exact. A kernel that flushes denormals has zeros instead.
func (r *runner[T]) denormal(t TB) {
	mr, nr := r.o.MR, r.o.NR
	c := combos{o: &r.o}
	for _, s := range []Shape{{1, 1, 1}, {mr, nr, 8}, {mr + 1, nr + 1, 7}, {2*mr + 1, nr - 1, 33}} {
		p, err := newIntegers[T](s, r.o.Alphas, r.o.Betas, T(smallest[T]()), 15, true)
		if err != nil {
			t.Errorf("%v: %v", s, err)
			return
		}
		for range 2 * len(Layouts) {
			c := c.next()
			if c.alpha != float64(int(c.alpha)) || c.beta != float64(int(c.beta)) {
				continue // half a unit would round
			}
			r.try(t, &p.problem, c, func(have []T) error { return p.compare(have, c.alpha, c.beta) })
			if r.done() {
				return
			}
		}
	}
}

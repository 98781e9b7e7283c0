package check

import (
	"fmt"
	"math"
	"sync"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// arrays checks single products: exact sums, NaN and infinities, denormals and random
// numbers, at both ends of a page and at odd alignments.
func (f *fixedRunner[T]) arrays(t TB) {
	if f.c.Arrays == nil {
		return
	}
	s, r := f.c.Only, f.r
	integers := r.integers(t, s, true)
	denormals, err := newIntegers[T](s, []float64{1}, []float64{0}, T(smallest[T]()), 15, true)
	if integers == nil || err != nil {
		t.Errorf("%v: %v", s, err)
		return
	}
	row := Layouts[0]
	direct := *r
	direct.f = matrixCall(f.c.Arrays)
	defer func() {
		r.failures, r.dead, r.calls, r.mac, r.a, r.b, r.out = direct.failures, direct.dead, direct.calls, direct.mac, direct.a, direct.b, direct.out
	}()
	try := func(i int, p *problem[T], compare func(have []T) error) bool {
		c := call{la: row, lb: row, lo: row, alpha: 1, at: [...]position{middle, right, left}[i%3], shift: i}
		direct.try(t, p, c, compare)
		return !direct.done()
	}
	for i := range 24 {
		if !try(i, &integers.problem, func(have []T) error { return integers.compare(have, 1, 0) }) {
			return
		}
		if i%4 == 0 && !try(i, &denormals.problem, func(have []T) error { return denormals.compare(have, 1, 0) }) {
			return
		}
		if p := special[T](s, i); !try(i, p, func(have []T) error { return p.classes(have, 1, 0) }) {
			return
		}
	}
	for i, fill := range fills {
		ref := refer(random[T](s, fill, uint64(i)))
		if !try(i, ref.problem, func(have []T) error { _, err := ref.compare(have, 1, 0, max(s.K, 1)); return err }) {
			return
		}
	}
	size := max(s.M*s.N, s.M*s.K, s.K*s.N)
	buf := make([]T, 3*size)
	for _, x := range []struct {
		what      string
		out, a, b int
	}{
		{"out is a", size, size, 0}, {"out is b", size, 0, size},
		{"out begins in a", s.M*s.K - 1, 0, 2 * size}, {"a begins in out", 0, s.M*s.N - 1, 2 * size},
		{"out begins in b", s.K*s.N - 1, 2 * size, 0}, {"b begins in out", 0, 2 * size, s.M*s.N - 1},
	} {
		direct.calls++
		shapePanic(t, x.what, func() {
			f.c.Arrays(buf[x.out:x.out+s.M*s.N], buf[x.a:x.a+s.M*s.K], buf[x.b:x.b+s.K*s.N])
		})
	}
	// Neighbours do not overlap.
	if e := panicOf(func() {
		f.c.Arrays(buf[s.M*s.K:][:s.M*s.N], buf[:s.M*s.K], buf[s.M*s.K+s.M*s.N:][:s.K*s.N])
	}); e != nil {
		t.Errorf("out between a and b: panic with %v", e)
	}
}

// batch checks batches with many strides, in guarded memory, and from several
// goroutines at once.
func (f *fixedRunner[T]) batch(t TB) {
	if f.c.Batch == nil {
		return
	}
	s := f.c.Only
	so, sa, sb := s.M*s.N, s.M*s.K, s.K*s.N
	many := max(3, 3_000_000/max(1, s.MACs()))
	for i, n := range []Batch{
		{0, so, sa, sb}, {1, so, sa, sb}, {1, 0, 0, 0}, {2, so, sa, sb}, {7, so, sa, sb}, {many, so, sa, sb},
		{5, so + 3, sa + 1, sb + 2}, {5, so, 0, sb}, {5, so, sa, 0}, {3, 2*so + 1, 0, 0}, {4, so + 64, 1, 1},
	} {
		for _, at := range []position{right, left} {
			if n.Count == many && many > 7 && at == left && !Long() {
				continue // where a large batch begins, small ones begin too
			}
			if err := f.oneBatch(n, at, uint64(i)); err != nil {
				t.Errorf("%v %+v at=%v: %v", s, n, at, err)
				f.r.failures++
			}
			if f.r.done() {
				return
			}
		}
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	if !Long() {
		errs = errs[:2]
	}
	for i := range errs {
		wg.Go(func() {
			own := &fixedRunner[T]{c: f.c, r: &runner[T]{o: f.r.o}}
			errs[i] = own.oneBatch(Batch{many, so, sa, sb}, right, uint64(i))
			own.r.close(t)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Errorf("%v, %d callers at once: %v", s, len(errs), err)
		}
	}
}

// oneBatch runs a batch and compares every product. Operands may overlap each other:
// only those that are read.
func (f *fixedRunner[T]) oneBatch(n Batch, at position, salt uint64) error {
	s, r := f.c.Only, f.r
	so, sa, sb := s.M*s.N, s.M*s.K, s.K*s.N
	length := func(size, stride int) int {
		if n.Count == 0 {
			return 0
		}
		return (n.Count-1)*stride + size
	}
	radius := radius(float64(s.K), 1, 0, 1, precision[T]())
	numbers := func(g *Guard[T], count int, salt uint64) ([]int64, []T, error) {
		ints, vals := make([]int64, count), make([]T, count)
		nonzero(source(s, salt), ints, radius)
		for i, v := range ints {
			vals[i] = T(v)
		}
		m, err := g.put(vals, 1, count, Layouts[0], at, 0)
		return ints, m.Data, err
	}
	ai, a, err := numbers(&r.a, length(sa, n.A), 2*salt)
	if err != nil {
		return err
	}
	bi, b, err := numbers(&r.b, length(sb, n.B), 2*salt+1)
	if err != nil {
		return err
	}
	out, err := r.out.put(make([]T, length(so, n.Out)), 1, length(so, n.Out), Layouts[0], at, 0)
	if err != nil {
		return err
	}
	paint(out.Data)
	r.calls++
	r.mac += n.Count * s.MACs()
	if err := r.catch(func() { f.c.Batch(n, out.Data, a, b) }); err != nil {
		return err
	}
	canary := canaryOf[T]()
	for p := range n.Count {
		for i := range s.M {
			for j := range s.N {
				want := int64(0)
				for k := range s.K {
					want += ai[p*n.A+i*s.K+k] * bi[p*n.B+k*s.N+j]
				}
				e := &out.Data[p*n.Out+i*s.N+j]
				if *e != T(want) {
					return fmt.Errorf("product %d: %w", p, &mismatch{i, j, float64(*e), float64(want), ""})
				}
				*e = canary[0]
			}
		}
	}
	if i := unpainted(out.Data); i >= 0 {
		return fmt.Errorf("wrote %v between the results, at out[%d]", out.Data[i], i)
	}
	for name, g := range map[string]*Guard[T]{"a": &r.a, "b": &r.b, "out": &r.out} {
		if err := g.Check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// batchErrors hands over batches that do not fit.
func (f *fixedRunner[T]) batchErrors(t TB) {
	if f.c.Batch == nil {
		return
	}
	s := f.c.Only
	so, sa, sb := s.M*s.N, s.M*s.K, s.K*s.N
	const far = math.MaxInt/2 + 1
	for _, x := range []struct {
		what      string
		n         Batch
		out, a, b int // lengths
	}{
		{"a negative count", Batch{-1, so, sa, sb}, so, sa, sb},
		{"out is too short", Batch{3, so, sa, sb}, 3*so - 1, 3 * sa, 3 * sb},
		{"a is too short", Batch{3, so, sa, sb}, 3 * so, 3*sa - 1, 3 * sb},
		{"b is too short", Batch{3, so, sa, sb}, 3 * so, 3 * sa, 3*sb - 1},
		{"a is empty", Batch{1, so, sa, sb}, so, 0, sb},
		{"the one b is too short", Batch{3, so, sa, 0}, 3 * so, 3 * sa, sb - 1},
		{"the stride of a overflows", Batch{5, so, far, sb}, 5 * so, 5 * sa, 5 * sb},
		{"the stride of b overflows", Batch{3, so, sa, far}, 3 * so, 3 * sa, 3 * sb},
		{"the stride of out overflows", Batch{3, far, sa, sb}, 3 * so, 3 * sa, 3 * sb},
		{"the count overflows", Batch{math.MaxInt, so, sa, sb}, 3 * so, 3 * sa, 3 * sb},
		{"a negative stride", Batch{2, so, -sa, sb}, 2 * so, 2 * sa, 2 * sb},
		{"results overlap", Batch{2, so - 1, sa, sb}, 2 * so, 2 * sa, 2 * sb},
		{"results are one", Batch{2, 0, sa, sb}, 2 * so, 2 * sa, 2 * sb},
	} {
		f.r.calls++
		out := make([]T, x.out)
		paint(out)
		shapePanic(t, x.what, func() { f.c.Batch(x.n, out, make([]T, x.a), make([]T, x.b)) })
		if i := unpainted(out); i >= 0 {
			t.Errorf("%s: out was written before the panic, at out[%d]", x.what, i)
		}
	}
	buf := make([]T, 8*max(so, sa, sb)*3)
	dense := Batch{3, so, sa, sb}
	shapePanic(t, "out is a", func() { f.c.Batch(dense, buf[:3*so], buf[:3*sa], make([]T, 3*sb)) })
	shapePanic(t, "out begins in b", func() { f.c.Batch(dense, buf[3*sb-1:][:3*so], make([]T, 3*sa), buf[:3*sb]) })
	// Records of out, a and b side by side do not overlap; one element more does.
	rec := so + sa + sb
	if e := panicOf(func() { f.c.Batch(Batch{3, rec, rec, rec}, buf[:3*rec], buf[so:3*rec], buf[so+sa:3*rec]) }); e != nil {
		t.Errorf("records of out, a and b: panic with %v", e)
	}
	shapePanic(t, "records whose out ends in a", func() { f.c.Batch(Batch{3, rec, rec, rec}, buf[:3*rec], buf[so-1:3*rec], buf[so+sa:3*rec]) })
	shapePanic(t, "records whose b ends in out", func() { f.c.Batch(Batch{3, rec, rec, rec}, buf[:3*rec], buf[so:3*rec], buf[so+sa+1:3*rec+1]) })
}

// matrixCall makes a [Gemm] of a call with dense row-major arrays.
func matrixCall[T dtype.Float](f func(out, a, b []T)) Gemm[T] {
	return func(_ T, a, b layout.Matrix[T], _ T, out layout.Matrix[T]) { f(out.Data, a.Data, b.Data) }
}

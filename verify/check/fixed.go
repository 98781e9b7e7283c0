package check

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check/guard"
)

// FixedCase is a kernel that was generated for some products only.
type FixedCase[T dtype.Float] struct {
	Name   string // of the subtest; may be empty
	Only   Shape  // the dimensions that are fixed; 0 is any
	MR, NR int    // the tile of its micro-kernel
	KC     int    // elements of a k-block

	// Gemm takes matrices with any strides.
	Gemm Gemm[T]
	// Arrays and Batch take dense row-major matrices, one product or n.Count of them.
	// They are nil if a dimension is not fixed.
	Arrays func(out, a, b []T)
	Batch  func(n Batch, out, a, b []T)
}

// Batch is how many products there are and how many elements lie between them.
type Batch struct{ Count, Out, A, B int }

// Fixed puts a kernel for a fixed shape through the checks of [Suite] that its shape
// leaves room for, and its direct calls through theirs.
func Fixed[T dtype.Float](t TB, c FixedCase[T]) {
	t.Helper()
	if c.Only == (Shape{}) || c.MR < 1 || c.NR < 1 || c.KC < 1 {
		t.Errorf("check: FixedCase fixes %v with MR=%d NR=%d KC=%d: something must be fixed, and the tile and the depth be positive", c.Only, c.MR, c.NR, c.KC)
		return
	}
	f := &fixedRunner[T]{c: c, runner: runnerOf(c.Gemm, Options{MR: c.MR, NR: c.NR, KC: c.KC})}
	defer f.close(t)
	run := func(t TB) {
		f.groups(t, []checks{{"matrices", f.matrices}, {"refused", f.refused}, {"arrays", f.arrays}, {"batch", f.batch}, {"batcherror", f.batchErrors}})
	}
	if c.Name != "" {
		group(t, "kernel="+c.Name, run)
		return
	}
	run(t)
}

// only returns s with the fixed dimensions as they are.
func (s Shape) only(fixed Shape) Shape {
	pick := func(n, f int) int {
		if f > 0 {
			return f
		}
		return n
	}
	return Shape{pick(s.M, fixed.M), pick(s.N, fixed.N), pick(s.K, fixed.K)}
}

// onlyShapes fits shapes to what is fixed and drops repetitions.
func onlyShapes(shapes []Shape, fixed Shape) []Shape {
	var out []Shape
	seen := map[Shape]bool{}
	for _, s := range shapes {
		if s = s.only(fixed); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// fixedRunner checks one case.
type fixedRunner[T dtype.Float] struct {
	c FixedCase[T]
	*runner
}

// matrices runs the oracles over all layouts, alignments and scales.
func (f *fixedRunner[T]) matrices(t TB) {
	shapes := onlyShapes(Shapes(f.c.MR, f.c.NR, f.c.KC, testenv.Long()), f.c.Only)
	budget := 40_000_000 / len(shapes) // multiply-adds
	if brief() {
		budget /= 4
	}
	f.each(t, some(shapes), func(p *problem) {
		for i := range min(max(budget/(p.MACs()+1000), 6), 2*len(arrangements)*len(arrangements)) {
			c := f.turn.next()
			c.at = [...]position{middle, right, left}[i%3]
			if f.oracle(t, p, c, i%6, i/6); f.done() {
				return
			}
		}
	})
}

// oracle makes one call: of integers, or with some kinds of another problem of that shape.
func (f *fixedRunner[T]) oracle(t TB, p *problem, c call, kind, variant int) {
	compare := f.exactly
	switch {
	case kind == 3 && p.MACs() > 0 && c.alpha != 0:
		p, compare = f.special(p.Shape, variant), f.classes
	case kind == 4 && c.alpha == math.Trunc(c.alpha) && c.beta == math.Trunc(c.beta): // half a unit would round
		p = f.tiny(p.Shape, f.units()[0])
	case kind == 5:
		fills := fillsOf(f.acc, f.acc, false)
		p = f.random(p.Shape, fills[(p.K+variant)%len(fills)], uint64(variant))
		f.try(t, p, c, f.within(p, f.refer(p), c))
		return
	}
	f.try(t, p, c, compare(p, c))
}

// refused hands over shapes that the kernel was not generated for.
func (f *fixedRunner[T]) refused(t TB) {
	s := Shape{5, 6, 7}.only(f.c.Only)
	for _, d := range []Shape{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1, 1, 1}} {
		if d.M*f.c.Only.M == 0 && d.N*f.c.Only.N == 0 && d.K*f.c.Only.K == 0 {
			continue // a dimension that is not fixed
		}
		w := Shape{s.M + d.M, s.N + d.N, s.K + d.K}
		out := layout.New[T](w.M, w.N)
		refuses(t, fmt.Sprintf("%v where %v is fixed", w, f.c.Only), out.Data, func() { f.c.Gemm(1, layout.New[T](w.M, w.K), layout.New[T](w.K, w.N), 0, out) })
	}
}

// arrays checks single products: exact sums, NaN and infinities, denormals and random
// numbers, at both ends of a page and at odd alignments.
func (f *fixedRunner[T]) arrays(t TB) {
	if f.c.Arrays == nil {
		return
	}
	s := f.c.Only
	direct := &fixedRunner[T]{c: f.c, runner: runnerOf(func(_ T, a, b layout.Matrix[T], _ T, out layout.Matrix[T]) {
		f.c.Arrays(out.Data, a.Data, b.Data)
	}, Options{MR: f.mr, NR: f.nr, Alphas: []float64{1}, Betas: []float64{0}})}
	defer direct.close(t)
	direct.each(t, []Shape{s}, func(p *problem) {
		for i := range 24 {
			c := call{la: arrangements[0], lb: arrangements[0], lo: arrangements[0], alpha: 1, at: [...]position{middle, right, left}[i%3], shift: i}
			for _, kind := range []int{0, 3, 4, 5} {
				if kind >= 4 && i%4 != 0 {
					continue
				}
				if direct.oracle(t, p, c, kind, i); direct.done() {
					return
				}
			}
		}
	})
	f.calls, f.mac, f.failures, f.dead = direct.calls, direct.mac, direct.failures, direct.dead
	if direct.done() {
		return
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
		refuses[T](t, x.what, nil, func() {
			f.c.Arrays(buf[x.out:x.out+s.M*s.N], buf[x.a:x.a+s.M*s.K], buf[x.b:x.b+s.K*s.N])
		})
	}
	// Neighbours do not overlap.
	if e := caught(func() {
		f.c.Arrays(buf[s.M*s.K:][:s.M*s.N], buf[:s.M*s.K], buf[s.M*s.K+s.M*s.N:][:s.K*s.N])
	}); e != nil {
		t.Errorf("out between a and b: %v", e)
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
			if n.Count == many && many > 7 && at == left && !testenv.Long() {
				continue // where a large batch begins, small ones begin too
			}
			if err := f.oneBatch(n, at, uint64(i)); err != nil {
				t.Errorf("%v %+v at=%v: %v", s, n, at, err)
				f.failures++
			}
			if f.done() {
				return
			}
		}
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	if !testenv.Long() {
		errs = errs[:2]
	}
	for i := range errs {
		wg.Go(func() {
			own := &fixedRunner[T]{c: f.c, runner: runnerOf(f.c.Gemm, Options{})}
			errs[i] = own.oneBatch(Batch{many, so, sa, sb}, right, uint64(i))
			own.close(t)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Errorf("%v, %d callers at once: %v", s, len(errs), err)
	}
}

// oneBatch runs a batch and compares every product. Operands may overlap each other:
// only those that are read.
func (f *fixedRunner[T]) oneBatch(n Batch, at position, salt uint64) error {
	s := f.c.Only
	rng := source(s, salt)
	bits, _ := numberFormat(f.acc)
	r := radius(float64(s.K), 1, 0, 1, bits)
	lay := func(g guardedElems, size, stride int) (x []float64, data []T, err error) {
		count := 0
		if n.Count > 0 {
			count = (n.Count-1)*stride + size
		}
		x = make([]float64, count)
		scatter(rng, x, -r, r)
		err = g.put(x, 1, count, arrangements[0], at, 0)
		return x, g.(*guarded[T]).m.Data, err
	}
	ai, a, err := lay(f.a, s.M*s.K, n.A)
	if err != nil {
		return err
	}
	bi, b, err := lay(f.b, s.K*s.N, n.B)
	if err != nil {
		return err
	}
	_, out, err := lay(f.out, s.M*s.N, n.Out)
	if err != nil {
		return err
	}
	guard.Paint(out)
	f.calls++
	f.mac += n.Count * s.MACs()
	if err := f.catch(func() { f.c.Batch(n, out, a, b) }); err != nil {
		return err
	}
	canary, sums := make([]T, 1), make([]float64, s.N)
	guard.Paint(canary)
	for q := range n.Count {
		p := problem{Shape: s, a: ai[q*n.A:], b: bi[q*n.B:]}
		for i := range s.M {
			p.sums(i, sums)
			for j, want := range sums {
				e := &out[q*n.Out+i*s.N+j]
				if *e != T(want) {
					return fmt.Errorf("product %d: %w", q, &mismatch{i, j, float64(*e), want, ""})
				}
				*e = canary[0]
			}
		}
	}
	if i := guard.Unpainted(out); i >= 0 {
		return fmt.Errorf("wrote %v between the results, at out[%d]", out[i], i)
	}
	for name, g := range map[string]guardedElems{"a": f.a, "b": f.b, "out": f.out} {
		if err := g.(*guarded[T]).Check(); err != nil {
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
		f.calls++
		out := make([]T, x.out)
		refuses(t, x.what, out, func() { f.c.Batch(x.n, out, make([]T, x.a), make([]T, x.b)) })
	}
	buf := make([]T, 8*max(so, sa, sb)*3)
	refused := func(what string, n Batch, out, a, b []T) {
		refuses[T](t, what, nil, func() { f.c.Batch(n, out, a, b) })
	}
	dense := Batch{3, so, sa, sb}
	refused("out is a", dense, buf[:3*so], buf[:3*sa], make([]T, 3*sb))
	refused("out begins in b", dense, buf[3*sb-1:][:3*so], make([]T, 3*sa), buf[:3*sb])
	// Records of out, a and b side by side do not overlap; one element more does.
	rec := so + sa + sb
	records := Batch{3, rec, rec, rec}
	if e := caught(func() { f.c.Batch(records, buf[:3*rec], buf[so:3*rec], buf[so+sa:3*rec]) }); e != nil {
		t.Errorf("records of out, a and b: %v", e)
	}
	refused("records whose out ends in a", records, buf[:3*rec], buf[so-1:3*rec], buf[so+sa:3*rec])
	refused("records whose b ends in out", records, buf[:3*rec], buf[so:3*rec], buf[so+sa+1:3*rec+1])
}

// BenchmarkFixed times the direct call of a kernel for one shape and reports GFLOP/s.
// The result is compared with a plain loop first: a wrong kernel has no speed.
func BenchmarkFixed[T dtype.Float](b *testing.B, isa string, s Shape, f func(out, x, y []T)) {
	name := fmt.Sprintf("isa=%s/type=%v/m=%d/n=%d/k=%d", isa, dtype.Of[T](), s.M, s.N, s.K)
	benchmark(b, name, s, func(out, x, y layout.Matrix[T]) { f(out.Data, x.Data, y.Data) })
}

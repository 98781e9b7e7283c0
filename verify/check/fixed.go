package check

import (
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
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
	run := func(t TB) {
		of := gemmCase(c.Gemm, c.MR, c.NR, c.KC)
		of.Only = c.Only
		try := func(op Operation, call func(p *Problem)) {
			of := of
			of.Op, of.Call = op, call
			Run(t, func(int) Case { return of })
		}
		try(fixedMatrices{newGemm(nil, nil)}, of.Call)
		direct, data := newGemm([]float64{1}, []float64{0}), Get[[]T]
		if c.Arrays != nil {
			of.KC = 0
			try(fixedArrays{direct}, func(p *Problem) { c.Arrays(data(p, 0), data(p, A), data(p, B)) })
		}
		if c.Batch != nil {
			try(batches{direct}, func(p *Problem) { c.Batch(Get[Batch](p, S), data(p, 0), data(p, A), data(p, B)) })
		}
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

// fixedMatrices is the operation of products of some shapes only, of matrices.
type fixedMatrices struct{ *gemm }

func (op fixedMatrices) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	op.tryGroups(c, yield, []groupOf{{"matrices", op.matrices}, {"refused", op.others}})
}

// matrices runs the oracles over all layouts, alignments and scales.
func (op fixedMatrices) matrices(c *Case, try func(p *Problem) bool) {
	shapes := onlyShapes(Shapes(c.MR, c.NR, c.KC, testenv.Long()), c.Only)
	budget := 40_000_000 / len(shapes) // multiply-adds
	if brief() {
		budget /= 4
	}
	for _, s := range some(shapes) {
		for i := range min(max(budget/(s.MACs()+1000), 6), 2*len(arrangements)*len(arrangements)) {
			x := op.turn.next()
			x.at = ends[i%3]
			if !try(op.ofKind(c, s, x, i%6, i/6)) {
				return
			}
		}
	}
}

var ends = [...]position{middle, right, left}

// ofKind is a problem of integers, or with some kinds of other numbers.
func (op *gemm) ofKind(c *Case, s Shape, x call, kind, variant int) *Problem {
	switch {
	case kind == 3 && s.MACs() > 0 && x.alpha != 0:
		return op.of(c, specials(c, s, variant), x)
	case kind == 4 && x.whole():
		return op.of(c, op.tiny(c, s, op.units(c)[0]), x)
	case kind == 5:
		fills := fillsOf(c.Acc, c.Acc, false)
		f := fills[(s.K+variant)%len(fills)]
		v := random(c, s, f, uint64(variant))
		return op.ofRandom(c, v, op.refer(c, v), f, x)
	}
	return op.ofIntegers(c, s, x)
}

// others hands over shapes that the kernel was not generated for.
func (op fixedMatrices) others(c *Case, try func(p *Problem) bool) {
	s, only := Shape{5, 6, 7}.only(c.Only), c.Only
	for _, d := range []Shape{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1, 1, 1}} {
		if d.M*only.M == 0 && d.N*only.N == 0 && d.K*only.K == 0 {
			continue // a dimension that is not fixed
		}
		w := Shape{s.M + d.M, s.N + d.N, s.K + d.K}
		if !try(op.refused(c, w, fmt.Sprintf("%v where %v is fixed", w, only), func(_, _, _ *operand) {})) {
			return
		}
	}
}

// fixedArrays is the operation of single products of dense arrays: exact sums, NaN and infinities, denormals and random
// numbers, at both ends of a page and at odd alignments. A result may not share memory with an operand.
type fixedArrays struct{ *gemm }

func (op fixedArrays) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	op.tryGroups(c, yield, []groupOf{{"arrays", op.arrays}})
}

func (op fixedArrays) arrays(c *Case, try func(p *Problem) bool) {
	s, row := c.Only, arrangements[0]
	for i := range 24 {
		x := call{la: row, lb: row, lo: row, alpha: 1, at: ends[i%3], shift: i}
		for _, kind := range []int{0, 3, 4, 5} {
			if (kind < 4 || i%4 == 0) && !try(op.ofKind(c, s, x, kind, i)) {
				return
			}
		}
	}
	so, sa, sb := s.M*s.N, s.M*s.K, s.K*s.N
	size := max(so, sa, sb)
	for _, x := range []struct {
		what      string
		out, a, b int
		refused   func(error) bool
	}{
		{"out is a", size, size, 0, wrongShape}, {"out is b", size, 0, size, wrongShape},
		{"out begins in a", sa - 1, 0, 2 * size, wrongShape}, {"a begins in out", 0, so - 1, 2 * size, wrongShape},
		{"out begins in b", sb - 1, 2 * size, 0, wrongShape}, {"b begins in out", 0, 2 * size, so - 1, wrongShape},
		{"out between a and b", sa, 0, sa + so, nil}, // neighbours do not overlap
	} {
		if !try(op.shared(c, x.what, Batch{}, span{x.out, so}, span{x.a, sa}, span{x.b, sb}, x.refused)) {
			return
		}
	}
}

// A span is elements of shared memory.
type span struct{ from, n int }

// shared is a problem whose operands lie in one memory.
func (op *gemm) shared(c *Case, what string, n Batch, out, a, b span, refused func(error) bool) *Problem {
	p := c.problem(c.Only, 1, true)
	p.name, p.refused, p.guarded, p.once = what, refused, true, true
	all := alloc(&Problem{}, c.Acc, max(out.from+out.n, a.from+a.n, b.from+b.n))
	for slot, at := range map[int]span{0: out, A: a, B: b} {
		o := &operand{elems: all.part(at.from, at.from+at.n), typ: c.Acc, rows: 1, cols: at.n, rs: at.n, cs: 1}
		o.views = o.view(o)
		p.slots[slot] = o
	}
	p.slots[0].paint()
	p.slots[S] = &operand{views: []any{n}}
	if n.Count > 0 { // records, which the operands have in common
		p.slots[A].elems, p.slots[B].elems = nil, nil
	}
	p.look = func() error { return nil }
	return p
}

// batches is the operation of many products of one shape, at strides.
type batches struct{ *gemm }

func (op batches) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	op.tryGroups(c, yield, []groupOf{{"batch", op.batch}, {"batcherror", op.batchErrors}})
}

// batch has many strides, in guarded memory, and several goroutines at once.
func (op batches) batch(c *Case, try func(p *Problem) bool) {
	s := c.Only
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
			if !try(op.problem(c, n, at, uint64(i))) {
				return
			}
		}
	}
	callers := 2
	if testenv.Long() {
		callers = 4
	}
	p := op.problem(c, Batch{many, so, sa, sb}, right, 0)
	for i := range callers - 1 {
		p.beside = append(p.beside, op.problem(c, Batch{many, so, sa, sb}, right, uint64(i+1)))
	}
	p.rounds = 1
	try(p)
}

// problem makes the operands of n products. Those that are only read may overlap.
func (op batches) problem(c *Case, n Batch, at position, salt uint64) *Problem {
	s := c.Only
	p := c.problem(Shape{n.Count * s.M, s.N, s.K}, salt, true)
	p.name, p.guarded, p.once, p.at, p.macs = fmt.Sprintf("%v %+v at=%v", s, n, at), true, true, at, n.Count*s.MACs()
	bits, _ := numberFormat(c.Acc)
	r := radius(float64(s.K), 1, 0, 1, bits)
	lay := func(slot, size, stride int) (*operand, []float64) {
		count := max(n.Count-1, 0)*stride + min(n.Count, 1)*size
		x := make([]float64, count)
		o := p.memory(c.Acc, 1, count, count, 1)
		p.slots[slot] = o
		if slot < 0 {
			scatter(p.rng, x, -r, r)
			o.put(x)
		}
		return o, x
	}
	_, a := lay(A, s.M*s.K, n.A)
	_, b := lay(B, s.K*s.N, n.B)
	out, _ := lay(0, s.M*s.N, n.Out)
	out.rows, out.cols, out.rs, out.per, out.gap = p.M, s.N, s.N, s.M, n.Out-s.M*s.N
	p.result(0, out)
	p.slots[S] = &operand{views: []any{n}}
	p.terms = func(i, j int) (x, y []float64) {
		_, y = p.buffers(s.K)
		q := i / s.M
		for k := range y {
			y[k] = b[q*n.B+k*s.N+j]
		}
		return a[q*n.A+i%s.M*s.K:][:s.K], y
	}
	p.look = func() error {
		return p.each(p.elements(true), func(p *Problem, i, j int) error {
			if err := c.same(p, i, j); err != nil {
				return fmt.Errorf("product %d: %w", i/s.M, err)
			}
			return nil
		})
	}
	return p
}

// batchErrors hands over batches that do not fit.
func (op batches) batchErrors(c *Case, try func(p *Problem) bool) {
	s := c.Only
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
		if !try(op.shared(c, x.what, x.n, span{0, x.out}, span{x.out, x.a}, span{x.out + x.a, x.b}, wrongShape)) {
			return
		}
	}
	// Records of out, a and b side by side do not overlap; one element more does.
	dense, rec, end := Batch{3, so, sa, sb}, so+sa+sb, 4*(so+sa+sb)
	records := Batch{3, rec, rec, rec}
	for _, x := range []struct {
		what      string
		n         Batch
		out, a, b span
		refused   func(error) bool
	}{
		{"out is a", dense, span{0, 3 * so}, span{0, 3 * sa}, span{end, 3 * sb}, wrongShape},
		{"out begins in b", dense, span{3*sb - 1, 3 * so}, span{end, 3 * sa}, span{0, 3 * sb}, wrongShape},
		{"records of out, a and b", records, span{0, 3 * rec}, span{so, 3*rec - so}, span{so + sa, sb + 2*rec}, nil},
		{"records whose out ends in a", records, span{0, 3 * rec}, span{so - 1, 3*rec - so + 1}, span{so + sa, sb + 2*rec}, wrongShape},
		{"records whose b ends in out", records, span{0, 3 * rec}, span{so, 3*rec - so}, span{so + sa + 1, 3*rec - so - sa}, wrongShape},
	} {
		if !try(op.shared(c, x.what, x.n, x.out, x.a, x.b, x.refused)) {
			return
		}
	}
}

// BenchmarkFixed times the direct call of a kernel for one shape and reports GFLOP/s.
// The result is compared with a plain loop first: a wrong kernel has no speed.
func BenchmarkFixed[T dtype.Float](b *testing.B, isa string, s Shape, f func(out, x, y []T)) {
	name := fmt.Sprintf("isa=%s/type=%v/m=%d/n=%d/k=%d", isa, dtype.Of[T](), s.M, s.N, s.K)
	benchmark(b, name, s, func(out, x, y layout.Matrix[T]) { f(out.Data, x.Data, y.Data) })
}

package check

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// integers makes a problem of integers, whose sums are known to the bit. Those of int32 are, since
// they are int64's modulo 2^32 in any order. Those of floats are, since no order of summation rounds:
//
// Let alpha and beta be multiples of 1/den, entries of a and b at most r in
// magnitude, those of c at most r too. Take every product, and every partial sum of
// products in any order, with alpha applied to a, to b, to a partial sum or at the end,
// with or without c. Each is a multiple of 1/den of magnitude at most max|alpha|*k*r*r
// + max|beta|*r. With
//
//	den * (max|alpha|*k*r*r + max|beta|*r) <= 2^p,  p = 24 for float32, 53 for float64
//
// all of them are numbers of that type, so no operation rounds, fused or not. The
// result can differ in the sign of zero only. Entries are as large as that allows: the larger they
// are, the more a kernel that rounds its operands or its result shows.
func (r *runner) integers(s Shape) (*problem, error) {
	den, err := denominator(r.alphas, r.betas)
	if err != nil {
		return nil, err
	}
	size := int64(math.MaxInt32)
	if bits, _ := numberFormat(r.acc); bits > 0 {
		size = radius(float64(s.K), maxAbs(r.alphas), maxAbs(r.betas), float64(den), bits)
	}
	if size < 1 {
		return nil, fmt.Errorf("no exact test for k = %d in %v: even entries of 1 may round", s.K, r.acc)
	}
	p := newProblem(s)
	rng := source(s, 1)
	for _, x := range []struct {
		t dtype.Type
		v []float64
	}{{r.a.elem(), p.a}, {r.b.elem(), p.b}, {r.out.elem(), p.c}} {
		lo, hi := limitsOf(x.t, size)
		scatter(rng, x.v, max(lo, -size), min(hi, size))
	}
	return p, nil
}

// limitsOf are the least and the largest integer that operands of a type have in such a
// problem, if floats are to be at most r in magnitude.
func limitsOf(t dtype.Type, r int64) (lo, hi int64) {
	switch t {
	case dtype.I8:
		return math.MinInt8, math.MaxInt8
	case dtype.U8:
		return 0, math.MaxUint8
	case dtype.I16:
		return math.MinInt16, math.MaxInt16
	case dtype.I32:
		return math.MinInt32, math.MaxInt32
	}
	bits, _ := numberFormat(t)
	r = max(1, min(r, 1<<min(bits, 26)))
	return -r, r
}

// scatter fills dst with integers of lo..hi, the ends more often than others, and never
// zero. No product vanishes, so a dropped one cannot go unseen.
func scatter(rng *rand.Rand, dst []float64, lo, hi int64) {
	for i := range dst {
		var v int64
		switch x := rng.Uint64(); {
		case x%16 == 0:
			v = lo
		case x%16 == 1:
			v = hi
		default:
			v = lo + int64(x>>4%uint64(hi-lo+1))
		}
		if v == 0 {
			v = hi
		}
		dst[i] = float64(v)
	}
}

// radius returns the largest r with den*(alpha*k*r*r + beta*r) <= 2^p, at most
// 2^26 so that a product of integers stays far inside int64.
func radius(k, alpha, beta, den float64, p int) int64 {
	limit := math.Ldexp(1, p) / den
	fits := func(r float64) bool { return max(alpha, 1)*max(k, 1)*r*r+beta*r <= limit }
	r := math.Min(math.Floor(math.Sqrt(limit/(max(alpha, 1)*max(k, 1)))), 1<<26)
	for r >= 1 && !fits(r) {
		r--
	}
	return int64(r)
}

// denominator returns the smallest power of two that makes all scales integers.
func denominator(scales ...[]float64) (int64, error) {
	den := 1.0
	for _, s := range scales {
		for _, v := range s {
			for den < 1<<8 && v*den != math.Trunc(v*den) {
				den *= 2
			}
			if v*den != math.Trunc(v*den) || math.Abs(v) > 1<<8 {
				return 0, fmt.Errorf("scale %v is not a multiple of 1/256 of magnitude at most 256", v)
			}
		}
	}
	return int64(den), nil
}

func maxAbs(s []float64) float64 {
	m := 0.0
	for _, v := range s {
		m = max(m, math.Abs(v))
	}
	return m
}

// sums are those of row i by the plain loop, of which no addition of such a problem rounds.
func (p *problem) sums(i int, sums []float64) {
	clear(sums)
	for l, x := range p.a[i*p.K:][:p.K] {
		for j, y := range p.b[l*p.N:][:p.N] {
			sums[j] += x * y
		}
	}
}

// exactly compares with the plain loop bit for bit, but for the sign of zero. Products in units of the
// smallest denormal are as exact as those of integers.
func (r *runner) exactly(p *problem, c call) func(have []float64) error {
	return func(have []float64) error {
		sums := make([]float64, p.N)
		for i := range p.M {
			p.sums(i, sums)
			for j, sum := range sums {
				if err := r.element(p, c, have, i, j, sum); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func (r *runner) element(p *problem, c call, have []float64, i, j int, sum float64) error {
	if p.flushed {
		sum = 0
	}
	want := r.end(sum, p.c[i*p.N+j], c.alpha, c.beta)
	if v := have[i*p.N+j]; v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
		return &mismatch{i, j, v, want, ""}
	}
	return nil
}

// freivalds compares the result of one call with random vectors, and says which element is wrong.
func (r *runner) freivalds(p *problem, c call, have []float64) error {
	den, err := denominator(r.alphas, r.betas)
	if err != nil {
		return err
	}
	bits, _ := numberFormat(r.acc)
	f := freivalds{
		a: dense(p.a, p.M, p.K), b: dense(p.b, p.K, p.N), old: dense(p.c, p.M, p.N), out: dense(have, p.M, p.N),
		alpha: c.alpha, beta: c.beta, den: float64(den), limit: math.Ldexp(1, cmp.Or(bits, 31)), wraps: r.acc == dtype.I32,
	}
	i := f.wrong(source(p.Shape, 2))
	if i < 0 {
		return nil
	}
	sums := make([]float64, p.N)
	p.sums(i, sums)
	for j, sum := range sums {
		if err := r.element(p, c, have, i, j, sum); err != nil {
			return err
		}
	}
	return fmt.Errorf("row %d: Freivalds' method and the plain loop disagree", i)
}

// each hands the problems of integers of some shapes to f.
func (r *runner) each(t TB, shapes []Shape, f func(p *problem)) {
	for _, s := range shapes {
		p, err := r.integers(s)
		if err != nil {
			t.Errorf("%v: %v", s, err)
			return
		}
		if f(p); r.done() {
			return
		}
	}
}

// most is how many calls a shape has at most. Of products whose operands are narrow there are many.
func (r *runner) most() int {
	switch {
	case r.store == nil:
		return 6
	case testenv.Long():
		return 3
	}
	return 1
}

// thinned leaves of shapes, each m and n of which has nine of k in a row, three of these, by turns, for narrow operands.
func (r *runner) thinned(shapes []Shape) (third []Shape) {
	if testenv.Long() || r.store == nil {
		return some(shapes)
	}
	for i, s := range shapes {
		if (i+i/9)%3 == 0 {
			third = append(third, s)
		}
	}
	return some(third)
}

// exact has all shapes, a few layouts and scales for each.
func (r *runner) exact(t TB) {
	r.each(t, r.thinned(Shapes(r.mr, r.nr, r.depth(), testenv.Long())), func(p *problem) {
		for range min(max(50_000/(p.MACs()+1), min(2, r.most())), r.most()) {
			c := r.turn.next()
			if r.try(t, p, c, r.exactly(p, c)); r.done() {
				return
			}
		}
	})
}

// layouts has a few shapes, all layouts and scales for each; each k is another remainder of a step of several.
func (r *runner) layouts(t TB) {
	mr, nr := r.mr, r.nr
	r.each(t, r.some(Shape{1, 1, 1}, Shape{1, nr + 1, 5}, Shape{mr + 1, 1, 6}, Shape{mr, nr, 4}, Shape{mr + 1, nr + 1, 3}, Shape{2*mr + 1, 2*nr - 1, 9}), func(p *problem) {
		for range r.turn.total() {
			c := r.turn.next()
			if r.try(t, p, c, r.exactly(p, c)); r.done() {
				return
			}
		}
	})
}

// some are some shapes of narrow operands, and all others.
func (r *runner) some(shapes ...Shape) []Shape {
	if r.store != nil {
		return some(shapes)
	}
	return shapes
}

// big has shapes beyond every cache block.
func (r *runner) big(t TB) {
	i := 0
	r.each(t, r.some(bigShapes(r.mr, r.nr, r.depth(), testenv.Long())...), func(p *problem) {
		n := len(arrangements)
		c := call{arrangements[i%n], arrangements[(i+1)%n], arrangements[2*i%n], r.alphas[len(r.alphas)-1], r.betas[i%len(r.betas)], middle, i, 1}
		i++
		compare := func(have []float64) error { return r.freivalds(p, c, have) }
		if r.acc != r.out.elem() { // there is no such method for sums that were rounded
			compare = r.exactly(p, c)
		}
		r.try(t, p, c, compare)
	})
}

// guard has all operands flush right, then flush left, at inaccessible pages.
func (r *runner) guard(t TB) {
	mr, nr, kc := r.mr, r.nr, r.depth()
	shapes := cross([]Shape{{0, 0, 0}, {1, 1, 0}}, tidy([]int{1, mr - 1, mr, mr + 1}),
		tidy([]int{1, nr/2 + 1, nr - 1, nr, nr + 1}), []int{1, 2, 3, 5, 8})
	shapes = append(shapes, Shape{mr + 1, nr + 1, kc + 1}, Shape{2*mr - 1, 3, kc - 1}, Shape{3, 2*nr - 1, kc}, Shape{3, 2*nr - 1, kc + 2})
	r.each(t, some(shapes), func(p *problem) {
		most := r.most()
		if testenv.Long() {
			most *= 2
		}
		for range max(min(most, 200_000/(p.MACs()+1)), 2) {
			c := r.turn.next()
			for _, c.at = range [...]position{right, left} {
				if r.try(t, p, c, r.exactly(p, c)); r.done() {
					return
				}
			}
		}
	})
}

// repeated has strides of 0, which are allowed in operands that are only read.
func (r *runner) repeated(t TB) {
	if r.store != nil {
		return
	}
	kinds := []arrangement{
		{"sameRow", func(_, _ int) (int, int) { return 0, 1 }},
		{"sameCol", func(_, _ int) (int, int) { return 1, 0 }},
		{"same", func(_, _ int) (int, int) { return 0, 0 }},
	}
	for i := range 9 {
		if r.done() {
			return
		}
		r.each(t, []Shape{{r.mr + 1, r.nr + 1, 7}, {2*r.mr + 1, 3, 4}, {3, 2*r.nr + 1, 9}}, func(p *problem) {
			c := call{kinds[i%3], kinds[i/3], arrangements[i%len(arrangements)], r.alphas[i%len(r.alphas)], r.betas[i*3%len(r.betas)], middle, i, 1}
			repeat(p.a, p.M, p.K, c.la)
			repeat(p.b, p.K, p.N, c.lb)
			r.try(t, p, c, r.exactly(p, c))
		})
	}
}

// repeat gives elements that share a place in layout l the same value.
func repeat(vals []float64, rows, cols int, l arrangement) {
	rs, cs := l.Strides(rows, cols)
	for i := range rows {
		for j := range cols {
			vals[i*cols+j] = vals[min(rs, 1)*i*cols+min(cs, 1)*j]
		}
	}
}

// extremes has the integers whose products are the largest, in every pair, so that sums
// wrap where they can: of i16 after two.
func (r *runner) extremes(t TB) {
	if r.acc != dtype.I32 {
		return
	}
	la, ha := limitsOf(r.a.elem(), 1)
	lb, hb := limitsOf(r.b.elem(), 1)
	for _, s := range []Shape{{r.mr + 1, r.nr + 1, 2}, {1, r.nr, 3}, {r.mr, r.nr + 1, 64}, {r.mr, 3, 70001}, {1, 5, 140001}} {
		if s.K > 1000 && s.M > 1 && !testenv.Long() {
			s.M = 2 // a tile of rows, whose operand is not mostly reading
		}
		pairs := [][2]int64{{la, lb}, {la, hb}, {ha, lb}, {ha, hb}}
		if s.K > 1000 && brief() { // of the deep ones the pair that gets farthest
			if s.M > 1 {
				continue
			}
			size := func(x [2]int64) int64 { return max(x[0]*x[1], -x[0]*x[1]) }
			pairs = [][2]int64{slices.MaxFunc(pairs, func(x, y [2]int64) int { return cmp.Compare(size(x), size(y)) })}
		}
		for _, x := range pairs {
			p := newProblem(s)
			for i := range p.a {
				p.a[i] = float64(x[0])
			}
			for i := range p.b {
				p.b[i] = float64(x[1])
			}
			c := r.turn.next()
			if r.try(t, p, c, r.exactly(p, c)); r.done() {
				return
			}
		}
	}
}

package check

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// mixedIntegers is a problem whose sums are known to the bit. Those of int32 are, since
// they are int64's modulo 2^32 in any order. Those of floats are, since each partial
// sum is an integer that the type has, as [integers] proves.
type mixedIntegers struct {
	mixedProblem
	r      *mixedRunner
	ai, bi []int64
	unit   float64 // of the sums; 0 if every sum is flushed to zero
}

// limits are the least and the largest integer that operands of type T have in such a
// problem, if floats are to be at most r in magnitude.
func limits[T dtype.Elem](r int64) (lo, hi int64) { return limitsOf(dtype.Of[T](), r) }

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
	r = max(1, min(r, 1<<min(bits, 24)))
	return -r, r
}

// scatter fills dst with integers of lo..hi, the ends more often than others, and never
// zero. No product vanishes, so a dropped one cannot go unseen.
func scatter(rng *rand.Rand, dst []int64, lo, hi int64) {
	for i := range dst {
		switch x := rng.Uint64(); {
		case x%16 == 0:
			dst[i] = lo
		case x%16 == 1:
			dst[i] = hi
		default:
			dst[i] = lo + int64(x>>4%uint64(hi-lo+1))
		}
		if dst[i] == 0 {
			dst[i] = hi
		}
	}
}

// integers makes such a problem. Floats, and integers that are summed in one, are so small that
// no sum rounds.
func (r *mixedRunner) integers(s Shape, salt uint64) *mixedIntegers {
	bits, _ := numberFormat(r.acc)
	small := int64(math.Sqrt(math.Ldexp(1, min(bits, 48)) / float64(max(1, s.K))))
	p := &mixedIntegers{mixedProblem{s, make([]float64, s.M*s.K), make([]float64, s.K*s.N)}, r,
		make([]int64, s.M*s.K), make([]int64, s.K*s.N), 1}
	rng := source(s, salt)
	lo, hi := limitsOf(r.a.elem(), small)
	scatter(rng, p.ai, lo, hi)
	lo, hi = limitsOf(r.b.elem(), small)
	scatter(rng, p.bi, lo, hi)
	if r.acc != dtype.I32 {
		clip(p.ai, small)
		clip(p.bi, small)
	}
	p.convert(1, 1)
	return p
}

// clip keeps integers within r of zero, but not zero.
func clip(x []int64, r int64) {
	r = max(1, r)
	for i, v := range x {
		if v > r || v < -r {
			x[i] = v%r + v/max(v, -v)
		}
		if x[i] > r || x[i] == 0 {
			x[i] = r
		}
		if x[i] < -r {
			x[i] = -r
		}
	}
}

// convert makes operands of the integers, in units.
func (p *mixedIntegers) convert(ua, ub float64) {
	for i, v := range p.ai {
		p.a[i] = p.r.a.round(float64(v) * ua)
	}
	for i, v := range p.bi {
		p.b[i] = p.r.b.round(float64(v) * ub)
	}
	p.unit = ua * ub
}

// stored is what the product makes of an exact sum as it has it: int32's wrap.
func (p *mixedIntegers) stored(sum int64) float64 {
	if p.r.acc == dtype.I32 {
		return p.r.store(float64(int32(sum)))
	}
	return p.r.store(float64(sum) * p.unit)
}

// compare checks every element by the plain loop.
func (p *mixedIntegers) compare(have []float64) error {
	sums := make([]int64, p.N)
	for i := range p.M {
		clear(sums)
		for l, x := range p.ai[i*p.K:][:p.K] {
			for j, y := range p.bi[l*p.N:][:p.N] {
				sums[j] += x * y
			}
		}
		for j, sum := range sums {
			if err := p.element(have, i, j, sum); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *mixedIntegers) element(have []float64, i, j int, sum int64) error {
	want := p.stored(sum)
	if v := have[i*p.N+j]; v != want {
		return &mismatch{i, j, v, want, fmt.Sprintf(", of the sum %d", sum)}
	}
	return nil
}

// freivalds is compare at the cost of reading the operands, for results that are the sums
// themselves. It checks have*x = a*(b*x) for random vectors x, modulo 2^32 where sums
// wrap. An x has odd elements, so a single wrong element of a row never passes.
func (p *mixedIntegers) freivalds(have []float64) error {
	scaled := make([]int64, len(have))
	for e, v := range have {
		scaled[e] = int64(v)
	}
	rng := source(p.Shape, 3)
	for range 3 {
		x := make([]int64, p.N)
		for j := range x {
			x[j] = int64(rng.Uint64() | 1)
		}
		bx := mulVec(p.bi, x)
		for i := range p.M {
			d := dot(p.ai[i*p.K:][:p.K], bx) - dot(scaled[i*p.N:][:p.N], x)
			if p.r.acc == dtype.I32 {
				d = int64(int32(d))
			}
			if d == 0 {
				continue
			}
			for j := range p.N {
				sum := int64(0)
				for l, v := range p.ai[i*p.K:][:p.K] {
					sum += v * p.bi[l*p.N+j]
				}
				if err := p.element(have, i, j, sum); err != nil {
					return err
				}
			}
			return fmt.Errorf("row %d: Freivalds' method and the plain loop disagree", i)
		}
	}
	return nil
}

// layoutsEach is in how many layouts a shape is tried at most. The next shape has the next one.
func layoutsEach() int {
	if Long() {
		return 3
	}
	return 1
}

// turns leaves of shapes, each m and n of which has nine of k in a row, three of these, by turns.
func turns(shapes []Shape) []Shape {
	if Long() {
		return shapes
	}
	var third []Shape
	for i, s := range shapes {
		if (i+i/9)%3 == 0 {
			third = append(third, s)
		}
	}
	return third
}

// exact has all shapes, in a layout or a few each.
func (r *mixedRunner) exact(t TB) {
	for _, s := range some(turns(Shapes(r.mr, r.nr, r.kc, Long()))) {
		p := r.integers(s, 1)
		for range min(max(50_000/(s.MACs()+1), 1), layoutsEach()) {
			r.try(t, &p.mixedProblem, r.next(middle), 1, p.compare)
			if r.done() {
				return
			}
		}
	}
}

// layouts has all pairs of layouts for a few shapes; each k is another remainder of a
// step of several.
func (r *mixedRunner) layouts(t TB) {
	mr, nr := r.mr, r.nr
	for _, s := range some([]Shape{{1, nr + 1, 5}, {mr + 1, nr + 1, 3}, {mr, nr, 4}, {mr + 1, 1, 6}, {2*mr + 1, 2*nr - 1, 9}, {1, 1, 1}}) {
		p := r.integers(s, 1)
		for range len(Layouts) * len(Layouts) {
			r.try(t, &p.mixedProblem, r.next(middle), 1, p.compare)
			if r.done() {
				return
			}
		}
	}
}

// guard has all operands flush right, then flush left, at inaccessible pages.
func (r *mixedRunner) guard(t TB) {
	mr, nr, kc := r.mr, r.nr, r.kc
	shapes := cross([]Shape{{0, 0, 0}, {1, 1, 0}}, tidy([]int{1, mr - 1, mr, mr + 1}),
		tidy([]int{1, nr/2 + 1, nr - 1, nr, nr + 1}), []int{1, 2, 3, 5, 8})
	shapes = append(shapes, Shape{mr + 1, nr + 1, kc + 1}, Shape{2*mr - 1, 3, kc - 1}, Shape{3, 2*nr - 1, kc + 2})
	for _, s := range some(shapes) {
		p := r.integers(s, 1)
		for range max(min(2*layoutsEach(), 100_000/(s.MACs()+1)), 2) {
			l := r.next(right)
			for _, l.at = range [...]position{right, left} {
				r.try(t, &p.mixedProblem, l, 1, p.compare)
				if r.done() {
					return
				}
			}
		}
	}
}

// big has shapes beyond every cache block.
func (r *mixedRunner) big(t TB) {
	whole := r.acc == r.out.elem()
	for _, s := range some(bigShapes(r.mr, r.nr, r.kc, Long())) {
		p := r.integers(s, 1)
		compare := p.freivalds
		if !whole { // there is no such method for sums that were rounded
			compare = p.compare
		}
		r.try(t, &p.mixedProblem, r.next(middle), 1, compare)
		if r.done() {
			return
		}
	}
}

// threads wants the same result of several.
func (r *mixedRunner) threads(t TB) {
	if !r.many {
		return
	}
	for i, s := range []Shape{{97, 101, 103}, {1, 1031, 260}, {300, 7, 130}} {
		p := r.integers(s, 1)
		for _, threads := range []int{2, 4} {
			r.try(t, &p.mixedProblem, lay{Layouts[i%len(Layouts)], Layouts[0], Layouts[0], middle, i}, threads, p.compare)
			if r.done() {
				return
			}
		}
	}
}

// extremes has the operands whose products are the largest, in every pair, so that sums
// wrap where they can: of i16 after two.
func (r *mixedRunner) extremes(t TB) {
	la, ha := limitsOf(r.a.elem(), 1)
	lb, hb := limitsOf(r.b.elem(), 1)
	for _, s := range []Shape{{r.mr + 1, r.nr + 1, 2}, {1, r.nr, 3}, {r.mr, r.nr + 1, 64}, {r.mr, 3, 70001}, {1, 5, 140001}} {
		if s.K > 1000 && s.M > 1 && !Long() {
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
		p := &mixedIntegers{mixedProblem{s, make([]float64, s.M*s.K), make([]float64, s.K*s.N)}, r,
			make([]int64, s.M*s.K), make([]int64, s.K*s.N), 1}
		for _, x := range pairs {
			for i := range p.ai {
				p.ai[i] = x[0]
			}
			for i := range p.bi {
				p.bi[i] = x[1]
			}
			p.convert(1, 1)
			r.try(t, &p.mixedProblem, r.next(middle), 1, p.compare)
			if r.done() {
				return
			}
		}
	}
}

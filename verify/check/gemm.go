package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// gemm is the operation out = alpha*a*b + beta*out, or what a case makes of the sums of a*b, in groups: each is for one kind of
// mistake, in the order of what one wants to know first.
type gemm struct {
	alphas, betas []float64
	stored        bool // the results of the case store sums of a*b; operands may be narrower
	mayFlush      bool // some denormal numbers are kept and some are not
	many          bool // any number of threads gives the same
	callers       bool // may call at the same time
	checked       bool // operands that do not fit are refused

	turn       combos
	last       *product
	calls, mac int
	worst      float64 // error of an accumulator, as a part of its bound
}

// A groupOf makes problems for one kind of mistake, until try has seen enough.
type groupOf struct {
	name     string
	problems func(c *Case, try func(p *Problem) bool)
}

func (op *gemm) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	op.tryGroups(c, yield, []groupOf{
		{"exact", op.exact}, {"layouts", op.layouts}, {"guard", op.guard}, {"repeated", op.repeated}, {"nonfinite", op.nonfinite},
		{"denormal", op.denormal}, {"interval", op.interval}, {"big", op.big}, {"extremes", op.extremes},
		{"shapeerror", op.shapeErrors}, {"threads", op.threads},
	})
}

// tryGroups tries all groups, each up to a few failures, or until the kernel panics: then it is not called again.
func (op *gemm) tryGroups(c *Case, yield func(name string, p *Problem, err error) bool, groups []groupOf) {
	for _, g := range groups {
		if c.failures, op.turn = 0, (combos{alphas: op.alphas, betas: op.betas}); c.dead {
			return
		}
		g.problems(c, func(p *Problem) bool {
			op.calls++
			op.mac += p.macs
			return yield("check="+g.name+"/"+p.name, p, nil) && !c.dead
		})
	}
}

// A product is the numbers of one, row by row, before they are laid out. Their types have them.
type product struct {
	Shape
	a, b, c []float64
	columns []float64 // b by columns, once it is wanted
	flushed bool      // every sum is, to zero
}

func newProduct(s Shape) *product {
	return &product{Shape: s, a: make([]float64, s.M*s.K), b: make([]float64, s.K*s.N), c: make([]float64, s.M*s.N)}
}

// of lays v out as x says. It wants exactly the plain loop's results, NaN and infinities included: finite sums of v do not
// round in any order, and a sum is NaN if a term is or if two are opposite infinities.
func (op *gemm) of(c *Case, v *product, x call) *Problem {
	p := c.laid(v, x)
	p.once = true
	scaled := func(int, int, *total) {}
	if !op.stored {
		scaled = p.scaledOf(v.c)
	}
	p.end = func(i, j int, t *total) {
		if v.flushed {
			t.sum = 0
		}
		scaled(i, j, t)
	}
	p.look = func() error { return p.each(p.elements(true), c.same) }
	return p
}

// laid is a problem of v, as x says. With x.beta == 0 its result holds canaries.
func (c *Case) laid(v *product, x call) *Problem {
	p := c.problem(v.Shape, 1, true)
	p.guarded, p.at, p.turn, p.macs = true, x.at, x.shift, v.MACs()
	p.name = fmt.Sprintf("%v %v", v.Shape, x)
	p.Alpha, p.Beta = complex(x.alpha, 0), complex(x.beta, 0)
	p.lay(A, c.A, v.M, v.K, x.la).put(v.a)
	p.lay(B, c.B, v.K, v.N, x.lb).put(v.b)
	if out := p.lay(0, c.Slots[0].Type, v.M, v.N, x.lo); x.beta != 0 {
		out.put(v.c)
		p.again = append(p.again, func() { out.put(v.c) })
	}
	if len(v.b) == v.K*v.N && v.columns == nil {
		v.columns = make([]float64, len(v.b))
		for e, y := range v.b {
			v.columns[e%v.N*v.K+e/v.N] = y
		}
	}
	p.rows, p.cols = v.a, v.columns
	return p
}

// put sets all elements, to numbers row by row.
func (o *operand) put(x []float64) {
	for i := range o.rows {
		if !o.pairs {
			o.write(x[i*o.cols:][:o.cols], o.index(i, 0), o.cs)
			continue
		}
		for j, v := range x[i*2*o.cols:][:2*o.cols] {
			o.set(i, j, v)
		}
	}
}

// ofIntegers lays integers out: those of the last problem, if the shape is the same.
func (op *gemm) ofIntegers(c *Case, s Shape, x call) *Problem {
	if op.last == nil || op.last.Shape != s {
		v, err := op.integers(c, s)
		if err != nil {
			return &Problem{c: c, name: s.String(), err: err}
		}
		op.last = v
	}
	return op.of(c, op.last, x)
}

// depth is where the shapes turn around k-blocks.
func (c *Case) depth() int {
	if c.KC == 0 || c.KC > 4096 {
		return 256
	}
	return c.KC
}

// most is how many calls a shape has at most. Of products whose operands are narrow there are many.
func (op *gemm) most() int {
	switch {
	case !op.stored:
		return 6
	case testenv.Long():
		return 3
	}
	return 1
}

// thinned leaves of shapes, each m and n of which has nine of k in a row, three of these, by turns, for narrow operands.
func (op *gemm) thinned(shapes []Shape) (third []Shape) {
	if testenv.Long() || !op.stored {
		return some(shapes)
	}
	for i, s := range shapes {
		if (i+i/9)%3 == 0 {
			third = append(third, s)
		}
	}
	return some(third)
}

// some are some shapes of narrow operands, and all others.
func (op *gemm) some(shapes ...Shape) []Shape {
	if op.stored {
		return some(shapes)
	}
	return shapes
}

// exact has all shapes, a few layouts and scales for each.
func (op *gemm) exact(c *Case, try func(p *Problem) bool) {
	for _, s := range op.thinned(Shapes(c.MR, c.NR, c.depth(), testenv.Long())) {
		for range min(max(50_000/(s.MACs()+1), min(2, op.most())), op.most()) {
			if !try(op.ofIntegers(c, s, op.turn.next())) {
				return
			}
		}
	}
}

// layouts has a few shapes, all layouts and scales for each; each k is another remainder of a step of several.
func (op *gemm) layouts(c *Case, try func(p *Problem) bool) {
	mr, nr := c.MR, c.NR
	for _, s := range op.some(Shape{1, 1, 1}, Shape{1, nr + 1, 5}, Shape{mr + 1, 1, 6}, Shape{mr, nr, 4}, Shape{mr + 1, nr + 1, 3}, Shape{2*mr + 1, 2*nr - 1, 9}) {
		for range op.turn.total() {
			if !try(op.ofIntegers(c, s, op.turn.next())) {
				return
			}
		}
	}
}

// guard has all operands flush right, then flush left, at inaccessible pages.
func (op *gemm) guard(c *Case, try func(p *Problem) bool) {
	mr, nr, kc := c.MR, c.NR, c.depth()
	shapes := cross([]Shape{{0, 0, 0}, {1, 1, 0}}, tidy([]int{1, mr - 1, mr, mr + 1}),
		tidy([]int{1, nr/2 + 1, nr - 1, nr, nr + 1}), []int{1, 2, 3, 5, 8})
	shapes = append(shapes, Shape{mr + 1, nr + 1, kc + 1}, Shape{2*mr - 1, 3, kc - 1}, Shape{3, 2*nr - 1, kc}, Shape{3, 2*nr - 1, kc + 2})
	most := op.most()
	if testenv.Long() {
		most *= 2
	}
	for _, s := range some(shapes) {
		for range max(min(most, 200_000/(s.MACs()+1)), 2) {
			x := op.turn.next()
			for _, x.at = range [...]position{right, left} {
				if !try(op.ofIntegers(c, s, x)) {
					return
				}
			}
		}
	}
}

// repeated has strides of 0, which are allowed in operands that are only read.
func (op *gemm) repeated(c *Case, try func(p *Problem) bool) {
	if op.stored {
		return
	}
	kinds := []arrangement{
		{"sameRow", func(_, _ int) (int, int) { return 0, 1 }},
		{"sameCol", func(_, _ int) (int, int) { return 1, 0 }},
		{"same", func(_, _ int) (int, int) { return 0, 0 }},
	}
	for i := range 9 {
		for _, s := range []Shape{{c.MR + 1, c.NR + 1, 7}, {2*c.MR + 1, 3, 4}, {3, 2*c.NR + 1, 9}} {
			x := call{kinds[i%3], kinds[i/3], arrangements[i%len(arrangements)], op.alphas[i%len(op.alphas)], op.betas[i*3%len(op.betas)], middle, i}
			v, err := op.integers(c, s)
			if err == nil {
				repeat(v.a, s.M, s.K, x.la)
				repeat(v.b, s.K, s.N, x.lb)
			}
			if err != nil || !try(op.of(c, v, x)) {
				return
			}
		}
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

// nonfinite places NaN and infinities in the operands.
func (op *gemm) nonfinite(c *Case, try func(p *Problem) bool) {
	if c.Acc == dtype.I32 || !floats(c.Slots[0].Type) {
		return
	}
	mr, nr := c.MR, c.NR
	for _, s := range []Shape{{1, 1, 1}, {1, nr, 3}, {mr, 1, 5}, {mr, nr, 8}, {mr + 1, nr + 1, 7}, {2*mr - 1, 2*nr - 1, 9}, {mr - 1, nr - 1, 2}, {3, 5, c.depth() + 1}} {
		for v := range 24 {
			x := op.turn.next()
			if x.alpha == 0 || s.MACs() == 0 { // whether 0*NaN counts differs between BLAS implementations
				continue
			}
			if op.stored {
				x.at = [...]position{middle, left, right}[v%3]
			}
			if !try(op.of(c, specials(c, s, v), x)) {
				return
			}
		}
	}
}

// denormal is the exact oracle in units of the smallest numbers.
func (op *gemm) denormal(c *Case, try func(p *Problem) bool) {
	if c.Acc == dtype.I32 || op.mayFlush { // the interval says where results may lie
		return
	}
	for _, s := range []Shape{{1, 1, 1}, {c.MR, c.NR, 8}, {c.MR + 1, c.NR + 1, 7}, {2*c.MR + 1, c.NR - 1, 33}} {
		if s.N < 1 {
			continue
		}
		for _, u := range op.units(c) {
			v := op.tiny(c, s, u)
			for range max(5, 3*op.most()) {
				if x := op.turn.next(); x.whole() && !try(op.of(c, v, x)) {
					return
				}
			}
		}
	}
}

// interval has random numbers, whose sums must be within bounds, and the same call twice, which must give the same bits.
func (op *gemm) interval(c *Case, try func(p *Problem) bool) {
	if c.Acc == dtype.I32 {
		return
	}
	mr, nr, kc := c.MR, c.NR, c.depth()
	for _, s := range op.some(Shape{mr + 1, nr + 1, 8}, Shape{1, 1, 2}, Shape{mr, nr, 1}, Shape{mr - 1, nr + 1, 61}, Shape{mr + 1, 3, kc}, Shape{3, nr - 1, kc + 1}, Shape{mr + 1, nr + 1, 2*kc + 3}) {
		for i, f := range fillsOf(c.A, c.B, op.stored) {
			v := random(c, s, f, uint64(i))
			sums := op.refer(c, v)
			for range min(4, op.most()) {
				p := op.ofRandom(c, v, sums, f, op.turn.next())
				if p.twice = true; !try(p) {
					return
				}
			}
		}
	}
}

// ofRandom lays random numbers out, whose results must lie within bounds of their sums.
func (op *gemm) ofRandom(c *Case, v *product, sums []sum, f fill, x call) *Problem {
	p := op.of(c, v, x)
	p.name += " fill=" + f.name
	if !c.Flushes && !op.mayFlush {
		p.err = crossCheck(v, sums)
	}
	p.look = func() error { return op.within(c, p, v, sums, x) }
	return p
}

// big has shapes beyond every cache block.
func (op *gemm) big(c *Case, try func(p *Problem) bool) {
	for i, s := range op.some(bigShapes(c.MR, c.NR, c.depth(), testenv.Long())...) {
		n := len(arrangements)
		x := call{arrangements[i%n], arrangements[(i+1)%n], arrangements[2*i%n], op.alphas[len(op.alphas)-1], op.betas[i%len(op.betas)], middle, i}
		v, err := op.integers(c, s)
		if err != nil {
			try(&Problem{c: c, name: s.String(), err: err})
			return
		}
		p := op.of(c, v, x)
		if c.Acc == c.Slots[0].Type { // there is no such method for sums that were rounded
			p.look = func() error { return op.freivalds(c, p, v) }
		}
		if !try(p) {
			return
		}
	}
}

// freivalds compares with random vectors.
func (op *gemm) freivalds(c *Case, p *Problem, v *product) error {
	den, err := denominator(op.alphas, op.betas)
	if err != nil {
		return err
	}
	return c.freivalds(p, dense(v.c, v.M, v.N), float64(den))
}

// extremes has the integers whose products are the largest, in every pair, so that sums
// wrap where they can: of i16 after two.
func (op *gemm) extremes(c *Case, try func(p *Problem) bool) {
	if c.Acc != dtype.I32 {
		return
	}
	la, ha := limitsOf(c.A, 1)
	lb, hb := limitsOf(c.B, 1)
	for _, s := range []Shape{{c.MR + 1, c.NR + 1, 2}, {1, c.NR, 3}, {c.MR, c.NR + 1, 64}, {c.MR, 3, 70001}, {1, 5, 140001}} {
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
			v := newProduct(s)
			for i := range v.a {
				v.a[i] = float64(x[0])
			}
			for i := range v.b {
				v.b[i] = float64(x[1])
			}
			if !try(op.of(c, v, op.turn.next())) {
				return
			}
		}
	}
}

// shapeErrors hands over operands that do not fit together.
func (op *gemm) shapeErrors(c *Case, try func(p *Problem) bool) {
	short := func(o *operand) { o.elems = o.part(0, o.size()-1) }
	for _, x := range []struct {
		what string
		bad  func(a, b, out *operand)
	}{
		{"a has more columns than b has rows", func(a, _, _ *operand) { a.cols, a.rs = 5, 5; a.elems = alloc(&Problem{}, a.typ, 15) }},
		{"out has too few rows", func(_, _, out *operand) { out.rows, out.elems = 2, out.part(0, 12) }},
		{"out has too many columns", func(_, _, out *operand) { out.cols, out.rs, out.elems = 7, 7, alloc(&Problem{}, out.typ, 21) }},
		{"a is too short", func(a, _, _ *operand) { short(a) }},
		{"b is too short", func(_, b, _ *operand) { short(b) }},
		{"out is too short", func(_, _, out *operand) { short(out) }},
		{"a has a negative stride", func(a, _, _ *operand) { a.rs = -4 }},
		{"the strides of b overflow", func(_, b, _ *operand) { b.rs = farStride }},
		{"the rows of out are one", func(_, _, out *operand) { out.rs = 0 }},
		{"the columns of out are one", func(_, _, out *operand) { out.rs, out.cs = 1, 0 }},
	} {
		if op.checked && !try(op.refused(c, Shape{3, 6, 4}, x.what, x.bad)) {
			return
		}
	}
}

// refused is a problem of operands that do not fit, which a call must refuse.
func (op *gemm) refused(c *Case, s Shape, what string, bad func(a, b, out *operand)) *Problem {
	row := arrangements[0]
	p := op.of(c, newProduct(s), call{la: row, lb: row, lo: row, alpha: 1})
	p.name, p.refused = what, wrongShape
	a, b, out := p.slots[A], p.slots[B], p.slots[0]
	bad(a, b, out)
	out.paint()
	for _, o := range []*operand{a, b, out} {
		o.views = o.view(o)
	}
	return p
}

// threads wants the same result of several threads, and of several callers at once, each with its own operands.
func (op *gemm) threads(c *Case, try func(p *Problem) bool) {
	row := arrangements[0]
	for i, s := range []Shape{{97, 101, 103}, {1, 1031, 260}, {300, 7, 130}} {
		if !op.many {
			break
		}
		p := op.ofIntegers(c, s, call{arrangements[i], row, row, 1, 0, middle, i})
		if p.once = false; !try(p) {
			return
		}
	}
	if !op.callers {
		return
	}
	var all []*Problem
	for i := range 4 {
		x := call{row, row, row, op.alphas[len(op.alphas)-1], op.betas[len(op.betas)-1], middle, i}
		all = append(all, op.ofIntegers(c, Shape{97 + 10*i, 101 + 7*i, 103 + 5*i}, x))
	}
	p := all[0]
	p.beside, p.rounds = all[1:], 3
	try(p)
}

// A call is how one product is handed to the kernel.
type call struct {
	la, lb, lo  arrangement
	alpha, beta float64
	at          position
	shift       int // of the alignment, if at is middle
}

func (x call) String() string {
	return fmt.Sprintf("alpha=%v beta=%v a=%s b=%s out=%s at=%v", x.alpha, x.beta, x.la.Name, x.lb.Name, x.lo.Name, x.at)
}

// whole reports whether the factors are: half a unit would round.
func (x call) whole() bool { return x.alpha == math.Trunc(x.alpha) && x.beta == math.Trunc(x.beta) }

// combos goes through all combinations of layouts, alpha and beta in an order that
// mixes them, endlessly. A few calls for each of many shapes then see all of them. The
// layouts of a, b and out form a Latin square, so that every pair occurs.
type combos struct {
	alphas, betas []float64
	i             int
}

func (c *combos) total() int {
	return len(arrangements) * len(arrangements) * len(c.alphas) * len(c.betas)
}

func (c *combos) next() call {
	n := len(arrangements)
	i := c.i
	c.i = (c.i + 1009) % c.total() // a prime above any factor of the total
	la, lb := i%n, i/n%n
	i /= n * n
	return call{
		la: arrangements[la], lb: arrangements[lb], lo: arrangements[(la+lb)%n],
		alpha: c.alphas[i%len(c.alphas)],
		beta:  c.betas[i/len(c.alphas)],
		at:    middle, shift: c.i,
	}
}

package check

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Blocks are matrices of one shape, as calls of sums over blocks take them. They start at Data[At[i]],
// or at Data[i*Stride] for Count of them, or each is a slice of List.
type Blocks[T dtype.Elem] struct {
	Data          []T
	At            []int
	Stride, Count int
	List          [][]T

	Rows, Cols, Ld int // of kernels that take blocks of any shape: that of a's, and elements from row to row
}

// BlockShape is how blocks lie: rows of a, of b and of out so many elements apart. Paired rows of b
// are pairs of rows: element (k, j) at k/2*2*LdB + 2*j + k%2.
type BlockShape struct {
	Shape
	LdA, LdB, LdC int
	Paired        bool
	Open          bool // calls say M, K, LdA and LdC
	Width, Panel  int  // of b's panels, and elements from one to the next; 0: there is one
}

// atA and atB are where elements of a block stand, and sizeA and sizeB how many it takes.
func (s BlockShape) atA(i, k int) int { return i*s.LdA + k }
func (s BlockShape) atB(k, j int) int {
	if s.Width > 0 {
		q := j / s.Width * s.Panel
		s.Width, j = 0, j%s.Width
		return q + s.atB(k, j)
	}
	if s.Paired {
		return k/2*2*s.LdB + 2*j + k%2
	}
	return k*s.LdB + j
}
func (s BlockShape) sizeA() int { return s.atA(s.M-1, s.K-1) + 1 }
func (s BlockShape) sizeB() int { return s.atB(s.K-1, s.N-1) + 1 }
func (s BlockShape) sizeC() int { return (s.M-1)*s.LdC + s.N }

// of is s, for m rows where calls say how many there are: then blocks are narrow.
func (s BlockShape) of(m int) BlockShape {
	if s.Open {
		s.M, s.K, s.LdA, s.LdC = m, 6, 7, s.N
	}
	return s
}

// shapes are some of those that calls may have, with adjacent rows and with gaps: fewer than a tile has,
// tiles of all heights, and more than one call does.
func (s BlockShape) shapes() (list []BlockShape) {
	if !s.Open || s.M > 0 {
		return []BlockShape{s}
	}
	for i, mk := range [][2]int{{1, 2}, {3, 64}, {16, 16}, {27, 32}, {50, 10}, {109, 32}, {300, 4}} {
		x := s
		x.M, x.K = mk[0], mk[1]
		x.LdA, x.LdC = x.K+i%3*5, x.N+i%2*3
		if i == 2 {
			x.LdA = 3 // rows overlap
		}
		if i%3 == 1 {
			x.Panel, x.Width, x.N = x.sizeB()+7, x.N, 3*x.N
			x.LdC += 2 * x.Width
		}
		list = append(list, x)
	}
	return list
}

// A spread is how blocks lie in memory, whatever their type.
type spread struct {
	elems          // all of them
	at             []int
	stride, count  int
	list           []elems
	rows, cols, ld int
}

// side is a spread of blocks of a or of b, with the shape where calls say it, and the panels of b where there are more than one.
func (s BlockShape) side(x spread, a bool) *spread {
	switch {
	case a && s.Open:
		x.rows, x.cols, x.ld = s.M, s.K, s.LdA
	case !a && s.Width > 0 && x.list == nil:
		x.cols, x.ld = s.N, s.Panel
	}
	return &x
}

func (s slice[T]) part(from, to int) elems { return s[from:to:to] }

func (s slice[T]) blocks(x *spread) any {
	b := Blocks[T]{At: x.at, Stride: x.stride, Count: x.count, Rows: x.rows, Cols: x.cols, Ld: x.ld}
	if all, ok := x.elems.(slice[T]); ok {
		b.Data = all
	}
	for _, l := range x.list {
		part, _ := l.(slice[T])
		b.List = append(b.List, part)
	}
	return b
}

// hold puts blocks into a slot, whose memory is all.
func (p *Problem) hold(slot int, all elems, x *spread) {
	p.slots[slot] = &operand{elems: all, cs: 1, views: []any{all.blocks(x)}}
}

// cut gives the factors of a product as blocks, the last of which is filled up with zeros. The last is first if they
// are of an odd number.
func (p *Problem) cut(s BlockShape) {
	s = s.of(p.M)
	n := (p.K + s.K - 1) / s.K
	for _, slot := range []int{A, B} {
		o, size, at := p.slots[slot], s.sizeB(), s.atB
		lines := p.N
		if slot == A {
			size, lines = s.sizeA(), p.M
		}
		all := alloc(p, o.typ, n*size)
		for i := range n * size {
			all.store(i, 0)
		}
		x := spread{elems: all, at: make([]int, n)}
		for i := range n {
			if x.at[i] = i * size; n%2 == 1 {
				x.at[i] = (n - 1 - i) * size
			}
			for k := range min(s.K, p.K-i*s.K) {
				for l := range lines {
					if slot == A {
						all.store(x.at[i]+s.atA(l, k), o.at(l, i*s.K+k))
					} else {
						all.store(x.at[i]+at(k, l), o.at(i*s.K+k, l))
					}
				}
			}
		}
		o.views = append(o.views, all.blocks(s.side(x, slot == A)))
	}
}

// BatchReduce is the operation out = alpha*(a[0]*b[0] + a[1]*b[1] + ...) + beta*out. On small integers it must match a
// plain loop bit for bit, for all ways to say where blocks lie. On random numbers it must lie where a right
// kernel's sums can. NaN spreads to its row and no further. Arguments that do not fit are refused before out
// is written.
type BatchReduce struct {
	Of    BlockShape
	Count int // of pairs in every call; -1 is any
}

func (op BatchReduce) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	scales := [][2]float64{{1, 0}, {1, 1}, {-2, 0}, {2, -1}, {0, 1}, {0, 0}, {1, 4}}
	kinds := []bool{true, false}
	if c.Acc == dtype.I32 {
		scales, kinds = scales[:2], kinds[:1]
	}
	counts := []int{0, 1, 2, 3, 7, 42, 64}
	if op.Count >= 0 {
		counts = []int{op.Count, op.Count, op.Count}
	}
	for _, s := range op.Of.shapes() {
		in := "check="
		if op.Of.Open && op.Of.M == 0 {
			in = fmt.Sprintf("m=%d/k=%d/check=", s.M, s.K)
		}
		op := BatchReduce{s, op.Count}
		turn := 0
		for _, exact := range kinds {
			check := in + "exact/"
			if !exact {
				check = in + "random/"
			}
			for _, n := range counts {
				for form := range 9 {
					turn++
					f := scales[turn%len(scales)]
					p := op.problem(c, n, turn, form%3, form/3, f[0], f[1], exact)
					if !yield(fmt.Sprintf("%s%d blocks, forms %d and %d, alpha=%v beta=%v", check, n, form%3, form/3, f[0], f[1]), p, nil) {
						return
					}
				}
			}
		}
		if !op.refused(c, func(name string, p *Problem, err error) bool { return yield(in+"refused/"+name, p, err) }) {
			return
		}
	}
}

// timed are sums over size blocks that lie one after another.
func (op BatchReduce) timed(c *Case, _ any, size int, _ bool) (*Problem, error) {
	if op.Count > 0 {
		size = op.Count
	}
	if s := &op.Of; s.Open {
		s.M, s.K = 56, 64
		s.LdA, s.LdC = s.K, s.N
	}
	p := op.problem(c, size, 0, 0, 0, 1, 0, true)
	p.macs = size * op.Of.MACs()
	return p, nil
}

// batchReduceWork is how many multiply-adds of one call are done again.
const batchReduceWork = 200_000

// problem makes the operands of n blocks: number 0 of a form is a stride, 1 offsets, 2 a list.
func (op BatchReduce) problem(c *Case, n, turn, formA, formB int, alpha, beta float64, exact bool) *Problem {
	s := op.Of
	p := c.problem(s.Shape, uint64(5+turn), exact)
	p.guarded, p.turn, p.once = true, turn, true
	p.Alpha, p.Beta = complex(alpha, 0), complex(beta, 0)
	a, atA := op.lay(p, A, c.A, n, s.sizeA(), formA, turn)
	b, atB := op.lay(p, B, c.B, n, s.sizeB(), formB, turn/9)
	out := p.result(0, p.memory(c.Acc, s.M, s.N, s.LdC, 1))
	p.slots[0] = out
	if beta != 0 {
		out.fill(p.draw)
	}
	p.end = p.scaled()
	if !exact && n > 0 && p.rng.IntN(2) == 0 {
		a.store(atA[p.rng.IntN(n)]+s.atA(p.rng.IntN(s.M), p.rng.IntN(s.K)), nan)
	}
	rounding := 0.0
	if bits, _ := numberFormat(c.Acc); !exact {
		rounding = gamma(float64(n*s.K+8), bits) + gamma(float64(n*s.K+8), 53)
	}
	var flatA, flatB []float64 // by now
	p.terms = func(i, j int) (x, y []float64) {
		if flatA == nil {
			flatA, flatB = make([]float64, a.size()), make([]float64, b.size())
			a.read(flatA, 0, 1)
			b.read(flatB, 0, 1)
		}
		x, y = p.buffers(n * s.K)
		for q := range n {
			copy(x[q*s.K:][:s.K], flatA[atA[q]+s.atA(i, 0):])
			for k := range s.K {
				y[q*s.K+k] = flatB[atB[q]+s.atB(k, j)]
			}
		}
		return x, y
	}
	p.look = func() error {
		each := 1 + n*s.MACs()/batchReduceWork // of large sums every third element or so is compared
		skip, last := p.rng.IntN(each), s.M*s.N-1
		return c.near(p, func(yield func(i, j int) bool) {
			for e := range s.M * s.N {
				if (e%each == skip || e == 0 || e == last) && !yield(e/s.N, e%s.N) {
					return
				}
			}
		}, func(_, _ int, t *total) float64 {
			if rounding == 0 {
				return 0
			}
			return rounding * t.abs
		})
	}
	return p
}

// draw is a small integer, or a random number.
func (p *Problem) draw() float64 {
	if p.exact {
		return float64(p.rng.IntN(7) - 3)
	}
	return p.rng.NormFloat64()
}

// lay makes n blocks of so many elements, which may overlap, and fills all of them.
func (op BatchReduce) lay(p *Problem, slot int, t dtype.Type, n, size, form, turn int) (all elems, starts []int) {
	stride := []int{size, size + 3, 0, 1, 2 * size}[turn%5]
	length := 0
	if n > 0 {
		length = (n-1)*stride + size
	}
	if form > 0 && n > 0 {
		length = size + p.rng.IntN(2*n*size)
	}
	all = alloc(p, t, length)
	for i := range length {
		all.store(i, p.draw())
	}
	starts = make([]int, n)
	for i := range starts {
		if starts[i] = i * stride; form > 0 {
			starts[i] = p.rng.IntN(length - size + 1)
		}
	}
	if form > 0 && n > 1 {
		starts[0], starts[n-1] = length-size, 0 // both ends
	}
	if op.Of.Width > 0 && form == 2 && slot == B { // panels lie in one slice
		form = 1
	}
	x := spread{elems: all}
	switch form {
	case 0:
		x.stride, x.count = stride, n
	case 1:
		x.at = starts
	default:
		x.elems, x.list = nil, []elems{}
		for _, at := range starts {
			x.list = append(x.list, all.part(at, at+size))
		}
	}
	p.hold(slot, all, op.Of.side(x, slot == A))
	return all, starts
}

// refused hands over what does not fit.
func (op BatchReduce) refused(c *Case, yield func(name string, p *Problem, err error) bool) bool {
	s, n := op.Of, op.Count
	if n < 0 {
		n = 3
	}
	sa, sb := s.sizeA(), s.sizeB()
	const far = math.MaxInt/2 + 1
	try := func(what string, bad func(out *operand, a, b *spread)) bool {
		p := c.problem(s.Shape, 5, true)
		p.refused, p.guarded, p.Alpha = wrongShape, true, 1
		all, other := alloc(p, c.A, sa+n-1), alloc(p, c.B, (n+1)*sb)
		a := s.side(spread{elems: all, at: upTo(n)}, true)
		for i := range a.at {
			a.at[i]--
		}
		b := s.side(spread{elems: other.part(0, n*sb), stride: sb, count: n}, false)
		out := p.result(0, p.memory(c.Acc, s.M, s.N, s.LdC, 1))
		bad(out, a, b)
		out.views = out.view(out)
		p.slots[0] = out
		p.hold(A, all, a)
		p.hold(B, other, b)
		return yield(what, p, nil)
	}
	for _, x := range []struct {
		what string
		bad  func(out *operand, a, b *spread)
	}{
		{"a negative offset", func(_ *operand, a, _ *spread) { a.at[n-1] = -1 }},
		{"the least offset", func(_ *operand, a, _ *spread) { a.at[0] = math.MinInt }},
		{"an offset one too far", func(_ *operand, a, _ *spread) { a.at[n-1] = n }},
		{"the largest offset", func(_ *operand, a, _ *spread) { a.at[0] = math.MaxInt }},
		{"an offset that overflows in bytes", func(_ *operand, a, _ *spread) { a.at[0] = far }},
		{"a that is too short for a block", func(_ *operand, a, _ *spread) { a.elems = a.part(0, sa-1) }},
		{"no a", func(_ *operand, a, _ *spread) { a.elems = nil }},
		{"b that is too short", func(_ *operand, _, b *spread) { b.elems = b.part(0, n*sb-1) }},
		{"a negative stride", func(_ *operand, _, b *spread) { b.stride = -1 }},
		{"a negative count", func(_ *operand, a, b *spread) { a.at, a.stride, a.count, b.count = nil, sa, -1, -1 }},
		{"a count that overflows", func(_ *operand, a, b *spread) {
			a.at, a.elems, a.count, a.stride, b.count = nil, a.part(0, sa), math.MaxInt, far, math.MaxInt
		}},
		{"one block more of b", func(_ *operand, _, b *spread) { b.count, b.elems = n+1, alloc(&Problem{}, c.B, (n+1)*sb) }},
		{"one block less of a", func(_ *operand, a, _ *spread) { a.at = a.at[1:] }},
		{"a list with a short block", func(_ *operand, a, _ *spread) {
			for i := range n {
				a.list = append(a.list, a.part(min(1, max(0, i-n+2)), sa))
			}
			a.elems, a.at = nil, nil
		}},
		{"a list with an empty block", func(_ *operand, a, _ *spread) { a.elems, a.at, a.list = nil, nil, make([]elems, n) }},
		{"a list beside offsets", func(_ *operand, a, _ *spread) { a.list = make([]elems, n) }},
		{"offsets beside a stride", func(_ *operand, a, _ *spread) { a.stride = 1 }},
		{"another row of out", func(out *operand, _, _ *spread) { out.rows++ }},
		{"a column of out less", func(out *operand, _, _ *spread) { out.cols-- }},
		{"out that is too short", func(out *operand, _, _ *spread) { out.elems = out.part(0, s.sizeC()-1) }},
		{"a shape of b's blocks", func(_ *operand, _, b *spread) { b.rows = s.K }},
		{"columns of b that are no whole panels", func(_ *operand, _, b *spread) { b.cols = s.N + 1 }},
		{"negative columns of b", func(_ *operand, _, b *spread) { b.cols = -s.N }},
		{"panels of b that are too far apart", func(out *operand, _, b *spread) { b.cols, b.ld, out.cols = 2*s.N, far, 2*s.N }},
		{"a shape that is known, or none", func(_ *operand, a, _ *spread) {
			if a.rows, a.cols, a.ld = 0, 0, 0; !s.Open {
				a.rows, a.cols = s.M, s.K
			}
		}},
		{"rows of a that fill all memory", func(_ *operand, a, _ *spread) {
			if a.ld = far; s.M == 1 {
				a.ld = -2
			}
		}},
		{"a negative distance of rows", func(_ *operand, a, _ *spread) { a.ld = -1 }},
		{"a row of a more", func(_ *operand, a, _ *spread) { a.rows++ }},
		{"as many rows as can be", func(out *operand, a, _ *spread) { a.rows, out.rows = math.MaxInt, math.MaxInt }},
		{"a negative number of columns", func(_ *operand, a, _ *spread) { a.cols = -2 }},
		{"as many columns as can be", func(_ *operand, a, _ *spread) { a.cols, a.ld = math.MaxInt-1, 0 }},
	} {
		if !try(x.what, x.bad) {
			return false
		}
	}
	if s.M > 1 && !s.Open && !try("rows of out further apart", func(out *operand, _, _ *spread) {
		out.elems, out.rs = alloc(&Problem{}, c.Acc, 2*s.sizeC()), s.LdC+1
	}) {
		return false
	}
	return op.overlaps(c, yield)
}

// overlaps hands over an out that is part of a block, and one that touches blocks, where elements of all are of
// one type.
func (op BatchReduce) overlaps(c *Case, yield func(name string, p *Problem, err error) bool) bool {
	s, n := op.Of, max(op.Count, 1)
	sa, sb, sc := s.sizeA(), s.sizeB(), s.sizeC()
	if c.A != c.Acc || c.B != c.Acc {
		return true
	}
	for _, x := range []struct {
		what    string
		b, out  int // a is at the beginning
		refused func(error) bool
	}{{"out begins at the last element of a", sa + sc, sa - 1, wrongShape}, {"b begins at the last element of out", sa + sc - 1, sa, wrongShape}, {"out between a and b", sa + sc, sa, nil}} {
		p := c.problem(s.Shape, 5, true)
		p.refused, p.once, p.Alpha = x.refused, true, 1
		all := alloc(p, c.A, sa+sb+sc)
		at := func(to int) (at []int) {
			for range n {
				at = append(at, to)
			}
			return at
		}
		p.hold(A, all, s.side(spread{elems: all, at: at(0)}, true))
		p.hold(B, all, s.side(spread{elems: all, at: at(x.b)}, false))
		out := &operand{elems: all.part(x.out, x.out+sc), typ: c.Acc, rows: s.M, cols: s.N, rs: s.LdC, cs: 1}
		out.views = out.view(out)
		p.slots[0], p.look = out, func() error { return nil }
		if !yield(x.what, p, nil) {
			return false
		}
	}
	return true
}

package simd

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// An access is what a pass does with the elements of a vector.
type access uint8

const (
	unused access = iota
	read
	change // read and written
)

// A vectorPass goes over Rows rows of A, X and Y, a vector of each at a time, with Sums accumulators:
// one for each row, or none. All passes have the loop that build makes: rounds of Unroll vectors,
// each with accumulators of its own, then single vectors, then what is left.
type vectorPass struct {
	Name, Doc string
	Rows      int
	A, X, Y   access
	S, T      bool // every row has a scalar, or two
	Sums      int
	Join      vector.Joining // of two partial results; nil: their sum
	Wide      bool           // lanes are converted to float64 when they are loaded
	Unroll    int
	Step      func(b *emit.Builder, p *point)

	elem   emit.Elem
	target emit.Target
}

// A point is what a step works on: one vector of everything.
type point struct {
	A, S, T, Acc []*emit.Value
	X, Y         *emit.Value
}

// of returns the type that steps compute in, with so many lanes.
func (p *vectorPass) of(lanes int) emit.Type {
	if p.Wide {
		return emit.Vector(emit.F64, lanes)
	}
	return emit.Vector(p.elem, lanes)
}

func (p *vectorPass) lanes() int { return p.target.Lanes(p.of(1).Elem) }

// pointers are those of A's rows, of X and of Y, which advance together.
type pointers struct {
	rows vector.Rows
	x, y *emit.Value
}

func (q pointers) list() []*emit.Value {
	l := slices.Clone(q.rows.Bases)
	for _, v := range []*emit.Value{q.x, q.y} {
		if v != nil {
			l = append(l, v)
		}
	}
	return l
}

// with returns q with the pointers of a list, and what follows them there.
func (q pointers) with(l []*emit.Value) (pointers, []*emit.Value) {
	n := len(q.rows.Bases)
	q.rows = q.rows.With(l[:n])
	l = l[n:]
	for _, v := range []**emit.Value{&q.x, &q.y} {
		if *v != nil {
			*v, l = l[0], l[1:]
		}
	}
	return q, l
}

// build makes the kernel.
func (p *vectorPass) build(b *emit.Builder) {
	if p.Rows == 1 {
		p.tile(b, func(is bool, name string, _ bool) *emit.Value { return p.pointer(b, is, name) })
		return
	}
	b.ForOnce(b.Int(0), b.Param("tiles", emit.Int64), 1, nil, func(t *emit.Value, _ []*emit.Value) []*emit.Value {
		first := b.Mul(t, b.Int(int64(p.Rows))) // row of the tile: general registers are short, so that no pointer is carried
		p.tile(b, func(is bool, name string, rows bool) *emit.Value {
			switch {
			case !is:
				return nil
			case rows:
				return b.AddP(b.Param(name, emit.Ptr), b.Mul(first, b.Param("lda", emit.Int64)))
			}
			return b.AddP(b.Param(name, emit.Ptr), b.Mul(first, b.Int(int64(p.elem.Bytes()))))
		})
		return nil
	})
}

func (p *vectorPass) pointer(b *emit.Builder, is bool, name string) *emit.Value {
	if !is {
		return nil
	}
	return b.Param(name, emit.Ptr)
}

// tile does one tile of rows. of gives pointers of it, if they are wanted, to rows or to what has an
// element for each row.
func (p *vectorPass) tile(b *emit.Builder, of func(is bool, name string, rows bool) *emit.Value) {
	a := of(true, "a", true)
	scalarsAt := func() (s, t *emit.Value) { return of(p.S, "s", false), of(p.T, "t", false) }
	q := pointers{x: p.pointer(b, p.X != unused, "x"), y: p.pointer(b, p.Y != unused, "y")}
	if p.Rows == 1 {
		q.rows = vector.OneRow(a)
	} else {
		q.rows = vector.NewRows(b, a, b.Param("lda", emit.Int64), p.Rows)
	}
	n := func() *emit.Value { return b.Param("n", emit.Int64) } // read again, so that no register holds it meanwhile
	vl := p.lanes()
	vec := p.of(vl)
	scalars := p.scalars(b, vec, scalarsAt)
	acc := make([]*emit.Value, p.Sums*p.Unroll)
	for i := range acc {
		acc[i] = b.Const(vec, 0)
	}
	at, from := q.list(), b.Int(0)
	for _, u := range p.rounds() {
		acc = vector.Fold(b, p.joiner(), acc, u*p.Sums) // for each sum, those of a round
		to := b.And(n(), b.Int(int64(-u*vl)))
		x := b.For(from, to, int64(u*vl), slices.Concat(at, acc), func(_ *emit.Value, x []*emit.Value) []*emit.Value {
			q, sums := q.with(x)
			var next []*emit.Value
			for i := range u {
				next = append(next, p.step(b, q, int64(i*vl*p.elem.Bytes()), vl, nil, scalars, sums[i*p.Sums:(i+1)*p.Sums])...)
			}
			return slices.Concat(advance(b, q, int64(u*vl*p.elem.Bytes())), next)
		})
		at, acc, from = x[:len(at)], x[len(at):], b.And(n(), b.Int(int64(-u*vl)))
	}
	q, _ = q.with(at)
	acc = p.rest(b, q, scalarsAt, b.And(n(), b.Int(int64(vl-1))), scalars, acc)
	if p.Sums > 0 {
		all := vector.Join(b, p.joiner(), acc) // several, if a vector has fewer lanes than there are rows
		out := of(true, "out", false)
		for i, sums := range all {
			b.Store(sums, emit.At(out, int64(i*vec.Bytes())))
		}
	}
}

func advance(b *emit.Builder, q pointers, bytes int64) []*emit.Value {
	l := q.list()
	for i := range l {
		l[i] = b.AddP(l[i], b.Int(bytes))
	}
	return l
}

func (p *vectorPass) joiner() vector.Joining {
	if p.Join != nil {
		return p.Join
	}
	return (*emit.Builder).Add
}

// rounds are how many vectors the loops take at once, one after another. The rest of eight is too much for a
// chain of single additions.
func (p *vectorPass) rounds() []int {
	switch {
	case p.Unroll == 1:
		return []int{1}
	case p.Unroll == 8 && p.Sums > 0:
		return []int{8, 2, 1}
	}
	return []int{p.Unroll, 1}
}

// scalars loads what every row is multiplied by, into all lanes.
func (p *vectorPass) scalars(b *emit.Builder, v emit.Type, at func() (s, t *emit.Value)) (x [2][]*emit.Value) {
	s, t := at()
	for i, from := range []*emit.Value{s, t} {
		for r := 0; from != nil && r < p.Rows; r++ {
			at := emit.At(from, int64(r*p.elem.Bytes()))
			if v.Lanes == 1 {
				x[i] = append(x[i], b.Load(v, at))
			} else {
				x[i] = append(x[i], b.LoadSplat(v, at))
			}
		}
	}
	return x
}

// rest does the last n elements, less than a vector. It does so under a mask or, if storing
// through one is slow, in parts of 128 bits and then one by one.
func (p *vectorPass) rest(b *emit.Builder, q pointers, scalarsAt func() (s, t *emit.Value), n *emit.Value, scalars [2][]*emit.Value, acc []*emit.Value) []*emit.Value {
	stores := p.A == change || p.Y == change
	if isa := isaset.ByName(p.target.Name); p.Sums > 0 || !stores || !isa.SlowMask {
		return b.If(b.Cmp("gt", n, b.Int(0)), func() []*emit.Value {
			mask := b.MaskN(p.of(p.lanes()), n)
			return p.step(b, q, 0, p.lanes(), mask, scalars, acc)
		}, func() []*emit.Value { return acc })
	}
	size := p.elem.Bytes()
	at, few := q.list(), 16/size
	part := func(lanes int, x []*emit.Value) []*emit.Value {
		q, _ := q.with(x)
		p.step(b, q, 0, lanes, nil, p.scalars(b, p.of(lanes), scalarsAt), nil)
		return advance(b, q, int64(lanes*size))
	}
	if few < p.lanes() {
		at = b.If(b.Cmp("ne", b.And(n, b.Int(int64(few))), b.Int(0)), func() []*emit.Value { return part(few, at) }, func() []*emit.Value { return at })
	}
	b.For(b.Int(0), b.And(n, b.Int(int64(few-1))), 1, at, func(_ *emit.Value, x []*emit.Value) []*emit.Value { return part(1, x) })
	return nil
}

// step loads, steps and stores, and returns the accumulators.
func (p *vectorPass) step(b *emit.Builder, q pointers, off int64, lanes int, mask *emit.Value, scalars [2][]*emit.Value, acc []*emit.Value) []*emit.Value {
	of, inner := emit.Vector(p.elem, lanes), p.of(lanes)
	load := func(a emit.Addr) *emit.Value {
		switch {
		case of == inner:
			return vector.Load(b, of, mask, a)
		case mask == nil:
			return b.Cvt(inner.Elem, "rne", b.LoadNarrow(of, a))
		}
		return b.Cvt(inner.Elem, "rne", b.LoadMasked(of, mask, a))
	}
	store := func(is access, v *emit.Value, a emit.Addr) {
		if is == change {
			vector.Store(b, v, mask, a)
		}
	}
	pt := &point{S: scalars[0], T: scalars[1], Acc: slices.Clone(acc)}
	if p.X != unused {
		pt.X = load(emit.At(q.x, off))
	}
	if p.Y != unused {
		pt.Y = load(emit.At(q.y, off))
	}
	for r := range p.Rows {
		pt.A = append(pt.A, load(q.rows.At(r, off)))
	}
	p.Step(b, pt)
	for r := range p.Rows {
		store(p.A, pt.A[r], q.rows.At(r, off))
	}
	store(p.Y, pt.Y, emit.At(q.y, off))
	return pt.Acc
}

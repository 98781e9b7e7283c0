package asmtest

import (
	"fmt"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

// generator appends random operations on values made before.
type generator struct {
	s          *Suite
	b          *emit.Builder
	r          *rand.Rand
	t          emit.Target
	base, out  *emit.Value // p and q
	ints, ptrs []*emit.Value
	floats     map[emit.Type][]*emit.Value
	slots      []emit.Type
}

// Random makes a function of n operations on scalars and on vectors of floats, nested ones not
// counted: arithmetic, memory, moves of lanes, branches and loops.
func (s *Suite) Random(seed uint64, t emit.Target, n int) (Program, error) {
	g := &generator{s: s, r: rand.New(level.PCG(seed, uint64(t.Bits))), t: t, floats: map[emit.Type][]*emit.Value{}}
	f, err := emit.Build(fmt.Sprintf("random%d_%s", seed, t.Name), Frame, func(b *emit.Builder) {
		g.start(b)
		g.ops(n, 2)
		for range 6 {
			g.store(g.float(g.floatType()))
			g.store(Pick(g.r, g.ints))
		}
	})
	return Program{F: f, Slots: g.slots, Target: t, MayRefuse: true}, err
}

func (g *generator) start(b *emit.Builder) {
	g.b = b
	g.base, g.out = b.Param("p", emit.Ptr), b.Param("q", emit.Ptr)
	g.ints = []*emit.Value{b.Param("n", emit.Int64), b.Param("k", emit.Int64), b.Load(emit.Int64, emit.At(g.base, InI64))}
	g.ptrs = []*emit.Value{g.base}
}

// Pick returns one of xs.
func Pick[T any](r *rand.Rand, xs []T) T { return xs[r.IntN(len(xs))] }

func (g *generator) floatType() emit.Type { return Pick(g.r, g.s.floatTypes(g.t)) }

// float returns a value of type t, an earlier one if there is one.
func (g *generator) float(t emit.Type) *emit.Value {
	if vs := g.floats[t]; len(vs) > 0 && g.r.IntN(8) > 0 {
		return Pick(g.r, vs)
	}
	v := g.load(t)
	g.keep(v)
	return v
}

// keep makes v one of the values to go on with. Old ones are forgotten: more than
// the registers hold could not be alive.
func (g *generator) keep(v *emit.Value) {
	add := func(vs []*emit.Value, most int) []*emit.Value {
		return append(append([]*emit.Value(nil), vs[max(0, len(vs)+1-most):]...), v)
	}
	switch {
	case v.Type.Ptr:
		g.ptrs = add(g.ptrs, 3)
	case v.Type == emit.Int64:
		g.ints = add(g.ints, 4)
	default:
		g.floats[v.Type] = add(g.floats[v.Type], 3)
	}
}

// small returns an integer from 0 to 7.
func (g *generator) small() *emit.Value { return g.b.And(Pick(g.r, g.ints), g.b.Int(7)) }

// load makes a t in one of several ways.
func (g *generator) load(t emit.Type) *emit.Value {
	b := g.b
	at := emit.Addr{Ptr: Pick(g.r, g.ptrs)} // at most 56 bytes into its section
	if g.r.IntN(2) == 0 {
		at.Index, at.Scale = g.small(), 8
	}
	if t.Elem == emit.F32 {
		at.Off = InF32 + int64(4*g.r.IntN(20))
	} else {
		at.Off = InF64 + int64(8*g.r.IntN(40))
	}
	way := g.r.IntN(6)
	switch {
	case t.Lanes == 1 && way == 0 && t.Elem == emit.F32:
		return b.Param("x", t)
	case t.Lanes == 1 && way == 0:
		return b.Param("y", t)
	case way == 1:
		return b.Const(t, Pick(g.r, []float64{0, 1, -2.5, 1e300, 1.0 / 3}))
	case t.Lanes == 1:
		return b.Load(t, at)
	case way == 0 && t.Elem == emit.F32:
		return b.Param("x", t)
	case way == 2:
		return b.Splat(t, g.float(emit.Scalar(t.Elem)))
	case way == 3:
		return b.LoadSplat(t, at)
	case way == 4 && t.Bits() == g.t.Bits:
		return b.LoadMasked(t, g.mask(t), at)
	}
	return b.Load(t, at)
}

// mask returns the mask of a number of lanes that is cut to what t has.
func (g *generator) mask(t emit.Type) *emit.Value {
	b := g.b
	n, lanes := b.And(Pick(g.r, g.ints), b.Int(31)), b.Int(int64(t.Lanes))
	return b.MaskN(t, b.Select(b.Cmp("lt", n, lanes), n, lanes))
}

func (g *generator) store(v *emit.Value) {
	if len(g.slots) == MaxSlots {
		return
	}
	at := emit.At(g.out, int64(len(g.slots)*SlotBytes))
	g.slots = append(g.slots, v.Type)
	if v.Type.Lanes > 1 && v.Type.Bits() == g.t.Bits && g.r.IntN(3) == 0 {
		g.b.StoreMasked(v, g.mask(v.Type), at)
		return
	}
	g.b.Store(v, at)
}

// shuffle permutes lanes by a row that t has, or returns x.
func (g *generator) shuffle(x, y *emit.Value) *emit.Value {
	perm := g.s.Shuffle(g.r, x.Type)
	if perm == nil {
		return x
	}
	return g.b.Shuffle(perm, x, y)
}

// Predicates are those of cmp.
var Predicates = []string{"eq", "ne", "lt", "le", "gt", "ge"}

func (g *generator) cond() *emit.Value {
	y := Pick(g.r, g.ints)
	if g.r.IntN(2) == 0 {
		y = g.b.Int(int64(g.r.IntN(9) - 2))
	}
	return g.b.Cmp(Pick(g.r, Predicates), Pick(g.r, g.ints), y)
}

func (g *generator) ops(n, depth int) {
	b, r := g.b, g.r
	for range n {
		i, j := Pick(r, g.ints), Pick(r, g.ints)
		t := g.floatType()
		if len(g.floats) > 0 && r.IntN(4) > 0 { // rather go on with what there is
			for _, u := range g.s.floatTypes(g.t) {
				if len(g.floats[u]) > 0 && r.IntN(2) == 0 {
					t = u
				}
			}
		}
		op := func(name string, args ...*emit.Value) {
			g.keep(b.Op(name, emit.Attr{}, []emit.Type{args[0].Type}, args...)[0])
		}
		switch r.IntN(16) {
		case 0, 1:
			if r.IntN(2) == 0 {
				j = b.Int(Pick(r, []int64{0, 1, -1, 3, 12, 1 << 31, -1 << 40}))
			}
			op(Pick(r, []string{"add", "sub", "mul", "and", "or", "xor"}), i, j)
		case 2:
			if r.IntN(2) == 0 {
				j = b.Int(int64(r.IntN(64)))
			} else {
				j = b.And(j, b.Int(63))
			}
			op(Pick(r, []string{"shl", "shr"}), i, j)
		case 3:
			g.keep(b.Select(g.cond(), i, j))
		case 4:
			g.keep(b.Select(g.cond(), Pick(r, g.ptrs), Pick(r, g.ptrs)))
		case 5:
			g.keep(b.AddP(g.base, b.Mul(g.small(), b.Int(8))))
		case 6, 7:
			op(Pick(r, []string{"add", "sub", "mul", "div", "max", "min"}), g.float(t), g.float(t))
		case 8:
			op("fma", g.float(t), g.float(t), g.float(t))
		case 9:
			op("sqrt", g.float(t))
		case 10:
			g.keep(g.load(t))
		case 11:
			if t.Lanes > 1 {
				g.keep(g.shuffle(g.float(t), g.float(t)))
			}
		case 12:
			g.store(Pick(r, []*emit.Value{i, g.float(t)}))
		case 13:
			if depth > 0 {
				g.branch(depth)
			}
		case 14:
			if depth > 0 {
				g.count(depth)
			}
		case 15:
			if depth > 0 {
				g.repeat(depth)
			}
		}
	}
}

// carry picks values for a loop to carry: some of each kind, so that a
// permutation of them makes cycles.
func (g *generator) carry() []*emit.Value {
	var vs []*emit.Value
	for range g.r.IntN(4) {
		vs = append(vs, Pick(g.r, g.ints))
	}
	for range g.r.IntN(3) {
		vs = append(vs, Pick(g.r, g.ptrs))
	}
	t := g.floatType()
	for range g.r.IntN(4) {
		vs = append(vs, g.float(t))
	}
	return vs
}

// next picks what takes the place of the carried values x: them in another order,
// or anything of their types.
func (g *generator) next(x []*emit.Value) []*emit.Value {
	out := make([]*emit.Value, len(x))
	for i, v := range x {
		var same []*emit.Value
		for _, w := range x {
			if w.Type == v.Type {
				same = append(same, w)
			}
		}
		out[i] = Pick(g.r, same)
		if g.r.IntN(2) == 0 {
			out[i] = g.any(v.Type)
		}
	}
	return out
}

func (g *generator) any(t emit.Type) *emit.Value {
	switch {
	case t.Ptr:
		return Pick(g.r, g.ptrs)
	case t == emit.Int64:
		if g.r.IntN(4) == 0 {
			return g.b.Int(int64(g.r.IntN(100)))
		}
		return Pick(g.r, g.ints)
	}
	return g.float(t)
}

// within appends to a nested block, whose values go out of sight at its end; yield
// picks from them.
func (g *generator) within(depth int, args []*emit.Value, yield func() []*emit.Value) []*emit.Value {
	ints, ptrs := g.ints, g.ptrs
	floats := map[emit.Type][]*emit.Value{}
	for t, vs := range g.floats {
		floats[t] = vs
	}
	for _, v := range args {
		g.keep(v)
	}
	g.ops(1+g.r.IntN(5), depth-1)
	out := yield()
	g.ints, g.ptrs, g.floats = ints, ptrs, floats
	return out
}

func (g *generator) keepAll(vs []*emit.Value) {
	for _, v := range vs {
		g.keep(v)
	}
}

func (g *generator) branch(depth int) {
	like := g.carry()
	side := func() []*emit.Value {
		return g.within(depth, nil, func() []*emit.Value {
			var out []*emit.Value
			for _, v := range like {
				out = append(out, g.any(v.Type))
			}
			return out
		})
	}
	g.keepAll(g.b.If(g.cond(), side, side))
}

func (g *generator) count(depth int) {
	inits := g.carry()
	read := g.r.IntN(2) == 0
	g.keepAll(g.b.For(g.b.Int(0), g.b.And(Pick(g.r, g.ints), g.b.Int(3)), int64(1+g.r.IntN(2)), inits, func(i *emit.Value, x []*emit.Value) []*emit.Value {
		args := x
		if read {
			args = append([]*emit.Value{i}, x...)
		}
		return g.within(depth, args, func() []*emit.Value { return g.next(x) })
	}))
}

// repeat is a while loop: a counter goes down, the rest is carried.
func (g *generator) repeat(depth int) {
	b := g.b
	inits := append([]*emit.Value{b.And(Pick(g.r, g.ints), b.Int(3))}, g.carry()...)
	g.keepAll(b.While(inits, func(x []*emit.Value) (*emit.Value, []*emit.Value) {
		return b.Cmp("gt", x[0], b.Int(0)), append([]*emit.Value{x[0]}, g.shuffled(x[1:])...)
	}, func(x []*emit.Value) []*emit.Value {
		left := b.Sub(x[0], b.Int(1))
		return g.within(depth, x, func() []*emit.Value { return append([]*emit.Value{left}, g.back(inits[1:], x[1:])...) })
	}))
}

// shuffled returns vs with two values of one type exchanged, or as they are.
func (g *generator) shuffled(vs []*emit.Value) []*emit.Value {
	out := append([]*emit.Value(nil), vs...)
	if len(out) > 1 {
		if i := g.r.IntN(len(out) - 1); out[i].Type == out[i+1].Type {
			out[i], out[i+1] = out[i+1], out[i]
		}
	}
	return out
}

// back picks values of the types of inits.
func (g *generator) back(inits, x []*emit.Value) []*emit.Value {
	next := g.next(x)
	for i, v := range inits {
		if next[i].Type != v.Type {
			next[i] = g.any(v.Type)
		}
	}
	return next
}

package amd64

import (
	"fmt"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

// The memory of the functions here: p points to inputs, 64 f32, then 64 f64, then
// 32 i64; q points to results, slots of 64 bytes, each of one type.
const (
	inF32, inF64, inI64 = 0, 256, 768
	inBytes             = 1024
	slotBytes           = 64
	maxSlots            = 40
)

// A program is a function with what it leaves in its slots.
type program struct {
	f      *emit.Func
	slots  []emit.Type
	target emit.Target
}

// generator appends random operations on values made before.
type generator struct {
	b          *emit.Builder
	r          *rand.Rand
	t          emit.Target
	base, out  *emit.Value // p and q
	ints, ptrs []*emit.Value
	floats     map[emit.Type][]*emit.Value
	slots      []emit.Type
}

// floatTypes are what the target computes on: scalars and every width of vector.
func floatTypes(t emit.Target) []emit.Type {
	types := []emit.Type{emit.Scalar(emit.F32), emit.Scalar(emit.F64)}
	for bits := 128; bits <= t.Bits; bits *= 2 {
		types = append(types, emit.Vector(emit.F32, bits/32), emit.Vector(emit.F64, bits/64))
	}
	return types
}

// randomProgram makes a function of n operations, nested ones not counted.
func randomProgram(seed uint64, t emit.Target, n int) (program, error) {
	g := &generator{r: rand.New(level.PCG(seed, uint64(t.Bits))), t: t, floats: map[emit.Type][]*emit.Value{}}
	f, err := emit.Build(fmt.Sprintf("random%d_%s", seed, t.Name), frame, func(b *emit.Builder) {
		g.start(b)
		g.ops(n, 2)
		for range 6 {
			g.store(g.float(g.floatType()))
			g.store(pick(g.r, g.ints))
		}
	})
	return program{f, g.slots, t}, err
}

func (g *generator) start(b *emit.Builder) {
	g.b = b
	g.base, g.out = b.Param("p", emit.Ptr), b.Param("q", emit.Ptr)
	g.ints = []*emit.Value{b.Param("n", emit.Int64), b.Param("k", emit.Int64), b.Load(emit.Int64, emit.At(g.base, inI64))}
	g.ptrs = []*emit.Value{g.base}
}

func pick[T any](r *rand.Rand, xs []T) T { return xs[r.IntN(len(xs))] }

func (g *generator) floatType() emit.Type { return pick(g.r, floatTypes(g.t)) }

// float returns a value of type t, an earlier one if there is one.
func (g *generator) float(t emit.Type) *emit.Value {
	if vs := g.floats[t]; len(vs) > 0 && g.r.IntN(8) > 0 {
		return pick(g.r, vs)
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
func (g *generator) small() *emit.Value { return g.b.And(pick(g.r, g.ints), g.b.Int(7)) }

// load makes a t in one of several ways.
func (g *generator) load(t emit.Type) *emit.Value {
	b := g.b
	at := emit.Addr{Ptr: pick(g.r, g.ptrs)} // at most 56 bytes into its section
	if g.r.IntN(2) == 0 {
		at.Index, at.Scale = g.small(), 8
	}
	if t.Elem == emit.F32 {
		at.Off = inF32 + int64(4*g.r.IntN(20))
	} else {
		at.Off = inF64 + int64(8*g.r.IntN(40))
	}
	way := g.r.IntN(6)
	switch {
	case t.Lanes == 1 && way == 0 && t.Elem == emit.F32:
		return b.Param("x", t)
	case t.Lanes == 1 && way == 0:
		return b.Param("y", t)
	case way == 1:
		return b.Const(t, pick(g.r, []float64{0, 1, -2.5, 1e300, 1.0 / 3}))
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
	n, lanes := b.And(pick(g.r, g.ints), b.Int(31)), b.Int(int64(t.Lanes))
	return b.MaskN(t, b.Select(b.Cmp("lt", n, lanes), n, lanes))
}

func (g *generator) store(v *emit.Value) {
	if len(g.slots) == maxSlots {
		return
	}
	at := emit.At(g.out, int64(len(g.slots)*slotBytes))
	g.slots = append(g.slots, v.Type)
	if v.Type.Lanes > 1 && v.Type.Bits() == g.t.Bits && g.r.IntN(3) == 0 {
		g.b.StoreMasked(v, g.mask(v.Type), at)
		return
	}
	g.b.Store(v, at)
}

// shuffle permutes lanes by a row that t has, or returns x.
func (g *generator) shuffle(x, y *emit.Value) *emit.Value {
	t := x.Type
	p := pick(g.r, permutations)
	imm := 0
	if p.imm {
		imm = g.r.IntN(256)
	}
	perm := p.apply(t, imm, laneNumbers(0, t.Lanes), laneNumbers(t.Lanes, t.Lanes))
	if perm == nil {
		return x
	}
	return g.b.Shuffle(perm, x, y)
}

var predicates = []string{"eq", "ne", "lt", "le", "gt", "ge"}

func (g *generator) cond() *emit.Value {
	y := pick(g.r, g.ints)
	if g.r.IntN(2) == 0 {
		y = g.b.Int(int64(g.r.IntN(9) - 2))
	}
	return g.b.Cmp(pick(g.r, predicates), pick(g.r, g.ints), y)
}

func (g *generator) ops(n, depth int) {
	b, r := g.b, g.r
	for range n {
		i, j := pick(r, g.ints), pick(r, g.ints)
		t := g.floatType()
		if len(g.floats) > 0 && r.IntN(4) > 0 { // rather go on with what there is
			for _, u := range floatTypes(g.t) {
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
				j = b.Int(pick(r, []int64{0, 1, -1, 3, 12, 1 << 31, -1 << 40}))
			}
			op(pick(r, []string{"add", "sub", "mul", "and", "or", "xor"}), i, j)
		case 2:
			if r.IntN(2) == 0 {
				j = b.Int(int64(r.IntN(64)))
			} else {
				j = b.And(j, b.Int(63))
			}
			op(pick(r, []string{"shl", "shr"}), i, j)
		case 3:
			g.keep(b.Select(g.cond(), i, j))
		case 4:
			g.keep(b.Select(g.cond(), pick(r, g.ptrs), pick(r, g.ptrs)))
		case 5:
			g.keep(b.AddP(g.base, b.Mul(g.small(), b.Int(8))))
		case 6, 7:
			op(pick(r, []string{"add", "sub", "mul", "div", "max", "min"}), g.float(t), g.float(t))
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
			g.store(pick(r, []*emit.Value{i, g.float(t)}))
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
		vs = append(vs, pick(g.r, g.ints))
	}
	for range g.r.IntN(3) {
		vs = append(vs, pick(g.r, g.ptrs))
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
		out[i] = pick(g.r, same)
		if g.r.IntN(2) == 0 {
			out[i] = g.any(v.Type)
		}
	}
	return out
}

func (g *generator) any(t emit.Type) *emit.Value {
	switch {
	case t.Ptr:
		return pick(g.r, g.ptrs)
	case t == emit.Int64:
		if g.r.IntN(4) == 0 {
			return g.b.Int(int64(g.r.IntN(100)))
		}
		return pick(g.r, g.ints)
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
	g.keepAll(g.b.For(g.b.Int(0), g.b.And(pick(g.r, g.ints), g.b.Int(3)), int64(1+g.r.IntN(2)), inits, func(i *emit.Value, x []*emit.Value) []*emit.Value {
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
	inits := append([]*emit.Value{b.And(pick(g.r, g.ints), b.Int(3))}, g.carry()...)
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

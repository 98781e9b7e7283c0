package ptx_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/internal/level"
)

// Random functions: every thread reads 16-byte slots of in, computes on what it has,
// and writes slots of its own part of out.
const (
	inSlots    = 64
	outSlots   = 48
	randomSize = 32 // threads
)

var randomArgs = []emit.Arg{
	{Name: "in", Type: emit.Pointer(emit.Global, 16), Offset: 0}, {Name: "out", Type: emit.Pointer(emit.Global, 16), Offset: 8},
	{Name: "n", Type: emit.Int64, Offset: 16}, {Name: "i", Type: emit.Int32, Offset: 24}, {Name: "x", Type: emit.Scalar(emit.F32), Offset: 28},
	{Name: "h", Type: emit.Scalar(emit.BF16), Offset: 32}, {Name: "b", Type: emit.Scalar(emit.I8), Offset: 34}, {Name: "y", Type: emit.Scalar(emit.F64), Offset: 40},
}

// A program is a random function with the types of what it leaves in its slots.
type program struct {
	f     *emit.Func
	slots []emit.Type
}

// generator appends random operations on values made before.
type generator struct {
	b       *emit.Builder
	r       *rand.Rand
	in, out *emit.Value
	tid     *emit.Value
	values  map[emit.Type][]*emit.Value
	slots   []emit.Type
	left    int // operations to make
}

var randomTypes = []emit.Type{
	emit.Scalar(emit.I8), emit.Scalar(emit.I16), emit.Int32, emit.Int64, emit.Int32, emit.Int64,
	emit.Scalar(emit.F16), emit.Scalar(emit.BF16), emit.Scalar(emit.F32), emit.Scalar(emit.F64), emit.Scalar(emit.F32),
	emit.Vector(emit.F32, 2), emit.Vector(emit.F32, 4), emit.Vector(emit.F64, 2), emit.Vector(emit.I32, 4), emit.Vector(emit.I64, 2),
	emit.Vector(emit.BF16, 2), emit.Vector(emit.BF16, 8), emit.Vector(emit.F16, 4), emit.Vector(emit.I16, 2),
	emit.Vector(emit.I8, 2), emit.Vector(emit.I8, 4), emit.Vector(emit.I8, 16),
}

func randomProgram(seed uint64, n int) (program, error) {
	g := &generator{r: rand.New(level.PCG(seed, 1)), values: map[emit.Type][]*emit.Value{}, left: n}
	f, err := emit.Build(fmt.Sprintf("random%d", seed), randomArgs, func(b *emit.Builder) {
		g.b = b
		tid := b.SReg("tid.x", emit.Int64, emit.Thread)
		g.tid = tid
		g.in = b.Param("in", randomArgs[0].Type)
		g.out = b.AddPAligned(b.Param("out", randomArgs[1].Type), b.Mul(tid, b.Int(outSlots*16)), 16)
		g.keep(tid, b.Param("n", emit.Int64), b.Param("i", emit.Int32), b.Param("x", emit.Scalar(emit.F32)),
			b.Param("h", emit.Scalar(emit.BF16)), b.Param("b", emit.Scalar(emit.I8)), b.Param("y", emit.Scalar(emit.F64)))
		for g.left > 0 {
			g.op(2)
		}
		for range 12 {
			g.store(g.any(pick(g.r, randomTypes)))
		}
	})
	if f != nil {
		f.Threads, f.Shared = randomSize, randomSize*64
	}
	return program{f, g.slots}, err
}

func pick[T any](r *rand.Rand, xs []T) T { return xs[r.IntN(len(xs))] }

func (g *generator) keep(vs ...*emit.Value) {
	for _, v := range vs {
		g.values[v.Type] = append(slices.Clip(g.values[v.Type]), v)
	}
}

// any returns a value of type t, mostly one that is there.
func (g *generator) any(t emit.Type) *emit.Value {
	if vs := g.values[t]; len(vs) > 0 && g.r.IntN(6) > 0 {
		return vs[max(0, len(vs)-1-g.r.IntN(5))]
	}
	v := g.fresh(t)
	g.keep(v)
	return v
}

func (g *generator) fresh(t emit.Type) *emit.Value {
	b := g.b
	if t == emit.Bool {
		return g.cond()
	}
	at := emit.Addr{Ptr: g.in, Off: int64(16 * g.r.IntN(inSlots/2))}
	if g.r.IntN(2) == 0 {
		slot := b.And(g.any(emit.Int64), b.Int(inSlots/4-1))
		at.Index, at.Scale = b.Shl(slot, b.Int(1)), 8
	}
	switch way := g.r.IntN(6); {
	case way == 0 && t.Elem.Float():
		return b.Const(t, pick(g.r, []float64{0, 1, -2.5, 1e30, 1.0 / 3}))
	case way == 0:
		return b.Const(t, float64(g.r.IntN(200)-100))
	case way == 1 && t.Lanes > 1:
		return b.Splat(t, g.any(emit.Scalar(t.Elem)))
	case way == 2 && t.Lanes > 1:
		return b.LoadSplat(t, at)
	case way == 3 && t.Lanes > 1:
		return b.LoadMasked(t, g.mask(t), at)
	}
	return b.Load(t, at)
}

func (g *generator) mask(t emit.Type) *emit.Value {
	b := g.b
	if t.Lanes == 1 {
		return g.cond()
	}
	if g.r.IntN(2) == 0 {
		return b.Cmp(pick(g.r, conditions), g.any(t), g.any(t))
	}
	return b.MaskN(t, b.And(g.any(emit.Int64), b.Int(int64(t.Lanes-1))))
}

var conditions = []string{"eq", "ne", "lt", "le", "gt", "ge"}

// cond returns a truth value, now and then one made of others.
func (g *generator) cond() *emit.Value {
	b := g.b
	t := pick(g.r, randomTypes[:11])
	if vs := g.values[emit.Bool]; len(vs) > 0 && g.r.IntN(3) == 0 {
		return b.Not(pick(g.r, vs))
	}
	c := b.Cmp(pick(g.r, conditions), g.any(t), g.any(t))
	switch g.r.IntN(6) {
	case 0:
		c = b.Not(c)
	case 1:
		c = b.Op(pick(g.r, []string{"and", "or", "xor"}), emit.Attr{}, []emit.Type{emit.Bool}, c, g.cond())[0]
	case 2:
		c = b.Cmp(pick(g.r, conditions), c, g.cond())
	case 3:
		c = b.Select(c, g.cond(), b.Const(emit.Bool, 1))
	}
	return c
}

func (g *generator) store(v *emit.Value) {
	if len(g.slots) == outSlots {
		return
	}
	at := emit.At(g.out, int64(16*len(g.slots)))
	g.slots = append(g.slots, v.Type)
	if v.Type.Lanes > 1 && g.r.IntN(4) == 0 {
		g.b.StoreMasked(v, g.mask(v.Type), at)
		return
	}
	g.b.Store(v, at)
}

func (g *generator) with(t emit.Type, e emit.Elem) emit.Type { t.Elem = e; return t }

// through stores v in the thread's part of shared memory and loads it again.
func (g *generator) through(v *emit.Value) *emit.Value {
	b := g.b
	at := b.And(b.Add(b.Mul(g.any(emit.Int64), g.any(emit.Int64)), g.any(emit.Int64)), b.Int(48))
	p := b.AddPAligned(b.Shared(0, 16), b.Add(b.Mul(g.tid, b.Int(64)), at), 16)
	b.Store(v, emit.At(p, 0))
	return b.Load(v.Type, emit.At(p, 0))
}

// one appends one operation on values of type t.
func (g *generator) one(t emit.Type) *emit.Value {
	b, r := g.b, g.r
	x, y := g.any(t), g.any(t)
	if r.IntN(12) == 0 {
		return b.Select(g.mask(t), x, y)
	}
	if t.Lanes > 1 && r.IntN(6) == 0 {
		perm := make([]int, t.Lanes)
		for i := range perm {
			perm[i] = r.IntN(2 * t.Lanes)
		}
		return b.Shuffle(perm, x, y)
	}
	op := func(name string, args ...*emit.Value) *emit.Value {
		return b.Op(name, emit.Attr{}, []emit.Type{t}, args...)[0]
	}
	convert := func(name, how string, e emit.Elem) *emit.Value {
		return b.Op(name, emit.Attr{Name: how}, []emit.Type{g.with(t, e)}, x)[0]
	}
	full := t.Elem == emit.F32 || t.Elem == emit.F64
	if t.Elem.Float() {
		switch r.IntN(8) {
		case 0, 1:
			return op(pick(r, []string{"add", "sub", "mul", "div"}), x, y)
		case 2:
			return op(pick(r, []string{"max", "min"}), x, y)
		case 3:
			return op("fma", x, y, g.any(t))
		case 4:
			return op("sqrt", x)
		case 5:
			if full {
				return b.Round(pick(r, []string{"floor", "ceil", "trunc", "rne"}), x)
			}
		case 6:
			if full {
				return convert("cvt", pick(r, []string{"rne", "trunc"}), pick(r, []emit.Elem{emit.I32, emit.I64}))
			}
		}
		to := pick(r, []emit.Elem{emit.F16, emit.BF16, emit.F32, emit.F64})
		if to == t.Elem {
			return op("copy", x)
		}
		return convert("cvt", "rne", to)
	}
	bits := int64(t.Elem.Bits())
	switch r.IntN(4) { // small numbers, of which more is known
	case 0:
		y = b.Const(t, float64(r.IntN(24)-4))
	case 1:
		return op("and", x, b.Const(t, float64(r.IntN(100))))
	}
	switch r.IntN(7) {
	case 0, 1:
		return op(pick(r, []string{"add", "sub", "mul", "and", "or", "xor", "imin", "imax", "umulh"}), x, y)
	case 2:
		k := op("and", y, b.Const(t, float64(bits-1)))
		return op(pick(r, []string{"shl", "shr", "sar"}), x, k)
	case 3:
		return op(pick(r, []string{"udiv", "urem"}), x, op("or", y, b.Const(t, 1)))
	case 4:
		switch {
		case bits >= 32 && r.IntN(3) == 0:
			table := make([]uint64, []int{1, 2, 8, 32}[r.IntN(4)])
			for i := range table {
				table[i] = r.Uint64() >> (64 - bits)
			}
			return b.Table(t.Elem, table, op("and", x, b.Const(t, float64(len(table)-1))))
		case r.IntN(2) == 0:
			return op(pick(r, []string{"popcnt", "clz"}), x)
		}
		return convert("cvt", "rne", pick(r, []emit.Elem{emit.F32, emit.F64}))
	case 5:
		if bits < 64 {
			return convert(pick(r, []string{"sext", "zext"}), "", emit.Elem(int(t.Elem)+1+r.IntN(int(emit.I64-t.Elem))))
		}
	}
	if bits == 8 {
		return op("copy", x)
	}
	to := emit.Elem(int(t.Elem) - 1 - r.IntN(int(t.Elem-emit.I8)))
	if r.IntN(2) == 0 {
		return convert("sat", pick(r, []string{"s", "u"}), to)
	}
	return convert("trunc", "", to)
}

// op appends an operation; branches and loops nest to depth.
func (g *generator) op(depth int) {
	g.left--
	switch w := g.r.IntN(20); {
	case w < 2 && depth > 0:
		g.branch(depth)
	case w == 2 && depth > 0:
		g.count(depth)
	case w == 3 && depth > 0:
		g.repeat(depth)
	case w == 4:
		g.keep(g.through(g.any(pick(g.r, randomTypes))))
	case w < 7:
		g.store(g.any(pick(g.r, randomTypes)))
	default:
		g.keep(g.one(pick(g.r, randomTypes)))
	}
}

// carry picks values to be carried: two of each type, so that some trade places.
func (g *generator) carry() []*emit.Value {
	var vs []*emit.Value
	for range g.r.IntN(3) {
		t := pick(g.r, randomTypes)
		if g.r.IntN(4) == 0 {
			t = emit.Bool
		}
		vs = append(vs, g.any(t), g.any(t))
	}
	return vs
}

// within appends to a nested block, whose values go out of sight at its end; yield
// picks from them.
func (g *generator) within(depth int, args []*emit.Value, yield func() []*emit.Value) []*emit.Value {
	outer := map[emit.Type][]*emit.Value{}
	for t, vs := range g.values {
		outer[t] = vs
	}
	g.keep(args...)
	for range g.r.IntN(4) {
		g.op(depth - 1)
	}
	out := yield()
	g.values = outer
	return out
}

// next picks values like vs: the same in another order, or others.
func (g *generator) next(vs []*emit.Value) []*emit.Value {
	out := make([]*emit.Value, len(vs))
	for i, v := range vs {
		out[i] = vs[i^1]
		if g.r.IntN(2) == 0 {
			out[i] = g.any(v.Type)
		}
	}
	return out
}

func (g *generator) branch(depth int) {
	like := g.carry()
	side := func() []*emit.Value {
		return g.within(depth, nil, func() []*emit.Value { return g.next(like) })
	}
	g.keep(g.b.If(g.cond(), side, side)...)
}

func (g *generator) count(depth int) {
	b, t := g.b, pick(g.r, []emit.Type{emit.Int32, emit.Int64})
	hi := b.And(g.any(t), b.Const(t, 3))
	lo := b.Const(t, float64(g.r.IntN(3)-1))
	g.keep(b.For(lo, hi, int64(1+g.r.IntN(2)), g.carry(), func(i *emit.Value, x []*emit.Value) []*emit.Value {
		return g.within(depth, append([]*emit.Value{i}, x...), func() []*emit.Value { return g.next(x) })
	})...)
}

// repeat is a while loop: a counter goes down, the rest is carried.
func (g *generator) repeat(depth int) {
	b := g.b
	inits := append([]*emit.Value{b.And(g.any(emit.Int64), b.Int(3))}, g.carry()...)
	g.keep(b.While(inits, func(x []*emit.Value) (*emit.Value, []*emit.Value) {
		again := b.Cmp("gt", x[0], b.Int(0))
		return again, append([]*emit.Value{x[0]}, g.within(depth, x, func() []*emit.Value { return g.next(x[1:]) })...)
	}, func(x []*emit.Value) []*emit.Value {
		left := b.Sub(x[0], b.Int(1))
		return g.within(depth, x, func() []*emit.Value { return append([]*emit.Value{left}, g.next(x[1:])...) })
	})...)
}

// randomInput is memory for in: finite floats of every width, small integers.
func randomInput(seed uint64) []byte {
	r := rand.New(level.PCG(seed, 2))
	data := make([]byte, inSlots*16)
	for i := range data {
		data[i] = byte(r.Uint32())
		if i%2 == 1 && r.IntN(3) > 0 {
			data[i] = byte(0x3c + r.IntN(8))
		}
	}
	return data
}

func TestRandomAssembles(t *testing.T) {
	for _, target := range []emit.Target{ptx.SM80, ptx.SM90a} {
		var fs []*emit.Func
		for seed := range uint64(20) {
			p, err := randomProgram(seed, 60)
			if err != nil {
				t.Fatal(err)
			}
			fs = append(fs, p.f)
		}
		assemble(t, target, print(t, target, fs...))
	}
}

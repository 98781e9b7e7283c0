package llvm_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/internal/level"
)

// The memory of the functions here: p points to inBytes of anything, q to slots of
// slotBytes, each for one result.
const (
	inBytes   = 1024
	slotBytes = 128
	maxSlots  = 32
)

// frame is their argument block.
var frame = []emit.Arg{{Name: "p", Type: emit.Ptr, Offset: 0}, {Name: "q", Type: emit.Ptr, Offset: 8}, {Name: "n", Type: emit.Int64, Offset: 16},
	{Name: "x", Type: emit.Scalar(emit.F32), Offset: 24}, {Name: "on", Type: emit.Bool, Offset: 28}, {Name: "y", Type: emit.Scalar(emit.F64), Offset: 32}}

// A program is a function with the types of what it leaves in its slots.
type program struct {
	f     *emit.Func
	slots []emit.Type
}

// mixer appends random operations on values of one number of lanes, on scalars, and
// loops and branches that hand them on.
type mixer struct {
	*emit.Builder
	r     *rand.Rand
	p, q  *emit.Value
	types []emit.Type
	vals  map[emit.Type][]*emit.Value
	slots []emit.Type
}

var (
	intElems  = []emit.Elem{emit.I8, emit.I16, emit.I32, emit.I64}
	fullElems = []emit.Elem{emit.F32, emit.F64}
	elems     = slices.Concat(intElems, fullElems, []emit.Elem{emit.F16, emit.BF16})
)

// random makes a function of n operations, nested ones not counted.
func random(seed uint64, t emit.Target, n int) (program, error) {
	m := &mixer{r: rand.New(level.PCG(seed, uint64(t.Bits))), vals: map[emit.Type][]*emit.Value{}}
	lanes := pick(m.r, []int{1, 2, 4, 4, 8, 8, 16, 32, 64})
	for _, e := range elems {
		if lanes*e.Bits() <= 2*t.Bits && lanes*e.Bytes() <= slotBytes {
			m.types = append(m.types, emit.Vector(e, lanes))
		}
		if lanes > 1 && e.Bits() >= 32 {
			m.types = append(m.types, emit.Scalar(e))
		}
	}
	f, err := emit.Build(fmt.Sprintf("random%d_%s", seed, t.Name), frame, func(b *emit.Builder) {
		m.Builder, m.p, m.q = b, b.Param("p", emit.Ptr), b.Param("q", emit.Ptr)
		m.ops(n, 2)
		for range 8 {
			m.store()
		}
	})
	return program{f, m.slots}, err
}

func pick[T any](r *rand.Rand, xs []T) T { return xs[r.IntN(len(xs))] }

// op applies a row of the table whose result is of the type of its last operand.
func (m *mixer) op(name, how string, args ...*emit.Value) *emit.Value {
	return m.Op(name, emit.Attr{Name: how}, []emit.Type{args[len(args)-1].Type}, args...)[0]
}

// address returns a place from which a t, and eight elements more, can be loaded.
func (m *mixer) address(t emit.Type) emit.Addr {
	a := emit.Addr{Ptr: m.p, Off: int64(m.r.IntN(inBytes - 2*slotBytes - 256))}
	switch m.r.IntN(4) {
	case 0:
		a.Index, a.Scale = m.small(), pick(m.r, []int64{1, 2, 4, 8})
	case 1:
		a.Ptr = m.AddP(m.p, m.small())
	case 2:
		a.Ptr = m.Select(m.cond(), m.AddP(m.p, m.Int(64)), m.p)
	}
	return a
}

// small returns an integer from 0 to 7.
func (m *mixer) small() *emit.Value { return m.And(m.value(emit.Int64), m.Int(7)) }

var predicates = []string{"eq", "ne", "lt", "le", "gt", "ge"}

func (m *mixer) cond() *emit.Value {
	t := emit.Scalar(pick(m.r, []emit.Elem{emit.I64, emit.I32, emit.F32, emit.F64}))
	switch m.r.IntN(6) {
	case 0:
		return m.Param("on", emit.Bool)
	case 1:
		return m.Cmp(pick(m.r, predicates), m.Param("on", emit.Bool), m.Cmp("lt", m.value(t), m.value(t)))
	}
	return m.Cmp(pick(m.r, predicates), m.value(t), m.value(t))
}

// value returns a value of type t, an earlier one if there is one.
func (m *mixer) value(t emit.Type) *emit.Value {
	if vs := m.vals[t]; len(vs) > 0 && m.r.IntN(5) > 0 {
		return pick(m.r, vs)
	}
	v := m.fresh(t)
	m.keep(v)
	return v
}

func (m *mixer) fresh(t emit.Type) *emit.Value {
	k := m.r.IntN(8)
	lane := emit.Scalar(t.Elem)
	switch {
	case t == emit.Bool:
		return m.cond()
	case t.Elem == emit.I1 && k == 0:
		return m.Const(t, float64(m.r.IntN(2)))
	case t.Elem == emit.I1 && k == 1:
		return m.Splat(t, m.cond())
	case t.Elem == emit.I1 && k == 2:
		return m.MaskOf(t, m.And(m.Param("n", emit.Int64), m.MaskBits(m.value(t))))
	case t.Elem == emit.I1:
		return m.MaskN(t, m.And(m.Param("n", emit.Int64), m.Int(int64(t.Lanes-1))))
	case t == emit.Int64 && k < 2:
		return m.Param("n", t)
	case k == 0:
		return m.Const(t, pick(m.r, []float64{0, 1, -2, 100, 1.0 / 3, -0.5}))
	case k == 1 && t.Elem == emit.F32:
		return m.Param("x", t)
	case k == 1 && t.Elem == emit.F64:
		return m.Param("y", t)
	case k == 2 && t.Lanes > 1:
		return m.LoadSplat(t, m.address(t))
	case k == 3 && t.Lanes > 1:
		return m.LoadMasked(t, m.value(t.Mask()), m.address(t))
	case k == 4 && t.Lanes > 1:
		return m.Splat(t, m.value(lane))
	}
	return m.Load(t, m.address(t))
}

// keep makes v one of the values to go on with; old ones are forgotten.
func (m *mixer) keep(v *emit.Value) {
	vs := m.vals[v.Type]
	m.vals[v.Type] = append(slices.Clone(vs[max(0, len(vs)-2):]), v)
}

func (m *mixer) store() {
	if len(m.slots) == maxSlots {
		return
	}
	v := m.value(pick(m.r, m.types))
	at := emit.At(m.q, int64(len(m.slots)*slotBytes))
	m.slots = append(m.slots, v.Type)
	if v.Type.Lanes > 1 && m.r.IntN(3) == 0 {
		m.StoreMasked(v, m.value(v.Type.Mask()), at)
		return
	}
	m.Store(v, at)
}

func (m *mixer) ops(n, depth int) {
	for range n {
		switch t := pick(m.r, m.types); m.r.IntN(14) {
		case 0, 1, 2, 3:
			m.compute(t)
		case 4, 5, 6:
			m.convert(t)
		case 7:
			if t.Elem.Int() || slices.Contains(fullElems, t.Elem) {
				m.keep(m.Cmp(pick(m.r, predicates), m.value(t), m.value(t)))
			}
		case 8:
			mask := t.Mask()
			m.keep(m.op(pick(m.r, []string{"and", "or", "xor"}), "", m.value(mask), m.value(mask)))
		case 9:
			if m.r.IntN(5) == 0 {
				t = t.Mask()
			}
			m.keep(m.Select(m.value(t.Mask()), m.value(t), m.value(t)))
		case 10:
			m.store()
		case 11:
			m.shuffle(t)
		case 12:
			m.inst()
		case 13:
			if depth > 0 {
				m.region(depth)
			}
		}
	}
}

func (m *mixer) compute(t emit.Type) {
	x, y := m.value(t), m.value(t)
	switch {
	case slices.Contains(fullElems, t.Elem):
		switch name := pick(m.r, []string{"add", "sub", "mul", "div", "max", "min", "sqrt", "fma", "round", "sign", "copy"}); name {
		case "fma":
			m.keep(m.FMA(x, y, m.value(t)))
		case "round":
			m.keep(m.Round(pick(m.r, []string{"floor", "ceil", "trunc", "rne"}), x))
		case "sqrt", "copy":
			m.keep(m.op(name, "", x))
		case "sign":
			m.keep(pick(m.r, []func() *emit.Value{func() *emit.Value { return m.AbsF(x) }, func() *emit.Value { return m.NegF(x) }, func() *emit.Value { return m.CopySign(x, y) }})())
		default:
			m.keep(m.op(name, "", x, y))
		}
	case t.Elem.Int() && t.Elem.Bits() >= 32 && m.r.IntN(6) == 0:
		bits := make([]uint64, []int{1, 4, 8, 16, 32}[m.r.IntN(5)])
		for i := range bits {
			bits[i] = m.r.Uint64() >> (64 - t.Elem.Bits())
		}
		m.keep(m.Table(t.Elem, bits, m.And(x, m.Const(t, float64(len(bits)-1)))))
	case t.Elem.Int():
		name := pick(m.r, []string{"add", "sub", "mul", "and", "or", "xor", "imin", "imax", "shl", "shr", "sar", "udiv", "urem", "umulh", "popcnt", "clz"})
		switch name {
		case "popcnt", "clz":
			m.keep(m.op(name, "", x))
			return
		case "shl", "shr", "sar":
			if y = m.And(y, m.Const(t, float64(t.Elem.Bits()-1))); m.r.IntN(2) == 0 {
				y = m.Const(t, float64(m.r.IntN(t.Elem.Bits())))
			}
		case "udiv", "urem":
			y = m.Or(y, m.Const(t, 1))
		}
		m.keep(m.op(name, "", x, y))
	}
}

// convert changes the type of lanes. The bits of a float are looked at only where it is
// no NaN: which NaN an operation makes is the machine's own business.
func (m *mixer) convert(t emit.Type) {
	x, u := m.value(t), pick(m.r, m.types)
	full := func(e emit.Elem) bool { return slices.Contains(fullElems, e) }
	half := func(e emit.Elem) bool { return e.Float() && !full(e) }
	switch from, to := t.Elem, u.Elem; {
	case from.Int() && t.Lanes > 1 && m.r.IntN(8) == 0: // in other lanes, and back
		narrow := m.Recast(emit.I8, x)
		m.keep(m.Recast(from, m.Xor(narrow, m.Const(narrow.Type, 5))))
	case t.Lanes != u.Lanes || from == to:
	case full(from) && to.Int() && from.Bits() == to.Bits() && m.r.IntN(2) == 0:
		m.keep(m.Bitcast(to, m.Max(x, m.Const(t, -3))))
	case from.Int() && to.Float() && from.Bits() == to.Bits() && m.r.IntN(2) == 0:
		m.keep(m.Bitcast(to, x))
	case full(from) && (to == emit.I32 || to == emit.I64):
		m.keep(m.Cvt(to, pick(m.r, []string{"rne", "trunc"}), x))
	case from.Int() && full(to), half(from) && to.Float(), from == emit.F32 && to.Float(), full(from) && full(to):
		m.keep(m.Cvt(to, "rne", x))
	case !from.Int() || !to.Int():
	case from < to:
		m.keep(pick(m.r, []func(emit.Elem, *emit.Value) *emit.Value{m.Sext, m.Zext})(to, x))
	case m.r.IntN(2) == 0:
		m.keep(m.Trunc(to, x))
	default:
		m.keep(m.Sat(to, pick(m.r, []string{"s", "u"}), x))
	}
}

// shuffle takes any lanes of two vectors.
func (m *mixer) shuffle(t emit.Type) {
	if t.Lanes == 1 {
		return
	}
	perm := make([]int, t.Lanes)
	for i := range perm {
		perm[i] = m.r.IntN(2 * t.Lanes)
	}
	m.keep(m.Shuffle(perm, m.value(t), m.value(t)))
}

// inst is a machine instruction that has a spelling.
func (m *mixer) inst() {
	e := pick(m.r, fullElems)
	v := emit.Vector(e, 128/e.Bits())
	switch m.r.IntN(5) {
	case 0:
		m.keep(m.Inst(inst.LoadIndex, int64(4*m.r.IntN(9)), m.p, m.small())[0])
	case 1:
		at := []*emit.Value{m.p}
		for range v.Lanes {
			at = append(at, m.small())
		}
		m.keep(m.Inst(inst.Collect(e), 0, at...)[0])
	case 2:
		m.keep(m.Inst(inst.First(e), 0, m.value(v))[0])
	case 3:
		m.keep(m.Inst(inst.Swap(e, 1), 0, m.value(v))[0])
	case 4:
		m.Prefetch(int64(m.r.IntN(2)), m.address(v))
	}
}

// carry picks values for a loop or a branch to hand on.
func (m *mixer) carry() (vs []*emit.Value) {
	for range 1 + m.r.IntN(4) {
		vs = append(vs, m.value(pick(m.r, append(m.types, m.types[0].Mask()))))
	}
	return vs
}

// within appends operations to a nested block, whose values go out of sight at its end,
// and returns values of the types of like.
func (m *mixer) within(depth int, args, like []*emit.Value) (out []*emit.Value) {
	saved := m.vals
	m.vals = map[emit.Type][]*emit.Value{}
	for t, vs := range saved {
		m.vals[t] = vs
	}
	for _, v := range args {
		m.keep(v)
	}
	m.ops(1+m.r.IntN(4), depth-1)
	for _, v := range like {
		out = append(out, m.value(v.Type))
	}
	m.vals = saved
	return out
}

func (m *mixer) region(depth int) {
	inits := m.carry()
	var results []*emit.Value
	switch m.r.IntN(4) {
	case 0:
		side := func() []*emit.Value { return m.within(depth, nil, inits) }
		results = m.If(m.cond(), side, side)
	case 1:
		results = m.For(m.Int(-1), m.And(m.value(emit.Int64), m.Int(3)), int64(1+m.r.IntN(2)), inits, func(i *emit.Value, x []*emit.Value) []*emit.Value {
			return m.within(depth, append([]*emit.Value{i}, x...), inits)
		})
	case 2:
		results = m.ForOnce(m.Int(0), m.Int(int64(1+m.r.IntN(3))), 1, inits, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
			return m.within(depth, x, inits)
		})
	case 3:
		inits = append([]*emit.Value{m.And(m.value(emit.Int64), m.Int(3))}, inits...)
		results = m.While(inits, func(x []*emit.Value) (*emit.Value, []*emit.Value) {
			return m.Cmp("gt", x[0], m.Int(0)), slices.Concat(x[:1], m.within(1, x, x[1:]))
		}, func(x []*emit.Value) []*emit.Value {
			left := m.Sub(x[0], m.Int(1))
			return append([]*emit.Value{left}, m.within(depth, x, x[1:])...)
		})
	}
	for _, v := range results {
		m.keep(v)
	}
}

package asmtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
	"github.com/tilesmith/tilesmith/internal/level"
)

// mixer appends random elementwise operations on vectors of one number of lanes,
// with masks, and with loops and branches that hand both on.
type mixer struct {
	*Body
	r     *rand.Rand
	types []emit.Type // that a register holds
	vals  map[emit.Type][]*emit.Value
}

// Mixed makes a function of n operations on vectors of one number of lanes and on masks, nested
// ones not counted.
func (s *Suite) Mixed(seed uint64, target emit.Target, n int) (Program, error) {
	pr := Program{Target: target, MayRefuse: true}
	var err error
	pr.F, err = emit.Build(fmt.Sprintf("vec_mixed%d_%s", seed, target.Name), Frame, func(b *emit.Builder) {
		m := &mixer{Body: &Body{b, s, target, b.Param("p", emit.Ptr), b.Param("q", emit.Ptr), &pr},
			r: rand.New(level.PCG(seed, uint64(target.Bits))), vals: map[emit.Type][]*emit.Value{}}
		lanes := Pick(m.r, s.Lanes)
		for _, e := range vectorElems {
			if s.holds(target, e, lanes) {
				m.types = append(m.types, emit.Vector(e, lanes))
			}
		}
		m.ops(n, 2)
		for range 8 {
			m.store()
		}
	})
	return pr, err
}

func (m *mixer) mask() *emit.Value { return m.value(m.types[0].Mask()) }

// value returns a value of type t, an earlier one if there is one.
func (m *mixer) value(t emit.Type) *emit.Value {
	if vs := m.vals[t]; len(vs) > 0 && m.r.IntN(5) > 0 {
		return Pick(m.r, vs)
	}
	var v *emit.Value
	switch k := m.r.IntN(6); {
	case asm.IsMask(t) && k == 0:
		v = m.Const(t, float64(m.r.IntN(2)))
	case asm.IsMask(t):
		v = m.MaskN(t, m.And(m.Param("n", emit.Int64), m.Int(int64(t.Lanes-1))))
	case k == 0:
		v = m.Const(t, float64(m.r.IntN(100)-50))
	case k == 1:
		v = m.LoadSplat(t, m.at(t, m.r.IntN(8)))
	case k == 2:
		v = m.LoadMasked(t, m.mask(), m.at(t, m.r.IntN(8)))
	default:
		v = m.in(t, m.r.IntN(8))
	}
	m.keep(v)
	return v
}

// keep makes v one of the values to go on with; old ones are forgotten.
func (m *mixer) keep(v *emit.Value) {
	vs := m.vals[v.Type]
	m.vals[v.Type] = append(slices.Clone(vs[max(0, len(vs)-1):]), v)
}

func (m *mixer) store() {
	v := m.value(Pick(m.r, m.types))
	if m.r.IntN(3) == 0 {
		m.putMasked(v, m.mask())
		return
	}
	m.Put(v)
}

func (m *mixer) ops(n, depth int) {
	for range n {
		switch t := Pick(m.r, m.types); m.r.IntN(12) {
		case 0, 1, 2, 3:
			m.compute(t)
		case 4, 5:
			m.convert(t)
		case 6, 7:
			if t.Elem.Int() || full(t.Elem) {
				m.keep(m.Cmp(Pick(m.r, Predicates), m.value(t), m.value(t)))
			}
		case 8:
			m.keep(m.Op1(Pick(m.r, []string{"and", "or", "xor"}), "", m.mask(), m.mask()))
		case 9:
			if m.r.IntN(5) == 0 {
				t = t.Mask()
			}
			m.keep(m.Select(m.mask(), m.value(t), m.value(t)))
		case 10:
			m.store()
		case 11:
			if depth > 0 {
				m.region(depth)
			}
		}
	}
}

func (m *mixer) compute(t emit.Type) {
	x, y := m.value(t), m.value(t)
	switch {
	case full(t.Elem):
		switch name := Pick(m.r, []string{"add", "sub", "mul", "max", "min", "fma", "round", "sign"}); name {
		case "fma":
			m.keep(m.FMA(x, y, m.value(t)))
		case "round":
			m.keep(m.Round(Pick(m.r, []string{"floor", "ceil", "trunc", "rne"}), x))
		case "sign":
			m.keep(Pick(m.r, []func() *emit.Value{func() *emit.Value { return m.AbsF(x) }, func() *emit.Value { return m.NegF(x) }, func() *emit.Value { return m.CopySign(x, y) }})())
		default:
			m.keep(m.Op1(name, "", x, y))
		}
	case t.Elem.Int():
		name := Pick(m.r, []string{"add", "sub", "mul", "and", "or", "xor", "imin", "imax", "shl", "shr", "sar", "umulh", "popcnt", "clz"})
		if !m.s.Has(m.T, name, t) {
			return
		}
		if name == "popcnt" || name == "clz" {
			m.keep(m.Op1(name, "", x))
			return
		}
		if name[0] == 's' && name != "sub" {
			y = m.Const(t, float64(m.r.IntN(t.Elem.Bits())))
		}
		m.keep(m.Op1(name, "", x, y))
	}
}

// convert changes the type of lanes. The bits of a float are looked at only where
// it is no NaN: which NaN an operation makes is the machine's own business.
func (m *mixer) convert(t emit.Type) {
	x := m.value(t)
	if cs := m.s.conversions(m.T, t); len(cs) > 0 && m.r.IntN(2) == 0 {
		c := Pick(m.r, cs)
		m.keep(m.Cvt(c.to, c.how, x))
		return
	}
	u := Pick(m.r, m.types)
	switch from, to := t.Elem, u.Elem; {
	case full(from) && to.Int() && from.Bits() == to.Bits():
		m.keep(m.Bitcast(to, m.Max(x, m.Const(t, -3))))
	case from.Int() && full(to) && from.Bits() == to.Bits():
		m.keep(m.Bitcast(to, x))
	case !from.Int() || !to.Int() || from == to:
	case from < to:
		m.keep(Pick(m.r, []func(emit.Elem, *emit.Value) *emit.Value{m.Sext, m.Zext})(to, x))
	case m.r.IntN(2) == 0:
		m.keep(m.Trunc(to, x))
	default:
		m.keep(m.Sat(to, Pick(m.r, []string{"s", "u"}), x))
	}
}

// region is a loop or a branch that carries vectors and masks.
func (m *mixer) region(depth int) {
	var inits []*emit.Value
	for range 1 + m.r.IntN(3) {
		inits = append(inits, m.value(Pick(m.r, append(m.types, m.types[0].Mask()))))
	}
	inside := func(args []*emit.Value) []*emit.Value {
		saved := m.vals
		m.vals = map[emit.Type][]*emit.Value{}
		for t, vs := range saved {
			m.vals[t] = vs
		}
		for _, v := range args {
			m.keep(v)
		}
		m.ops(1+m.r.IntN(4), depth-1)
		var out []*emit.Value
		for _, v := range inits {
			out = append(out, m.value(v.Type))
		}
		m.vals = saved
		return out
	}
	k := m.Param("k", emit.Int64)
	var results []*emit.Value
	if m.r.IntN(2) == 0 {
		side := func() []*emit.Value { return inside(nil) }
		results = m.If(m.Cmp("gt", k, m.Int(9)), side, side)
	} else {
		results = m.For(m.Int(0), m.And(k, m.Int(3)), 1, inits, func(_ *emit.Value, x []*emit.Value) []*emit.Value { return inside(x) })
	}
	for _, v := range results {
		m.keep(v)
	}
}

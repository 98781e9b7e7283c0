package amd64

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

// mixer appends random elementwise operations on vectors of one number of lanes,
// with masks, and with loops and branches that hand both on.
type mixer struct {
	*body
	r     *rand.Rand
	types []emit.Type // that a register holds
	vals  map[emit.Type][]*emit.Value
}

// mixedProgram makes a function of n operations, nested ones not counted.
func mixedProgram(seed uint64, target emit.Target, n int) (program, error) {
	pr := program{target: target}
	var err error
	pr.f, err = emit.Build(fmt.Sprintf("vec_mixed%d_%s", seed, target.Name), frame, func(b *emit.Builder) {
		m := &mixer{body: &body{b, target, b.Param("p", emit.Ptr), b.Param("q", emit.Ptr), &pr},
			r: rand.New(level.PCG(seed, uint64(target.Bits))), vals: map[emit.Type][]*emit.Value{}}
		lanes := pick(m.r, []int{4, 4, 8, 8, 16})
		for _, e := range vectorElems {
			if holds(target, e, lanes) {
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
		return pick(m.r, vs)
	}
	var v *emit.Value
	switch k := m.r.IntN(6); {
	case isMask(t) && k == 0:
		v = m.Const(t, float64(m.r.IntN(2)))
	case isMask(t):
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
	v := m.value(pick(m.r, m.types))
	if m.r.IntN(3) == 0 {
		m.putMasked(v, m.mask())
		return
	}
	m.put(v)
}

func (m *mixer) ops(n, depth int) {
	for range n {
		switch t := pick(m.r, m.types); m.r.IntN(12) {
		case 0, 1, 2, 3:
			m.compute(t)
		case 4, 5:
			m.convert(t)
		case 6, 7:
			if t.Elem.Int() || full(t.Elem) {
				m.keep(m.Cmp(pick(m.r, predicates), m.value(t), m.value(t)))
			}
		case 8:
			m.keep(m.op(pick(m.r, []string{"and", "or", "xor"}), "", m.mask(), m.mask()))
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
		switch name := pick(m.r, []string{"add", "sub", "mul", "max", "min", "fma", "round", "sign"}); name {
		case "fma":
			m.keep(m.FMA(x, y, m.value(t)))
		case "round":
			m.keep(m.Round(pick(m.r, []string{"floor", "ceil", "trunc", "rne"}), x))
		case "sign":
			m.keep(pick(m.r, []func() *emit.Value{func() *emit.Value { return m.AbsF(x) }, func() *emit.Value { return m.NegF(x) }, func() *emit.Value { return m.CopySign(x, y) }})())
		default:
			m.keep(m.op(name, "", x, y))
		}
	case t.Elem.Int():
		name := pick(m.r, []string{"add", "sub", "mul", "and", "or", "xor", "imin", "imax", "shl", "shr", "sar", "umulh", "popcnt", "clz"})
		if !has(m.t, name, t) {
			return
		}
		if name == "popcnt" || name == "clz" {
			m.keep(m.op(name, "", x))
			return
		}
		if name[0] == 's' && name != "sub" {
			y = m.Const(t, float64(m.r.IntN(t.Elem.Bits())))
		}
		m.keep(m.op(name, "", x, y))
	}
}

// convert changes the type of lanes. The bits of a float are looked at only where
// it is no NaN: which NaN an operation makes is the machine's own business.
func (m *mixer) convert(t emit.Type) {
	x := m.value(t)
	if cs := conversions(m.t, t); len(cs) > 0 && m.r.IntN(2) == 0 {
		c := pick(m.r, cs)
		m.keep(m.Cvt(c.to, c.how, x))
		return
	}
	u := pick(m.r, m.types)
	switch from, to := t.Elem, u.Elem; {
	case full(from) && to.Int() && from.Bits() == to.Bits():
		m.keep(m.Bitcast(to, m.Max(x, m.Const(t, -3))))
	case from.Int() && full(to) && from.Bits() == to.Bits():
		m.keep(m.Bitcast(to, x))
	case !from.Int() || !to.Int() || from == to:
	case from < to:
		m.keep(pick(m.r, []func(emit.Elem, *emit.Value) *emit.Value{m.Sext, m.Zext})(to, x))
	case m.r.IntN(2) == 0:
		m.keep(m.Trunc(to, x))
	default:
		m.keep(m.Sat(to, pick(m.r, []string{"s", "u"}), x))
	}
}

// region is a loop or a branch that carries vectors and masks.
func (m *mixer) region(depth int) {
	var inits []*emit.Value
	for range 1 + m.r.IntN(3) {
		inits = append(inits, m.value(pick(m.r, append(m.types, m.types[0].Mask()))))
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

// No two live values of a random mix share a register, but bitcasts of one.
func TestMixedAllocation(t *testing.T) {
	for _, target := range []emit.Target{AVX2, AVX512} {
		done := 0
		count := level.Of(30, 100, 200)
		for seed := range uint64(count) {
			p, err := mixedProgram(seed, target, 5+int(seed%30))
			if err != nil {
				t.Fatal(err)
			}
			a, err := p.prepare()
			if err != nil {
				if !acceptable(err) {
					t.Fatalf("%v in\n%s", err, p.f)
				}
				continue
			}
			done++
			if err := verify(a); err != nil {
				t.Fatalf("%s: %v in\n%s", target.Name, err, p.f)
			}
		}
		if done < count*3/4 {
			t.Errorf("%s: %d programs were allocated, want at least %d", target.Name, done, count*3/4)
		}
	}
}

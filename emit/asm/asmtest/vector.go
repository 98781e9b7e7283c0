package asmtest

import (
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// A Body appends to a function whose results go to slots at Q.
type Body struct {
	*emit.Builder
	s    *Suite
	T    emit.Target
	P, Q *emit.Value // inputs and slots
	pr   *Program
}

// Make makes a program with what fill appends.
func (s *Suite) Make(t *testing.T, target emit.Target, name string, fill func(b *Body)) Program {
	t.Helper()
	pr := Program{Target: target}
	f, err := emit.Build("vec_"+name+"_"+target.Name, Frame, func(b *emit.Builder) {
		fill(&Body{b, s, target, b.Param("p", emit.Ptr), b.Param("q", emit.Ptr), &pr})
	})
	if err != nil {
		t.Fatal(err)
	}
	pr.F = f
	return pr
}

// Put stores each value in a slot of its own, as many as there are.
func (b *Body) Put(vs ...*emit.Value) {
	for _, v := range vs {
		if n := len(b.pr.Slots); n < MaxSlots {
			b.Store(v, emit.At(b.Q, int64(n*SlotBytes)))
			b.pr.Slots = append(b.pr.Slots, v.Type)
		}
	}
}

func (b *Body) putMasked(v, m *emit.Value) {
	if n := len(b.pr.Slots); n < MaxSlots {
		b.StoreMasked(v, m, emit.At(b.Q, int64(n*SlotBytes)))
		b.pr.Slots = append(b.pr.Slots, v.Type)
	}
}

// at is where the i-th input of type t is: floats of 16 bits and integers take
// the bits of whatever is there.
func (b *Body) at(t emit.Type, i int) emit.Addr {
	switch t.Elem {
	case emit.F32:
		return emit.At(b.P, InF32+int64(i*36%190))
	case emit.F64:
		return emit.At(b.P, InF64+int64(i*72%440))
	case emit.I32:
		return emit.At(b.P, int64((InI64+i*68)%960))
	}
	return emit.At(b.P, InI64+int64(i*72%190))
}

func (b *Body) in(t emit.Type, i int) *emit.Value { return b.Load(t, b.at(t, i)) }

// counts are vectors of shift counts.
func (b *Body) counts(t emit.Type) *emit.Value {
	return b.And(b.in(t, 3), b.Const(t, float64(t.Elem.Bits()-1)))
}

// Op1 applies a row of the table whose result is of the type of the last operand.
func (b *Body) Op1(name, how string, args ...*emit.Value) *emit.Value {
	return b.Op(name, emit.Attr{Name: how}, []emit.Type{args[len(args)-1].Type}, args...)[0]
}

var intElems, computed = []emit.Elem{emit.I8, emit.I16, emit.I32, emit.I64}, []emit.Elem{emit.F32, emit.F64}
var vectorElems = slices.Concat(intElems, computed, []emit.Elem{emit.F16, emit.BF16})

// holds reports whether a register of the target holds lanes of e.
func (s *Suite) holds(t emit.Target, e emit.Elem, lanes int) bool {
	return s.Machine.Refuses(t, emit.Vector(e, lanes)) == ""
}

// shapes calls visit for all vectors of some elements.
func (s *Suite) shapes(t emit.Target, elems []emit.Elem, visit func(ty emit.Type)) {
	for lanes := 2; lanes <= 64; lanes *= 2 {
		for _, e := range elems {
			if s.holds(t, e, lanes) {
				visit(emit.Vector(e, lanes))
			}
		}
	}
}

// Vector has functions for each vector operation on each type, and for those on scalars.
func (s *Suite) Vector(t *testing.T, target emit.Target) []Program {
	var out []Program
	add := func(name string, ty emit.Type, fill func(b *Body)) {
		out = append(out, s.Make(t, target, name+"_"+ty.String(), fill))
	}
	s.shapes(target, intElems, func(ty emit.Type) {
		add("int", ty, func(b *Body) {
			x, y := b.in(ty, 0), b.in(ty, 1)
			for _, name := range []string{"add", "sub", "mul", "and", "or", "xor", "imin", "imax", "umulh"} {
				if s.Has(target, name, ty) {
					b.Put(b.Op1(name, "", x, y), b.Op1(name, "", y, x))
				}
			}
			for _, name := range []string{"shl", "shr", "sar"} {
				for _, n := range []int{0, 1, 7, ty.Elem.Bits() - 1} {
					if s.Has(target, name, ty) {
						b.Put(b.Op1(name, "", x, b.Const(ty, float64(n))))
					}
				}
				if s.Has(target, "shiftv", ty) {
					b.Put(b.Op1(name, "", x, b.counts(ty)))
				}
			}
		})
		add("bits", ty, func(b *Body) {
			for i := range 4 {
				x := b.in(ty, i)
				for _, name := range []string{"popcnt", "clz"} {
					if s.Has(target, name, ty) {
						b.Put(b.Op1(name, "", x))
					}
				}
			}
			if ty.Elem == emit.I64 { // what is known of the upper halves
				x, y := b.in(ty, 0), b.in(ty, 1)
				low := b.Shr(y, b.Const(ty, 33))
				b.Put(b.Mul(x, low), b.Mul(low, low), b.Mul(x, b.Const(ty, 1e9)), b.Mul(b.Const(ty, -5e12), x), b.Mul(low, b.Const(ty, 77)), b.MulHi(x, b.Const(ty, 1e18)))
			} else if s.Has(target, "umulh", ty) {
				b.Put(b.MulHi(b.in(ty, 0), b.Const(ty, 99)), b.MulHi(b.Const(ty, -3), b.in(ty, 1)))
			}
		})
		add("table", ty, func(b *Body) {
			if ty.Elem.Bits() < 32 {
				return
			}
			for i, n := range []int{1, 4, 8, 16, 32, 64} {
				bits := make([]uint64, n)
				for k := range bits {
					bits[k] = (uint64(k)*0x9e3779b97f4a7c15 + uint64(i)) >> (64 - ty.Elem.Bits())
				}
				x := b.And(b.in(ty, i), b.Const(ty, float64(n-1)))
				b.Put(b.Table(ty.Elem, bits, x), x)
				b.Put(b.Bitcast(ty.Elem, b.Table(map[emit.Elem]emit.Elem{emit.I32: emit.F32, emit.I64: emit.F64}[ty.Elem], bits, b.And(b.in(ty, i+1), b.Const(ty, float64(n-1))))))
			}
		})
		add("divide", ty, func(b *Body) {
			if !s.Has(target, "udiv", ty) {
				return
			}
			one := b.Const(ty, 1)
			for i := range 3 {
				x, y := b.in(ty, i), b.in(ty, i+1)
				for _, d := range []*emit.Value{y, b.Shr(y, b.Const(ty, float64(ty.Elem.Bits()*5/8))), one} {
					d = b.IMax(d, one)
					if i == 1 {
						d = b.Or(b.Xor(d, b.Const(ty, -1)), one) // numbers with the top bit
					}
					b.Put(b.UDiv(x, d), b.URem(x, d))
				}
			}
		})
		add("narrow", ty, func(b *Body) {
			for i := range 3 {
				x := b.in(ty, i)
				for _, e := range intElems {
					switch {
					case e > ty.Elem && s.holds(target, e, ty.Lanes):
						b.Put(b.Sext(e, x), b.Zext(e, x))
					case e < ty.Elem && s.holds(target, e, ty.Lanes):
						b.Put(b.Trunc(e, x), b.Sat(e, "s", x), b.Sat(e, "u", x))
					}
				}
			}
		})
	})
	s.shapes(target, vectorElems, func(ty emit.Type) {
		add("moves", ty, func(b *Body) {
			x := b.in(ty, 0)
			m := b.MaskN(ty, b.Op1("and", "", b.Param("n", emit.Int64), b.Int(int64(ty.Lanes-1))))
			b.Put(x, b.Const(ty, 0), b.Const(ty, -5), b.Const(ty, 100), b.Op1("copy", "", x), b.LoadSplat(ty, b.at(ty, 2)))
			b.Put(b.LoadMasked(ty, m, b.at(ty, 1)), b.Select(m, x, b.in(ty, 1)))
			b.putMasked(x, m)
			b.putMasked(x, b.Not(m))
			b.putMasked(x, b.Const(ty.Mask(), 1))
			b.putMasked(x, b.Const(ty.Mask(), 0))
			if e := ty.Elem; e.Float() {
				bits := map[int]emit.Elem{16: emit.I16, 32: emit.I32, 64: emit.I64}[e.Bits()]
				i := b.Bitcast(bits, x)
				b.Put(x, i, b.Bitcast(e, b.Xor(i, b.Const(i.Type, 12))), i, x)
				b.Put(b.AbsF(x), b.NegF(x), b.CopySign(x, b.in(ty, 1)), x)
			}
			if one := emit.Scalar(ty.Elem); ty.Elem.Bits() != 16 || !ty.Elem.Float() {
				b.Put(b.Splat(ty, b.Load(one, b.at(one, 5))), b.Splat(ty, b.Const(one, 3)))
			}
		})
	})
	s.shapes(target, computed, func(ty emit.Type) {
		add("float", ty, func(b *Body) {
			x, y := b.in(ty, 0), b.in(ty, 1)
			for i := range 4 {
				for _, how := range []string{"floor", "ceil", "trunc", "rne"} {
					b.Put(b.Round(how, b.in(ty, i)))
				}
			}
			for _, name := range []string{"add", "sub", "mul", "div", "max", "min"} {
				b.Put(b.Op1(name, "", x, y), b.Op1(name, "", y, x))
			}
			b.Put(b.Sqrt(x), b.FMA(x, y, x))
		})
	})
	s.shapes(target, vectorElems, func(ty emit.Type) {
		add("cvt", ty, func(b *Body) {
			for i := range 4 {
				x := b.in(ty, i)
				for _, c := range s.conversions(target, ty) {
					b.Put(b.Cvt(c.to, c.how, x))
				}
			}
		})
	})
	s.shapes(target, slices.Concat(intElems, computed), func(ty emit.Type) {
		add("cmp", ty, func(b *Body) { comparisons(b, ty) })
		add("maskbits", ty, func(b *Body) {
			m := b.Cmp("lt", b.in(ty, 0), b.in(ty, 1))
			if !s.Has(target, "maskof", ty) {
				b.Put(b.MaskBits(m))
				return
			}
			n, k := b.MaskOf(ty, b.in(emit.Int64, 5)), b.MaskOf(ty, b.Param("k", emit.Int64))
			b.Put(b.MaskBits(m), b.MaskBits(n), b.MaskBits(b.Or(k, m)), b.MaskBits(b.MaskN(ty, b.And(b.Param("n", emit.Int64), b.Int(int64(ty.Lanes-1))))))
			b.Put(b.Select(n, b.in(ty, 1), b.in(ty, 2)), b.Select(k, b.in(ty, 1), b.in(ty, 2)))
		})
		add("masks", ty, func(b *Body) { maskUses(b, ty) })
		add("handed", ty, func(b *Body) { maskMoves(b, ty) })
	})
	return append(out, s.scalars(t, target)...)
}

type conversion struct {
	to  emit.Elem
	how string
}

// conversions lists what vectors of type ty are converted to.
func (s *Suite) conversions(t emit.Target, ty emit.Type) (out []conversion) {
	from := ty.Elem
	half := func(e emit.Elem) bool { return e == emit.F16 || e == emit.BF16 }
	for _, to := range []emit.Elem{emit.I32, emit.I64, emit.F16, emit.BF16, emit.F32, emit.F64} {
		if to == from || !s.holds(t, to, ty.Lanes) {
			continue
		}
		// An operand on the way has to fit as well.
		if (from.Bits() <= 16 && from.Int() || half(from)) && !s.holds(t, emit.I32, ty.Lanes) {
			continue
		}
		switch {
		case from.Int() && full(to), full(from) && full(to), half(from) && full(to), from == emit.F32 && half(to):
			out = append(out, conversion{to, "rne"})
		case full(from) && to.Int():
			out = append(out, conversion{to, "rne"}, conversion{to, "trunc"})
		}
	}
	return out
}

// comparisons has all Predicates, each used by a choice of the compared type.
func comparisons(b *Body, ty emit.Type) {
	x, y := b.in(ty, 0), b.in(ty, 1)
	for _, pred := range Predicates {
		b.Put(b.Select(b.Cmp(pred, x, y), x, y), b.Select(b.Cmp(pred, y, x), x, y), b.Select(b.Cmp(pred, x, x), x, y))
		b.Put(b.Select(b.Cmp(pred, b.in(ty, 2), b.Const(ty, 1)), x, y))
	}
}

// maskUses has the masks of comparisons of ty used at every type with as many
// lanes, after logic.
func maskUses(b *Body, ty emit.Type) {
	m, n := b.Cmp("lt", b.in(ty, 0), b.in(ty, 1)), b.Cmp("ne", b.in(ty, 2), b.in(ty, 3))
	tail := b.MaskN(ty, b.And(b.Param("n", emit.Int64), b.Int(int64(ty.Lanes-1))))
	some := b.And(b.Cmp("eq", b.in(ty, 2), b.in(ty, 2)), tail)
	pick := func(i int) *emit.Value {
		switch i % 4 {
		case 0:
			return b.Xor(m, n)
		case 1:
			return b.Or(tail, m)
		case 2:
			return b.Select(n, m, some)
		}
		return b.Not(n)
	}
	b.useMasks(ty.Lanes, func(u emit.Type, i int) {
		x := b.in(u, 1)
		b.Put(b.Select(pick(i), x, b.in(u, 2)), b.Select(m, b.in(u, 2), x))
		b.putMasked(x, some)
		b.putMasked(b.LoadMasked(u, pick(i+1), b.at(u, 0)), m)
	})
}

// maskMoves has such masks handed on by a branch and a loop, and used in them.
func maskMoves(b *Body, ty emit.Type) {
	m, n := b.Cmp("ge", b.in(ty, 0), b.in(ty, 1)), b.Cmp("eq", b.in(ty, 2), b.in(ty, 3))
	k := b.Param("k", emit.Int64)
	m = b.If(b.Cmp("gt", k, b.Int(9)), func() []*emit.Value { return []*emit.Value{m} }, func() []*emit.Value { return []*emit.Value{b.Not(n)} })[0]
	b.useMasks(ty.Lanes, func(u emit.Type, _ int) {
		r := b.For(b.Int(0), b.And(k, b.Int(3)), 1, []*emit.Value{m, n, b.in(u, 1)}, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
			return []*emit.Value{x[1], b.Xor(x[0], m), b.Select(n, b.Select(x[0], x[2], b.in(u, 2)), b.in(u, 3))}
		})
		b.Put(r[2], b.Select(r[0], r[2], b.in(u, 4)))
		b.putMasked(r[2], r[1])
	})
}

func (b *Body) useMasks(lanes int, use func(u emit.Type, i int)) {
	for i, e := range vectorElems {
		if b.s.holds(b.T, e, lanes) {
			use(emit.Vector(e, lanes), i)
		}
	}
}

// scalars are the operations on scalars of all widths.
func (s *Suite) scalars(t *testing.T, target emit.Target) []Program {
	var out []Program
	for _, e := range intElems {
		out = append(out, s.Make(t, target, "scalar_"+e.String(), func(b *Body) {
			ty := emit.Scalar(e)
			x, y := b.in(ty, 0), b.in(ty, 1)
			b.Put(x, b.Const(ty, -3), b.Op1("copy", "", x))
			for _, w := range intElems {
				if w > e {
					b.Put(b.Sext(w, x), b.Zext(w, x), x)
				} else if w < e {
					b.Put(b.Trunc(w, x), x)
				}
			}
			if e < emit.I32 {
				return
			}
			for _, name := range []string{"add", "sub", "mul", "and", "or", "xor", "imin", "imax"} {
				b.Put(b.Op1(name, "", x, y))
			}
			for _, name := range []string{"shl", "shr", "sar"} {
				b.Put(b.Op1(name, "", x, b.Const(ty, 5)), b.Op1(name, "", x, b.counts(ty)))
			}
			for _, pred := range Predicates {
				b.Put(b.Select(b.Cmp(pred, x, y), x, y))
			}
			float := map[emit.Elem]emit.Elem{emit.I32: emit.F32, emit.I64: emit.F64}[e]
			b.Put(b.Cvt(emit.F32, "rne", x), b.Cvt(emit.F64, "rne", x), b.Bitcast(float, x))
			b.Put(b.OnesCount(x), b.LeadingZeros(x), b.OnesCount(y), b.LeadingZeros(y))
			if e == emit.I32 {
				b.Put(b.MulHi(x, y))
			}
			f := b.in(emit.Scalar(float), 0)
			b.Put(b.Bitcast(e, f), f)
		}))
	}
	for _, e := range computed {
		out = append(out, s.Make(t, target, "scalar_"+e.String(), func(b *Body) {
			ty := emit.Scalar(e)
			for i := range 3 {
				x := b.in(ty, i)
				other := map[emit.Elem]emit.Elem{emit.F32: emit.F64, emit.F64: emit.F32}[e]
				b.Put(b.Cvt(emit.I32, "rne", x), b.Cvt(emit.I32, "trunc", x), b.Cvt(emit.I64, "rne", x), b.Cvt(emit.I64, "trunc", x), b.Cvt(other, "rne", x))
				for _, how := range []string{"floor", "ceil", "trunc", "rne"} {
					b.Put(b.Round(how, x))
				}
			}
			x, y := b.in(ty, 4), b.in(ty, 5)
			c := b.Cmp("gt", b.Param("n", emit.Int64), b.Param("k", emit.Int64))
			b.Put(b.Select(c, x, y), b.Select(c, y, b.Const(ty, math.Inf(1))), x, b.AbsF(x), b.NegF(x), b.CopySign(x, y))
		}))
	}
	return out
}

// full reports whether e is one of the floats that machines compute on.
func full(e emit.Elem) bool { return e == emit.F32 || e == emit.F64 }

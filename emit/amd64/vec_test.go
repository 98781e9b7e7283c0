package amd64

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

// body appends to a function whose results go to slots at q.
type body struct {
	*emit.Builder
	t    emit.Target
	p, q *emit.Value
	pr   *program
}

// vector makes a program with what fill appends.
func vector(t *testing.T, target emit.Target, name string, fill func(b *body)) program {
	t.Helper()
	pr := program{target: target}
	f, err := emit.Build("vec_"+name+"_"+target.Name, frame, func(b *emit.Builder) {
		fill(&body{b, target, b.Param("p", emit.Ptr), b.Param("q", emit.Ptr), &pr})
	})
	if err != nil {
		t.Fatal(err)
	}
	pr.f = f
	return pr
}

// put stores each value in a slot of its own, as many as there are.
func (b *body) put(vs ...*emit.Value) {
	for _, v := range vs {
		if n := len(b.pr.slots); n < maxSlots {
			b.Store(v, emit.At(b.q, int64(n*slotBytes)))
			b.pr.slots = append(b.pr.slots, v.Type)
		}
	}
}

func (b *body) putMasked(v, m *emit.Value) {
	if n := len(b.pr.slots); n < maxSlots {
		b.StoreMasked(v, m, emit.At(b.q, int64(n*slotBytes)))
		b.pr.slots = append(b.pr.slots, v.Type)
	}
}

// at is where the i-th input of type t is: floats of 16 bits and integers take
// the bits of whatever is there.
func (b *body) at(t emit.Type, i int) emit.Addr {
	switch t.Elem {
	case emit.F32:
		return emit.At(b.p, inF32+int64(i*36%190))
	case emit.F64:
		return emit.At(b.p, inF64+int64(i*72%440))
	case emit.I32:
		return emit.At(b.p, int64((inI64+i*68)%960))
	}
	return emit.At(b.p, inI64+int64(i*72%190))
}

func (b *body) in(t emit.Type, i int) *emit.Value { return b.Load(t, b.at(t, i)) }

// counts are vectors of shift counts.
func (b *body) counts(t emit.Type) *emit.Value {
	return b.And(b.in(t, 3), b.Const(t, float64(t.Elem.Bits()-1)))
}

// op applies a row of the table whose result is of the type of the last operand.
func (b *body) op(name, how string, args ...*emit.Value) *emit.Value {
	return b.Op(name, emit.Attr{Name: how}, []emit.Type{args[len(args)-1].Type}, args...)[0]
}

var intElems, computed = []emit.Elem{emit.I8, emit.I16, emit.I32, emit.I64}, []emit.Elem{emit.F32, emit.F64}
var vectorElems = slices.Concat(intElems, computed, []emit.Elem{emit.F16, emit.BF16})

// holds reports whether a register of the target holds lanes of e.
func holds(t emit.Target, e emit.Elem, lanes int) bool {
	return noRegister(t, emit.Vector(e, lanes)) == ""
}

// shapes calls visit for all vectors of some elements.
func shapes(t emit.Target, elems []emit.Elem, visit func(ty emit.Type)) {
	for lanes := 2; lanes <= 64; lanes *= 2 {
		for _, e := range elems {
			if holds(t, e, lanes) {
				visit(emit.Vector(e, lanes))
			}
		}
	}
}

// has reports whether the target computes on vectors of integers of type ty: some
// operations take lanes of twice their width, or of 32 or 64 bits, on the way.
func has(t emit.Target, name string, ty emit.Type) bool {
	way := ty.Elem.Bits()
	switch name {
	case "mul", "shl", "shr", "sar", "umulh", "popcnt", "clz":
		if ty.Elem == emit.I8 {
			way = 16
		}
	case "shiftv":
		if ty.Elem == emit.I8 || t.Bits == 256 && ty.Elem == emit.I16 {
			way = map[bool]int{true: 32, false: 16}[t.Bits == 256]
		}
	case "udiv", "urem":
		way = map[emit.Elem]int{emit.I8: 32, emit.I16: 32, emit.I32: 64, emit.I64: 64}[ty.Elem]
	}
	return way*ty.Lanes <= t.Bits
}

// vectorPrograms has functions for each vector operation on each type.
func vectorPrograms(t *testing.T, target emit.Target) []program {
	var out []program
	add := func(name string, ty emit.Type, fill func(b *body)) {
		out = append(out, vector(t, target, name+"_"+ty.String(), fill))
	}
	shapes(target, intElems, func(ty emit.Type) {
		add("int", ty, func(b *body) {
			x, y := b.in(ty, 0), b.in(ty, 1)
			for _, name := range []string{"add", "sub", "mul", "and", "or", "xor", "imin", "imax", "umulh"} {
				if has(target, name, ty) {
					b.put(b.op(name, "", x, y), b.op(name, "", y, x))
				}
			}
			for _, name := range []string{"shl", "shr", "sar"} {
				for _, n := range []int{0, 1, 7, ty.Elem.Bits() - 1} {
					if has(target, name, ty) {
						b.put(b.op(name, "", x, b.Const(ty, float64(n))))
					}
				}
				if has(target, "shiftv", ty) {
					b.put(b.op(name, "", x, b.counts(ty)))
				}
			}
		})
		add("bits", ty, func(b *body) {
			for i := range 4 {
				x := b.in(ty, i)
				for _, name := range []string{"popcnt", "clz"} {
					if has(target, name, ty) {
						b.put(b.op(name, "", x))
					}
				}
			}
			if ty.Elem == emit.I64 { // what is known of the upper halves
				x, y := b.in(ty, 0), b.in(ty, 1)
				low := b.Shr(y, b.Const(ty, 33))
				b.put(b.Mul(x, low), b.Mul(low, low), b.Mul(x, b.Const(ty, 1e9)), b.Mul(b.Const(ty, -5e12), x), b.Mul(low, b.Const(ty, 77)), b.MulHi(x, b.Const(ty, 1e18)))
			} else if has(target, "umulh", ty) {
				b.put(b.MulHi(b.in(ty, 0), b.Const(ty, 99)), b.MulHi(b.Const(ty, -3), b.in(ty, 1)))
			}
		})
		add("table", ty, func(b *body) {
			if ty.Elem.Bits() < 32 {
				return
			}
			for i, n := range []int{1, 4, 8, 16, 32, 64} {
				bits := make([]uint64, n)
				for k := range bits {
					bits[k] = (uint64(k)*0x9e3779b97f4a7c15 + uint64(i)) >> (64 - ty.Elem.Bits())
				}
				x := b.And(b.in(ty, i), b.Const(ty, float64(n-1)))
				b.put(b.Table(ty.Elem, bits, x), x)
				b.put(b.Bitcast(ty.Elem, b.Table(map[emit.Elem]emit.Elem{emit.I32: emit.F32, emit.I64: emit.F64}[ty.Elem], bits, b.And(b.in(ty, i+1), b.Const(ty, float64(n-1))))))
			}
		})
		add("divide", ty, func(b *body) {
			if !has(target, "udiv", ty) {
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
					b.put(b.UDiv(x, d), b.URem(x, d))
				}
			}
		})
		add("narrow", ty, func(b *body) {
			for i := range 3 {
				x := b.in(ty, i)
				for _, e := range intElems {
					switch {
					case e > ty.Elem && holds(target, e, ty.Lanes):
						b.put(b.Sext(e, x), b.Zext(e, x))
					case e < ty.Elem && holds(target, e, ty.Lanes):
						b.put(b.Trunc(e, x), b.Sat(e, "s", x), b.Sat(e, "u", x))
					}
				}
			}
		})
	})
	shapes(target, vectorElems, func(ty emit.Type) {
		add("moves", ty, func(b *body) {
			x := b.in(ty, 0)
			m := b.MaskN(ty, b.op("and", "", b.Param("n", emit.Int64), b.Int(int64(ty.Lanes-1))))
			b.put(x, b.Const(ty, 0), b.Const(ty, -5), b.Const(ty, 100), b.op("copy", "", x), b.LoadSplat(ty, b.at(ty, 2)))
			b.put(b.LoadMasked(ty, m, b.at(ty, 1)), b.Select(m, x, b.in(ty, 1)))
			b.putMasked(x, m)
			b.putMasked(x, b.Not(m))
			b.putMasked(x, b.Const(ty.Mask(), 1))
			b.putMasked(x, b.Const(ty.Mask(), 0))
			if e := ty.Elem; e.Float() {
				bits := map[int]emit.Elem{16: emit.I16, 32: emit.I32, 64: emit.I64}[e.Bits()]
				i := b.Bitcast(bits, x)
				b.put(x, i, b.Bitcast(e, b.Xor(i, b.Const(i.Type, 12))), i, x)
				b.put(b.AbsF(x), b.NegF(x), b.CopySign(x, b.in(ty, 1)), x)
			}
			if s := emit.Scalar(ty.Elem); ty.Elem.Bits() != 16 || !ty.Elem.Float() {
				b.put(b.Splat(ty, b.Load(s, b.at(s, 5))), b.Splat(ty, b.Const(s, 3)))
			}
		})
	})
	shapes(target, computed, func(ty emit.Type) {
		add("float", ty, func(b *body) {
			x, y := b.in(ty, 0), b.in(ty, 1)
			for i := range 4 {
				for _, how := range []string{"floor", "ceil", "trunc", "rne"} {
					b.put(b.Round(how, b.in(ty, i)))
				}
			}
			for _, name := range []string{"add", "sub", "mul", "div", "max", "min"} {
				b.put(b.op(name, "", x, y), b.op(name, "", y, x))
			}
			b.put(b.Sqrt(x), b.FMA(x, y, x))
		})
	})
	shapes(target, vectorElems, func(ty emit.Type) {
		add("cvt", ty, func(b *body) {
			for i := range 4 {
				x := b.in(ty, i)
				for _, c := range conversions(target, ty) {
					b.put(b.Cvt(c.to, c.how, x))
				}
			}
		})
	})
	shapes(target, slices.Concat(intElems, computed), func(ty emit.Type) {
		add("cmp", ty, func(b *body) { comparisons(b, ty) })
		add("masks", ty, func(b *body) { maskUses(b, ty) })
		add("handed", ty, func(b *body) { maskMoves(b, ty) })
	})
	return append(out, scalarPrograms(t, target)...)
}

type conversion struct {
	to  emit.Elem
	how string
}

// conversions lists what vectors of type ty are converted to.
func conversions(t emit.Target, ty emit.Type) (out []conversion) {
	from := ty.Elem
	half := func(e emit.Elem) bool { return e == emit.F16 || e == emit.BF16 }
	for _, to := range []emit.Elem{emit.I32, emit.I64, emit.F16, emit.BF16, emit.F32, emit.F64} {
		if to == from || !holds(t, to, ty.Lanes) {
			continue
		}
		// An operand on the way has to fit as well.
		if (from.Bits() <= 16 && from.Int() || half(from)) && !holds(t, emit.I32, ty.Lanes) {
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

// comparisons has all predicates, each used by a choice of the compared type.
func comparisons(b *body, ty emit.Type) {
	x, y := b.in(ty, 0), b.in(ty, 1)
	for _, pred := range predicates {
		b.put(b.Select(b.Cmp(pred, x, y), x, y), b.Select(b.Cmp(pred, y, x), x, y), b.Select(b.Cmp(pred, x, x), x, y))
		b.put(b.Select(b.Cmp(pred, b.in(ty, 2), b.Const(ty, 1)), x, y))
	}
}

// maskUses has the masks of comparisons of ty used at every type with as many
// lanes, after logic.
func maskUses(b *body, ty emit.Type) {
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
		b.put(b.Select(pick(i), x, b.in(u, 2)), b.Select(m, b.in(u, 2), x))
		b.putMasked(x, some)
		b.putMasked(b.LoadMasked(u, pick(i+1), b.at(u, 0)), m)
	})
}

// maskMoves has such masks handed on by a branch and a loop, and used in them.
func maskMoves(b *body, ty emit.Type) {
	m, n := b.Cmp("ge", b.in(ty, 0), b.in(ty, 1)), b.Cmp("eq", b.in(ty, 2), b.in(ty, 3))
	k := b.Param("k", emit.Int64)
	m = b.If(b.Cmp("gt", k, b.Int(9)), func() []*emit.Value { return []*emit.Value{m} }, func() []*emit.Value { return []*emit.Value{b.Not(n)} })[0]
	b.useMasks(ty.Lanes, func(u emit.Type, _ int) {
		r := b.For(b.Int(0), b.And(k, b.Int(3)), 1, []*emit.Value{m, n, b.in(u, 1)}, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
			return []*emit.Value{x[1], b.Xor(x[0], m), b.Select(n, b.Select(x[0], x[2], b.in(u, 2)), b.in(u, 3))}
		})
		b.put(r[2], b.Select(r[0], r[2], b.in(u, 4)))
		b.putMasked(r[2], r[1])
	})
}

func (b *body) useMasks(lanes int, use func(u emit.Type, i int)) {
	for i, e := range vectorElems {
		if holds(b.t, e, lanes) {
			use(emit.Vector(e, lanes), i)
		}
	}
}

// scalarPrograms are the operations on scalars of all widths.
func scalarPrograms(t *testing.T, target emit.Target) []program {
	var out []program
	for _, e := range intElems {
		out = append(out, vector(t, target, "scalar_"+e.String(), func(b *body) {
			ty := emit.Scalar(e)
			x, y := b.in(ty, 0), b.in(ty, 1)
			b.put(x, b.Const(ty, -3), b.op("copy", "", x))
			for _, w := range intElems {
				if w > e {
					b.put(b.Sext(w, x), b.Zext(w, x), x)
				} else if w < e {
					b.put(b.Trunc(w, x), x)
				}
			}
			if e < emit.I32 {
				return
			}
			for _, name := range []string{"add", "sub", "mul", "and", "or", "xor", "imin", "imax"} {
				b.put(b.op(name, "", x, y))
			}
			for _, name := range []string{"shl", "shr", "sar"} {
				b.put(b.op(name, "", x, b.Const(ty, 5)), b.op(name, "", x, b.counts(ty)))
			}
			for _, pred := range predicates {
				b.put(b.Select(b.Cmp(pred, x, y), x, y))
			}
			float := map[emit.Elem]emit.Elem{emit.I32: emit.F32, emit.I64: emit.F64}[e]
			b.put(b.Cvt(emit.F32, "rne", x), b.Cvt(emit.F64, "rne", x), b.Bitcast(float, x))
			b.put(b.OnesCount(x), b.LeadingZeros(x), b.OnesCount(y), b.LeadingZeros(y))
			if e == emit.I32 {
				b.put(b.MulHi(x, y))
			}
			f := b.in(emit.Scalar(float), 0)
			b.put(b.Bitcast(e, f), f)
		}))
	}
	for _, e := range computed {
		out = append(out, vector(t, target, "scalar_"+e.String(), func(b *body) {
			ty := emit.Scalar(e)
			for i := range 3 {
				x := b.in(ty, i)
				other := map[emit.Elem]emit.Elem{emit.F32: emit.F64, emit.F64: emit.F32}[e]
				b.put(b.Cvt(emit.I32, "rne", x), b.Cvt(emit.I32, "trunc", x), b.Cvt(emit.I64, "rne", x), b.Cvt(emit.I64, "trunc", x), b.Cvt(other, "rne", x))
				for _, how := range []string{"floor", "ceil", "trunc", "rne"} {
					b.put(b.Round(how, x))
				}
			}
			x, y := b.in(ty, 4), b.in(ty, 5)
			c := b.Cmp("gt", b.Param("n", emit.Int64), b.Param("k", emit.Int64))
			b.put(b.Select(c, x, y), b.Select(c, y, b.Const(ty, math.Inf(1))), x, b.AbsF(x), b.NegF(x), b.CopySign(x, y))
		}))
	}
	return out
}

// TestVectorAllocation: no two live values of these programs share a register.
func TestVectorAllocation(t *testing.T) {
	targets := []emit.Target{AVX2, AVX512}
	for _, target := range targets[:level.Of(1, 2, 2)] {
		for _, p := range vectorPrograms(t, target) {
			before := fmt.Sprint(p.f)
			a, err := p.prepare()
			if err != nil {
				t.Fatalf("%v in\n%s", err, before)
			}
			if err := verify(a); err != nil {
				t.Fatalf("%s: %v in\n%s", target.Name, err, p.f)
			}
		}
	}
}

package fn

import "github.com/tilesmith/tilesmith/emit"

// fma lowers the sum or difference n, one operand of which is the product p or its
// negation.
func (l *lowering) fma(n, p *node) *emit.Value {
	first := p == n.args[0]
	other := n.args[0]
	if first {
		other = n.args[1]
	}
	x, y := product(p).args[0], product(p).args[1]
	turned := (p.op == opNeg) != (n.op == opSub && !first)
	inY := turned && y.isConst() // where that costs nothing
	acc := l.signed(other, n.op == opSub && first)
	return l.b.FMA(acc, l.signed(x, turned && !inY), l.signed(y, inY))
}

// signed returns the float n, with its sign turned if that is said.
func (l *lowering) signed(n *node, turned bool) *emit.Value {
	switch {
	case !turned:
		return l.of(n)
	case n.isConst():
		return l.constant(n.t.Elem(), n.bits^1<<(n.t.Bits()-1))
	}
	return l.b.NegF(l.of(n))
}

// compare lowers a comparison. The IR compares integers with their signs; turning
// the top bits puts numbers without sign into the same order.
func (l *lowering) compare(t Type, pred string, x, y *emit.Value) *emit.Value {
	if t.Int() && !t.Signed() && pred != "eq" && pred != "ne" {
		top := l.constant(t.Elem(), 1<<(t.Bits()-1))
		x, y = l.b.Xor(x, top), l.b.Xor(y, top)
	}
	return l.b.Cmp(pred, x, y)
}

// extreme lowers max and min of integers.
func (l *lowering) extreme(n *node, x []*emit.Value) *emit.Value {
	switch {
	case !n.t.Signed() && n.op == opMax:
		return l.b.Select(l.compare(n.t, "gt", x[0], x[1]), x[0], x[1])
	case !n.t.Signed():
		return l.b.Select(l.compare(n.t, "lt", x[0], x[1]), x[0], x[1])
	case n.op == opMax:
		return l.b.IMax(x[0], x[1])
	}
	return l.b.IMin(x[0], x[1])
}

// convert lowers a conversion between numbers. Floats and integers meet as I32 or
// I64.
func (l *lowering) convert(n *node, x *emit.Value) *emit.Value {
	from, to := n.args[0].t, n.t
	switch mid := between(n); {
	case !from.Int() && !to.Int():
		return l.b.Cvt(to.Elem(), "rne", x)
	case to.Int() && !from.Int():
		signed := Int32
		if mid == emit.I64 {
			signed = Int64
		}
		how := "trunc"
		if even := n.args[0]; even.op == opEven { // one instruction rounds and converts
			how, x = "rne", l.of(even.args[0])
		}
		return l.resize(signed, to.Elem(), l.b.Cvt(mid, how, x))
	case !to.Int():
		return l.b.Cvt(to.Elem(), "rne", l.resize(from, mid, x))
	}
	return l.resize(from, to.Elem(), x)
}

// resize makes an integer of type from wider or narrower.
func (l *lowering) resize(from Type, to emit.Elem, x *emit.Value) *emit.Value {
	switch {
	case to.Bits() < from.Bits():
		return l.b.Trunc(to, x)
	case to.Bits() == from.Bits():
		return x
	case from.Signed():
		return l.b.Sext(to, x)
	}
	return l.b.Zext(to, x)
}

// reread returns the bits of x as an e. Between integers nothing changes.
func (l *lowering) reread(e emit.Elem, x *emit.Value) *emit.Value {
	if x.Type.Elem == e {
		return x
	}
	return l.b.Bitcast(e, x)
}

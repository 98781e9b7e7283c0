package fn

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/tilesmith/tilesmith/emit"
)

// divideIn returns the type that machines without integer division take on the way of
// a quotient or remainder; None if they take none.
func divideIn(n *node) emit.Elem {
	switch bits, constant := n.t.Bits(), n.args[1].isConst(); {
	case constant && bits == 8:
		return emit.I16
	case constant:
		return emit.None
	case bits <= 16:
		return emit.I32
	}
	return emit.F64
}

// divide lowers a quotient or remainder: that of the sizes, which gets its sign back.
func (l *lowering) divide(n *node, v []*emit.Value) *emit.Value {
	t, b, x, y := n.t, l.b, v[0], v[1]
	positiveX, positiveY := !t.Signed() || n.bits&1 != 0, !t.Signed() || n.bits&2 != 0
	var size uint64
	if c := n.args[1]; c.isConst() {
		size = c.bits
		if t.Signed() && c.int() < 0 {
			size = uint64(-c.int())
		}
	}
	by := func(x *emit.Value) *emit.Value { return l.byConstant(t, n, x, truncateTo(t, size)) }
	if size > 0 && t.Bits() == 8 {
		by = func(x *emit.Value) *emit.Value {
			return b.Trunc(emit.I8, l.byConstant(Uint16, n, b.Zext(emit.I16, x), truncateTo(t, size)))
		}
	}
	sign := func(v *emit.Value) *emit.Value { return b.Sar(v, l.constant(t.Elem(), uint64(t.Bits()-1))) }
	turn := func(v, s *emit.Value) *emit.Value { return b.Sub(b.Xor(v, s), s) }
	if size > 0 && size&(size-1) == 0 && !positiveX {
		return l.byPower(n, x, size)
	}
	var sx, sq *emit.Value // the signs of x, and of the quotient
	a, d := x, y
	if !positiveX {
		sx = sign(x)
		a, sq = turn(x, sx), sx
	}
	switch {
	case size > 0:
	case !positiveY:
		s := sign(y)
		if d = turn(y, s); sq == nil {
			sq = s
		} else {
			sq = b.Xor(sq, s)
		}
	}
	if size > 0 {
		q := by(a)
		if sq != nil {
			q = turn(q, sq)
		}
		if n.args[1].int() < 0 && t.Signed() {
			q = b.Sub(l.constant(t.Elem(), 0), q)
		}
		if n.op == opQuo {
			return q
		}
		return b.Sub(x, l.times(q, n.args[1]))
	}
	if n.op == opQuo {
		q := b.UDiv(a, d)
		if sq != nil {
			q = turn(q, sq)
		}
		return q
	}
	r := b.URem(a, d)
	if sx != nil {
		r = turn(r, sx)
	}
	return r
}

// byPower divides a number with a sign by a power of two, or its opposite. It adds
// size-1 to a negative number first, since Go rounds towards zero.
func (l *lowering) byPower(n *node, x *emit.Value, size uint64) *emit.Value {
	e, b, width := n.t.Elem(), l.b, n.t.Bits()
	if size == 1 {
		if n.op == opRem {
			return l.constant(e, 0)
		}
		return b.Sub(l.constant(e, 0), x) // by 1 needs no division
	}
	sum := b.Add(x, b.And(b.Sar(x, l.constant(e, uint64(width-1))), l.constant(e, size-1)))
	if n.op == opRem {
		return b.Sub(x, b.And(sum, l.constant(e, truncateTo(n.t, -size))))
	}
	q := b.Sar(sum, l.constant(e, uint64(bits.TrailingZeros64(size))))
	if n.args[1].int() < 0 {
		q = b.Sub(l.constant(e, 0), q)
	}
	return q
}

// times multiplies by a constant.
func (l *lowering) times(x *emit.Value, c *node) *emit.Value {
	switch e := x.Type.Elem; {
	case c.bits&(c.bits-1) == 0:
		return l.shl(x, c.log2())
	case e == emit.I8:
		return l.b.Trunc(e, l.b.Mul(l.b.Zext(emit.I16, x), l.constant(emit.I16, c.bits)))
	default:
		return l.b.Mul(x, l.constant(e, c.bits))
	}
}

func (l *lowering) shl(x *emit.Value, by int) *emit.Value {
	if by == 0 {
		return x
	}
	return l.b.Shl(x, l.constant(x.Type.Elem, uint64(by)))
}

func (l *lowering) shr(x *emit.Value, by int) *emit.Value {
	if by == 0 {
		return x
	}
	return l.b.Shr(x, l.constant(x.Type.Elem, uint64(by)))
}

// byConstant divides x, the size of what n divides in lanes as wide as t, by d. It
// takes the upper half of a product with a number near 2^k/d (Granlund and Montgomery,
// "Division by invariant integers using multiplication", 1994).
func (l *lowering) byConstant(t Type, n *node, x *emit.Value, d uint64) *emit.Value {
	if d&(d-1) == 0 {
		return l.shr(x, bits.TrailingZeros64(d))
	}
	e, b := x.Type.Elem, l.b
	width := t.Bits()
	most := greatest(n)
	if m, shift, ok := factor(width, most, d); ok {
		return l.shr(b.MulHi(x, l.constant(e, m)), shift)
	}
	if k := bits.TrailingZeros64(d); k > 0 { // of fewer bits a factor is found more often
		if m, shift, ok := factor(width, new(big.Int).Rsh(most, uint(k)), d>>k); ok {
			return l.shr(b.MulHi(l.shr(x, k), l.constant(e, m)), shift)
		}
	}
	// The factor has one bit more than a lane, which is added by hand.
	k := bits.Len64(d - 1)
	m := new(big.Int).Lsh(big.NewInt(1), uint(width+k))
	m.Div(m, new(big.Int).SetUint64(d)).Add(m, big.NewInt(1))
	m.Sub(m, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	h := b.MulHi(x, l.constant(e, m.Uint64()))
	return l.shr(b.Add(l.shr(b.Sub(x, h), 1), h), k-1)
}

// greatest bounds the size of what n divides.
func greatest(n *node) *big.Int {
	most := new(big.Int).SetUint64(math.MaxUint64 >> (64 - n.t.Bits()))
	if n.t.Signed() {
		most.SetUint64(1 << (n.t.Bits() - 1))
	}
	return most
}

// factor returns an m and a shift such that x*m >> (width+shift) is x/d for all x up to
// most. m has at most width bits. With m = (2^k + e)/d that holds if most*e < 2^k.
func factor(width int, most *big.Int, d uint64) (m uint64, shift int, ok bool) {
	for shift := range bits.Len64(d) {
		k := new(big.Int).Lsh(big.NewInt(1), uint(width+shift))
		q := new(big.Int).Div(k, new(big.Int).SetUint64(d))
		q.Add(q, big.NewInt(1))
		e := new(big.Int).Mul(q, new(big.Int).SetUint64(d))
		e.Sub(e, k)
		if q.BitLen() <= width && e.Mul(e, most).Cmp(k) < 0 {
			return q.Uint64(), shift, true
		}
	}
	return 0, 0, false
}

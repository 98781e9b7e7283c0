package fn

import (
	"fmt"
	"math/bits"
)

// Integer operations of the writer that Go would panic at for some operands, kept from
// those in one of several ways, and functions of package math/bits.

// divisor is an expression of type t that is not 0 where it is evaluated, and constants
// of all kinds: even and odd, near powers of two, with the top bit.
func (w *writer) divisor(t Type, depth int) string {
	switch w.n(6) {
	case 0:
		return fmt.Sprintf("(%s | 1)", w.expr(t, depth))
	case 1:
		return fmt.Sprintf("max(%s, 1)", w.expr(t, depth))
	case 2:
		if v := w.pickVar(t); v != "" {
			return fmt.Sprintf("pick(%s == 0, 1, %[1]s)", v)
		}
	case 3:
		if !t.Signed() {
			return fmt.Sprintf("(%s>>1 + 1)", w.expr(t, depth))
		}
	}
	c := uint64(w.n(256))
	switch w.n(4) {
	case 0:
		c = uint64(1)<<w.n(t.Bits()) + uint64(w.n(3)) - 1
	case 1:
		c = c<<56 ^ c*0x0123456789abcd
	}
	if c = truncateTo(t, c); c == 0 {
		c = 10
	}
	if t.Signed() {
		return fmt.Sprint(intOf(t, c))
	}
	return fmt.Sprint(c)
}

// division divides, by a constant or by what cannot be 0.
func (w *writer) division(t Type, depth int) string {
	op := w.oneOf("/", "%")
	if v := w.pickVar(t); v != "" && w.n(5) == 0 { // known from the path
		return fmt.Sprintf("pick(%s != 0 && %s%s%s > 3, %s, %s)", v, w.expr(t, depth-1), op, v, w.expr(t, depth-1), w.constant(t))
	}
	return fmt.Sprintf("(%s %s %s)", w.expr(t, depth), op, w.divisor(t, depth-1))
}

// shiftBy shifts by a variable: without sign, or kept from being negative.
func (w *writer) shiftBy(t Type, depth int) string {
	u := []Type{Uint8, Uint32, Uint64, Uint16, Int32, Int64, Int8}[w.n(7)]
	count := w.expr(u, depth)
	if u.Signed() {
		count = fmt.Sprintf(w.oneOf("(%s & 63)", "max(%s, 0)", "(%s & 7)", "uint(%s)"), count)
	} else if w.n(2) == 1 {
		count = fmt.Sprintf("(%s %% %d)", count, 1+w.n(70))
	}
	return fmt.Sprintf("(%s %s %s)", w.expr(t, depth), w.oneOf("<<", ">>"), count)
}

// bitsOf calls a function of package math/bits.
func (w *writer) bitsOf(t Type, depth int) string {
	u := []Type{Uint8, Uint16, Uint32, Uint64}[w.n(4)]
	if !t.Signed() && w.n(3) == 0 {
		if t != Uint8 && w.n(3) == 0 {
			return fmt.Sprintf("bits.ReverseBytes%d(%s)", t.Bits(), w.expr(t, depth))
		}
		return fmt.Sprintf("bits.RotateLeft%d(%s, %s)", t.Bits(), w.expr(t, depth), w.oneOf("3", "-5", "0", "77", "int("+w.expr(Int32, depth)+")"))
	}
	return fmt.Sprintf("%v(bits.%s%d(%s))", t, w.oneOf("OnesCount", "LeadingZeros", "TrailingZeros", "Len"), u.Bits(), w.expr(u, depth))
}

// bitsOf evaluates a function of package math/bits.
func bitsOf(name string, in []num) num {
	out := num{t: Int64}
	x, width := in[0].bits, in[0].t.Bits()
	for _, v := range in {
		out.loose = out.loose || v.loose
	}
	switch base := name[:len(name)-len(trailingDigits(name))]; base {
	case "OnesCount":
		out.bits = uint64(bits.OnesCount64(x))
	case "LeadingZeros":
		out.bits = uint64(bits.LeadingZeros64(x) - 64 + width)
	case "TrailingZeros":
		out.bits = uint64(min(bits.TrailingZeros64(x), width))
	case "Len":
		out.bits = uint64(bits.Len64(x))
	case "RotateLeft":
		out.t = in[0].t
		k := int(in[1].signed())
		switch width {
		case 8:
			out.bits = uint64(bits.RotateLeft8(uint8(x), k))
		case 16:
			out.bits = uint64(bits.RotateLeft16(uint16(x), k))
		case 32:
			out.bits = uint64(bits.RotateLeft32(uint32(x), k))
		default:
			out.bits = bits.RotateLeft64(x, k)
		}
	case "ReverseBytes":
		out.t = in[0].t
		out.bits = bits.ReverseBytes64(x) >> (64 - width)
	default:
		stopWith("unknown", "bits.%s", name)
	}
	return out
}

func trailingDigits(s string) string {
	i := len(s)
	for i > 0 && '0' <= s[i-1] && s[i-1] <= '9' {
		i--
	}
	return s[i:]
}

// tables of the prelude.
var writtenTables = []array{{"codes", Float32, 16}, {"offsets", Int32, 10}, {"narrow", Uint8, 5}, {"far", Float64, 8}}

// lookup is an element of a table or of an array, by a variable.
func (w *writer) lookup(t Type, depth int) string {
	for _, a := range append(w.arrays[:len(w.arrays):len(w.arrays)], writtenTables...) {
		if a.t != t {
			continue
		}
		u := []Type{Uint8, Int32, Uint32, Int64, Uint64}[w.n(5)]
		i := w.expr(u, depth)
		if u.Signed() {
			return fmt.Sprintf("%s[max(0, min(%s, %d))]", a.name, i, a.n-1)
		}
		return fmt.Sprintf("%s[%s%%%d]", a.name, i, a.n)
	}
	return w.variable(t)
}

package fn

import "fmt"

// bitsFuncs are the functions of package math/bits that have a vector form: what each
// does, with W for the width that its name ends in. Those of uint are those of uint64.
var bitsFuncs = []struct {
	name, doc, example string
	make               func(t *translator, x []*node) *node
}{
	{"OnesCount", "how many bits are set", "Counts", func(t *translator, x []*node) *node { return t.count(opOnes, x[0]) }},
	{"LeadingZeros", "how many zeros a number begins with, W for 0", "Counts", func(t *translator, x []*node) *node { return t.count(opLeading, x[0]) }},
	{"Len", "how many bits a number has, 0 for 0", "Counts", func(t *translator, x []*node) *node {
		return t.binary(opSub, t.bitsConst(Int64, uint64(x[0].t.Bits())), t.count(opLeading, x[0]))
	}},
	{"TrailingZeros", "how many zeros a number ends in, W for 0", "Counts", func(t *translator, x []*node) *node {
		below := t.binary(opSub, x[0], t.bitsConst(x[0].t, 1))
		return t.count(opOnes, t.and(below, t.binary(opXor, x[0], t.bitsConst(x[0].t, ^uint64(0)))))
	}},
	{"RotateLeft", "the bits moved up by k, those moved out below, or down if k is negative", "Moved", (*translator).rotate},
	{"ReverseBytes", "the bytes in the opposite order", "Moved", (*translator).reverseBytes},
}

func init() {
	for _, f := range bitsFuncs {
		for name, u := range map[string]Type{"": Uint64, "8": Uint8, "16": Uint16, "32": Uint32, "64": Uint64} {
			if f.name == "ReverseBytes" && name == "8" {
				continue
			}
			mathFuncs["math/bits."+f.name+name] = func(t *translator, x []*node) (*node, string) {
				if x[0].t != u {
					return nil, fmt.Sprintf("the operand is %v, not %v", x[0].t, u)
				}
				return f.make(t, x), ""
			}
		}
	}
}

// count counts bits of x, in 16 at least, as an int.
func (t *translator) count(o op, x *node) *node {
	wide := atLeast(x.t, 16)
	n := t.unary(o, t.convert(wide, 0, x))
	if less := wide.Bits() - x.t.Bits(); o == opLeading && less > 0 {
		n = t.binary(opSub, n, t.bitsConst(wide, uint64(less)))
	}
	return t.convert(Int64, 0, n)
}

// rotate moves the bits of x[0] up by x[1], an int, modulo the width.
func (t *translator) rotate(x []*node) *node {
	u, width := x[0].t, uint64(x[0].t.Bits())
	if k := x[1]; k.isConst() {
		by := k.bits % width
		if by == 0 {
			return x[0]
		}
		return t.or(t.shifted(opShl, x[0], by), t.shifted(opShr, x[0], width-by))
	}
	wide := atLeast(u, 32)
	k := t.and(t.convert(wide, 0, x[1]), t.bitsConst(wide, width-1))
	back := t.and(t.binary(opSub, t.bitsConst(wide, 0), k), t.bitsConst(wide, width-1))
	v := t.convert(wide, 0, x[0])
	return t.convert(u, 0, t.or(t.binary(opShlBy, v, k), t.binary(opShrBy, v, back)))
}

// reverseBytes swaps halves, then halves of those, down to bytes.
func (t *translator) reverseBytes(x []*node) *node {
	v := x[0]
	width := v.t.Bits()
	v = t.or(t.shifted(opShl, v, uint64(width/2)), t.shifted(opShr, v, uint64(width/2)))
	for by := width / 4; by >= 8; by /= 2 {
		low := t.bitsConst(v.t, ^uint64(0)/(1<<(2*by)-1)*(1<<by-1)) // the lower half of every 2*by bits
		v = t.or(t.shifted(opShl, t.and(v, low), uint64(by)), t.and(t.shifted(opShr, v, uint64(by)), low))
	}
	return v
}

package emit

import "math/bits"

// The rows of the op table that look at the bits of integers, and the half of a
// product that mul drops. Divisions by a constant are made of that half.

func init() {
	def(Def{Name: "umulh", Doc: "the upper half of x * y without sign", Type: lanewiseNumber,
		Lane: func(e Elem, _ *Attr, x []uint64) uint64 {
			hi, lo := bits.Mul64(x[0], x[1])
			if n := e.Bits(); n < 64 {
				return lo >> n
			}
			return hi
		}})
	one := func(name, doc string, f func(e Elem, x uint64) int) {
		def(Def{Name: name, Doc: doc, Type: func(op *Op) error {
			if err := sameTypes(op, 1); err != nil {
				return err
			}
			return want(op.Results[0].Type.Elem.Int(), "is not defined on %v", op.Results[0].Type)
		}, Lane: func(e Elem, _ *Attr, x []uint64) uint64 { return uint64(f(e, x[0])) }})
	}
	one("popcnt", "how many bits of x are set", func(_ Elem, x uint64) int { return bits.OnesCount64(x) })
	one("clz", "how many zeros x begins with; of 0 its width", func(e Elem, x uint64) int { return e.Bits() - bits.Len64(x) })
}

// MulHi returns the upper half of x * y without sign.
func (b *Builder) MulHi(x, y *Value) *Value { return b.one("umulh", Attr{}, x.Type, x, y) }

// UDiv returns x / y without sign. No lane of y may be 0.
func (b *Builder) UDiv(x, y *Value) *Value { return b.one("udiv", Attr{}, x.Type, x, y) }

// URem returns what x / y without sign leaves. No lane of y may be 0.
func (b *Builder) URem(x, y *Value) *Value { return b.one("urem", Attr{}, x.Type, x, y) }

// OnesCount returns how many bits of x are set.
func (b *Builder) OnesCount(x *Value) *Value { return b.one("popcnt", Attr{}, x.Type, x) }

// LeadingZeros returns how many zeros x begins with, of 0 its width.
func (b *Builder) LeadingZeros(x *Value) *Value { return b.one("clz", Attr{}, x.Type, x) }
